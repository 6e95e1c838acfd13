"""Every figure against an independent implementation, on random graphs of many shapes."""

import math
import random

import networkx as nx
import numpy as np
import pytest

from remora.adapters import graph_metrics
from remora.adapters.graph_metrics import RustworkxMetrics
from remora.core.analytics.topology import Topology, clustering, neighbours

METRICS = RustworkxMetrics()
SEEDS = range(60)


def random_graph(seed: int, *, directed: bool) -> Topology:
    """Sparse, dense, disconnected, star-like and tree-like graphs of 1 to 40 nodes."""
    draw = random.Random(seed)
    size = draw.randint(1, 40)
    wanted = draw.choice([0, size // 2, size, 2 * size, size * size // 3])
    hub = draw.random() < 0.3
    edges: set[tuple[int, int]] = set()
    for _ in range(wanted):
        a, b = (0 if hub and draw.random() < 0.5 else draw.randrange(size)), draw.randrange(size)
        if a != b:
            edges.add((a, b) if directed else (min(a, b), max(a, b)))
    return Topology(size, tuple(sorted(edges)), directed)


def as_networkx(graph: Topology) -> nx.Graph:
    built = nx.DiGraph() if graph.directed else nx.Graph()
    built.add_nodes_from(range(graph.size))
    built.add_edges_from(graph.edges)
    return built


def close(one, other) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-8) for a, b in zip(one, other, strict=True))


def power_iteration(graph: Topology, restart: list[float]) -> list[float]:
    """PageRank written down from its definition, dangling mass going where the walk restarts."""
    out: list[list[int]] = [[] for _ in range(graph.size)]
    for a, b in graph.edges:
        out[a].append(b)
        if not graph.directed:
            out[b].append(a)
    total = sum(restart)
    home = [weight / total for weight in restart]
    rank = home[:]
    for _ in range(170):  # 0.85 ** 170 is below every digit compared
        fresh = [0.15 * weight for weight in home]
        for node, targets in enumerate(out):
            for target in targets or ():
                fresh[target] += 0.85 * rank[node] / len(targets)
            if not targets:
                fresh = [score + 0.85 * rank[node] * weight for score, weight in zip(fresh, home, strict=True)]
        rank = fresh
    return rank


@pytest.mark.parametrize("directed", [True, False])
def test_pagerank_agrees_with_its_definition(directed: bool) -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=directed)
        assert close(METRICS.pagerank(graph), power_iteration(graph, [1.0] * graph.size)), seed


@pytest.mark.parametrize("directed", [True, False])
def test_personalised_pagerank_agrees_with_its_definition(directed: bool) -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=directed)
        draw = random.Random(-seed)
        restart = {node: draw.random() for node in range(graph.size) if draw.random() < 0.3} or {0: 1.0}
        expected = power_iteration(graph, [restart.get(node, 0.0) for node in range(graph.size)])
        assert close(METRICS.pagerank(graph, restart), expected), seed


@pytest.mark.parametrize("directed", [True, False])
def test_article_rank_solves_its_equation(directed: bool) -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=directed)
        arcs = [*graph.edges, *(() if directed else ((b, a) for a, b in graph.edges))]
        out = np.zeros(graph.size)
        for a, _ in arcs:
            out[a] += 1
        matrix = np.eye(graph.size)
        for a, b in arcs:
            matrix[b, a] -= 0.85 / (out[a] + out.mean())
        expected = np.linalg.solve(matrix, np.full(graph.size, 0.15))
        assert close(METRICS.article_rank(graph), expected), seed


@pytest.mark.parametrize("directed", [True, False])
def test_betweenness_agrees_with_networkx(directed: bool) -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=directed)
        expected = nx.betweenness_centrality(as_networkx(graph), normalized=False)
        found = METRICS.betweenness(graph)
        assert found.pivots == 0
        assert close(found.scores, [expected[node] for node in range(graph.size)]), seed


@pytest.mark.parametrize("directed", [True, False])
def test_the_estimate_of_betweenness_is_exact_when_every_node_is_a_pivot(directed: bool) -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=directed)
        if not graph.edges:
            continue
        expected = nx.betweenness_centrality(as_networkx(graph), normalized=False)
        found = graph_metrics._pivoted(graph, graph.size)
        assert close(found.scores, [expected[node] for node in range(graph.size)]), seed


def test_a_large_graph_is_estimated_from_pivots_and_says_so() -> None:
    draw = random.Random(1)
    halves = {
        (low + a, low + b)
        for low in (0, 2_000)
        for a, b in (sorted(draw.sample(range(2_000), 2)) for _ in range(6_000))
    }
    # The only way between two halves must stand out in any fair estimate.
    bridge = (min(a for a, _ in halves), max(b for _, b in halves))
    found = METRICS.betweenness(Topology(4_000, tuple(sorted(halves | {bridge}))))
    assert found.pivots > 0
    assert set(bridge) == set(np.argsort(found.scores)[-2:].tolist())


@pytest.mark.parametrize("directed", [True, False])
def test_structure_agrees_with_networkx(directed: bool) -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=directed)
        plain = nx.Graph(as_networkx(graph).to_undirected())
        fragile = METRICS.fragility(graph)
        assert set(fragile.articulation_points) == set(nx.articulation_points(plain)), seed
        assert set(fragile.bridges) == {(min(edge), max(edge)) for edge in nx.bridges(plain)}, seed
        groups: dict[int, set[int]] = {}
        for node, number in enumerate(METRICS.components(graph)):
            groups.setdefault(number, set()).add(node)
        assert sorted(map(sorted, groups.values())) == sorted(map(sorted, nx.connected_components(plain))), seed
        assert [len(groups[number]) for number in sorted(groups)] == sorted(map(len, groups.values()), reverse=True)


def test_clustering_agrees_with_networkx() -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=False)
        expected = nx.clustering(as_networkx(graph))
        assert close(clustering(neighbours(graph)), [expected[node] for node in range(graph.size)]), seed


def test_communities_are_connected_repeatable_and_no_worse_than_another_implementation_finds() -> None:
    for seed in SEEDS:
        graph = random_graph(seed, directed=False)
        numbers = METRICS.communities(graph)
        assert numbers == METRICS.communities(graph)
        groups: dict[int, set[int]] = {}
        for node, number in enumerate(numbers):
            groups.setdefault(number, set()).add(node)
        plain = as_networkx(graph)
        for group in groups.values():
            assert nx.is_connected(plain.subgraph(group)), seed
        if graph.edges:
            ours = nx.community.modularity(plain, groups.values())
            theirs = nx.community.modularity(plain, nx.community.louvain_communities(plain, seed=1))
            assert ours >= theirs - 0.05, seed


def test_the_empty_graph_and_a_lone_node_have_figures_too() -> None:
    for size in (0, 1):
        graph = Topology(size)
        assert len(METRICS.pagerank(graph)) == size
        assert len(METRICS.article_rank(graph)) == size
        assert len(METRICS.betweenness(graph).scores) == size
        assert len(METRICS.communities(graph)) == len(METRICS.components(graph)) == size
        assert METRICS.fragility(graph).bridges == ()


def test_a_restart_without_weight_ranks_nothing() -> None:
    assert METRICS.pagerank(Topology(2, ((0, 1),)), {}) == (0.0, 0.0)
    assert METRICS.pagerank(Topology(2, ((0, 1),)), {0: 0.0}) == (0.0, 0.0)


def test_weights_decide_which_nodes_belong_together() -> None:
    square = Topology(4, ((0, 1), (0, 3), (1, 2), (2, 3)))
    assert RustworkxMetrics().communities(square, (9.0, 1.0, 1.0, 9.0)) == (0, 0, 1, 1)
    assert RustworkxMetrics().communities(square, (1.0, 9.0, 9.0, 1.0)) == (0, 1, 1, 0)
