"""Connections of one store file: each is used by one thread at a time and prepared alike."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import apsw

from remora.adapters.sqlite import files
from remora.adapters.sqlite.faults import file_access, translated
from remora.core.errors import Unavailable
from remora.core.policy import LOCK_POLL_SECONDS, STORE_IDLE_CONNECTIONS

_abandoned: list[list[apsw.Connection]] = []
"""Connections inherited by a forked child: never used, and never closed there, since that would disturb the parent."""


def patience(timeout_seconds: float) -> Callable[[int], bool]:
    """A busy handler that asks again every few milliseconds; SQLite's own waits up to 100 and misses its turn."""
    deadline = 0.0

    def again(count: int) -> bool:
        nonlocal deadline
        if count == 0:
            deadline = time.monotonic() + timeout_seconds
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOCK_POLL_SECONDS)
        return True

    return again


_REFUSED = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError, apsw.FullError)
"""What SQLite says when the disk is read-only or full and it cannot make the files beside the store."""

_SHARED_REGION_BYTES = 32_768
"""What a shared-memory file in use has at least (SQLite's WAL-index); a full disk leaves a shorter one behind."""


def connect(path: Path, *, busy_timeout_seconds: float) -> apsw.Connection:
    """Open an existing file with our settings: durable commits, erased bytes overwritten, no trust in its schema.

    Where it cannot be written, the connection is read-only, and each write is refused by the engine.
    """
    try:
        return _opened(str(path), apsw.SQLITE_OPEN_READWRITE, busy_timeout_seconds)
    except _REFUSED:
        if not _alone(path):
            raise
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _opened(f"{path.absolute().as_uri()}?immutable=1", flags, busy_timeout_seconds)


def _alone(path: Path) -> bool:
    """Whether the file by itself is the whole store.

    Who has a store open in WAL mode made the shared-memory file that this process just could not make, and what was
    not checkpointed lies in the journal: without the one and with nothing in the other, no lock and no journal is
    needed to read. Asked again for each connection.
    """
    for ending, in_use_bytes in (("-wal", 1), ("-shm", _SHARED_REGION_BYTES)):
        beside = path.with_name(path.name + ending)
        if beside.exists() and beside.stat().st_size >= in_use_bytes:
            return False
    return path.exists()


def _opened(name: str, flags: int, busy_timeout_seconds: float) -> apsw.Connection:
    con = apsw.Connection(name, flags=flags)
    try:
        _set_up(con, busy_timeout_seconds)
        con.pragma("schema_version")  # the first read is what opens the journal
    except BaseException:
        dispose(con)
        raise
    return con


def _set_up(con: apsw.Connection, busy_timeout_seconds: float) -> None:
    con.set_busy_handler(patience(busy_timeout_seconds))
    for name, value in (
        ("synchronous", "FULL"),
        ("secure_delete", "ON"),
        ("temp_store", "MEMORY"),
        ("trusted_schema", "OFF"),
        ("cell_size_check", "ON"),
    ):
        con.pragma(name, value)


def dispose(con: apsw.Connection) -> None:
    """Close a connection; that a disk refuses the closing checkpoint loses nothing, the journal still has it all."""
    with contextlib.suppress(apsw.Error):
        con.close(True)


@contextmanager
def writing(con: apsw.Connection, turn: AbstractContextManager[None] | None = None) -> Iterator[None]:
    """One write transaction: takes the lock at once, commits at the end, rolls back on any exception.

    `turn` is held only until the lock is had.
    """
    with turn or contextlib.nullcontext():
        con.execute("BEGIN IMMEDIATE")
    try:
        yield
        con.execute("COMMIT")
    except BaseException:
        if con.in_transaction:
            con.execute("ROLLBACK")
        raise


@contextmanager
def reading(con: apsw.Connection) -> Iterator[None]:
    """One read transaction: everything inside sees the same state."""
    con.execute("BEGIN")
    try:
        yield
    finally:
        if con.in_transaction:
            con.execute("ROLLBACK")


def set_journal(con: apsw.Connection, mode: str, *, deadline_seconds: float) -> None:
    """Switch the journal; needs a moment without other users, for which SQLite does not wait by itself."""
    end = time.monotonic() + deadline_seconds
    while str(con.pragma("journal_mode")) != mode:
        try:
            con.pragma("journal_mode", mode)
        except apsw.BusyError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


class Pool:
    """Idle connections of one file. A file that was replaced or removed underneath is opened anew."""

    def __init__(self, path: Path, prepare: Callable[[], None], *, busy_timeout_seconds: float) -> None:
        self.path = path
        self.busy_timeout_seconds = busy_timeout_seconds
        self._prepare = prepare
        self._idle: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._identity: tuple[int, int] | None = None
        self._process = os.getpid()
        self._closed = False

    @contextmanager
    def borrow(self) -> Iterator[apsw.Connection]:
        """One connection for this block; an open transaction is rolled back at its end."""
        with translated(self.path):
            with file_access(self.path):
                con, identity = self._take()
            healthy = False
            try:
                yield con
                healthy = True
            finally:
                self._give_back(con, identity, healthy=healthy)

    def _take(self) -> tuple[apsw.Connection, tuple[int, int] | None]:
        with self._guard:
            if self._closed:
                raise Unavailable(f"the store {self.path} is closed")
            if self._process != os.getpid():
                _abandoned.append(self._idle)
                self._idle, self._process = [], os.getpid()
            identity = files.identity_of(self.path)
            if identity is None or identity != self._identity:
                self._drop_idle()
                self._prepare()
                identity = self._identity = files.identity_of(self.path)
            if self._idle:
                return self._idle.pop(), identity
        return connect(self.path, busy_timeout_seconds=self.busy_timeout_seconds), identity

    def _give_back(self, con: apsw.Connection, identity: tuple[int, int] | None, *, healthy: bool) -> None:
        healthy = healthy and not con.in_transaction
        with self._guard:
            usable = healthy and not self._closed and identity == self._identity and self._process == os.getpid()
            usable = usable and not con.readonly("main")  # the disk may be writable again by the next time
            if usable and len(self._idle) < STORE_IDLE_CONNECTIONS:
                self._idle.append(con)
                return
        dispose(con)

    def _drop_idle(self) -> None:
        while self._idle:
            dispose(self._idle.pop())

    def close(self) -> None:
        """Close idle connections now and borrowed ones when they come back."""
        with self._guard:
            self._closed = True
            self._drop_idle()
