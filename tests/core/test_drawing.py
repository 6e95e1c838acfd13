"""Drawings: the same graph always looks the same, and parts that no line joins do not overlap."""

from math import dist, isfinite, sqrt

from hypothesis import given, settings
from hypothesis import strategies as st

from remora.adapters.graph_metrics import RustworkxMetrics
from remora.core.analytics.topology import Topology
from remora.core.drawing import arranged, spiral

METRICS = RustworkxMetrics()


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 30))
    node = st.integers(0, size - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=40))
    return Topology(size, tuple(sorted({(min(a, b), max(a, b)) for a, b in pairs if a != b})))


@settings(deadline=None, max_examples=50)
@given(graphs())
def test_a_layout_is_deterministic_whole_and_finite(graph):
    components = METRICS.components(graph)
    places = arranged(graph, components, METRICS.layout)
    assert places == arranged(graph, components, RustworkxMetrics().layout)
    assert len(places) == graph.size
    assert all(isfinite(x) and isfinite(y) for x, y in places)


@settings(deadline=None, max_examples=50)
@given(graphs())
def test_parts_lie_apart(graph):
    components = METRICS.components(graph)
    places = arranged(graph, components, METRICS.layout)
    for a in range(graph.size):
        for b in range(a):
            if components[a] != components[b]:
                assert dist(places[a], places[b]) > 0.2


def test_the_start_is_a_disc_around_the_best_connected_node():
    star = Topology(9, tuple((0, other) for other in range(1, 9)))
    places = spiral(star)
    assert min(range(9), key=lambda node: dist(places[node], (0, 0))) == 0
    assert all(dist(place, (0, 0)) <= 1 for place in places)


def test_five_thousand_loose_pairs_fit_into_a_disc_of_their_size():
    graph = Topology(5_000, tuple((2 * n, 2 * n + 1) for n in range(2_500)))
    places = arranged(graph, METRICS.components(graph), METRICS.layout)
    assert max(dist(place, (0, 0)) for place in places) < 6 * sqrt(5_000)
