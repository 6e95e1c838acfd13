"""The contents index: words of files by blob id, in a derived file beside the checkout that may be deleted any time."""

import os
import threading
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import apsw

from remora.adapters.sqlite.faults import translated
from remora.adapters.sqlite.files import file_system_of, is_network, make_private
from remora.core import ids, policy
from remora.core.locate.contents import Contents, FileWords, file_words
from remora.core.records.log import Progress
from remora.core.text import tokens

_VERSION = 1
_PROBE = "refreshToken src/a_b.py v1.2.3 don't C++ 日本語 running HTTPServer2\ndef class_of(x): pass"
_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE blob(num INTEGER PRIMARY KEY, id TEXT UNIQUE, length INTEGER);
CREATE TABLE posting(term TEXT, num INTEGER, declared INTEGER, lines BLOB, PRIMARY KEY(term, num)) WITHOUT ROWID;
"""
_UNUSABLE = (
    *(apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.ConstraintError, apsw.IOError),
    *(apsw.ReadOnlyError, apsw.CantOpenError, apsw.FullError, apsw.PermissionsError, OSError),
    UnicodeDecodeError,
)
"""What makes the file useless to us: it is thrown away, or done without."""
_UNREAD = -1
_BATCH_BLOBS = 200

ReadBlobs = Callable[[Sequence[str]], Iterator[bytes | None]]
"""Content per blob id, in this order; None when absent or too large."""


class SqliteContentsIndex:
    """Answers from `path`, reading blobs that are new to it first. Threads take turns."""

    def __init__(self, path: Path, read: ReadBlobs, *, progress: Progress | None = None) -> None:
        self._path = path
        self._read = read
        self._progress = progress
        self._turn = threading.RLock()
        self._con: apsw.Connection | None = None
        self._in_memory = False

    def find(self, files: Mapping[str, str], terms: Collection[str]) -> Contents:
        """Where these files (path -> blob id) hold the words; files whose text is new are read first."""
        with self._turn, translated(self._path):
            for attempt in range(3):
                try:
                    return self._found(files, terms)
                except _UNUSABLE:
                    self.close()
                    if attempt == 2 or self._in_memory:
                        raise
                    self._in_memory = attempt == 1 or not self._discard()
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Release the file."""
        with self._turn:
            if self._con is not None:
                self._con.close()
                self._con = None

    def _found(self, files: Mapping[str, str], terms: Collection[str]) -> Contents:
        con = self._connection()
        known = self._known(con)
        fresh = sorted(set(files.values()).difference(known))
        if fresh:
            self._add(con, fresh, stale=set(known).difference(files.values()))
            known = self._known(con)
        return _answer(con, {path: known[blob] for path, blob in files.items()}, terms)

    def _known(self, con: apsw.Connection) -> dict[str, tuple[int, int]]:
        rows = con.execute("SELECT id, num, length FROM blob")
        return {str(blob): (_whole(num), _whole(length)) for blob, num, length in rows}

    def _add(self, con: apsw.Connection, fresh: Sequence[str], stale: Collection[str]) -> None:
        """Read new blobs. Those of no file any more go when they outnumber what is kept: that costs a full scan."""
        con.execute("BEGIN IMMEDIATE")
        try:
            if len(stale) > policy.CONTENT_STALE_MIN + len(self._known(con)) // 2:
                _forget(con, stale)
            known = self._known(con)  # another process may have been faster
            left = [blob for blob in fresh if blob not in known]
            done = 0
            contents = self._read(left)
            for batch in _batches(zip(left, contents, strict=True)):
                _write(con, batch)
                done += len(batch)
                if self._progress:
                    self._progress(done, len(left))
            con.execute("COMMIT")
        except BaseException:
            if con.in_transaction:
                con.execute("ROLLBACK")
            raise

    def _connection(self) -> apsw.Connection:
        if self._con is None:
            in_memory = self._in_memory or is_network(file_system_of(self._path.parent))
            if not in_memory:
                make_private(self._path)
            self._con = _opened(None if in_memory else self._path)
        return self._con

    def _discard(self) -> bool:
        try:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        except OSError:
            return False
        return os.access(self._path.parent, os.W_OK)


def _opened(path: Path | None) -> apsw.Connection:
    con = apsw.Connection(":memory:" if path is None else str(path))
    con.set_busy_timeout(policy.BUSY_TIMEOUT_SECONDS * 1000)
    for pragma, value in (("page_size", 8192), ("journal_mode", "wal"), ("synchronous", "NORMAL"),
                          ("temp_store", "MEMORY"), ("trusted_schema", "OFF")):  # fmt: skip
        con.pragma(pragma, value)
    made_by = f"{_VERSION}:{ids.digest(' '.join(tokens(_PROBE)).encode())[:16]}"
    con.execute("BEGIN IMMEDIATE")
    try:
        there = con.execute("SELECT 1 FROM sqlite_schema WHERE name='meta'").get
        if there is None or con.execute("SELECT value FROM meta WHERE key='made_by'").get != made_by:
            for (name,) in con.execute("SELECT name FROM sqlite_schema WHERE type='table'").fetchall():
                con.execute(f'DROP TABLE "{name}"')
            con.execute(_TABLES)
            con.execute("INSERT INTO meta VALUES('made_by', ?)", (made_by,))
        con.execute("COMMIT")
    except BaseException:
        con.execute("ROLLBACK")
        raise
    return con


def _batches(pairs: Iterable[tuple[str, bytes | None]]) -> Iterator[list[tuple[str, bytes | None]]]:
    stream = iter(pairs)
    while batch := list(islice(stream, _BATCH_BLOBS)):
        yield batch


def _write(con: apsw.Connection, batch: Sequence[tuple[str, bytes | None]]) -> None:
    rows: list[tuple[str, int, bool, bytes]] = []
    for blob, data in batch:
        words = None if data is None else file_words(data)
        length = _UNREAD if words is None else words.length
        con.execute("INSERT INTO blob(id, length) VALUES(?, ?)", (blob, length))
        rows += _postings(con.last_insert_rowid(), words) if words else []
    rows.sort()
    con.executemany("INSERT INTO posting VALUES(?, ?, ?, ?)", rows)


def _postings(num: int, words: FileWords) -> Iterator[tuple[str, int, bool, bytes]]:
    for term, lines in words.lines.items():
        yield term, num, term in words.declared, array("I", lines).tobytes()


def _forget(con: apsw.Connection, blobs: Collection[str]) -> None:
    con.execute("CREATE TEMP TABLE gone(num INTEGER PRIMARY KEY)")
    con.executemany("INSERT INTO gone SELECT num FROM blob WHERE id=?", ((blob,) for blob in sorted(blobs)))
    con.execute("DELETE FROM posting WHERE num IN (SELECT num FROM gone)")
    con.execute("DELETE FROM blob WHERE num IN (SELECT num FROM gone)")
    con.execute("DROP TABLE gone")


def _answer(con: apsw.Connection, files: Mapping[str, tuple[int, int]], terms: Collection[str]) -> Contents:
    paths: defaultdict[int, list[str]] = defaultdict(list)
    for path, (num, _) in files.items():
        paths[num].append(path)
    places: dict[str, dict[str, Sequence[int]]] = {}
    declared: dict[str, set[str]] = {}
    for term in terms:
        for num, declares, lines in con.execute("SELECT num, declared, lines FROM posting WHERE term=?", (term,)):
            for path in paths.get(_whole(num), ()):
                found = array("I", lines if isinstance(lines, bytes) else b"")
                places.setdefault(term, {})[path] = found
                if declares:
                    declared.setdefault(term, set()).add(path)
    lengths = {path: max(0, length) for path, (_, length) in files.items()}
    return Contents(lengths, places, declared, sum(length == _UNREAD for _, length in files.values()))


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
