"""One consistent view of a store file: the reads that need no ranking."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import apsw

from remora.adapters.sqlite import expansion, text_search, vector_search
from remora.adapters.sqlite.faults import DAMAGED_ADVICE
from remora.adapters.sqlite.rows import unpack
from remora.core.errors import Corrupt
from remora.core.graph import Candidates, Change, Item, Neighbourhood
from remora.core.store_rules import newest_cursor, storable

GET = "SELECT part, payload, crc, id FROM item WHERE id = ?"
SCAN = "SELECT part, payload, crc, id FROM item INDEXED BY item_by_id WHERE part = ? AND id > ? ORDER BY id LIMIT ?"
SCAN_NEWEST_FROM_START = (
    "SELECT part, payload, crc, id FROM item INDEXED BY item_by_time WHERE part = ? ORDER BY updated DESC, id LIMIT ?"
)
SCAN_NEWEST = (
    "SELECT part, payload, crc, id FROM item INDEXED BY item_by_time WHERE part = ?1 AND updated <= ?2"
    " AND (updated < ?2 OR id > ?3) ORDER BY updated DESC, id LIMIT ?4"
)
CHANGES = (
    "SELECT seq, item, dropped FROM feed INDEXED BY feed_by_seq WHERE seq > ?1 AND seq <= coalesce("
    "(SELECT seq FROM feed INDEXED BY feed_by_seq WHERE seq > ?1 ORDER BY seq, item LIMIT 1 OFFSET ?2 - 1), ?3)"
    " ORDER BY seq, item"
)
MISSING = (
    "SELECT part, payload, crc, id FROM item INDEXED BY item_by_id WHERE part = ?1 AND searchable = 1 AND NOT EXISTS"
    " (SELECT 1 FROM vector WHERE vector.item = item.key AND vector.model = ?2) ORDER BY id LIMIT ?3"
)
PARTS = "SELECT id, family, label, scope, items, documents FROM part WHERE scope = ?"


class Part(NamedTuple):
    """One (family, label, scope) with its exact counts."""

    id: int
    family: str
    label: str
    scope: str
    items: int
    documents: int


class SqliteView:
    """`StoreRead` over one open transaction of one connection."""

    def __init__(self, con: apsw.Connection, path: Path, damaged: set[str]) -> None:
        self.con = con
        self._path = path
        self._damaged = damaged
        self._parts: dict[str, tuple[Part, ...]] = {}
        row = con.execute("SELECT seq, time FROM state").fetchone()
        if row is None:
            raise Corrupt(f"the store {path} has lost its state row", advice=DAMAGED_ADVICE)
        self._seq, self.time = int(row[0]), int(row[1])

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
                rows = self.con.execute(PARTS, (scope,)) if storable(scope) else ()
                self._parts[scope] = tuple(Part(*row) for row in rows)
            found += self._parts[scope]
        if families is None:
            return found
        return [part for part in found if part.family in families and (not labels or part.label in labels)]

    def items(self, rows: Iterable[tuple[object, ...]], parts: Iterable[Part]) -> Iterator[Item]:
        """Items of rows (part, payload, crc, id, ...) that lie in the parts; damaged rows are noted and left out."""
        allowed = {part.id: part for part in parts}
        for row in rows:
            part = allowed.get(row[0])  # type: ignore[call-overload]
            if part is None:
                continue
            item = unpack(row[1], row[2])
            if item is None or item.id != row[3] or (item.family, item.label, item.scope) != part[1:4]:
                self._damaged.add(str(row[3]))
                continue
            yield item

    def get(self, ids: Iterable[str], scopes: Collection[str]) -> dict[str, Item]:
        """See `StoreRead`; a damaged item that was asked for by id raises `Corrupt`."""
        asked = [(item,) for item in dict.fromkeys(ids) if storable(item)]
        parts = {part.id: part for part in self.parts(scopes)}
        rows = [row for row in self.con.executemany(GET, asked) if row[0] in parts]
        found = {item.id: item for item in self.items(rows, parts.values())}
        if len(found) < len(rows):
            lost = next(str(row[3]) for row in rows if row[3] not in found)
            raise Corrupt(f"item {lost} in {self._path} is damaged", advice=DAMAGED_ADVICE)
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
        rows: list[tuple[object, ...]] = []
        for part in parts:
            rows += self._page(part.id, after, limit + 1, newest_first=newest_first)
        found = sorted(self.items(rows, parts), key=_newest if newest_first else _by_id)
        page, more = found[:limit], len(found) > limit
        if not more:
            return tuple(page), ""
        last = page[-1]
        return tuple(page), f"{last.updated}:{last.id}" if newest_first else last.id

    def _page(self, part: int, after: str, limit: int, *, newest_first: bool) -> Iterable[tuple[object, ...]]:
        if not newest_first:
            return self.con.execute(SCAN, (part, after, limit))
        if not after:
            return self.con.execute(SCAN_NEWEST_FROM_START, (part, limit))
        return self.con.execute(SCAN_NEWEST, (part, *newest_cursor(after), limit))

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
        found = text_search.narrow(self.con, [part.id for part in parts], terms, prefixes, limit)
        items = sorted(self.items(found.rows, parts), key=_by_id)
        documents = sum(part.documents for part in parts)
        stats = text_search.stats(self.con, [part.id for part in parts], documents, found.frequency)
        return Candidates(tuple(items), stats, found.total)

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
        scores = vector_search.nearest(self.con, [part.id for part in parts], model, query, floor=floor, limit=limit)
        rows = self.con.executemany(GET, [(item,) for item, _ in scores])
        items = {item.id: item for item in self.items(rows, parts)}
        return tuple((items[item], score) for item, score in scores if item in items)

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
        walk = expansion.Walk(
            self.con,
            edge_parts=[part.id for part in parts if part.label in labels],
            node_parts=[part.id for part in parts],
            names=names,
            directions=(("out",) if outgoing else ()) + (("in",) if incoming else ()),
            per_node=per_node,
        )
        found = walk.rounds([item for item in ids if storable(item)], hops, limit)
        edges = sorted(self.items(found.edge_rows, parts), key=_by_id)
        nodes = sorted(self.items(self.con.executemany(GET, [(end,) for end in found.ends]), parts), key=_by_id)
        return expansion.neighbourhood(nodes, edges, truncated=found.truncated)

    def counts(self, scopes: Collection[str]) -> Mapping[tuple[str, str, str], int]:
        """See `StoreRead`."""
        return {(part.family, part.label, part.scope): part.items for part in self.parts(scopes) if part.items}

    def snapshot(self, families: Collection[str], scopes: Collection[str]) -> tuple[Item, ...]:
        """See `StoreRead`."""
        parts = self.parts(scopes, families)
        rows = self.con.executemany(SCAN, [(part.id, "", -1) for part in parts])
        return tuple(sorted(self.items(rows, parts), key=_by_id))

    def changes(self, since: int, *, limit: int) -> tuple[Change, ...]:
        """See `StoreRead`."""
        rows = self.con.execute(CHANGES, (since, limit, self._seq)) if limit > 0 else ()
        return tuple(Change(seq, item, bool(dropped)) for seq, item, dropped in rows)

    def vectors_missing(
        self, families: Collection[str], scopes: Collection[str], model: str, *, limit: int
    ) -> tuple[Item, ...]:
        """See `StoreRead`."""
        parts = self.parts(scopes, families)
        if limit < 1 or not storable(model):
            return ()
        rows = self.con.executemany(MISSING, [(part.id, model, limit) for part in parts])
        return tuple(sorted(self.items(rows, parts), key=_by_id)[:limit])


def _by_id(item: Item) -> str:
    return item.id


def _newest(item: Item) -> tuple[int, str]:
    return -item.updated, item.id
