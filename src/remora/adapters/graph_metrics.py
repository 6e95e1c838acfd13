"""Graph metrics by rustworkx (ranks, paths, structure) and graspologic-native (Leiden); both load at first use."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from remora.core.analytics.topology import Topology
from remora.core.drawing import spiral
from remora.core.policy import (
    DAMPING,
    EXACT_BETWEENNESS_STEPS,
    LAYOUT_LARGE,
    LAYOUT_ROUNDS,
    LAYOUT_ROUNDS_LARGE,
    LEIDEN_SEED,
    PIVOT_STEPS,
    PIVOTS_MIN,
    RANK_TOLERANCE,
)
from remora.ports import Betweenness, Fragility

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_ROUNDS_MAX = 1_000


class RustworkxMetrics:
    """The `GraphMetrics` port. Holds nothing; one instance serves all threads."""

    def pagerank(self, graph: Topology, restart: Mapping[int, float] | None = None) -> tuple[float, ...]:
        """PageRank; see the port."""
        if not graph.size:
            return ()
        import rustworkx

        weights = None if restart is None else {node: float(weight) for node, weight in restart.items() if weight > 0}
        if restart is not None and not weights:
            return (0.0,) * graph.size
        scores = rustworkx.pagerank(
            _directed(graph),
            alpha=DAMPING,
            personalization=weights,
            tol=RANK_TOLERANCE / graph.size,
            max_iter=_ROUNDS_MAX,
        )
        return tuple(scores[node] for node in range(graph.size))

    def article_rank(self, graph: Topology) -> tuple[float, ...]:
        """ArticleRank by power iteration; every round shrinks the error by more than the damping."""
        if not graph.size:
            return ()
        import numpy as np

        sources, targets = _arcs(graph)
        out = np.bincount(sources, minlength=graph.size).astype(np.float64)
        share = DAMPING / (out + out.mean()) if len(sources) else out
        scores = np.full(graph.size, 1.0 - DAMPING)
        for _ in range(_ROUNDS_MAX):
            passed = np.bincount(targets, weights=(scores * share)[sources], minlength=graph.size)
            fresh = (1.0 - DAMPING) + passed
            moved = float(np.abs(fresh - scores).max())
            scores = fresh
            if moved < RANK_TOLERANCE:
                break
        return tuple(scores.tolist())

    def betweenness(self, graph: Topology) -> Betweenness:
        """Betweenness; see the port."""
        if graph.size * len(graph.edges) > EXACT_BETWEENNESS_STEPS:
            return _pivoted(graph, max(PIVOTS_MIN, PIVOT_STEPS // len(graph.edges)))
        if not graph.edges:
            return Betweenness((0.0,) * graph.size)
        import rustworkx

        # One thread: the order of summation, and so the last digits, must not depend on the machine.
        built = _directed(graph) if graph.directed else _undirected(graph)
        scores = rustworkx.betweenness_centrality(built, normalized=False, parallel_threshold=graph.size + 1)
        return Betweenness(tuple(scores[node] for node in range(graph.size)))

    def communities(self, graph: Topology, weights: Sequence[float] = ()) -> tuple[int, ...]:
        """Leiden communities; a node without edges is a community of its own."""
        pairs: dict[tuple[int, int], float] = {}
        for (a, b), weight in zip(graph.edges, weights or (1.0,) * len(graph.edges), strict=True):
            pair = (min(a, b), max(a, b))
            pairs[pair] = pairs.get(pair, 0.0) + weight if weights else 1.0
        found: dict[str, int] = {}
        if pairs:
            import graspologic_native

            edges = [(f"{a:09d}", f"{b:09d}", pairs[a, b]) for a, b in sorted(pairs)]
            _, found = graspologic_native.leiden(
                edges,
                None,
                resolution=1.0,
                randomness=0.001,
                iterations=2,
                use_modularity=True,
                seed=LEIDEN_SEED,
                trials=1,
            )
        groups: dict[int, list[int]] = {}
        for node in range(graph.size):
            groups.setdefault(found.get(f"{node:09d}", -1 - node), []).append(node)
        return _numbered(groups.values(), graph.size)

    def components(self, graph: Topology) -> tuple[int, ...]:
        """Weakly connected components."""
        if not graph.size:
            return ()
        import rustworkx

        return _numbered(rustworkx.connected_components(_undirected(graph)), graph.size)

    def fragility(self, graph: Topology) -> Fragility:
        """Articulation points and bridges."""
        if not graph.edges:
            return Fragility((), ())
        import rustworkx

        built = _undirected(graph)
        found: Any = rustworkx.bridges(built)  # typed as a set of nodes; it is a set of pairs
        bridges = sorted((min(a, b), max(a, b)) for a, b in found)
        return Fragility(tuple(sorted(rustworkx.articulation_points(built))), tuple(bridges))

    def layout(self, graph: Topology) -> tuple[tuple[float, float], ...]:
        """Positions by Fruchterman and Reingold, begun on a spiral around the best connected node."""
        if graph.size < 3:
            return ((-0.5, 0.0), (0.5, 0.0)) if graph.size == 2 else ((0.0, 0.0),) * graph.size
        import rustworkx

        found = rustworkx.spring_layout(
            _undirected(graph),
            pos=dict(enumerate(spiral(graph))),
            num_iter=LAYOUT_ROUNDS if graph.size <= LAYOUT_LARGE else LAYOUT_ROUNDS_LARGE,
            seed=LEIDEN_SEED,
        )
        return tuple((float(found[node][0]), float(found[node][1])) for node in range(graph.size))


def _directed(graph: Topology) -> Any:
    import rustworkx

    built = rustworkx.PyDiGraph(multigraph=False)
    built.add_nodes_from(range(graph.size))
    both = graph.edges if graph.directed else sorted((*graph.edges, *((b, a) for a, b in graph.edges)))
    built.add_edges_from_no_data(both)
    return built


def _undirected(graph: Topology) -> Any:
    import rustworkx

    built = rustworkx.PyGraph(multigraph=False)
    built.add_nodes_from(range(graph.size))
    built.add_edges_from_no_data(sorted({(min(a, b), max(a, b)) for a, b in graph.edges}))
    return built


def _arcs(graph: Topology) -> "tuple[Ints, Ints]":
    """Sources and targets of all arcs; an undirected edge is two arcs."""
    import numpy as np

    pairs = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    if graph.directed:
        return pairs[:, 0], pairs[:, 1]
    return np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])


def _numbered(groups: Iterable[Iterable[int]], size: int) -> tuple[int, ...]:
    numbers = [0] * size
    ordered: Sequence[list[int]] = sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))
    for number, group in enumerate(ordered):
        for node in group:
            numbers[node] = number
    return tuple(numbers)


def _pivoted(graph: Topology, pivots: int) -> Betweenness:
    """Betweenness estimated from evenly spread starting nodes; with every node a pivot it is exact.

    Undirected: linear scaling (Geisberger, Sanders, Schultes 2008), which keeps nodes near a pivot from being
    overrated. Directed: plain extrapolation (Brandes and Pich 2007), as scaling would need the way back too.
    """
    import numpy as np

    pivots = min(pivots, graph.size)
    sources, targets = _arcs(graph)
    targets = targets[np.argsort(sources, kind="stable")]
    degrees = np.bincount(sources, minlength=graph.size)
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    total = np.zeros(graph.size)
    for pivot in range(pivots):
        start = pivot * graph.size // pivots
        total += _dependencies(start, targets, offsets, degrees, scaled=not graph.directed)
    return Betweenness(tuple((total * (graph.size / pivots)).tolist()), pivots)


def _dependencies(start: int, targets: "Ints", offsets: "Ints", degrees: "Ints", *, scaled: bool) -> "Floats":
    """How much each node lies between `start` and all others: one breadth-first pass out, one pass back.

    Scaled, a path counts at a node by how far along the path the node is, so that both directions add up to one.
    """
    import numpy as np

    size = len(degrees)
    level = np.full(size, -1, dtype=np.int64)
    paths = np.zeros(size)
    level[start], paths[start] = 0, 1.0
    front = np.array([start], dtype=np.int64)
    steps: list[tuple[Ints, Ints]] = []
    while len(front):
        tails = np.repeat(front, degrees[front])
        heads = targets[_arc_numbers(front, offsets, degrees)]
        level[heads[level[heads] < 0]] = len(steps) + 1
        onward = level[heads] == len(steps) + 1
        tails, heads = tails[onward], heads[onward]
        paths += np.bincount(heads, weights=paths[tails], minlength=size)
        steps.append((tails, heads))
        front = np.flatnonzero(level == len(steps))
    carried = np.zeros(size)
    for depth in range(len(steps), 0, -1):
        tails, heads = steps[depth - 1]
        own = 1.0 / depth if scaled else 1.0
        back = paths[tails] / paths[heads] * (own + carried[heads])
        carried += np.bincount(tails, weights=back, minlength=size)
    carried[start] = 0.0
    return carried * level.clip(0) if scaled else carried


def _arc_numbers(front: "Ints", offsets: "Ints", degrees: "Ints") -> "Ints":
    """Positions of all arcs that leave the nodes of the front."""
    import numpy as np

    counts = degrees[front]
    ends = np.cumsum(counts)
    numbers: Ints = np.arange(counts.sum(), dtype=np.int64) + np.repeat(offsets[front] - (ends - counts), counts)
    return numbers
