"""Documents of the record index: adding one to every table, and taking it out again."""

import json

import apsw

from remora.adapters.sqlite.record_layout import bindable, blob, pack_tokens, unpack_tokens, whole
from remora.adapters.sqlite.record_postings import CATEGORY_TERM, KIND_TERM, PostingWriter, remove_postings
from remora.core.records import codec
from remora.core.records.identity import KeyPrefix
from remora.core.records.indexed import IndexEntry, category_of, ending_key, index_entry, path_key
from remora.core.records.log import StoredRecord
from remora.core.records.model import Record
from remora.core.records.vocabulary import ScopeKind

_FLUSH_DOCUMENTS = 20_000
"""Documents gathered before they are written in key order; bounds memory during a rebuild."""

_INSERTS = {
    "doc": "INSERT INTO doc VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "content": "INSERT INTO content VALUES(?, ?, ?, ?)",
    "anchor": "INSERT OR IGNORE INTO anchor VALUES(?, ?, ?)",
    "path": "INSERT OR IGNORE INTO path VALUES(?, ?)",
    "source": "INSERT OR IGNORE INTO source VALUES(?, ?)",
    "lineage": "INSERT OR IGNORE INTO lineage VALUES(?, ?, ?, ?, ?, ?)",
    "link": "INSERT OR IGNORE INTO link VALUES(?, ?, ?)",
}
_Row = tuple[str | int | float | bytes, ...]


class DocumentWriter:
    """Adds and removes documents inside the caller's write transaction. Flush it at the end."""

    def __init__(self, con: apsw.Connection) -> None:
        self._con = con
        self._postings = PostingWriter(con)
        self._next = whole(con.execute("SELECT coalesce(max(doc), 0) FROM doc").get)
        self._parts: dict[tuple[str, ...], int] = {}
        self._paths: set[str] = set()
        self._rows: dict[str, list[_Row]] = {table: [] for table in _INSERTS}
        self.gathered: dict[str, str] = {}
        """Record id -> digest of the documents that are not written yet."""
        self._figures: dict[int, dict[str, int]] = {}
        """Part -> field -> tokens added since the last flush; the number of documents under the empty name."""

    def add(self, stored: StoredRecord) -> None:
        """Index one record that is not in the index."""
        record = stored.record
        self._next += 1
        entry = index_entry(record)
        doc, part, words = self._next, self._part(record), entry.words
        kind, category = record.kind.value, int(category_of(record))
        sha = record.commit if record.idempotency_key.startswith(KeyPrefix.GIT) else ""
        self._rows["doc"].append(
            (doc, record.id, part, kind, category, record.lifecycle.value, record.occurred_at, record.confidence,
             record.verification.status.value, bindable(record.owner), sha)
        )  # fmt: skip
        self.gathered[record.id] = stored.digest
        self._rows["content"].append((doc, stored.digest, pack_tokens(words), stored.data))
        terms: set[str] = set().union(*words.values(), (f"{KIND_TERM}{kind}", f"{CATEGORY_TERM}{category}"))
        self._postings.add(doc, part, terms)
        self._count(part, words, 1)
        self._relate(doc, record, entry)
        if len(self._rows["doc"]) >= _FLUSH_DOCUMENTS:
            self.flush()

    def _relate(self, doc: int, record: Record, entry: IndexEntry) -> None:
        rows, at = self._rows, record.occurred_at
        rows["anchor"] += [(bindable(key), at, doc) for key in entry.keys]
        rows["source"] += [(bindable(source.uri), doc) for source in record.sources]
        rows["link"] += [(bindable(link.target), link.relation.value, doc) for link in record.links]
        for path in entry.paths:
            if path not in self._paths:
                self._paths.add(path)
                rows["path"].append((bindable(ending_key(path)), bindable(path_key(path))))
        for step in entry.lineage:
            old, new, copied = bindable(step.old), bindable(step.new), int(step.copied)
            rows["lineage"] += [(old, new, 1, at, copied, doc), (new, old, 0, at, copied, doc)]

    def remove(self, record_id: str) -> None:
        """Take one record out of every table; nothing happens when it is not there."""
        self.flush()
        con = self._con
        query = "SELECT doc, part, tokens, data, kind, category FROM doc JOIN content USING(doc) WHERE id=?"
        row = con.execute(query, (record_id,)).fetchone()
        if row is None:
            return
        doc, part, words = whole(row[0]), whole(row[1]), unpack_tokens(str(row[2]))
        terms = {token for found in words.values() for token in found}
        remove_postings(con, doc, part, terms | {f"{KIND_TERM}{row[4]}", f"{CATEGORY_TERM}{row[5]}"})
        self._count(part, words, -1)
        self._unrelate(doc, codec.parse(blob(row[3]), trusted=True).record)
        con.execute("DELETE FROM doc WHERE doc=?", (doc,))
        con.execute("DELETE FROM content WHERE doc=?", (doc,))

    def _unrelate(self, doc: int, record: Record) -> None:
        con, entry = self._con, index_entry(record)
        keys = [(bindable(key), doc) for key in entry.keys]
        con.executemany("DELETE FROM anchor WHERE key=? AND doc=?", keys)
        con.executemany("DELETE FROM source WHERE uri=? AND doc=?", [(bindable(s.uri), doc) for s in record.sources])
        con.executemany("DELETE FROM link WHERE target=? AND doc=?", [(bindable(n.target), doc) for n in record.links])
        ends = {bindable(key) for step in entry.lineage for key in (step.old, step.new)}
        con.executemany("DELETE FROM lineage WHERE key=? AND doc=?", [(key, doc) for key in ends])

    def _part(self, record: Record) -> int:
        scope = record.access_scope
        owner = record.owner if scope.scope is ScopeKind.PRIVATE else ""
        key = (scope.scope.value, bindable(scope.workspace), bindable(owner), record.repository)
        part = self._parts.get(key)
        if part is None:
            add = "INSERT OR IGNORE INTO part(scope, workspace, owner, repository) VALUES(?, ?, ?, ?)"
            self._con.execute(add, key)
            query = "SELECT part FROM part WHERE scope=? AND workspace=? AND owner=? AND repository=?"
            part = self._parts[key] = whole(self._con.execute(query, key).get)
        return part

    def _count(self, part: int, words: dict[str, tuple[str, ...]], sign: int) -> None:
        figures = self._figures.setdefault(part, {})
        figures[""] = figures.get("", 0) + sign
        for name, found in words.items():
            figures[name] = figures.get(name, 0) + sign * len(found)

    def flush(self) -> None:
        """Write what was gathered."""
        self._postings.flush()
        self.gathered.clear()
        for table, rows in self._rows.items():
            self._con.executemany(_INSERTS[table], sorted(rows) if table != "content" else rows)
            rows.clear()
        for part, figures in self._figures.items():
            lengths = json.loads(str(self._con.execute("SELECT lengths FROM part WHERE part=?", (part,)).get))
            added = {name: lengths.get(name, 0) + count for name, count in figures.items() if name}
            row = (figures.get("", 0), json.dumps(lengths | added), part)
            self._con.execute("UPDATE part SET docs=docs+?, lengths=? WHERE part=?", row)
        self._figures.clear()
