"""Reading git, and finding the symbols in a file of a revision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from remora.core.capture.git_log import RawCommit, UnreadableCommit
    from remora.core.capture.patch import CommitPatch, Span
    from remora.ports.repository import Checkout


@dataclass(frozen=True, slots=True)
class HistoryRange:
    """Which commits to read: those reachable from `revision` (from every branch, tag and remote when `all_refs`), not
    from `exclude`, and not older than `since` (Unix seconds; 0 = no limit). `single` is the one commit alone.
    """

    revision: str = "HEAD"
    exclude: str = ""
    since: int = 0
    all_refs: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class CommitList:
    """Full ids of a range, newest first: ordinary commits and merges. `missing` names commits that are not there though
    others descend from them (their own ancestors are unknown). `branch` is the branch the range was named by, if any.
    """

    commits: tuple[str, ...] = ()
    merges: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    branch: str = ""

    @property
    def total(self) -> int:
        """How many commits there are to read."""
        return len(self.commits) + len(self.merges)


@dataclass(frozen=True, slots=True)
class TrackedFile:
    """One file under git. `path` is in the stored form of `core.capture.paths`; `mode` is git's (120000 = symlink)."""

    path: str
    mode: str
    blob: str
    size: int = -1


class Git(Protocol):
    """Reads one repository; never writes, never touches index or worktree. Failures are `SourceFailed`."""

    @property
    def checkout(self) -> Checkout:
        """Where this is."""
        ...

    def resolve(self, revision: str) -> str:
        """Full id of the commit a name stands for; raises `NotFound`."""
        ...

    def list_commits(self, history: HistoryRange) -> CommitList:
        """The range's commits; empty in a repository without commits."""
        ...

    def commits(self, listing: CommitList) -> Iterator[RawCommit | UnreadableCommit]:
        """The listed commits with their changed paths, streamed; one that cannot be read is named, others go on.

        A merge has the paths whose content differs from every parent: what the merge itself decided.
        """
        ...

    def patches(self, shas: Sequence[str]) -> Iterator[CommitPatch]:
        """Touched lines of ordinary commits, in this order; unreadable ones are left out."""
        ...

    def blobs(self, names: Sequence[str], *, max_bytes: int) -> Iterator[bytes | None]:
        """Content per blob id (or `revision:path`), in this order; None when absent or larger than `max_bytes`."""
        ...

    def expand(self, abbreviations: Collection[str]) -> Mapping[str, str]:
        """Abbreviated commit ids -> full ids, for those that name exactly one commit."""
        ...

    def nearest_ancestor(self, revision: str, known: Callable[[Sequence[str]], Collection[str]]) -> str:
        """The first commit on the first-parent line from `revision` that is known, "" when none is.

        `known` is asked about growing batches, nearest first, and answers which of them it knows.
        """
        ...

    def unreachable(self, shas: Collection[str]) -> frozenset[str]:
        """Which of these commits no branch, tag, remote or HEAD reaches any more."""
        ...

    def tracked(self, revision: str = "") -> tuple[TrackedFile, ...]:
        """Files of the index, or of a commit (then with sizes); submodules are left out."""
        ...


class CommitReach(Protocol):
    """Tells which commits branches let go of. Failures are `SourceFailed`."""

    def tips(self) -> tuple[str, ...]:
        """Ids of everything that branches, tags, remotes and the HEADs of all worktrees name, sorted. Cheap."""
        ...

    def dropped(self, starts: Collection[str], tips: Sequence[str]) -> frozenset[str]:
        """Commits that `starts` reach and `tips` do not; starts that are not there are passed over."""
        ...

    def there(self, commits: Collection[str]) -> frozenset[str]:
        """Which of these commits the repository still has, reached or not."""
        ...


class SpanSource(Protocol):
    """Definitions in the text of one file, at any revision; pure for equal input."""

    def knows(self, path: str) -> bool:
        """Whether files of this name can be parsed."""
        ...

    def spans(self, path: str, data: bytes) -> Sequence[Span]:
        """Definitions with their lines, () when the text cannot be parsed."""
        ...
