"""One `Changes` turned into rows inside an open write transaction."""

from collections.abc import Collection, Iterable

import apsw

from remora.adapters.sqlite.rows import Reader, Row, pack, unpack
from remora.adapters.sqlite.tallies import Tallies
from remora.core.cosine import floats, squared_length
from remora.core.errors import InvalidInput
from remora.core.graph import Changes, Edge, Item, Vector
from remora.core.scope import Grant
from remora.core.store_rules import authorise, check

OLD = (
    "SELECT item.id, key, part, source IS NULL, scope, payload, crc"
    " FROM item CROSS JOIN part ON part.id = item.part WHERE item.id = ?"
)
EDGES_OF = (
    "SELECT id FROM item INDEXED BY edge_by_source WHERE source = ?1"
    " UNION SELECT id FROM item INDEXED BY edge_by_target WHERE target = ?1"
)
IS_NODE = "SELECT 1 FROM item WHERE id = ? AND source IS NULL"
BLANK_RESULTS = "UPDATE reply SET result = NULL WHERE key IN (SELECT key FROM reply_item WHERE item = ?)"
FIND_PART = "SELECT id FROM part WHERE scope = ? AND family = ? AND label = ?"
_PUT = (
    "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET part = excluded.part,"
    " updated = excluded.updated, searchable = excluded.searchable, name = excluded.name, source = excluded.source,"
    " target = excluded.target, payload = excluded.payload, crc = excluded.crc"
)
_REMOVALS = ("DELETE FROM vector WHERE item = ?", "DELETE FROM item WHERE key = ?")


class OldRow:
    """What a put replaces or a drop removes. `item` is None when its bytes are damaged."""

    __slots__ = ("id", "is_node", "item", "key", "part", "scope")

    def __init__(self, row: Row) -> None:
        self.id, self.key, self.part, self.is_node, self.scope = row[:5]
        self.item = unpack(row[5], row[6])


class ChangeWriter:
    """Writes one `Changes` as sequence number `seq`, with all indexes and counts."""

    def __init__(self, con: apsw.Connection, reader: Reader, seq: int) -> None:
        self._con = con
        self._reader = reader
        self._seq = seq
        self._tallies = Tallies(con, reader)
        self._parts: dict[tuple[str, str, str], int] = {}

    def write(self, grant: Grant, repository: str, changes: Changes) -> None:
        """Check, authorise and apply; what is refused is refused before anything is written."""
        check(changes)
        put_ids = {item.id for item in changes.put}
        old = self._old([*put_ids, *changes.drop])
        self._cascade(old, put_ids)
        authorise(grant, repository, {item.scope for item in changes.put} | {row.scope for row in old.values()})
        self._check_ends(changes, old, put_ids)
        self._drop([row for row in old.values() if row.id not in put_ids])
        self._put(changes.put, old)
        self._put_vectors(changes.vectors)
        self._tallies.settle()

    def drop_ids(self, grant: Grant, repository: str, ids: Iterable[str]) -> None:
        """Drop items, and the edges of dropped nodes."""
        old = self._old(ids)
        self._cascade(old, set())
        authorise(grant, repository, {row.scope for row in old.values()})
        self._drop(old.values())
        self._tallies.settle()

    def _old(self, ids: Iterable[str]) -> dict[str, OldRow]:
        rows = self._reader.fetch(OLD, [(item,) for item in ids])
        for row in rows:
            self._reader.typed(row[:5], str, int, int, int, str)
        return {row[0]: OldRow(row) for row in rows}

    def _cascade(self, old: dict[str, OldRow], put_ids: set[str]) -> None:
        """Add the edges of dropped nodes to what goes; an edge that is put anew is not theirs any more."""
        nodes = [(row.id,) for row in old.values() if row.is_node and row.id not in put_ids]
        edges = {edge for (edge,) in self._reader.fetch(EDGES_OF, nodes)}
        old.update(self._old(edges - put_ids - old.keys()))

    def _check_ends(self, changes: Changes, old: dict[str, OldRow], put_ids: set[str]) -> None:
        nodes = {item.id for item in changes.put if not isinstance(item, Edge)}
        for item in changes.put:
            former = old.get(item.id)
            if former and bool(former.is_node) == isinstance(item, Edge):
                raise InvalidInput("put", f"{item.id!r} cannot turn from a node into an edge or back")
        gone = old.keys() - put_ids
        ends = {end: item.id for item in changes.put if isinstance(item, Edge) for end in (item.source, item.target)}
        for end in ends.keys() - nodes:
            if end in gone or not self._con.execute(IS_NODE, (end,)).get:
                raise InvalidInput("put", f"edge {ends[end]!r} ends at {end!r}, which is no node after this write")

    def _drop(self, rows: Collection[OldRow]) -> None:
        """Remove items with their tokens, vectors and kept results."""
        self._unindex(rows)
        for statement in _REMOVALS:
            self._con.executemany(statement, [(row.key,) for row in rows])
        for statement in (BLANK_RESULTS, "DELETE FROM reply_item WHERE item = ?"):
            self._con.executemany(statement, [(row.id,) for row in rows])
        self._feed((row.id for row in rows), dropped=True)

    def _unindex(self, rows: Iterable[OldRow]) -> None:
        postings: list[tuple[int, str, int]] = []
        for row in rows:
            self._tallies.remove(row.part, row.item)
            if row.item is None:  # its tokens are unknown: find them the slow way
                self._con.execute("DELETE FROM posting WHERE item = ?", (row.key,))
            else:
                postings += [(row.part, term, row.key) for term in _terms(row.item)]
        statement = "DELETE FROM posting WHERE part = ? AND term = ? AND item = ?"
        self._con.executemany(statement, sorted(postings))

    def _put(self, items: Collection[Item], old: dict[str, OldRow]) -> None:
        next_key = int(self._con.execute("SELECT coalesce(max(key), 0) FROM item").get) + 1
        rows: list[tuple[object, ...]] = []
        postings: list[tuple[int, str, int]] = []
        replaced: list[OldRow] = []
        for item in items:
            part, former = self._part(item), old.get(item.id)
            key = former.key if former else next_key
            next_key += former is None
            rows.append(_row(key, part, item))
            if former and _same_words(former, item, part):
                continue
            if former:
                replaced.append(former)
            self._tallies.add(part, item)
            postings += [(part, term, key) for term in _terms(item)]
        self._unindex(replaced)
        self._con.executemany("DELETE FROM vector WHERE item = ?", [(row.key,) for row in replaced])
        self._con.executemany(_PUT, rows)
        self._con.executemany("INSERT INTO posting VALUES (?, ?, ?)", sorted(postings))
        self._feed((item.id for item in items), dropped=False)

    def _feed(self, ids: Iterable[str], *, dropped: bool) -> None:
        lines = [(item, self._seq, int(dropped)) for item in ids]
        self._con.executemany("INSERT OR REPLACE INTO feed VALUES (?, ?, ?)", lines)

    def _part(self, item: Item) -> int:
        name = (item.scope, item.family, item.label)
        if name not in self._parts:
            self._con.execute("INSERT OR IGNORE INTO part (scope, family, label) VALUES (?, ?, ?)", name)
            self._parts[name] = int(self._con.execute(FIND_PART, name).get)
        return self._parts[name]

    def _put_vectors(self, vectors: Iterable[Vector]) -> None:
        for vector in vectors:
            row = self._con.execute("SELECT key, part FROM item WHERE id = ?", (vector.item,)).fetchone()
            if row is None:
                raise InvalidInput("vectors", f"{vector.item[:80]!r} is no item of this repository")
            length = squared_length(floats(vector.data)) ** 0.5
            bound = (row[0], vector.model, row[1], vector.text_hash, length, vector.data)
            self._con.execute("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?, ?)", bound)

    def keep_result(self, key: str, result: str, ids: Iterable[str]) -> None:
        """Remember the outcome of an idempotency key, and which items it is about."""
        self._con.execute("INSERT INTO reply VALUES (?, ?, ?)", (key, self._seq, result))
        self._con.executemany("INSERT OR IGNORE INTO reply_item VALUES (?, ?)", [(item, key) for item in ids])


def _terms(item: Item) -> set[str]:
    return {token for tokens in item.tokens.values() for token in tokens}


def _same_words(former: OldRow, item: Item, part: int) -> bool:
    return former.part == part and former.item is not None and dict(former.item.tokens) == dict(item.tokens)


def _row(key: int, part: int, item: Item) -> tuple[object, ...]:
    source, target = (item.source, item.target) if isinstance(item, Edge) else (None, None)
    payload, crc = pack(item)
    searchable = int(any(item.tokens.values()))
    return key, item.id, part, item.updated, searchable, item.name, source, target, payload, crc
