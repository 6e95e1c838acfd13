"""One consistent view of a store file: `StoreRead` over an open transaction."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from remora.adapters.sqlite import vector_search
from remora.adapters.sqlite.expansion import Walk
from remora.adapters.sqlite.rows import Reader, Row, unpack
from remora.adapters.sqlite.text_search import TextIndex
from remora.core.cosine import best, cosine, floats
from remora.core.graph import Candidates, Change, Item, Neighbourhood, Node
from remora.core.store_rules import newest_cursor, storable

STATE = "SELECT seq, time FROM state"
PARTS = "SELECT id, family, label, scope, items, documents FROM part WHERE scope = ?"
GET = "SELECT part, payload, crc, key FROM item WHERE id = ?"
BY_KEY = "SELECT part, payload, crc, key FROM item WHERE key = ?"
SCAN = "SELECT part, payload, crc, key FROM item INDEXED BY item_by_id WHERE part = ? AND id > ? ORDER BY id LIMIT ?"
NEWEST = (
    "SELECT part, payload, crc, key FROM item INDEXED BY item_by_time WHERE part = ? ORDER BY updated DESC, id LIMIT ?"
)
NEWEST_AFTER = (
    "SELECT part, payload, crc, key FROM item INDEXED BY item_by_time WHERE part = ?1 AND updated <= ?2"
    " AND (updated < ?2 OR id > ?3) ORDER BY updated DESC, id LIMIT ?4"
)
CHANGES = (
    "SELECT seq, item, dropped FROM feed INDEXED BY feed_by_seq WHERE seq > ?1 AND seq <= coalesce("
    "(SELECT seq FROM feed INDEXED BY feed_by_seq WHERE seq > ?1 ORDER BY seq, item LIMIT 1 OFFSET ?2 - 1), ?3)"
    " ORDER BY seq, item"
)
MISSING = (
    "SELECT part, payload, crc, key FROM item INDEXED BY item_by_id WHERE part = ?1 AND searchable = 1 AND NOT EXISTS"
    " (SELECT 1 FROM vector WHERE vector.item = item.key AND vector.model = ?2) ORDER BY id LIMIT ?3"
)
_UNBOUNDED = -1


class Part(NamedTuple):
    """One (family, label, scope) with its exact counts."""

    id: int
    family: str
    label: str
    scope: str
    items: int
    documents: int


class SqliteView:
    """`StoreRead`; its docstrings are the contract. Damaged rows are noted in `damaged` by key and left out."""

    def __init__(self, reader: Reader, damaged: set[int]) -> None:
        self._reader = reader
        self._damaged = damaged
        self._parts: dict[str, tuple[Part, ...]] = {}
        state = reader.fetch(STATE)
        if not state:
            raise reader.damaged("the state row is gone")
        self._seq: int
        self.time: int
        self._seq, self.time = reader.typed(state[0], int, int)

    @property
    def seq(self) -> int:
        """Sequence number of the last write this view sees."""
        return self._seq

    def parts(
        self, scopes: Collection[str], families: Collection[str] | None = None, labels: Collection[str] = ()
    ) -> list[Part]:
        """The parts of the scopes, narrowed to families and labels when given."""
        found: list[Part] = []
        for scope in sorted(set(scopes)):
            if scope not in self._parts:
                rows = self._reader.fetch(PARTS, [(scope,)]) if storable(scope) else []
                self._parts[scope] = tuple(Part(*self._reader.typed(row, int, str, str, str, int, int)) for row in rows)
            found += self._parts[scope]
        if families is None:
            return found
        return [part for part in found if part.family in families and (not labels or part.label in labels)]

    def _items(self, rows: Iterable[Row], parts: Iterable[Part]) -> Iterator[Item]:
        """Items of rows (part, payload, crc, key) that lie in the parts."""
        allowed = {part.id: part for part in parts}
        for number, payload, crc, key in rows:
            part = allowed.get(number)
            if part is None:
                continue
            item = unpack(payload, crc)
            if item is not None and (item.family, item.label, item.scope) == part[1:4]:
                yield item
            else:
                self._damaged.add(key)

    def get(self, ids: Iterable[str], scopes: Collection[str]) -> dict[str, Item]:
        """The items with these ids; a damaged one among them raises `Corrupt`, since it cannot count as absent."""
        asked = dict.fromkeys(item for item in ids if storable(item))
        parts = self.parts(scopes)
        numbers = {part.id for part in parts}
        rows = [row for row in self._reader.fetch(GET, [(item,) for item in asked]) if row[0] in numbers]
        found = {item.id: item for item in self._items(rows, parts)}
        if len(found) < len(rows) or not found.keys() <= asked.keys():
            lost = next((item for item in asked if item not in found), "")
            raise self._reader.damaged(f"item {lost!r} is not what was written")
        return found

    def scan(
        self,
        family: str,
        label: str,
        scopes: Collection[str],
        *,
        after: str = "",
        limit: int,
        newest_first: bool = False,
    ) -> tuple[tuple[Item, ...], str]:
        """See `StoreRead`."""
        parts = self.parts(scopes, (family,), (label,))
        if limit < 1 or not storable(after):
            return (), ""
        if not newest_first:
            rows = self._reader.fetch(SCAN, [(part.id, after, limit + 1) for part in parts])
        elif after:
            rows = self._reader.fetch(NEWEST_AFTER, [(part.id, *newest_cursor(after), limit + 1) for part in parts])
        else:
            rows = self._reader.fetch(NEWEST, [(part.id, limit + 1) for part in parts])
        found = sorted(self._items(rows, parts), key=_newest if newest_first else _by_id)
        page, more = tuple(found[:limit]), len(found) > limit
        if not more:
            return page, ""
        return page, f"{page[-1].updated}:{page[-1].id}" if newest_first else page[-1].id

    def text_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        terms: Collection[str],
        prefixes: Collection[str] = (),
        *,
        labels: Collection[str] = (),
        limit: int,
    ) -> Candidates:
        """See `StoreRead`."""
        parts = self.parts(scopes, families, labels)
        index = TextIndex(self._reader, [part.id for part in parts], sum(part.documents for part in parts))
        found = index.narrow(terms, prefixes, limit)
        rows = self._reader.fetch(BY_KEY, [(key,) for key in found.keys])
        items = sorted(self._items(rows, parts), key=_by_id)
        return Candidates(tuple(items), index.stats(found.frequency), found.total)

    def vector_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        model: str,
        query: bytes,
        *,
        floor: float,
        limit: int,
    ) -> tuple[tuple[Item, float], ...]:
        """See `StoreRead`."""
        parts = self.parts(scopes, families)
        if not storable(model):
            return ()
        numbers = [part.id for part in parts]
        near = vector_search.near(self._reader, numbers, model, query, floor=floor, limit=limit)
        probe = floats(query)
        items: dict[str, Item] = {}
        scores: list[tuple[str, float | None]] = []
        for key, data in near.items():
            for item in self._items(self._reader.fetch(BY_KEY, [(key,)]), parts):
                items[item.id] = item
                scores.append((item.id, cosine(probe, floats(data))))
        return tuple((items[item], score) for item, score in best(scores, floor=floor, limit=limit))

    def expand(
        self,
        ids: Collection[str],
        scopes: Collection[str],
        *,
        labels: Collection[str],
        names: Collection[str] = (),
        outgoing: bool = True,
        incoming: bool = True,
        hops: int = 1,
        per_node: int,
        limit: int,
    ) -> Neighbourhood:
        """See `StoreRead`."""
        parts = self.parts(scopes)
        walk = Walk(
            self._reader,
            lambda rows: self._items(rows, parts),
            edge_parts=[part.id for part in parts if part.label in labels],
            node_parts=[part.id for part in parts],
            names=json.dumps([name for name in names if storable(name)]) if names else None,
            directions=(*(("source",) * outgoing), *(("target",) * incoming)),
            per_node=per_node,
        )
        found = walk.rounds(ids, hops, limit)
        rows = self._reader.fetch(GET, [(end,) for end in found.ends])
        nodes = {item.id: item for item in self._items(rows, parts) if isinstance(item, Node)}
        edges = (found.edges[edge] for edge in sorted(found.edges))
        whole = tuple(edge for edge in edges if edge.source in nodes and edge.target in nodes)
        return Neighbourhood(tuple(nodes[end] for end in sorted(nodes)), whole, found.truncated)

    def counts(self, scopes: Collection[str]) -> Mapping[tuple[str, str, str], int]:
        """See `StoreRead`."""
        return {part[1:4]: part.items for part in self.parts(scopes) if part.items}

    def snapshot(self, families: Collection[str], scopes: Collection[str]) -> tuple[Item, ...]:
        """See `StoreRead`."""
        parts = self.parts(scopes, families)
        rows = self._reader.fetch(SCAN, [(part.id, "", _UNBOUNDED) for part in parts])
        return tuple(sorted(self._items(rows, parts), key=_by_id))

    def changes(self, since: int, *, limit: int) -> tuple[Change, ...]:
        """See `StoreRead`."""
        rows = self._reader.fetch(CHANGES, [(since, limit, self._seq)] if limit > 0 else ())
        lines = (self._reader.typed(row, int, str, int) for row in rows)
        return tuple(Change(seq, item, bool(dropped)) for seq, item, dropped in lines)

    def vectors_missing(
        self,
        families: Collection[str],
        scopes: Collection[str],
        model: str,
        *,
        labels: Collection[str] = (),
        limit: int,
    ) -> tuple[Item, ...]:
        """See `StoreRead`."""
        parts = self.parts(scopes, families, labels)
        if limit < 1 or not storable(model):
            return ()
        rows = self._reader.fetch(MISSING, [(part.id, model, limit) for part in parts])
        return tuple(sorted(self._items(rows, parts), key=_by_id)[:limit])


def _by_id(item: Item) -> str:
    return item.id


def _newest(item: Item) -> tuple[int, str]:
    return -item.updated, item.id
