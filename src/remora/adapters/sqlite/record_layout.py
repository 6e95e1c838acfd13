"""Layout of the record index: a derived file that is rebuilt whenever it was made by another layout or tokenizer."""

import json
from collections.abc import Collection
from pathlib import Path

import apsw

from remora.core import ids
from remora.core.records.indexed import FIELDS, Category, IndexedRecord
from remora.core.records.model import AccessScope
from remora.core.records.vocabulary import Lifecycle, RecordKind, ScopeKind, VerificationStatus
from remora.core.text import tokens

_VERSION = 4
_PROBE = "refreshToken src/a_b.py v1.2.3 don't C++ 日本語 running déjà 🚀 HTTPServer2"

_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE unit(name TEXT PRIMARY KEY, stamp TEXT, settled INTEGER, digest TEXT) WITHOUT ROWID;
CREATE TABLE holding(id TEXT, unit TEXT, PRIMARY KEY(id, unit)) WITHOUT ROWID;
CREATE INDEX holding_unit ON holding(unit);
CREATE TABLE bad(unit TEXT, id TEXT, problem TEXT);
CREATE TABLE diverged(id TEXT PRIMARY KEY, units TEXT) WITHOUT ROWID;
CREATE TABLE part(part INTEGER PRIMARY KEY, scope TEXT, workspace TEXT, owner TEXT, repository TEXT,
  docs INTEGER DEFAULT 0, lengths TEXT DEFAULT '{}', UNIQUE(scope, workspace, owner, repository));
CREATE TABLE doc(doc INTEGER PRIMARY KEY, id TEXT UNIQUE, part INTEGER, kind TEXT, category INTEGER, lifecycle TEXT,
  occurred_at INTEGER, confidence REAL, verification TEXT, owner TEXT, sha TEXT);
CREATE INDEX doc_time ON doc(occurred_at DESC, id);
CREATE TABLE content(doc INTEGER PRIMARY KEY, digest TEXT, tokens TEXT, data BLOB);
CREATE TABLE posting(term TEXT, part INTEGER, bucket INTEGER, docs BLOB, PRIMARY KEY(term, part, bucket)) WITHOUT ROWID;
CREATE TABLE anchor(key TEXT, at INTEGER, doc INTEGER, PRIMARY KEY(key, at, doc)) WITHOUT ROWID;
CREATE TABLE path(ending TEXT, key TEXT, PRIMARY KEY(ending, key)) WITHOUT ROWID;
CREATE TABLE lineage(key TEXT, other TEXT, forward INTEGER, at INTEGER, copied INTEGER, doc INTEGER,
  PRIMARY KEY(key, other, forward, at, doc)) WITHOUT ROWID;
CREATE TABLE link(target TEXT, relation TEXT, doc INTEGER, PRIMARY KEY(target, relation, doc)) WITHOUT ROWID;
CREATE TABLE source(uri TEXT, doc INTEGER, PRIMARY KEY(uri, doc)) WITHOUT ROWID;
CREATE TABLE unreachable(sha TEXT PRIMARY KEY) WITHOUT ROWID;
"""


_PRAGMAS = (
    ("page_size", 8192),
    ("journal_mode", "wal"),
    ("synchronous", "NORMAL"),
    ("temp_store", "MEMORY"),
    ("cache_size", -32_000),  # KiB
    ("mmap_size", 1 << 30),
    ("journal_size_limit", 1 << 26),  # a rebuild leaves no second copy of the index behind
    ("trusted_schema", "OFF"),
)


def fingerprint() -> str:
    """What made the index: its layout and how text becomes tokens."""
    return f"{_VERSION}:{ids.digest(' '.join(tokens(_PROBE)).encode())[:16]}"


def open_index(path: Path | None, *, busy_timeout_seconds: float) -> apsw.Connection:
    """A connection to the index, emptied when something else made it; None is an index in memory."""
    con = apsw.Connection(":memory:" if path is None else str(path))
    con.set_busy_timeout(int(busy_timeout_seconds * 1000))
    for name, value in _PRAGMAS:
        con.pragma(name, value)
    if _made_by(con) != fingerprint():
        con.execute("BEGIN IMMEDIATE")
        try:
            if _made_by(con) != fingerprint():
                _empty(con)
        except BaseException:
            con.execute("ROLLBACK")
            raise
        con.execute("COMMIT")
    return con


def _made_by(con: apsw.Connection) -> str:
    if con.execute("SELECT 1 FROM sqlite_schema WHERE name='meta'").get is None:
        return ""
    return str(con.execute("SELECT value FROM meta WHERE key='made_by'").get)


def _empty(con: apsw.Connection) -> None:
    names = con.execute("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'").fetchall()
    for (name,) in names:
        con.execute(f'DROP TABLE "{name}"')
    con.execute(_TABLES)
    con.execute("INSERT INTO meta VALUES('made_by', ?), ('generation', 0)", (fingerprint(),))


# --- Rows -------------------------------------------------------------------------------------------------------------

CANDIDATE_COLUMNS = """d.id, d.kind, d.category, d.lifecycle, d.occurred_at, d.confidence, d.verification,
  p.repository, p.scope, p.workspace, d.owner, d.sha, c.tokens, c.data"""
CANDIDATE_TABLES = "doc d JOIN part p USING(part) JOIN content c USING(doc)"


def pack_tokens(found: dict[str, tuple[str, ...]]) -> str:
    """Tokens of all fields as one text: a line per field, in the order of `FIELDS`."""
    return "\n".join(" ".join(found.get(field, ())) for field in FIELDS)


def unpack_tokens(text: str) -> dict[str, tuple[str, ...]]:
    """Read what `pack_tokens` wrote."""
    lines = zip(FIELDS, text.split("\n"), strict=True)
    return {field: tuple(line.split(" ")) for field, line in lines if line}


def candidate(row: tuple[object, ...], unreachable: Collection[str]) -> IndexedRecord:
    """The candidate of a row of `CANDIDATE_COLUMNS`; `unreachable` are commits that nothing holds any more."""
    (record_id, kind, category, lifecycle, at, confidence, verification, repository, scope, workspace, owner, sha,
     words, data) = row  # fmt: skip
    return IndexedRecord(
        id=str(record_id),
        kind=_KINDS[kind],
        category=_CATEGORIES[category],
        lifecycle=_LIFECYCLES[lifecycle],
        occurred_at=whole(at),
        confidence=float(str(confidence)),
        verification=_VERIFICATIONS[verification],
        repository=str(repository),
        access_scope=AccessScope(_SCOPES[scope], str(workspace)),
        owner=str(owner),
        tokens=unpack_tokens(str(words)),
        data=blob(data),
        unreachable=sha in unreachable,
    )


_KINDS: dict[object, RecordKind] = {kind.value: kind for kind in RecordKind}
_CATEGORIES: dict[object, Category] = {category.value: category for category in Category}
_LIFECYCLES: dict[object, Lifecycle] = {lifecycle.value: lifecycle for lifecycle in Lifecycle}
_VERIFICATIONS: dict[object, VerificationStatus] = {status.value: status for status in VerificationStatus}
_SCOPES: dict[object, ScopeKind] = {scope.value: scope for scope in ScopeKind}


def whole(value: object) -> int:
    """An integer column."""
    if isinstance(value, int | float):
        return int(value)
    raise TypeError(f"{type(value).__name__} in a column of integers")


def blob(value: object) -> bytes:
    """A column of bytes."""
    if isinstance(value, bytes):
        return value
    raise TypeError(f"{type(value).__name__} in a column of bytes")


def packed(values: object) -> str:
    """A list of ids or numbers for `json_each`; lone surrogates never match anything."""
    return json.dumps(values, ensure_ascii=True)


def bindable(text: str) -> str:
    """Text that SQLite can hold: undecodable bytes of file names as private-use characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(chr(0xE000 + ord(c) - 0xD800) if "\ud800" <= c <= "\udfff" else c for c in text)
    return text
