"""Expansion in rounds: one bounded index range per node and direction, never a recursive statement."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from remora.adapters.sqlite.rows import json_list
from remora.core.graph import Edge, Item, Neighbourhood, Node
from remora.core.store_rules import storable

# The other end must be visible too: an edge to something hidden would tell that it exists. A unary plus keeps the
# planner from starting at the part.
_EDGES = (
    "SELECT edge.part, edge.payload, edge.crc, edge.id, edge.updated, edge.{near}, edge.{far}"
    " FROM item AS edge INDEXED BY edge_by_{near} CROSS JOIN item AS other ON other.id = edge.{far}"
    " WHERE edge.{near} = ?1 AND +edge.part IN (SELECT value FROM json_each(?2))"
    " AND +other.part IN (SELECT value FROM json_each(?3))"
    " AND (?4 IS NULL OR edge.name IN (SELECT value FROM json_each(?4)))"
    " ORDER BY edge.updated DESC, edge.id LIMIT ?5"
)
OUTGOING = _EDGES.format(near="source", far="target")
INCOMING = _EDGES.format(near="target", far="source")
VISIBLE = "SELECT id FROM item WHERE id = ?1 AND +part IN (SELECT value FROM json_each(?2))"

EdgeRow = tuple[Any, ...]
"""(part, payload, crc, id, updated, near end, far end)"""


@dataclass
class Found:
    """What the rounds reached so far."""

    edges: dict[str, EdgeRow] = field(default_factory=dict)
    truncated: bool = False

    @property
    def edge_rows(self) -> Iterable[EdgeRow]:
        """The rows of the edges, in the order in which they were reached."""
        return self.edges.values()

    @property
    def ends(self) -> list[str]:
        """The ids at both ends of the edges."""
        return sorted({end for row in self.edges.values() for end in row[5:7]})


class Walk:
    """One expansion: which edges count, and how many of them per node and direction."""

    def __init__(
        self,
        con: apsw.Connection,
        *,
        edge_parts: Collection[int],
        node_parts: Collection[int],
        names: Collection[str],
        directions: Sequence[str],
        per_node: int,
    ) -> None:
        self._con = con
        self._edge_parts = json_list(edge_parts)
        self._node_parts = json_list(node_parts)
        self._names = json_list(name for name in names if storable(name)) if names else None
        self._statements = [OUTGOING if direction == "out" else INCOMING for direction in directions]
        self._per_node = per_node

    def rounds(self, ids: Collection[str], hops: int, limit: int) -> Found:
        """Follow edges from the visible ids for `hops` rounds; in a round the newest edges come first."""
        found = Found()
        starts = self._con.executemany(VISIBLE, [(item, self._node_parts) for item in sorted(set(ids))])
        frontier = [item for (item,) in starts]
        seen = set(frontier)
        for _ in range(hops):
            fresh = self._round(frontier, found)
            room = max(0, limit - len(found.edges))
            found.truncated = found.truncated or len(fresh) > room
            found.edges |= {row[3]: row for row in fresh[:room]}
            reached = {end for row in fresh[:room] for end in row[5:7]} - seen
            seen |= reached
            frontier = sorted(reached)
        return found

    def _round(self, frontier: Iterable[str], found: Found) -> list[EdgeRow]:
        fresh: dict[str, EdgeRow] = {}
        for node in frontier:
            for statement in self._statements:
                bound = (node, self._edge_parts, self._node_parts, self._names, self._per_node + 1)
                rows: list[EdgeRow] = list(self._con.execute(statement, bound))
                found.truncated = found.truncated or len(rows) > self._per_node
                fresh |= {row[3]: row for row in rows[: self._per_node] if row[3] not in found.edges}
        return sorted(fresh.values(), key=lambda row: (-row[4], row[3]))


def neighbourhood(nodes: Iterable[Item], edges: Iterable[Item], *, truncated: bool) -> Neighbourhood:
    """The answer; an edge whose end turned out damaged is left out."""
    kept = {node.id: node for node in nodes if isinstance(node, Node)}
    whole = tuple(edge for edge in edges if isinstance(edge, Edge) and edge.source in kept and edge.target in kept)
    return Neighbourhood(tuple(kept.values()), whole, truncated)
