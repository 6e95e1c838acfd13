"""Folding the log into the record index: read what changed, index it, withhold what diverges."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import apsw

from remora.adapters.sqlite.record_layout import bindable, blob, pack_tokens, packed, unpack_tokens, whole
from remora.adapters.sqlite.record_postings import CATEGORY_TERM, KIND_TERM, PostingWriter, remove_postings
from remora.core.records import codec
from remora.core.records.identity import same_content
from remora.core.records.indexed import anchor_keys, category_of, ending_key, lineage, path_key, searchable
from remora.core.records.log import LogUnit, Progress, StoredRecord, UnitContent
from remora.core.records.model import Record
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
        stamp, settled, _ = known.get(unit.name, ("", True, ""))
        if stamp != unit.stamp or (not settled and unit.settled):
            return False
        if not settled:
            young.append(unit.name)
    contents = {content.unit: content.digest for content in log.read(young)}
    return all(contents.get(name) == known[name][2] != "" for name in young)


@dataclass(slots=True)
class _Pending:
    """Ids whose place must be decided once everything is read."""

    orphaned: set[str] = field(default_factory=set)
    contested: set[str] = field(default_factory=set)
    done: int = 0


def fold(con: apsw.Connection, log: RecordLog, progress: Progress | None = None) -> int:
    """Bring the index up to the log inside the caller's write transaction; returns how many records were read."""
    known, units = known_units(con), log.units()
    names = {unit.name for unit in units}
    pending, writer = _Pending(), _Writer(con)
    for name in known.keys() - names:
        pending.orphaned |= _drop_unit(con, name)
    changed = {
        unit.name: unit for unit in units if known.get(unit.name, ("",))[0] != unit.stamp or not known[unit.name][1]
    }
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
    con: apsw.Connection, writer: "_Writer", content: UnitContent, pending: _Pending, progress: Progress | None
) -> None:
    bad = ((item.unit, item.record_id, item.problem) for item in content.bad)
    con.executemany("INSERT INTO bad VALUES(?, ?, ?)", bad)
    wanted = packed([stored.record.id for stored in content.records])
    query = "SELECT d.id, c.digest FROM doc d JOIN content c USING(doc) WHERE d.id IN (SELECT value FROM json_each(?))"
    indexed = {str(record_id): str(digest) for record_id, digest in con.execute(query, (wanted,))}
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


def _settle(con: apsw.Connection, log: RecordLog, writer: "_Writer", pending: _Pending) -> None:
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


def _decide(con: apsw.Connection, log: RecordLog, writer: "_Writer", record_id: str, units: list[str]) -> None:
    copies = [stored for content in log.read(units) for stored in content.records if stored.record.id == record_id]
    copies.sort(key=lambda stored: not stored.verified)
    writer.remove(record_id)
    if copies and all(same_content(copies[0].record, other.record) for other in copies[1:]):
        writer.add(copies[0])
    else:
        con.execute("INSERT INTO diverged VALUES(?, ?)", (record_id, ", ".join(units)))


class _Writer:
    """Adds documents to every table of the index, and takes them out again."""

    def __init__(self, con: apsw.Connection) -> None:
        self._con = con
        self._postings = PostingWriter(con)
        self._next = whole(con.execute("SELECT coalesce(max(doc), 0) FROM doc").get)
        self._parts: dict[tuple[str, ...], int] = {}
        self._paths: set[str] = set()
        self._added: dict[int, dict[str, int]] = {}
        """Part -> field -> tokens added since the last flush; the number of documents under the empty name."""

    def add(self, stored: StoredRecord) -> None:
        """Index one record that is not in the index."""
        record, con = stored.record, self._con
        self._next += 1
        doc, part, words = self._next, self._part(record), searchable(record)
        row = (doc, record.id, part, record.kind.value, int(category_of(record)), record.lifecycle.value,
               record.occurred_at, record.confidence, record.verification.status.value)  # fmt: skip
        con.execute("INSERT INTO doc VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        con.execute("INSERT INTO content VALUES(?, ?, ?, ?)", (doc, stored.digest, pack_tokens(words), stored.data))
        self._postings.add(doc, part, _terms(record, words))
        self._count(part, words, 1)
        self._relate(doc, record)

    def _relate(self, doc: int, record: Record) -> None:
        con, at = self._con, record.occurred_at
        keys = [(bindable(key), at, doc) for key in anchor_keys(record)]
        con.executemany("INSERT OR IGNORE INTO anchor VALUES(?, ?, ?)", keys)
        for path in record.paths:
            if path not in self._paths:
                self._paths.add(path)
                row = (bindable(ending_key(path)), bindable(path_key(path)))
                con.execute("INSERT OR IGNORE INTO path VALUES(?, ?)", row)
        con.executemany("INSERT OR IGNORE INTO source VALUES(?, ?)", [(bindable(s.uri), doc) for s in record.sources])
        for step in lineage(record):
            old, new = bindable(step.old), bindable(step.new)
            rows = ((old, new, 1, at, step.copied, doc), (new, old, 0, at, step.copied, doc))
            con.executemany("INSERT OR IGNORE INTO lineage VALUES(?, ?, ?, ?, ?, ?)", rows)
        if record.links:
            links = [(bindable(link.target), link.relation.value, doc) for link in record.links]
            con.executemany("INSERT OR IGNORE INTO link VALUES(?, ?, ?)", links)

    def remove(self, record_id: str) -> None:
        """Take one record out of every table; nothing happens when it is not there."""
        self.flush()
        con = self._con
        query = "SELECT doc, part, tokens, data, kind, category FROM doc JOIN content USING(doc) WHERE id=?"
        row = con.execute(query, (record_id,)).fetchone()
        if row is None:
            return
        doc, part, words, kind, category = whole(row[0]), whole(row[1]), unpack_tokens(str(row[2])), row[4], row[5]
        remove_postings(con, doc, part, {*_distinct(words), f"{KIND_TERM}{kind}", f"{CATEGORY_TERM}{category}"})
        self._count(part, words, -1)
        self.flush()
        self._unrelate(doc, codec.parse(blob(row[3]), trusted=True).record)
        con.execute("DELETE FROM doc WHERE doc=?", (doc,))
        con.execute("DELETE FROM content WHERE doc=?", (doc,))

    def _unrelate(self, doc: int, record: Record) -> None:
        con, keys = self._con, [(bindable(key), doc) for key in anchor_keys(record)]
        con.executemany("DELETE FROM anchor WHERE key=? AND doc=?", keys)
        con.executemany("DELETE FROM source WHERE uri=? AND doc=?", [(bindable(s.uri), doc) for s in record.sources])
        con.executemany("DELETE FROM link WHERE target=? AND doc=?", [(bindable(n.target), doc) for n in record.links])
        ends = {bindable(key) for step in lineage(record) for key in (step.old, step.new)}
        con.executemany("DELETE FROM lineage WHERE key=? AND doc=?", [(key, doc) for key in ends])

    def _part(self, record: Record) -> int:
        scope = record.access_scope
        owner = record.owner if scope.scope.value == "private" else ""
        key = (scope.scope.value, bindable(scope.workspace), bindable(owner), record.repository)
        part = self._parts.get(key)
        if part is None:
            self._con.execute("INSERT OR IGNORE INTO part(scope, workspace, owner, repository) VALUES(?, ?, ?, ?)", key)
            query = "SELECT part FROM part WHERE scope=? AND workspace=? AND owner=? AND repository=?"
            part = self._parts[key] = whole(self._con.execute(query, key).get)
        return part

    def _count(self, part: int, words: dict[str, tuple[str, ...]], sign: int) -> None:
        counts = self._added.setdefault(part, {})
        counts[""] = counts.get("", 0) + sign
        for name, found in words.items():
            counts[name] = counts.get(name, 0) + sign * len(found)

    def flush(self) -> None:
        """Write postings and counts that were gathered."""
        self._postings.flush()
        for part, counts in self._added.items():
            lengths = self._con.execute("SELECT lengths FROM part WHERE part=?", (part,)).get
            total = json.loads(str(lengths))
            for name, count in counts.items():
                if name:
                    total[name] = total.get(name, 0) + count
            row = (counts.get("", 0), json.dumps(total), part)
            self._con.execute("UPDATE part SET docs=docs+?, lengths=? WHERE part=?", row)
        self._added.clear()


def _terms(record: Record, words: dict[str, tuple[str, ...]]) -> Iterable[str]:
    return {*_distinct(words), f"{KIND_TERM}{record.kind.value}", f"{CATEGORY_TERM}{int(category_of(record))}"}


def _distinct(words: dict[str, tuple[str, ...]]) -> set[str]:
    return {token for found in words.values() for token in found}
