"""The code graph's file: one SQLite database per checkout, changed so that readers see whole builds only."""

import fcntl
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from remora.core import policy
from remora.core.codegraph.facts import FORMAT
from remora.core.codegraph.snapshot import (
    EdgeRow,
    FileRow,
    FileStamp,
    FlowRow,
    GraphUpdate,
    SymbolRow,
    UnresolvedRow,
)
from remora.core.errors import Corrupt, NotFound, Unavailable

LAYOUT = f"2.{FORMAT}"
"""Of the tables and of the facts in them: what another version wrote is built anew."""
_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE, language TEXT, digest TEXT, version TEXT, lines INTEGER,
  code_lines INTEGER, symbols INTEGER, errors INTEGER, problem TEXT, calls INTEGER, external INTEGER);
CREATE TABLE facts(file INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE symbol(id INTEGER PRIMARY KEY, file INTEGER, scope INTEGER, parent INTEGER, qualified TEXT, name TEXT,
  kind TEXT, line INTEGER, end_line INTEGER, public INTEGER, test INTEGER, signature TEXT, doc TEXT, decorators TEXT);
CREATE INDEX symbol_file ON symbol(file);
CREATE INDEX symbol_name ON symbol(name);
CREATE TABLE edge(source INTEGER, kind INTEGER, target INTEGER, tier INTEGER, line INTEGER,
  PRIMARY KEY(source, kind, target)) WITHOUT ROWID;
CREATE INDEX edge_target ON edge(target, kind);
CREATE TABLE unresolved(source INTEGER, line INTEGER, name TEXT);
CREATE INDEX unresolved_source ON unresolved(source);
CREATE TABLE flow(source INTEGER, round INTEGER, target INTEGER, payload TEXT,
  PRIMARY KEY(source, round, target)) WITHOUT ROWID;
CREATE INDEX flow_target ON flow(target, round);
CREATE TABLE dependency(target INTEGER, name TEXT, source INTEGER, owner TEXT,
  PRIMARY KEY(target, name, source, owner)) WITHOUT ROWID;
CREATE INDEX dependency_source ON dependency(source);
CREATE TABLE endpoint(file INTEGER PRIMARY KEY, data TEXT);
CREATE INDEX edge_boundary ON edge(kind) WHERE kind >= 6;
"""
_CHUNK = 500


class CodeGraphFile:
    """`graph.sqlite3` in a checkout's cache folder. Builders take a lock; readers never wait for a build."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path = folder / "graph.sqlite3"

    @contextmanager
    def building(self) -> Iterator[None]:
        """Hold the builders' lock; a second builder waits, then finds the first one's work."""
        with _disk():
            self._folder.mkdir(0o700, parents=True, exist_ok=True)
            (self._folder / "graph.lock").touch(0o600)
            file = (self._folder / "graph.lock").open("a+b")
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextmanager
    def read(self) -> Iterator["CodeGraphReader"]:
        """A consistent view; raises `NotFound` when there is no graph of this layout yet."""
        if not self.path.exists():
            raise NotFound("this checkout has no code graph yet", advice="run `remora index`")
        connection = _open(self.path, apsw.SQLITE_OPEN_READWRITE)
        try:
            with _translated(), connection:
                reader = CodeGraphReader(connection)
                if reader.meta().get("layout") != LAYOUT:
                    raise NotFound("the code graph has another layout", advice="run `remora index`")
                yield reader
        finally:
            connection.close()

    def replace(self, update: GraphUpdate) -> None:
        """Write a whole new graph and put it in place of the old one. The builders' lock must be held."""
        fresh = self._folder / "graph.sqlite3.new"
        try:
            with _disk():
                for stale in (fresh, Path(f"{fresh}-journal")):
                    stale.unlink(missing_ok=True)
                self._fill(fresh, update)
                self._settle_journal()
                fresh.replace(self.path)
        except Unavailable:
            with suppress(OSError):  # a full disk needs the room back
                fresh.unlink(missing_ok=True)
            raise

    def _fill(self, fresh: Path, update: GraphUpdate) -> None:
        fresh.touch(0o600)
        connection = _open(fresh, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        try:
            with _translated():
                connection.execute("PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
                with connection:
                    connection.execute(_SCHEMA)
                    connection.execute("INSERT INTO meta VALUES('layout', ?)", (LAYOUT,))
                    _write(connection, update, fresh=True)
        finally:
            connection.close()
        with fresh.open("rb") as file:
            os.fsync(file.fileno())

    def _settle_journal(self) -> None:
        """A journal left by a killed builder belongs to the old file and must not be played into the new one."""
        if not Path(f"{self.path}-journal").exists():
            return
        try:
            connection = _open(self.path, apsw.SQLITE_OPEN_READWRITE)
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
            finally:
                connection.close()
        except (apsw.Error, Corrupt, Unavailable):
            self.path.unlink(missing_ok=True)
        Path(f"{self.path}-journal").unlink(missing_ok=True)

    def update(self, update: GraphUpdate) -> None:
        """Apply one incremental build in one transaction. The builders' lock must be held."""
        connection = _open(self.path, apsw.SQLITE_OPEN_READWRITE)
        try:
            with _translated():
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    _write(connection, update, fresh=False)
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
        finally:
            connection.close()

    def stamps(self) -> dict[str, tuple[FileStamp, str]]:
        """Path -> stamp and digest at the last build; only a hint, safe to lose. Racy stamps are left out."""
        path = self._folder / "graph.stamps"
        try:
            written = path.stat().st_mtime_ns
            rows = path.read_text(encoding="utf-8", errors="surrogateescape").split("\0")
        except OSError:
            return {}
        found = {}
        for row in rows:
            parts = row.split("\1")
            if len(parts) != 6 or not all(part.isdigit() for part in parts[1:5]):
                continue
            stamp = FileStamp(*map(int, parts[1:5]))
            if max(stamp.mtime_ns, stamp.ctime_ns) + policy.RACY_NANOSECONDS < written:
                found[parts[0]] = (stamp, parts[5])
        return found

    def write_stamps(self, stamps: Iterable[tuple[str, FileStamp, str]]) -> None:
        """Remember the stamps of a build, where the disk lets us."""
        text = "\0".join("\1".join((path, *map(str, stamp), digest)) for path, stamp, digest in stamps)
        fresh = self._folder / "graph.stamps.new"
        with suppress(OSError):
            fresh.touch(0o600)
            fresh.write_text(text, encoding="utf-8", errors="surrogateescape")
            fresh.replace(self._folder / "graph.stamps")


class CodeGraphReader:
    """Questions to one consistent view of the graph."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _rows(self, sql: str, bindings: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return self._connection.execute(sql, bindings).fetchall()

    def _number(self, sql: str) -> int:
        ((found,),) = self._rows(sql)
        assert isinstance(found, int)
        return found

    def meta(self) -> dict[str, str]:
        """Facts about the build: layout, commit, counts of skipped files."""
        return dict(self._rows("SELECT key, value FROM meta"))  # type: ignore[arg-type]

    def files(self) -> list[FileRow]:
        """Every file by path."""
        return [FileRow(*row) for row in self._rows("SELECT * FROM file ORDER BY path")]  # type: ignore[arg-type]

    def facts(self, file: int) -> bytes:
        """A file's packed facts."""
        ((data,),) = self._rows("SELECT data FROM facts WHERE file=?", (file,))
        return data  # type: ignore[return-value]

    def symbols(self, *, files: Collection[int] = (), ids: Collection[int] = (), name: str = "") -> list[SymbolRow]:
        """Symbols of files, with ids, or with a name; of the whole graph when nothing is asked for. By id."""
        if name:
            rows = self._rows("SELECT * FROM symbol WHERE name=? ORDER BY id", (name,))
        elif files or ids:
            column, numbers = ("file", files) if files else ("id", ids)
            rows = self._chunked(f"SELECT * FROM symbol WHERE {column} IN (%s) ORDER BY id", numbers)  # noqa: S608
        else:
            rows = self._rows("SELECT * FROM symbol ORDER BY id")
        return [SymbolRow(*row) for row in rows]  # type: ignore[arg-type]

    def edges(self, *, sources: Collection[int] = (), targets: Collection[int] = ()) -> list[EdgeRow]:
        """Edges from or to symbols; of the whole graph when nothing is asked for."""
        if sources or targets:
            column, numbers = ("source", sources) if sources else ("target", targets)
            rows = self._chunked(f"SELECT * FROM edge WHERE {column} IN (%s)", numbers)  # noqa: S608
        else:
            rows = self._rows("SELECT * FROM edge ORDER BY source, kind, target")
        return [EdgeRow(*row) for row in rows]  # type: ignore[arg-type]

    def unresolved(self, *, sources: Collection[int] = (), name: str = "") -> list[UnresolvedRow]:
        """Calls that could not be told: of some symbols, of callees with a last name, or all."""
        if sources:
            rows = self._chunked("SELECT * FROM unresolved WHERE source IN (%s) ORDER BY source, line, name", sources)
        elif name:
            sql = "SELECT * FROM unresolved WHERE name = ?1 OR substr(name, -length(?1) - 1) = '.' || ?1"
            rows = self._rows(sql + " ORDER BY source, line, name", (name,))
        else:
            rows = self._rows("SELECT * FROM unresolved ORDER BY source, line, name")
        return [UnresolvedRow(*row) for row in rows]  # type: ignore[arg-type]

    def endpoints(self) -> dict[int, str]:
        """File -> what it exposes and reaches for, as JSON."""
        return dict(self._rows("SELECT file, data FROM endpoint ORDER BY file"))  # type: ignore[arg-type]

    def flows(self, *, source: int = 0, target: int = 0, round_number: int) -> list[FlowRow]:
        """What one file passes on, or what is passed to it, in a round."""
        column = "source" if source else "target"
        sql = f"SELECT round, source, target, payload FROM flow WHERE {column}=? AND round=? ORDER BY source, target"  # noqa: S608
        return [FlowRow(*row) for row in self._rows(sql, (source or target, round_number))]  # type: ignore[arg-type]

    def dependents(self, target: int, name: str | None) -> list[tuple[int, str]]:
        """(file, owner) that depend on a name of a file, on anything of it (None), or on the name anywhere (file 0)."""
        if name is None:
            rows = self._rows("SELECT DISTINCT source, owner FROM dependency WHERE target=?", (target,))
        elif not target:
            rows = self._rows("SELECT DISTINCT source, owner FROM dependency WHERE name=?", (name,))
        else:
            rows = self._rows("SELECT source, owner FROM dependency WHERE target=? AND name=?", (target, name))
        return rows  # type: ignore[return-value]

    def highest_symbol(self) -> int:
        """The highest symbol number in use; 0 in an empty graph."""
        return self._number("SELECT coalesce(max(id), 0) FROM symbol")

    def counts(self) -> dict[str, int]:
        """Numbers of files, symbols, edges and unresolved calls."""
        tables = ("file", "symbol", "edge", "unresolved")
        return {name: self._number(f"SELECT count(*) FROM {name}") for name in tables}  # noqa: S608 - fixed names

    def _chunked(self, sql: str, numbers: Collection[int]) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        ordered = sorted(numbers)
        for start in range(0, len(ordered), _CHUNK):
            part = ordered[start : start + _CHUNK]
            found.extend(self._rows(sql % ",".join("?" * len(part)), part))
        return found


def _open(path: Path, flags: int) -> apsw.Connection:
    with _translated():
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_timeout(policy.BUSY_TIMEOUT_SECONDS * 1000)
        return connection


@contextmanager
def _disk() -> Iterator[None]:
    """Run a block of file calls, whose errors become ours."""
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"the code graph cannot be written: {error.strerror or error}",
            advice="check free space and the permissions of .remora/cache",
        ) from error


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise Corrupt(f"the code graph's file is damaged: {error}", advice="run `remora index --full`") from error
    except apsw.Error as error:
        raise Unavailable(
            f"the code graph's file: {error}", advice="try again, or run `remora index --full`"
        ) from error


def _write(connection: apsw.Connection, update: GraphUpdate, *, fresh: bool) -> None:
    many = connection.executemany
    if not fresh:
        _clear(connection, update)
    many("INSERT OR REPLACE INTO file VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", [row for row, _ in update.files])
    many("INSERT OR REPLACE INTO facts VALUES(?,?)", ((row.id, data) for row, data in update.files))
    many(
        "INSERT OR REPLACE INTO symbol VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (row for rows in update.symbols.values() for row in rows),
    )
    many("INSERT OR REPLACE INTO symbol VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", update.boundaries)
    many("INSERT INTO edge VALUES(?,?,?,?,?)", sorted(update.edges + update.boundary_edges))
    many("INSERT INTO endpoint VALUES(?,?)", sorted(update.endpoints.items()))
    many("INSERT INTO unresolved VALUES(?,?,?)", sorted(update.unresolved))
    many("UPDATE file SET calls=?, external=? WHERE id=?", ((*pair, file) for file, pair in update.counts.items()))
    flows = sorted((row.source, row.round, row.target, row.payload) for row in update.flows)
    many("INSERT INTO flow VALUES(?,?,?,?)", flows)
    many("INSERT OR IGNORE INTO dependency VALUES(?,?,?,?)", sorted(update.dependencies))
    many("INSERT OR REPLACE INTO meta VALUES(?,?)", sorted(update.meta.items()))


def _clear(connection: apsw.Connection, update: GraphUpdate) -> None:
    """Take away what the update replaces: links of re-linked, declarations of parsed, all of removed files."""
    many = connection.executemany
    linked, parsed, gone = ([(file,) for file in files] for files in (update.relinked, update.symbols, update.removed))
    of_file = "(SELECT id FROM symbol WHERE file=?)"
    # Boundaries are of the whole tree and come anew with every build.
    connection.execute("DELETE FROM edge WHERE kind >= 6")
    connection.execute("DELETE FROM edge WHERE target < 0")
    connection.execute("DELETE FROM symbol WHERE id < 0")
    many("DELETE FROM endpoint WHERE file=?", linked + gone)
    # Kind 0 is `contains`: it belongs to the declarations, not to the links.
    many(f"DELETE FROM edge WHERE source IN {of_file} AND kind<>0", linked + gone)  # noqa: S608 - fixed text
    many(f"DELETE FROM edge WHERE source IN {of_file} AND kind=0", parsed + gone)  # noqa: S608 - fixed text
    many(f"DELETE FROM unresolved WHERE source IN {of_file}", linked + gone)  # noqa: S608 - fixed text
    many("DELETE FROM flow WHERE source=?", linked + gone)
    many("DELETE FROM symbol WHERE file=?", parsed + gone)
    many("DELETE FROM facts WHERE file=?", gone)
    many("DELETE FROM file WHERE id=?", gone)
    many("DELETE FROM dependency WHERE source=?", gone)
    many("DELETE FROM dependency WHERE source=? AND owner=?", update.stale_owners)
