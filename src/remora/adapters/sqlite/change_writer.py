"""One `Changes` turned into rows inside an open write transaction."""

from collections import Counter
from collections.abc import Iterable

import apsw

from remora.adapters.sqlite.rows import json_list, pack, unpack
from remora.core.errors import InvalidInput
from remora.core.graph import Changes, Edge, Item, Vector
from remora.core.scope import Grant
from remora.core.store_rules import authorise, check

OLD = (
    "SELECT item.id, key, part, source IS NULL, payload, crc, scope"
    " FROM item CROSS JOIN part ON part.id = item.part WHERE item.id = ?"
)
EDGES_OF = (
    "SELECT id FROM item INDEXED BY edge_by_source WHERE source = ?1"
    " UNION SELECT id FROM item INDEXED BY edge_by_target WHERE target = ?1"
)
PUT = (
    "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET part = excluded.part,"
    " updated = excluded.updated, searchable = excluded.searchable, name = excluded.name, source = excluded.source,"
    " target = excluded.target, payload = excluded.payload, crc = excluded.crc"
)
_NODE = "SELECT 1 FROM item WHERE id = ? AND source IS NULL"


class OldRow:
    """What a put replaces or a drop removes."""

    __slots__ = ("id", "is_node", "item", "key", "part", "scope")

    def __init__(self, row: tuple[object, ...]) -> None:
        self.id, self.key, self.part, self.is_node = str(row[0]), int(row[1]), int(row[2]), bool(row[3])  # type: ignore[call-overload]
        self.item = unpack(row[4], row[5])
        self.scope = str(row[6])


class ChangeWriter:
    """Writes one `Changes` as sequence number `seq`, with all indexes and counts."""

    def __init__(self, con: apsw.Connection, seq: int) -> None:
        self._con = con
        self._seq = seq
        self._parts: dict[tuple[str, str, str], int] = {}
        self._items: Counter[int] = Counter()
        self._documents: Counter[int] = Counter()
        self._fields: Counter[tuple[int, str]] = Counter()
        self._next_key = int(con.execute("SELECT coalesce(max(key), 0) FROM item").get) + 1

    def write(self, grant: Grant, repository: str, changes: Changes) -> None:
        """Check, authorise and apply; raises before anything is written, except on a failing disk."""
        check(changes)
        put_ids = {item.id for item in changes.put}
        old = self._old([*put_ids, *changes.drop])
        self._cascade(old, put_ids)
        self._check_ends(changes, old, put_ids)
        authorise(grant, repository, {item.scope for item in changes.put} | {row.scope for row in old.values()})
        self._drop([row for row in old.values() if row.id not in put_ids])
        self._put(changes.put, old)
        self._put_vectors(changes.vectors)
        self._settle()

    def drop_ids(self, grant: Grant, repository: str, ids: Iterable[str]) -> int:
        """Drop items and the edges of dropped nodes; returns how many items went."""
        old = self._old(ids)
        self._cascade(old, set())
        authorise(grant, repository, {row.scope for row in old.values()})
        self._drop(old.values())
        self._settle()
        return len(old)

    def _old(self, ids: Iterable[str]) -> dict[str, OldRow]:
        rows = self._con.executemany(OLD, [(item,) for item in ids])
        return {row[0]: OldRow(row) for row in rows}

    def _cascade(self, old: dict[str, OldRow], put_ids: set[str]) -> None:
        """Add the edges of dropped nodes to what goes."""
        nodes = [(row.id,) for row in old.values() if row.is_node and row.id not in put_ids]
        edges = {edge for (edge,) in self._con.executemany(EDGES_OF, nodes)}
        old.update(self._old(sorted(edges - put_ids - set(old))))

    def _check_ends(self, changes: Changes, old: dict[str, OldRow], put_ids: set[str]) -> None:
        nodes = {item.id for item in changes.put if not isinstance(item, Edge)}
        for item in changes.put:
            former = old.get(item.id)
            if former and former.is_node == isinstance(item, Edge):
                raise InvalidInput("put", f"{item.id!r} cannot turn from a node into an edge or back")
        gone = set(old) - put_ids
        ends = {(end, item.id) for item in changes.put if isinstance(item, Edge) for end in (item.source, item.target)}
        for end, edge in sorted(ends):
            if end not in nodes and (end in gone or not self._con.execute(_NODE, (end,)).get):
                raise InvalidInput("put", f"edge {edge!r} ends at {end!r}, which is no node after this write")

    def _drop(self, rows: Iterable[OldRow]) -> None:
        """Remove items with their tokens, vectors and kept results."""
        for row in rows:
            self._unindex(row)
            self._con.execute("DELETE FROM vector WHERE item = ?", (row.key,))
            self._con.execute("DELETE FROM item WHERE key = ?", (row.key,))
            self._con.execute(
                "UPDATE reply SET result = NULL WHERE key IN (SELECT key FROM reply_item WHERE item = ?)", (row.id,)
            )
            self._con.execute("DELETE FROM reply_item WHERE item = ?", (row.id,))
            self._feed([row.id], dropped=True)

    def _unindex(self, row: OldRow) -> None:
        self._items[row.part] -= 1
        if row.item is None:  # its tokens are unknown: find them the slow way; `_settle` cannot know its lengths
            self._con.execute("DELETE FROM posting WHERE item = ?", (row.key,))
        else:
            self._count_tokens(row.part, row.item, -1)
            self._con.executemany(
                "DELETE FROM posting WHERE part = ? AND term = ? AND item = ?",
                [(row.part, term, row.key) for term in _terms(row.item)],
            )

    def _put(self, items: Iterable[Item], old: dict[str, OldRow]) -> None:
        rows: list[tuple[object, ...]] = []
        postings: list[tuple[int, str, int]] = []
        for item in items:
            part = self._part(item)
            former = old.get(item.id)
            key = former.key if former else self._next_key
            if former is None:
                self._next_key += 1
            same_words = former is not None and _same_words(former, item, part)
            if former is not None and not same_words:
                self._unindex(former)
                self._con.execute("DELETE FROM vector WHERE item = ?", (key,))
            if not same_words:
                self._items[part] += 1
                self._count_tokens(part, item, 1)
                postings += [(part, term, key) for term in _terms(item)]
            rows.append(_row(key, part, item))
        self._con.executemany(PUT, rows)
        self._con.executemany("INSERT INTO posting VALUES (?, ?, ?)", sorted(postings))
        self._feed((str(row[1]) for row in rows), dropped=False)

    def _count_tokens(self, part: int, item: Item, sign: int) -> None:
        if any(item.tokens.values()):
            self._documents[part] += sign
            for field, tokens in item.tokens.items():
                self._fields[part, field] += sign * len(tokens)

    def _feed(self, ids: Iterable[str], *, dropped: bool) -> None:
        self._con.executemany(
            "INSERT OR REPLACE INTO feed VALUES (?, ?, ?)", [(item, self._seq, int(dropped)) for item in ids]
        )

    def _part(self, item: Item) -> int:
        name = (item.family, item.label, item.scope)
        if name not in self._parts:
            self._con.execute("INSERT OR IGNORE INTO part (family, label, scope) VALUES (?, ?, ?)", name)
            found = self._con.execute("SELECT id FROM part WHERE family = ? AND label = ? AND scope = ?", name).get
            self._parts[name] = int(found)
        return self._parts[name]

    def _put_vectors(self, vectors: Iterable[Vector]) -> None:
        for vector in vectors:
            row = self._con.execute("SELECT key, part FROM item WHERE id = ?", (vector.item,)).fetchone()
            if row is None:
                raise InvalidInput("vectors", f"{vector.item[:80]!r} is no item of this repository")
            self._con.execute(
                "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?)",
                (row[0], vector.model, row[1], vector.text_hash, vector.data),
            )

    def _settle(self) -> None:
        """Bring the counts up to date and forget parts that became empty."""
        for part in self._items.keys() | self._documents.keys():
            self._con.execute(
                "UPDATE part SET items = items + ?, documents = documents + ? WHERE id = ?",
                (self._items[part], self._documents[part], part),
            )
        self._con.executemany(
            "INSERT INTO part_field VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET tokens = tokens + ?3",
            [(part, field, count) for (part, field), count in self._fields.items() if count],
        )
        touched = json_list(self._items)
        self._con.execute(
            "DELETE FROM part_field WHERE part IN"
            " (SELECT id FROM part WHERE items = 0 AND id IN (SELECT value FROM json_each(?)))",
            (touched,),
        )
        self._con.execute("DELETE FROM part WHERE items = 0 AND id IN (SELECT value FROM json_each(?))", (touched,))

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
