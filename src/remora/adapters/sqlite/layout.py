"""The tables of a store file and the numbered steps that lead to them."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from remora.adapters.sqlite.faults import DAMAGED_ADVICE
from remora.adapters.sqlite.pool import writing
from remora.core.errors import Corrupt, Unavailable

APPLICATION_ID = 0x52454D4F
"""`REMO` in the file's header: tells our files from those of other programs."""

_FIRST = """
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL
) STRICT;

-- One row per (family, label, scope): the small number that items, tokens and vectors carry, and exact counts.
CREATE TABLE part (
    id INTEGER PRIMARY KEY, family TEXT NOT NULL, label TEXT NOT NULL, scope TEXT NOT NULL,
    items INTEGER NOT NULL DEFAULT 0, documents INTEGER NOT NULL DEFAULT 0, UNIQUE (scope, family, label)
) STRICT;
CREATE TABLE part_field (
    part INTEGER NOT NULL, field TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (part, field)
) STRICT, WITHOUT ROWID;

-- `payload` is the truth with its CRC-32; the other columns repeat what the indexes need.
CREATE TABLE item (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, part INTEGER NOT NULL, updated INTEGER NOT NULL,
    searchable INTEGER NOT NULL, name TEXT NOT NULL, source TEXT, target TEXT,
    payload BLOB NOT NULL, crc INTEGER NOT NULL
) STRICT;
CREATE INDEX item_by_id ON item (part, id);
CREATE INDEX item_by_time ON item (part, updated DESC, id);
CREATE INDEX edge_by_source ON item (source, updated DESC, id, part) WHERE source IS NOT NULL;
CREATE INDEX edge_by_target ON item (target, updated DESC, id, part) WHERE target IS NOT NULL;

CREATE TABLE posting (
    part INTEGER NOT NULL, term TEXT NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (part, term, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector (
    item INTEGER NOT NULL, model TEXT NOT NULL, part INTEGER NOT NULL, text_hash TEXT NOT NULL,
    length REAL NOT NULL, data BLOB NOT NULL, UNIQUE (item, model)
) STRICT;
CREATE INDEX vector_by_model ON vector (model, part);

-- The change feed keeps each item's latest change only.
CREATE TABLE feed (item TEXT PRIMARY KEY, seq INTEGER NOT NULL, dropped INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX feed_by_seq ON feed (seq, item);

-- Results by idempotency key; forgetting an item blanks the results of the writes that put it.
CREATE TABLE reply (key TEXT PRIMARY KEY, seq INTEGER NOT NULL, result TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE reply_item (item TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (item, key)) STRICT, WITHOUT ROWID;

CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""

STEPS: tuple[str, ...] = (_FIRST,)
"""Step n leads from layout n to layout n + 1. A released step is never edited; a change is a new step."""


def layout_of(con: apsw.Connection, path: Path) -> int:
    """The layout of an open file, 0 for an empty one; raises `Corrupt` for another program's database."""
    version, application = int(con.pragma("user_version")), int(con.pragma("application_id"))
    if application == APPLICATION_ID:
        return version
    if application or version or con.execute("SELECT count(*) FROM sqlite_schema").get:
        raise Corrupt(f"{path} is a database of another program, not a Remora store", advice=DAMAGED_ADVICE)
    return 0


def migrate(con: apsw.Connection, path: Path, identity: str, steps: Sequence[str] = STEPS) -> int:
    """Run the steps that are missing in one transaction; returns the layout. Several processes may race."""
    version = layout_of(con, path)
    if version < len(steps):
        with writing(con):
            version = layout_of(con, path)
            for step in steps[version:]:
                con.execute(step)
            con.execute("INSERT OR IGNORE INTO state VALUES (1, ?, 0, 0)", (identity,))
            con.pragma("application_id", APPLICATION_ID)
            con.pragma("user_version", max(version, len(steps)))
        version = layout_of(con, path)
    if version > len(steps):
        raise Unavailable(
            f"the store {path} has layout {version}; this Remora knows layouts up to {len(steps)}",
            advice="upgrade Remora, or point REMORA_DATA_DIR to another folder",
        )
    return version
