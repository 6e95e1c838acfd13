"""Which repository a bag of ports is bound to, and its time and randomness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Repository:
    """Which repository a bag of ports is bound to. `root` is the checkout, None on a server without one.

    `identity` is pinned at first use (normalised remote or a random id); `aliases` are later remotes.
    """

    identity: str
    id: str
    root: Path | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checkout:
    """The place on disk that a command was started for, found through git; several checkouts share one repository.

    `root` is this worktree's root (the git dir where there is none); its derived caches lie in `root/.remora/cache`.
    `home` is where record files live, shared by all worktrees: `.remora` of the main worktree, or `<common dir>/remora`
    in bare layouts and where git does not record a main worktree. `common_dir` is None in a folder without git.
    """

    repository: Repository
    root: Path
    main_worktree: Path | None
    home: Path
    common_dir: Path | None = None
    bare: bool = False
    shallow: bool = False
    object_format: str = "sha1"


class Clock(Protocol):
    """Time and randomness, so that both can be simulated."""

    def now(self) -> int:
        """Microseconds UTC since the epoch."""
        ...

    def token(self, size_bytes: int) -> str:
        """`size_bytes` random bytes as lower-case hex."""
        ...
