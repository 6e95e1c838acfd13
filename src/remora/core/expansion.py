"""What every engine does alike when it follows edges in rounds: what is kept, in which order, and how far it goes."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from remora.core.graph import Edge


@dataclass
class Found:
    """What the rounds reached so far."""

    edges: dict[str, Edge] = field(default_factory=dict)
    truncated: bool = False

    @property
    def ends(self) -> list[str]:
        """The ids at both ends of the edges."""
        return sorted({end for edge in self.edges.values() for end in (edge.source, edge.target)})


EdgesAt = Callable[[Collection[str], Found], Mapping[str, Edge]]
"""The edges around a frontier that are not found yet, by id; marks what was cut as truncated."""


def in_rounds(start: Collection[str], hops: int, limit: int, edges_at: EdgesAt) -> Found:
    """Follow edges from the visible ids for `hops` rounds; in a round the newest edges come first, ties by id."""
    found = Found()
    frontier, seen = list(start), set(start)
    for _ in range(hops):
        if not frontier:
            break
        fresh = sorted(edges_at(frontier, found).values(), key=lambda edge: (-edge.updated, edge.id))
        room = max(0, limit - len(found.edges))
        found.truncated = found.truncated or len(fresh) > room
        found.edges |= {edge.id: edge for edge in fresh[:room]}
        reached = {end for edge in fresh[:room] for end in (edge.source, edge.target)} - seen
        seen |= reached
        frontier = sorted(reached)
    return found
