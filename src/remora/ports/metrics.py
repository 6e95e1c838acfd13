"""Figures of a graph, and a cache for what is computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from remora.core.analytics.topology import Topology


@dataclass(frozen=True, slots=True)
class Betweenness:
    """Share of shortest paths through each node. `pivots` is 0 when every path was counted, else how many starts."""

    scores: tuple[float, ...]
    pivots: int = 0


@dataclass(frozen=True, slots=True)
class Fragility:
    """Nodes and node pairs whose loss would split a component."""

    articulation_points: tuple[int, ...]
    bridges: tuple[tuple[int, int], ...]


class GraphMetrics(Protocol):
    """Figures of one graph, by node number; equal graphs give equal figures. All are empty for the empty graph."""

    def pagerank(self, graph: Topology, restart: Mapping[int, float] | None = None) -> tuple[float, ...]:
        """PageRank (sums to 1), restarting at every node alike or at the given nodes by weight; dangling mass too."""
        ...

    def article_rank(self, graph: Topology) -> tuple[float, ...]:
        """AR(v) = (1-d) + d * sum over w -> v of AR(w) / (out(w) + mean out); undirected edges count both ways."""
        ...

    def betweenness(self, graph: Topology) -> Betweenness:
        """Unnormalised; exact up to a stated size, above it estimated from evenly spread pivots."""
        ...

    def communities(self, graph: Topology, weights: Sequence[float] = ()) -> tuple[int, ...]:
        """Leiden by modularity, direction ignored, fixed seed. Numbered by size, then by smallest member.

        `weights` are of the edges, in their order; without any, each weighs 1.
        """
        ...

    def components(self, graph: Topology) -> tuple[int, ...]:
        """Weakly connected components, numbered by size, then by smallest member."""
        ...

    def fragility(self, graph: Topology) -> Fragility:
        """Articulation points and bridges, direction ignored."""
        ...

    def layout(self, graph: Topology) -> tuple[tuple[float, float], ...]:
        """Where to draw each node of one connected graph: x and y from -1 to 1, by forces, from a fixed start."""
        ...


class Cache(Protocol):
    """Derived values kept in this process between calls; anything may be forgotten at any time."""

    def get(self, key: tuple[object, ...]) -> object:
        """The value, or None."""
        ...

    def put(self, key: tuple[object, ...], value: object) -> None:
        """Keep a value; the least recently used one makes room."""
        ...
