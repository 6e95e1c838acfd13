"""One consistent view of a repository: `StoreRead` over versions, as they were at one sequence number."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from remora.adapters.neo4j import vectors
from remora.adapters.neo4j.expansion import Walk
from remora.adapters.neo4j.link import Fetch, Row
from remora.adapters.neo4j.memo import Memo
from remora.adapters.neo4j.postings import TextIndex
from remora.adapters.neo4j.rows import Part, unpack_parts
from remora.core.cosine import best, cosine, floats
from remora.core.errors import Corrupt, Unavailable
from remora.core.graph import Candidates, Change, Item, Neighbourhood, Node
from remora.core.store_rules import newest_cursor, storable

ALIVE = "i.born <= $seq AND i.died > $seq"
_FIELDS = "i.place, i.payload, i.crc, i.key"
STATE = "MATCH (r:RemoraRepository {id: $repo}) RETURN r.seq, r.time"
SCOPES = """
UNWIND $scopes AS scope CALL (scope) {
  MATCH (s:RemoraScope) WHERE s.repo = $repo AND s.scope = scope AND s.born <= $seq
  RETURN s.parts AS parts ORDER BY s.repo DESC, s.scope DESC, s.born DESC LIMIT 1
}
RETURN scope, parts
"""
GET = f"""
UNWIND $ids AS id MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.id = id AND {ALIVE} AND i.place IN $places
RETURN {_FIELDS}
"""
BY_KEY = f"""
UNWIND $keys AS key MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.key = key AND {ALIVE} AND i.place IN $places
RETURN {_FIELDS}
"""
SCAN = f"""
UNWIND $places AS place CALL (place) {{
  MATCH (i:RemoraItem) WHERE i.place = place AND i.id > $after AND {ALIVE}
  RETURN i ORDER BY i.place, i.id LIMIT $limit
}}
RETURN {_FIELDS}
"""
NEWEST = f"""
UNWIND $places AS place CALL (place) {{
  MATCH (i:RemoraItem)
  WHERE i.place = place AND i.updated <= $time AND (i.updated < $time OR i.id > $after) AND {ALIVE}
  RETURN i ORDER BY i.place DESC, i.updated DESC, i.id LIMIT $limit
}}
RETURN {_FIELDS}
"""
SNAPSHOT = (
    f"UNWIND $places AS place MATCH (i:RemoraItem) WHERE i.place = place AND i.id > '' AND {ALIVE} RETURN {_FIELDS}"
)
CHANGES = f"""
CALL () {{
  MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.born > $since AND {ALIVE}
  RETURN i.born AS seq, i.id AS id, false AS dropped ORDER BY i.repo, i.born LIMIT $limit
 UNION ALL
  MATCH (i:RemoraTombstone) WHERE i.repo = $repo AND i.born > $since AND {ALIVE}
  RETURN i.born AS seq, i.id AS id, true AS dropped ORDER BY i.repo, i.born LIMIT $limit
}}
RETURN seq, id, dropped ORDER BY seq LIMIT $limit
"""
CHANGES_AT = f"""
MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.born = $last AND {ALIVE}
RETURN i.born AS seq, i.id AS id, false AS dropped
UNION ALL
MATCH (i:RemoraTombstone) WHERE i.repo = $repo AND i.born = $last AND {ALIVE}
RETURN i.born AS seq, i.id AS id, true AS dropped
"""
MISSING = f"""
UNWIND $places AS place CALL (place) {{
  MATCH (i:RemoraItem) WHERE i.place = place AND i.id > '' AND i.searchable AND {ALIVE}
    AND NOT EXISTS {{ MATCH (v:RemoraVector)
      WHERE v.repo = $repo AND v.item = i.id AND v.model = $model AND v.born <= $seq AND v.died > $seq }}
  RETURN i ORDER BY i.place, i.id LIMIT $limit
}}
RETURN {_FIELDS}
"""
_LATEST = (1 << 63) - 1


class ServerView:
    """`StoreRead`; its docstrings are the contract. Damaged nodes are noted in `damaged` by key and left out."""

    def __init__(
        self,
        fetch: Fetch,
        repository: str,
        seq: int,
        moment: int,
        damaged: set[int],
        *,
        memo: Memo | None = None,
        seconds: float | None = None,
    ) -> None:
        """`seconds` is how long it may last before what it sees may be cleared away; None for the one writer's view."""
        self._rows = fetch
        self._repository = repository
        self._damaged = damaged
        self._memo = memo or Memo()
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._seq = seq
        self.time = moment
        self._seconds = seconds
        self._ends = None if seconds is None else (time.monotonic() + seconds, time.time() + seconds)

    @property
    def seq(self) -> int:
        """Sequence number of the last write this view sees."""
        return self._seq

    def _fetch(self, statement: str, bound: Mapping[str, Any]) -> list[Row]:
        rows = self._rows(statement, {"repo": self._repository, "seq": self._seq, **bound})
        if self._ends and (time.monotonic() > self._ends[0] or time.time() > self._ends[1]):
            raise Unavailable(
                f"one read took longer than {self._seconds} s; what it began with may be cleared away by now",
                advice="ask again, for less at a time",
            )
        return rows

    def parts(
        self, scopes: Collection[str], families: Collection[str] | None = None, labels: Collection[str] = ()
    ) -> list[Part]:
        """The parts of the scopes, narrowed to families and labels when given."""
        wanted = sorted(set(scopes))
        unknown = [scope for scope in wanted if scope not in self._parts]
        if unknown:
            self._parts |= dict.fromkeys(unknown, ())
            for scope, text in self._fetch(SCOPES, {"scopes": [scope for scope in unknown if storable(scope)]}):
                self._parts[scope] = tuple(self._unpacked(text, scope))
        found = [part for scope in wanted for part in self._parts[scope]]
        if families is None:
            return found
        return [part for part in found if part.family in families and (not labels or part.label in labels)]

    def _unpacked(self, text: str, scope: str) -> list[Part]:
        try:
            return unpack_parts(text, scope)
        except ValueError as error:
            raise Corrupt(f"the parts of scope {scope[:80]!r} are not what was written") from error

    def _items(self, rows: Iterable[Row], parts: Iterable[Part]) -> Iterator[Item]:
        """Items of rows (place, payload, crc, key) that lie in the parts."""
        allowed = {part.place: part for part in parts}
        for place, payload, crc, key, *_ in rows:
            part = allowed.get(place)
            if part is None:
                continue
            item = self._memo.item(key, payload, crc)
            if item is not None and (item.family, item.label, item.scope) == (part.family, part.label, part.scope):
                yield item
            else:
                self._damaged.add(key)

    def get(self, ids: Iterable[str], scopes: Collection[str]) -> dict[str, Item]:
        """The items with these ids; a damaged one among them raises `Corrupt`, since it cannot count as absent."""
        asked = [item for item in dict.fromkeys(ids) if storable(item)]
        parts = self.parts(scopes) if asked else []
        if not parts:
            return {}
        rows = self._fetch(GET, {"ids": asked, "places": _places(parts)})
        found = {item.id: item for item in self._items(rows, parts)}
        if len(found) < len(rows):
            lost = next((item for item in asked if item not in found), "")
            raise Corrupt(f"item {lost!r} is not what was written", advice="run `remora doctor`")
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
        bound: dict[str, Any] = {"places": _places(parts), "after": after, "limit": limit + 1}
        if newest_first:
            bound["time"], bound["after"] = newest_cursor(after) if after else (_LATEST, "")
        rows = self._fetch(NEWEST if newest_first else SCAN, bound) if parts else []
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

        def holding(keys: set[int], prefix: str) -> set[int]:
            rows = {row[3]: row for row in self._of_keys(keys, parts)}
            whole = {key: item for key, row in rows.items() for item in self._items([row], parts)}
            return {k for k, i in whole.items() if any(t.startswith(prefix) for row in i.tokens.values() for t in row)}

        index = TextIndex(self._fetch, self._seq, parts, self._memo, holding)
        found = index.narrow(terms, prefixes, limit)
        items = sorted(self._items(self._of_keys(found.keys, parts), parts), key=_by_id)
        return Candidates(tuple(items), index.stats(found.frequency), found.total)

    def _of_keys(self, keys: Collection[int], parts: Collection[Part]) -> list[Row]:
        return self._fetch(BY_KEY, {"keys": list(keys), "places": _places(parts)}) if keys else []

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
        near = vectors.near(self._fetch, _places(parts), model, query, floor=floor, limit=limit)
        bound = {"ids": list(near), "places": _places(parts)}
        items = {item.id: item for item in self._items(self._fetch(GET, bound) if near else [], parts)}
        probe = floats(query)
        scores = [(item, cosine(probe, floats(data))) for item, data in near.items() if item in items]
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
            self._fetch,
            lambda rows: self._items(rows, parts),
            edge_places=[part.place for part in parts if part.label in labels],
            node_places=_places(parts),
            names=[name for name in names if storable(name)] if names else None,
            directions=(*(("source",) * outgoing), *(("target",) * incoming)),
            per_node=per_node,
        )
        found = walk.rounds(ids, hops, limit)
        bound = {"ids": found.ends, "places": _places(parts)}
        rows = self._fetch(GET, bound) if found.ends else []
        nodes = {item.id: item for item in self._items(rows, parts) if isinstance(item, Node)}
        edges = (found.edges[edge] for edge in sorted(found.edges))
        whole = tuple(edge for edge in edges if edge.source in nodes and edge.target in nodes)
        return Neighbourhood(tuple(nodes[end] for end in sorted(nodes)), whole, found.truncated)

    def counts(self, scopes: Collection[str]) -> Mapping[tuple[str, str, str], int]:
        """See `StoreRead`."""
        return {(part.family, part.label, part.scope): part.items for part in self.parts(scopes) if part.items}

    def snapshot(self, families: Collection[str], scopes: Collection[str]) -> tuple[Item, ...]:
        """See `StoreRead`."""
        parts = self.parts(scopes, families)
        rows = self._fetch(SNAPSHOT, {"places": _places(parts)}) if parts else []
        return tuple(sorted(self._items(rows, parts), key=_by_id))

    def changes(self, since: int, *, limit: int) -> tuple[Change, ...]:
        """See `StoreRead`."""
        rows = self._fetch(CHANGES, {"since": since, "limit": limit}) if limit > 0 else []
        if rows and len(rows) == limit:  # the last write among them may have been cut
            last = rows[-1][0]
            rows = [row for row in rows if row[0] < last] + self._fetch(CHANGES_AT, {"last": last})
        return tuple(Change(*row) for row in sorted(map(tuple, rows)))

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
        if limit < 1 or not storable(model) or not parts:
            return ()
        rows = self._fetch(MISSING, {"places": _places(parts), "model": model, "limit": limit})
        return tuple(sorted(self._items(rows, parts), key=_by_id)[:limit])


def _places(parts: Iterable[Part]) -> list[str]:
    return [part.place for part in parts]


def _by_id(item: Item) -> str:
    return item.id


def _newest(item: Item) -> tuple[int, str]:
    return -item.updated, item.id
