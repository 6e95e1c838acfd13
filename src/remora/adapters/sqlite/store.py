"""`Store` and `StoreAdmin` on one SQLite file per repository."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from remora.adapters.sqlite import care, files, layout
from remora.adapters.sqlite.change_writer import ChangeWriter
from remora.adapters.sqlite.pool import Pool, connect, dispose, patience, reading, set_journal, writing
from remora.adapters.sqlite.rows import Reader
from remora.adapters.sqlite.turnstile import Turnstile
from remora.adapters.sqlite.view import SqliteView
from remora.core.errors import Conflict, InvalidInput, Unavailable
from remora.core.graph import Applied, Changes
from remora.core.ids import digest
from remora.core.item_codec import decode_json, encode_json
from remora.core.policy import BUSY_TIMEOUT_SECONDS
from remora.core.scope import Grant, Right
from remora.core.store_rules import right_to_drop_scope, storable

if TYPE_CHECKING:  # only for annotations: the hallway knows every family, and a hook waits for each import
    from remora.ports import Clock, Decide, Repository

_REPLY = "SELECT seq, result FROM reply WHERE key = ?"


def open_store(
    path: Path,
    repository: "Repository",
    clock: "Clock",
    *,
    busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS,
    allow_network: bool = False,
    probe: files.FileSystemProbe = files.file_system_of,
) -> "SqliteStore":
    """Open or create the store file of one repository and bring its layout up to date.

    Raises `Corrupt` for a file that is something else, `Conflict` for another repository's store, `Unavailable` for a
    newer layout, a network file system (unless `allow_network`) or a disk that refuses.
    """
    store = SqliteStore(path, repository, clock, busy_timeout_seconds, probe, allow_network=allow_network)
    store.migrate()
    return store


class SqliteStore:
    """One repository's partition: its file and the connections to it."""

    def __init__(
        self,
        path: Path,
        repository: "Repository",
        clock: "Clock",
        busy_timeout_seconds: float,
        probe: files.FileSystemProbe,
        *,
        allow_network: bool,
    ) -> None:
        self._path = path
        self._repository = repository
        self._clock = clock
        self._probe = probe
        self._allow_network = allow_network
        self._busy_timeout_seconds = busy_timeout_seconds
        self._pool = Pool(path, self._prepare, busy_timeout_seconds=busy_timeout_seconds)
        self._writer = threading.Lock()  # threads of one process queue here instead of polling the file's lock
        self._turnstile = Turnstile(path)
        self._writing_thread = 0
        self._last_time = 0
        self._damaged: set[int] = set()

    # --- Store --------------------------------------------------------------------------------------------------------

    @contextmanager
    def read(self, grant: Grant) -> Iterator[SqliteView]:
        """A consistent view; raises `Denied` unless the grant may read the repository."""
        grant.require(self._repository.identity, Right.READ)
        with self._pool.borrow() as con, reading(con):
            reader = Reader(con, self._path)
            try:
                yield SqliteView(reader, self._damaged)
            finally:
                reader.close()

    def apply(self, grant: Grant, decide: "Decide", *, idempotency_key: str = "") -> Applied:
        """Run `decide` and apply its changes in one serialised, durable transaction; see `Store`."""
        grant.require(self._repository.identity, Right.READ)
        key = _reply_key(grant, idempotency_key) if idempotency_key else ""
        with self._write() as con:
            reader = Reader(con, self._path)
            if key and (former := reader.fetch(_REPLY, [(key,)])):
                return _replay(reader, former[0][0], former[0][1])
            view = SqliteView(reader, self._damaged)
            moment = self._last_time = max(self._clock.now(), view.time + 1, self._last_time + 1)
            changes = decide(view, moment)
            seq = view.seq + (not changes.empty)
            self._write_changes(ChangeWriter(con, reader, seq), grant, changes, key)
            con.execute("UPDATE state SET seq = ?, time = ?", (seq, moment))
        return Applied(seq, changes.result)

    def _write_changes(self, writer: ChangeWriter, grant: Grant, changes: Changes, key: str) -> None:
        if not changes.empty:
            writer.write(grant, self._repository.identity, changes)
        if key:
            result = encode_json(changes.result, "result", "changes")
            writer.keep_result(key, result, (item.id for item in changes.put))

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        if self._writing_thread == threading.get_ident():
            raise RuntimeError("a write was started inside the decision of another write")
        if not self._writer.acquire(timeout=self._busy_timeout_seconds):
            raise Unavailable(f"the store {self._path} is busy: another thread writes", advice="try again")
        self._writing_thread = threading.get_ident()
        try:
            with self._pool.borrow() as con, writing(con, self._turnstile.turn(self._busy_timeout_seconds)):
                yield con
        finally:
            self._writing_thread = 0
            self._writer.release()

    def drop_scope(self, grant: Grant, scope: str) -> int:
        """Remove every item of one scope with its tokens and vectors, and scrub the bytes; returns how many items."""
        grant.require(self._repository.identity, right_to_drop_scope(scope))
        with self._write() as con:
            reader = Reader(con, self._path)
            view = SqliteView(reader, self._damaged)
            parts = [(part.id,) for part in view.parts((scope,))]
            ids = [item for (item,) in reader.fetch("SELECT id FROM item WHERE part = ?", parts)]
            if ids:
                ChangeWriter(con, reader, view.seq + 1).drop_ids(grant, self._repository.identity, ids)
                con.execute("UPDATE state SET seq = seq + 1")
        self.scrub()
        return len(ids)

    def lease(self, name: str, holder: str, seconds: int) -> bool:
        """Take or renew a named lease; False when another holder has it and it has not run out."""
        if not storable(name + holder):
            raise InvalidInput("lease", "name or holder holds a NUL or a lone surrogate")
        now = self._clock.now()
        with self._write() as con:
            row = con.execute("SELECT holder, until FROM lease WHERE name = ?", (name,)).fetchone()
            if row is not None and row[0] != holder and row[1] > now:
                return False
            con.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", (name, holder, now + seconds * 1_000_000))
        return True

    # --- StoreAdmin ---------------------------------------------------------------------------------------------------

    def migrate(self) -> int:
        """Bring the layout up to date; returns its version. A newer layout than ours is an error."""
        with self._pool.borrow() as con:
            return layout.migrate(con, self._path, self._repository.identity)

    def _prepare(self) -> None:
        """Make the file ready before a first connection, or after it was removed underneath us."""
        mode = files.journal_mode(self._path, self._probe, allow_network=self._allow_network)
        files.prepare(self._path)
        con = connect(self._path, busy_timeout_seconds=self._busy_timeout_seconds)
        try:
            layout.layout_of(con, self._path)
            if not con.readonly("main"):
                set_journal(con, mode, deadline_seconds=self._busy_timeout_seconds)
            layout.migrate(con, self._path, self._repository.identity)
            owner = str(con.execute("SELECT identity FROM state").get)
        finally:
            dispose(con)
        if owner not in (self._repository.identity, *self._repository.aliases):
            raise Conflict(f"{self._path} is the store of {owner!r}, not of {self._repository.identity!r}")

    def health(self) -> Mapping[str, str | int | bool]:
        """Engine, versions, layout, journal mode, sizes, warnings; for `doctor`."""
        with self._pool.borrow() as con:
            report = care.health(con, self._path, self._probe(self._path.parent))
        return report | {"damaged_items_met": len(self._damaged)}

    def verify(self) -> tuple[str, ...]:
        """Names everything that is bad; empty when all is well."""
        with self._pool.borrow() as con, reading(con):
            return tuple(care.verify(con))

    def backup(self, target: Path) -> None:
        """A consistent copy while others write. Refuses to overwrite."""
        with self._pool.borrow() as con:
            care.backup(con, target)

    def scrub(self) -> None:
        """Make erased bytes unreadable; raises `Unavailable` when readers keep the journal in use too long."""
        with self._pool.borrow() as con:
            try:
                done = care.scrub(con, deadline_seconds=self._busy_timeout_seconds)
            finally:
                con.set_busy_handler(patience(self._busy_timeout_seconds))
        if not done:
            advice = "end long reads and run `remora doctor --scrub`; the data itself is deleted"
            raise Unavailable(f"erased bytes may still lie in the journal of {self._path}", advice=advice)

    def close(self) -> None:
        """Release files and connections."""
        self._pool.close()
        self._turnstile.close()


def _replay(reader: Reader, seq: int, result: str | None) -> Applied:
    try:
        return Applied(seq, None if result is None else decode_json(result), replayed=True)
    except (ValueError, TypeError) as error:
        raise reader.damaged("a kept result is not what was written") from error


def _reply_key(grant: Grant, key: str) -> str:
    """Keys are per principal: nobody is answered with another's result."""
    text = f"{len(grant.principal)}:{grant.principal}{key}"
    return digest(text.encode("utf-8", "surrogatepass"))
