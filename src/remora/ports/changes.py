"""What changed between two states of the code, and which states a pull request has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from remora.core.capture.patch import CommitPatch
    from remora.core.codegraph.diff import ChangedFile


@dataclass(frozen=True, slots=True)
class TreeDiff:
    """From commit `base` to commit `head`; "" is the working tree with its untracked files. Paths are in stored form.

    `patch` holds touched lines per file; files without any (renamed, binary, untracked) are in `files` alone.
    """

    base: str
    head: str
    files: tuple[ChangedFile, ...]
    patch: CommitPatch


class Diffs(Protocol):
    """Reads differences; never writes, never touches index or worktree. Failures are `SourceFailed`."""

    def working_tree(self, base: str = "HEAD") -> TreeDiff:
        """What the working tree changes against a commit; in a repository without commits, against nothing."""
        ...

    def between(self, base: str, head: str) -> TreeDiff:
        """What `head` changed since it parted from `base`; raises `NotFound` for unknown names."""
        ...


class PullRequests(Protocol):
    """Pull requests of the forge that the repository lives on."""

    def ends(self, number: int) -> tuple[str, str]:
        """Commits (base, head); raises `Unavailable` without the forge's own tool or its answer."""
        ...
