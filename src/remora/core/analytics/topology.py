"""A graph without words: nodes are 0..size-1, edges are pairs. What metrics are computed on, and how it is made."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from remora.core.graph import Edge


@dataclass(frozen=True, slots=True)
class Topology:
    """A simple graph: no self-loops, no parallel edges; undirected edges are (smaller, larger). Edges are sorted."""

    size: int
    edges: tuple[tuple[int, int], ...] = ()
    directed: bool = False


@dataclass(frozen=True, slots=True)
class Projection:
    """A topology over item ids: `ids[i]` is node i. Ids are sorted, so that equal data gives equal numbers."""

    ids: tuple[str, ...]
    topology: Topology
    index: Mapping[str, int] = field(default_factory=dict)

    def pairs(self, edges: Iterable[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
        """Edges of the topology as pairs of ids."""
        return tuple((self.ids[a], self.ids[b]) for a, b in edges)


def project(ids: Iterable[str], edges: Iterable[Edge], *, directed: bool = False) -> Projection:
    """The simple graph of these nodes and of the relations between them; several relations of one pair are one edge."""
    ordered = tuple(sorted(set(ids)))
    index = {item: at for at, item in enumerate(ordered)}
    pairs: set[tuple[int, int]] = set()
    for edge in edges:
        source, target = index.get(edge.source), index.get(edge.target)
        if source is None or target is None or source == target:
            continue
        pairs.add((source, target) if directed or source < target else (target, source))
    return Projection(ordered, Topology(len(ordered), tuple(sorted(pairs)), directed), index)


def neighbours(topology: Topology) -> list[set[int]]:
    """Each node's neighbours, direction ignored."""
    found: list[set[int]] = [set() for _ in range(topology.size)]
    for a, b in topology.edges:
        found[a].add(b)
        found[b].add(a)
    return found


def clustering(adjacent: Sequence[Collection[int]]) -> list[float]:
    """Local clustering of each node: links among its neighbours / links possible; 0.0 below two neighbours."""
    sets = [neighbour if isinstance(neighbour, set) else set(neighbour) for neighbour in adjacent]
    found: list[float] = []
    for mine in sets:
        degree = len(mine)
        twice = sum(len(mine & sets[other]) for other in mine) if degree > 1 else 0
        found.append(twice / (degree * (degree - 1)) if degree > 1 else 0.0)
    return found
