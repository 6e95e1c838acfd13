"""Folding the log into the record index: read what changed, index it, withhold what diverges."""

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import apsw

from remora.adapters.sqlite.record_documents import DocumentWriter
from remora.adapters.sqlite.record_layout import packed
from remora.core.records.identity import same_content
from remora.core.records.log import LogUnit, Progress, UnitContent
from remora.ports import RecordLog

_PROGRESS_EVERY = 1_000
_Known = dict[str, tuple[str, bool, str]]
"""Unit name -> (stamp, settled, digest) as the index has it."""


def known_units(con: apsw.Connection) -> _Known:
    """What the index was made from."""
    rows = con.execute("SELECT name, stamp, settled, digest FROM unit")
    return {str(name): (str(stamp), bool(settled), str(digest)) for name, stamp, settled, digest in rows}


def is_fresh(known: _Known, units: Collection[LogUnit], log: RecordLog) -> bool:
    """Whether the index says exactly what the log says. Young units are compared by their bytes."""
    if len(known) != len(units):
        return False
    young: list[str] = []
    for unit in units:
        if unit.name not in known or known[unit.name][0] != unit.stamp:
            return False
        settled = known[unit.name][1]
        if not settled and unit.settled:
            return False
        if not settled:
            young.append(unit.name)
    contents = {content.unit: content.digest for content in log.read(young)}
    return all(contents.get(name) == known[name][2] for name in young)


@dataclass(slots=True)
class _Pending:
    """Ids whose place must be decided once everything is read."""

    orphaned: set[str] = field(default_factory=set)
    contested: set[str] = field(default_factory=set)
    done: int = 0


def _is_known(known: _Known, unit: LogUnit) -> bool:
    """Whether the index has the unit as it is, for sure."""
    stamp, settled, _ = known.get(unit.name, ("", False, ""))
    return settled and stamp == unit.stamp


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the cycle collector: a rebuild makes millions of values and no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def fold(con: apsw.Connection, log: RecordLog, progress: Progress | None = None) -> int:
    """Bring the index up to the log inside the caller's write transaction; returns how many records were read."""
    with _uncollected():
        return _fold(con, log, progress)


def _fold(con: apsw.Connection, log: RecordLog, progress: Progress | None) -> int:
    known, units = known_units(con), log.units()
    names = {unit.name for unit in units}
    pending, writer = _Pending(), DocumentWriter(con)
    for name in known.keys() - names:
        pending.orphaned |= _drop_unit(con, name)
    changed = {unit.name: unit for unit in units if not _is_known(known, unit)}
    for content in log.read(changed):
        unit = changed[content.unit]
        if not content.digest or known.get(unit.name, ("", True, ""))[2] != content.digest:
            pending.orphaned |= _drop_unit(con, unit.name)
            _add_unit(con, writer, content, pending, progress)
        settled = unit.settled and bool(content.digest)
        row = (unit.name, unit.stamp, settled, content.digest)
        con.execute("INSERT OR REPLACE INTO unit VALUES(?, ?, ?, ?)", row)
    _settle(con, log, writer, pending)
    writer.flush()
    con.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    return pending.done


def _drop_unit(con: apsw.Connection, name: str) -> set[str]:
    """Forget what a unit held; returns the ids it held."""
    found = {str(record_id) for (record_id,) in con.execute("SELECT id FROM holding WHERE unit=?", (name,))}
    con.execute("DELETE FROM holding WHERE unit=?", (name,))
    con.execute("DELETE FROM bad WHERE unit=?", (name,))
    con.execute("DELETE FROM unit WHERE name=?", (name,))
    return found


def _add_unit(
    con: apsw.Connection, writer: DocumentWriter, content: UnitContent, pending: _Pending, progress: Progress | None
) -> None:
    bad = ((item.unit, item.record_id, item.problem) for item in content.bad)
    con.executemany("INSERT INTO bad VALUES(?, ?, ?)", bad)
    wanted = packed([stored.record.id for stored in content.records])
    query = "SELECT d.id, c.digest FROM doc d JOIN content c USING(doc) WHERE d.id IN (SELECT value FROM json_each(?))"
    indexed = {str(record_id): str(digest) for record_id, digest in con.execute(query, (wanted,))}
    gathered = writer.gathered
    indexed |= {s.record.id: gathered[s.record.id] for s in content.records if s.record.id in gathered}
    diverged = {record_id for (record_id,) in con.execute("SELECT id FROM diverged")}
    holdings: list[tuple[str, str]] = []
    for stored in content.records:
        record_id = stored.record.id
        holdings.append((record_id, content.unit))
        if record_id in diverged or indexed.get(record_id, stored.digest) != stored.digest:
            pending.contested.add(record_id)
        elif record_id not in indexed:
            writer.add(stored)
            indexed[record_id] = stored.digest
        pending.done += 1
        if progress and pending.done % _PROGRESS_EVERY == 0:
            progress(pending.done, 0)
    con.executemany("INSERT OR IGNORE INTO holding VALUES(?, ?)", holdings)


def _settle(con: apsw.Connection, log: RecordLog, writer: DocumentWriter, pending: _Pending) -> None:
    """Remove what no unit holds any more, and decide what several units hold differently."""
    for record_id in sorted(pending.orphaned | pending.contested):
        rows = con.execute("SELECT unit FROM holding WHERE id=? ORDER BY unit", (record_id,))
        units = [str(unit) for (unit,) in rows]
        was_diverged = con.execute("SELECT 1 FROM diverged WHERE id=?", (record_id,)).get is not None
        con.execute("DELETE FROM diverged WHERE id=?", (record_id,))
        if not units:
            writer.remove(record_id)
        elif record_id in pending.contested or was_diverged:
            _decide(con, log, writer, record_id, units)


def _decide(con: apsw.Connection, log: RecordLog, writer: DocumentWriter, record_id: str, units: list[str]) -> None:
    copies = [stored for content in log.read(units) for stored in content.records if stored.record.id == record_id]
    copies.sort(key=lambda stored: not stored.verified)
    writer.remove(record_id)
    if copies and all(same_content(copies[0].record, other.record) for other in copies[1:]):
        writer.add(copies[0])
    else:
        con.execute("INSERT INTO diverged VALUES(?, ?)", (record_id, ", ".join(units)))
