"""Looking after a store file: health, verification, backup, scrubbing."""

import contextlib
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import apsw

from remora.adapters.sqlite import files
from remora.adapters.sqlite.faults import file_access
from remora.adapters.sqlite.rows import unpack
from remora.core.errors import Conflict, Unavailable
from remora.core.graph import Edge, Item


def health(con: apsw.Connection, path: Path, kind: str) -> dict[str, str | int | bool]:
    """Engine, versions, layout, journal, sizes and warnings of an open store; `kind` is the file system's type."""
    wal = path.with_name(path.name + "-wal")
    with file_access(path):
        size_bytes, wal_bytes = path.stat().st_size, wal.stat().st_size if wal.exists() else 0
        warnings = "; ".join(_warnings(path, kind))
    counted = con.execute("SELECT coalesce(sum(items), 0) FROM part").get
    seq = con.execute("SELECT seq FROM state").get
    return {
        "engine": "sqlite",
        "path": str(path),
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
        "layout": int(con.pragma("user_version")),
        "journal_mode": str(con.pragma("journal_mode")),
        "file_system": kind or "unknown",
        "size_bytes": size_bytes,
        "wal_bytes": wal_bytes,
        "items": int(counted),
        "seq": int(seq or 0),
        "warnings": warnings,
    }


def _warnings(path: Path, kind: str) -> Iterator[str]:
    if folder := files.cloud_folder(path):
        yield f"the store lies under {folder!r}, which a sync program may copy while it is written"
    if files.is_network(kind):
        yield f"the store lies on a network file system ({kind}); its locks may not hold"
    if mode := files.loose_mode(path):
        yield f"the store file has mode {mode}; others on this machine may read it (0600 is expected)"


def verify(con: apsw.Connection) -> Iterator[str]:
    """Everything that is bad in an open store, one sentence each."""
    for (line,) in con.execute("PRAGMA integrity_check(100)"):
        if line != "ok":
            yield f"file: {line}"
    parts = {row[0]: row[1:] for row in con.execute("SELECT id, family, label, scope, items, documents FROM part")}
    nodes = {item for (item,) in con.execute("SELECT id FROM item WHERE source IS NULL")}
    items, documents, fields = Counter[int](), Counter[int](), Counter[tuple[int, str]]()
    terms: set[tuple[int, str, int]] = set()
    for key, item_id, part, payload, crc in con.execute("SELECT key, id, part, payload, crc FROM item ORDER BY id"):
        item = unpack(payload, crc)
        if item is None or item.id != item_id:
            yield f"item {item_id}: its bytes are not what was written"
            continue
        if part not in parts or (item.family, item.label, item.scope) != parts[part][:3]:
            yield f"item {item_id}: is filed under the wrong family, label or scope"
        yield from _loose_ends(item, nodes)
        items[part] += 1
        documents[part] += any(item.tokens.values())
        fields.update({(part, field): len(tokens) for field, tokens in item.tokens.items() if tokens})
        terms |= {(part, token, key) for tokens in item.tokens.values() for token in tokens}
    yield from _miscounts(con, parts, items, documents, fields)
    stored = set(con.execute("SELECT part, term, item FROM posting"))
    if stored != terms:
        yield f"text index: {len(terms - stored)} entries missing, {len(stored - terms)} too many"
    orphans = con.execute("SELECT count(*) FROM vector WHERE item NOT IN (SELECT key FROM item)").get
    if orphans:
        yield f"vectors: {orphans} belong to no item"


def _loose_ends(item: Item, nodes: set[str]) -> Iterator[str]:
    if isinstance(item, Edge):
        for end in {item.source, item.target} - nodes:
            yield f"edge {item.id}: its end {end} is missing"


def _miscounts(
    con: apsw.Connection,
    parts: Mapping[int, tuple[object, ...]],
    items: Counter[int],
    documents: Counter[int],
    fields: Counter[tuple[int, str]],
) -> Iterator[str]:
    for part, row in parts.items():
        if (items[part], documents[part]) != row[3:5]:
            yield f"counts of {'/'.join(map(str, row[:3]))}: {row[3]} items noted, {items[part]} found"
    noted = {(part, field): tokens for part, field, tokens in con.execute("SELECT * FROM part_field") if tokens}
    if noted != dict(fields):
        yield "text index: the noted field lengths differ from the items"


def backup(con: apsw.Connection, target: Path) -> None:
    """A consistent compact copy while others write; refuses to overwrite, leaves nothing behind on failure."""
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise Conflict(f"{target} exists; a backup never overwrites", advice="choose a new file name") from None
    except OSError as error:
        raise Unavailable(f"the backup {target} cannot be made: {error.strerror}") from error
    try:
        con.execute("VACUUM INTO ?", (str(target),))
        for place in (target, target.parent):
            _sync(place)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _sync(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def scrub(con: apsw.Connection, *, deadline_seconds: float) -> bool:
    """Move the journal into the file and truncate it; False when readers kept it in use until the deadline.

    `secure_delete` has zeroed the erased bytes in the file already; the journal still holds former page images.
    """
    end = time.monotonic() + deadline_seconds
    con.set_busy_handler(None)
    while True:
        with contextlib.suppress(apsw.BusyError):
            log, _ = con.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            if log <= 0:
                return True
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
