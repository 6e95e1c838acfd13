"""Files of a project that others own and we patch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from remora.core.clients.turns import Cursor
    from remora.ports.records import RecordLog
    from remora.ports.repository import Repository
    from remora.ports.store import StoreAdmin


class ProjectFiles(Protocol):
    """Files of one project that others own too: settings, instructions, hooks. Paths are relative, with `/`.

    A path out of the project raises `InvalidInput`; a failing disk raises `Unavailable` with the old content intact.
    """

    def read(self, path: str) -> bytes | None:
        """The whole file, None when it is absent."""
        ...

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Replace or create the file in one step, its mode kept."""
        ...

    def is_executable(self, path: str) -> bool:
        """Whether the owner may run the file; False when it is absent."""
        ...

    def move(self, path: str, target: str) -> None:
        """Give the file another name, its bytes and mode as they are; a file of that name is replaced."""
        ...

    def remove(self, path: str) -> None:
        """Remove the file, and folders of the project that it leaves empty."""
        ...

    def read_receipts(self) -> bytes | None:
        """Receipts of former installs, kept beside the project; None when there are none."""
        ...

    def write_receipts(self, data: bytes) -> None:
        """Keep receipts; empty removes them."""
        ...


@dataclass(frozen=True, slots=True)
class HooksPlace:
    """Where git looks for this repository's hooks. `refused` says why nothing may be written there, "" when it may.

    `tracked`: the folder is under version control (husky), so what is written there is shared.
    """

    folder: Path
    refused: str = ""
    tracked: bool = False


class BackupFolder(Protocol):
    """The folder of one backup."""

    @property
    def records(self) -> RecordLog:
        """The copied record log."""
        ...

    def begin(self) -> Path:
        """Make the folder; returns where the store's copy goes. Raises `Conflict` when something is in it."""
        ...

    def open_store(self, repository: Repository) -> StoreAdmin:
        """The copied store, to look at."""
        ...

    def store_digest(self) -> str:
        """A checksum of the copied store."""
        ...

    def write_manifest(self, data: bytes) -> None:
        """Say what the folder holds; only then is it a backup."""
        ...

    def read_manifest(self) -> bytes:
        """What it holds; raises `InvalidInput` when the folder is no backup."""
        ...

    def put_store(self, repository: Repository) -> None:
        """Put the store where this repository's lies; raises `Conflict` when there is one."""
        ...


class HookTrail(Protocol):
    """What hooks left behind; what cannot be read is not there."""

    def marks(self) -> Mapping[str, int]:
        """`<client>.<event>` of each hook that ever worked -> when it last did, in microseconds UTC."""
        ...

    def journal(self) -> Iterator[str]:
        """Lines of the client hooks' journal, older part first."""
        ...

    def git_journal(self) -> Iterator[str]:
        """Last lines of what the git hooks printed."""
        ...

    def mark(self, name: str) -> None:
        """Note that `name` just worked; failing to note is no failure."""
        ...

    def open_to_others(self) -> int:
        """How many files of records and of the cache others on this machine may read."""
        ...


@dataclass(frozen=True, slots=True)
class OpenTranscript:
    """`chunks` begin at byte `start`, in the middle of a line when `torn`; `left_out` bytes before it were not read.

    `anchor(offset)` is what a cursor at this offset has to remember.
    """

    chunks: Iterator[bytes]
    start: int
    anchor: Callable[[int], str]
    torn: bool = False
    left_out: int = 0


class Transcripts(Protocol):
    """The conversations that agent clients keep as files."""

    def open(self, path: str, cursor: Cursor) -> OpenTranscript:
        """Where to read on, and the bytes from there in chunks; raises `Unavailable` for what is no file of ours."""
        ...

    def tail(self, path: str, size_bytes: int) -> OpenTranscript:
        """The last bytes, the whole file when it is not larger; raises like `open`."""
        ...


class RunFiles(Protocol):
    """How a running server is found: one private file in each home, removed when the server ends."""

    def write(self, path: Path, data: bytes) -> None:
        """Put a file of mode 0600 there, whole before it gets its name. Raises `Unavailable`."""
        ...

    def remove(self) -> None:
        """Take back what was written, where it still stands; a server that was found there before and runs, returns."""
        ...
