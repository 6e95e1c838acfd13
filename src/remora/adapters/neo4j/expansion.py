"""Expansion in rounds: one statement per round, one bounded index range per node and direction."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from remora.adapters.neo4j.link import Fetch, Row
from remora.core.expansion import Found, in_rounds
from remora.core.graph import Edge, Item
from remora.core.store_rules import storable

# The other end must be visible too: an edge to something hidden would tell that it exists.
_EDGES = """
  MATCH (e:RemoraItem)
  WHERE e.repo = $repo AND e.{near} = near AND e.updated >= $least
    AND e.born <= $seq AND e.died > $seq AND e.place IN $edge_places{named}
  WITH e ORDER BY e.repo DESC, e.{near} DESC, e.updated DESC, e.id
  MATCH (o:RemoraItem)
  WHERE o.repo = $repo AND o.id = e.{far} AND o.born <= $seq AND o.died > $seq AND o.place IN $node_places
  RETURN e, '{near}' AS way LIMIT $cap
"""
_ROUND = """
UNWIND $frontier AS near
CALL (near) {{
  MATCH (n:RemoraItem)
  WHERE n.repo = $repo AND n.id = near AND n.born <= $seq AND n.died > $seq AND n.place IN $node_places
  RETURN count(n) > 0 AS seen
}}
WITH near WHERE seen
CALL (near) {{
{ways}
}}
RETURN e.place, e.payload, e.crc, e.key, near, e.updated, e.id, way
"""
_LEAST = -(1 << 63)

Decode = Callable[[Iterable[Row]], Iterable[Item]]
"""Rows (place, payload, crc, key, ...) -> the items that are whole and visible."""


def round_statement(directions: Sequence[str], *, named: bool) -> str:
    """The statement of one round; a direction is `source` (outgoing) or `target` (incoming)."""
    condition = " AND e.name IN $names" if named else ""
    ways = [
        _EDGES.format(near=near, far="target" if near == "source" else "source", named=condition)
        for near in directions
    ]  # fmt: skip
    return _ROUND.format(ways=" UNION ALL ".join(ways))


class Walk:
    """One expansion: which edges count, and how many of them per node and direction."""

    def __init__(
        self,
        fetch: Fetch,
        decode: Decode,
        *,
        edge_places: Collection[str],
        node_places: Collection[str],
        names: Sequence[str] | None,
        directions: Sequence[str],
        per_node: int,
    ) -> None:
        self._fetch = fetch
        self._decode = decode
        self._statement = round_statement(directions, named=names is not None) if directions and edge_places else ""
        self._per_node = max(0, per_node)
        self._bound: dict[str, Any] = {
            "edge_places": edge_places, "node_places": node_places, "names": names or [], "least": _LEAST,
            "cap": self._per_node + 1,
        }  # fmt: skip

    def rounds(self, ids: Collection[str], hops: int, limit: int) -> Found:
        """Follow edges from the visible ids for `hops` rounds; in a round the newest edges come first."""
        starts = [item for item in sorted(set(ids)) if storable(item)]
        return in_rounds(starts if self._statement else (), hops, limit, self._round)

    def _round(self, frontier: Collection[str], found: Found) -> dict[str, Edge]:
        fresh: dict[str, Edge] = {}
        ways: dict[tuple[str, str], list[Row]] = {}
        for row in self._fetch(self._statement, self._bound | {"frontier": frontier}):
            ways.setdefault((row[4], row[7]), []).append(row)
        for rows in ways.values():
            rows.sort(key=lambda row: (-row[5], row[6]))
            found.truncated = found.truncated or len(rows) > self._per_node
            edges = (edge for edge in self._decode(rows[: self._per_node]) if isinstance(edge, Edge))
            fresh |= {edge.id: edge for edge in edges if edge.id not in found.edges}
        return fresh
