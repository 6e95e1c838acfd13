"""The record index: a derived file beside the checkout that follows the log, and may be deleted at any time."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from remora.adapters.sqlite.faults import translated
from remora.adapters.sqlite.files import file_system_of, identity_of, is_network, make_private
from remora.adapters.sqlite.record_fold import fold, is_fresh, known_units
from remora.adapters.sqlite.record_layout import open_index, whole
from remora.adapters.sqlite.record_reach import follow, is_followed, tips_of, unreachable
from remora.adapters.sqlite.record_view import DAMAGE, SqliteRecordView
from remora.core.policy import BUSY_TIMEOUT_SECONDS
from remora.core.records.log import Progress
from remora.core.scope import Grant
from remora.ports import CommitReach, RecordLog, RecordView

_UNUSABLE = (*DAMAGE, apsw.ReadOnlyError, apsw.CantOpenError, apsw.FullError, apsw.PermissionsError)
"""What makes the file useless to us: it is derived, so it is thrown away or done without."""


class SqliteRecordIndex:
    """Answers queries from `path`, folding in what changed in the log first. Threads take turns.

    `reach` tells which recorded commits no branch or tag holds any more; their records are flagged.
    """

    def __init__(
        self,
        path: Path,
        log: RecordLog,
        *,
        progress: Progress | None = None,
        reach: CommitReach | None = None,
        busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS,
    ) -> None:
        self._path = path
        self._log = log
        self._progress = progress
        self._reach = reach
        self._busy_timeout_seconds = busy_timeout_seconds
        self._turn = threading.RLock()
        self._con: apsw.Connection | None = None
        self._opened: tuple[int, tuple[int, int] | None] = (0, None)
        self._in_memory = False
        self._known: tuple[int, dict[str, tuple[str, bool, str]]] = (-1, {})

    @contextmanager
    def view(self, grant: Grant) -> Iterator[RecordView]:
        """A consistent view of everything in the log now, for one caller."""
        with self._turn, translated(self._path):
            if self._con is not None and self._con.in_transaction:  # within another view of this thread: the same state
                yield self._viewed(self._con, "unchanged", grant)
                return
            try:
                try:
                    view = self._viewed(*self._fresh(), grant)
                except DAMAGE:
                    view = self._viewed(self._rebuilt(), "built", grant)
                yield view
            finally:
                if self._con is not None and self._con.in_transaction:
                    self._con.execute("ROLLBACK")

    def rebuild(self) -> None:
        """Throw the file away and build it anew from the log."""
        with self._turn, translated(self._path):
            self._rebuilt().execute("ROLLBACK")

    def close(self) -> None:
        """Release the file."""
        with self._turn:
            self._drop_connection()

    def _viewed(self, con: apsw.Connection, origin: str, grant: Grant) -> SqliteRecordView:
        return SqliteRecordView(con, origin, grant, self._rebuilt, unreachable(con))

    def _rebuilt(self) -> apsw.Connection:
        """The same as `_fresh`, from an index that was thrown away and built again."""
        self._drop_connection()
        self._in_memory = self._in_memory or not self._discard()
        return self._fresh()[0]

    def _fresh(self) -> tuple[apsw.Connection, str]:
        """A connection inside a read transaction that says what the log says, and how it came to that.

        A file that cannot be used is deleted and built again; where that fails too, the index lives in memory.
        """
        for attempt in range(3):
            try:
                return self._refreshed()
            except _UNUSABLE:
                self._drop_connection()
                if attempt == 2 or self._in_memory:
                    raise
                self._in_memory = attempt == 1 or not self._discard()
        raise AssertionError("the last attempt returns or raises")

    def _refreshed(self) -> tuple[apsw.Connection, str]:
        con = self._connection()
        tips = tips_of(self._reach)
        con.execute("BEGIN")
        try:
            fresh = is_fresh(self._cached_units(con), self._log.units(), self._log)
            if fresh and is_followed(con, tips):
                return con, "unchanged"
        except BaseException:
            con.execute("ROLLBACK")
            raise
        con.execute("ROLLBACK")
        origin = self._fold(con, tips, fresh=fresh)
        con.execute("BEGIN")
        self._cached_units(con)
        return con, origin

    def _fold(self, con: apsw.Connection, tips: tuple[str, ...] | None, *, fresh: bool) -> str:
        con.execute("BEGIN IMMEDIATE")
        try:
            was_empty = not known_units(con)
            if not fresh:
                fold(con, self._log, self._progress)
            follow(con, self._reach, tips)
            con.execute("COMMIT")
        except BaseException:
            if con.in_transaction:
                con.execute("ROLLBACK")
            raise
        return "unchanged" if fresh else "built" if was_empty else "folded"

    def _cached_units(self, con: apsw.Connection) -> dict[str, tuple[str, bool, str]]:
        generation = whole(con.execute("SELECT value FROM meta WHERE key='generation'").get)
        if generation != self._known[0]:
            self._known = (generation, known_units(con))
        return self._known[1]

    def _connection(self) -> apsw.Connection:
        here = (os.getpid(), self._identity())
        if self._con is not None and here == self._opened:
            return self._con
        self._drop_connection()
        if not self._in_memory and is_network(file_system_of(self._path.parent)):
            self._in_memory = True  # locks in shared memory cannot be trusted there
        if not self._in_memory:
            self._make_folder()
        place = None if self._in_memory else self._path
        self._con = open_index(place, busy_timeout_seconds=self._busy_timeout_seconds)
        self._opened = (os.getpid(), self._identity())
        return self._con

    def _identity(self) -> tuple[int, int] | None:
        """Which file lies at the path now; None when there is none, or when the index lives in memory."""
        try:
            return None if self._in_memory else identity_of(self._path)
        except OSError:
            return None

    def _make_folder(self) -> None:
        try:
            make_private(self._path)
        except OSError:
            self._in_memory = True

    def _drop_connection(self) -> None:
        con, self._con = self._con, None
        self._known = (-1, {})
        if con is not None and self._opened[0] == os.getpid():
            con.close(True)

    def _discard(self) -> bool:
        """Delete the file; False when that is not possible."""
        try:
            for ending in ("", "-wal", "-shm"):
                Path(f"{self._path}{ending}").unlink(missing_ok=True)
        except OSError:
            return False
        return True
