"""Expansion in rounds: one bounded index range per node and direction, never a recursive statement."""

from collections.abc import Callable, Collection, Iterable, Sequence

from remora.adapters.sqlite.rows import Reader, Row, number_list
from remora.core.expansion import Found, in_rounds
from remora.core.graph import Edge, Item
from remora.core.store_rules import storable

# The other end must be visible too: an edge to something hidden would tell that it exists. A unary plus keeps the
# planner from starting at the part.
_EDGES = (
    "SELECT edge.part, edge.payload, edge.crc, edge.key"
    " FROM item AS edge INDEXED BY edge_by_{near} CROSS JOIN item AS other ON other.id = edge.{far}"
    " WHERE edge.{near} = ? AND +edge.part IN ({edge_parts}) AND +other.part IN ({node_parts})"
    " ORDER BY edge.updated DESC, edge.id LIMIT ?"
)
_NAMED = _EDGES.replace(" ORDER BY", " AND edge.name IN (SELECT value FROM json_each(?)) ORDER BY")
VISIBLE = "SELECT id FROM item WHERE id = ? AND +part IN ({node_parts})"

Decode = Callable[[Iterable[Row]], Iterable[Item]]
"""Rows (part, payload, crc, key) -> the items that are whole and visible."""


def edge_statement(direction: str, edge_parts: Iterable[int], node_parts: Iterable[int], *, named: bool) -> str:
    """The statement for one direction, `source` (outgoing) or `target` (incoming)."""
    return (_NAMED if named else _EDGES).format(
        near=direction,
        far="target" if direction == "source" else "source",
        edge_parts=number_list(edge_parts),
        node_parts=number_list(node_parts),
    )


class Walk:
    """One expansion: which edges count, and how many of them per node and direction."""

    def __init__(
        self,
        reader: Reader,
        decode: Decode,
        *,
        edge_parts: Collection[int],
        node_parts: Collection[int],
        names: str | None,
        directions: Sequence[str],
        per_node: int,
    ) -> None:
        self._reader = reader
        self._decode = decode
        named = names is not None
        self._names = (names,) if named else ()
        directions = directions if edge_parts else ()
        self._statements = [edge_statement(end, edge_parts, node_parts, named=named) for end in directions]
        self._visible = VISIBLE.format(node_parts=number_list(node_parts))
        self._per_node = max(0, per_node)

    def rounds(self, ids: Collection[str], hops: int, limit: int) -> Found:
        """Follow edges from the visible ids for `hops` rounds; in a round the newest edges come first."""
        starts = [(item,) for item in sorted(set(ids)) if storable(item)]
        visible = [item for (item,) in self._reader.fetch(self._visible, starts)]
        return in_rounds(visible, hops, limit, self._round)

    def _round(self, frontier: Collection[str], found: Found) -> dict[str, Edge]:
        fresh: dict[str, Edge] = {}
        for node in frontier:
            for statement in self._statements:
                rows = self._reader.fetch(statement, [(node, *self._names, self._per_node + 1)])
                found.truncated = found.truncated or len(rows) > self._per_node
                edges = (edge for edge in self._decode(rows[: self._per_node]) if isinstance(edge, Edge))
                fresh |= {edge.id: edge for edge in edges if edge.id not in found.edges}
        return fresh
