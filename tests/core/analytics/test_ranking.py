"""Divergence, drift, weave and frontier cuts on graphs small enough to work out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.analytics.panel import Readings, baseline, compose, frontier_seeds, weave_audit
from remora.core.analytics.ranking import divergence, drift, percentiles, ranked
from remora.core.analytics.topology import Topology, clustering, neighbours, project
from remora.core.encounters.frontier import frontier
from remora.core.encounters.nodes import Authored, authored
from remora.core.graph import Edge, Node
from remora.core.scope import REPOSITORY


def node(item, label="Concept", created=1, **properties):
    return Node(
        id=item,
        family="encounters",
        label=label,
        scope=REPOSITORY,
        name=item,
        body={"properties": {"name": item, **properties}, "by": {"trust": 3}},
        created=created,
    )


def edge(source, label, target, created=1):
    return Edge(
        id=f"{source}-{label}-{target}",
        family="encounters",
        label=label,
        scope=REPOSITORY,
        source=source,
        target=target,
        created=created,
    )


def graph(*items) -> Authored:
    return authored(items)


# --- rankings ---


def test_divergence_by_hand():
    mass = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}
    open_work = {"d": 0.5, "b": 0.3, "a": 0.2}
    # mass percentiles a 0, b 1/3, c 2/3, d 1; frontier percentiles d 0, b 1/2, a 1.
    assert divergence(mass, open_work) == {"a": 1.0, "b": 0.1667, "d": -1.0}


def test_divergence_needs_two_in_common():
    assert divergence({"a": 1.0}, {"a": 1.0}) == {}
    assert divergence({"a": 1.0, "b": 1.0}, {"b": 1.0, "c": 1.0}) == {}
    assert divergence({}, {}) == {}
    assert divergence({"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 1.0}) == {"a": 0.0, "b": 0.0}


def test_ties_are_ranked_by_id_and_differences_beyond_twelve_digits_are_ties():
    assert ranked({"b": 0.1 + 0.2, "a": 0.3}) == ["a", "b"]
    assert percentiles(["only"]) == {"only": 0.0}


def test_drift_by_hand():
    found = drift({"a": 3.0, "b": 2.0, "c": 1.0}, {"c": 9.0, "n": 8.0, "a": 7.0, "b": 6.0})
    assert found.risers == (("c", 2),)
    assert found.fallers == (("a", -2), ("b", -2))
    assert found.new == ("n",)


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1)),
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1)),
)
def test_divergence_is_antisymmetric_and_bounded(one, other):
    found, back = divergence(one, other), divergence(other, one)
    assert found.keys() == back.keys()
    for item, value in found.items():
        assert -1 <= value <= 1
        assert value == pytest.approx(-back[item], abs=1e-9)


def test_unchanged_graphs_do_not_drift():
    scores = {"a": 2.0, "b": 1.0}
    assert drift(scores, scores) == drift({}, {})


# --- topology ---


def test_a_projection_is_simple_sorted_and_blind_to_what_is_left_out():
    edges = [
        edge("b", "INFORMS", "a"),
        edge("a", "COMPOSES", "b"),
        edge("a", "ABOUT", "ghost"),
        edge("c", "INFORMS", "a"),
    ]
    found = project(["c", "a", "b"], edges)
    assert found.ids == ("a", "b", "c")
    assert found.topology == Topology(3, ((0, 1), (0, 2)))
    assert project(["a", "b", "c"], edges, directed=True).topology.edges == ((0, 1), (1, 0), (2, 0))


def test_clustering_by_hand():
    square_with_diagonal = Topology(4, ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3)))
    assert clustering(neighbours(square_with_diagonal)) == pytest.approx([2 / 3, 1.0, 2 / 3, 1.0])


def test_weave_audit_by_hand():
    star = [edge("hub", "INFORMS", leaf) for leaf in "abcd"]
    knot = [edge(x, "COMPOSES", y) for x, y in (("k", "l"), ("k", "m"), ("k", "n"), ("l", "m"), ("m", "n"), ("l", "n"))]
    found = project([*"abcdklmn", "hub"], [*star, *knot])
    rows = weave_audit(found, lambda item: item, 20)["top"]
    assert rows[0] == {"node": "hub", "degree": 4, "clustering": 0.0, "score": 4.0}
    assert [row["score"] for row in rows[1:]] == [0.0] * 4, "a knot in which all know each other is no star"
    assert len(rows) == 5, "nodes with fewer than three neighbours have no shape"


# --- frontier ---


def test_the_five_cuts_by_hand():
    found = frontier(
        graph(
            node("q open", "Question", status="open"),
            node("q null", "Question"),
            node("q answered", "Question", status="answered"),
            node("q resolved", "Question"),
            node("q muted", "Question", frontier_mute=True),
            node("q old", "Question"),
            node("q new", "Question", status="abandoned"),
            node("h new", "Hypothesis"),
            node("h tested", "Hypothesis", status="proposed", confidence="high"),
            node("h fought", "Hypothesis", status="challenged"),
            node("h dead", "Hypothesis", status="falsified", confidence="high"),
            node("h sure", "Hypothesis", status="confirmed", confidence="high"),
            node("c bare", "Concept", status="stable"),
            node("c grounded", "Concept", status="stable"),
            node("c seen", "Concept"),
            node("c noted", "Concept"),
            node("c superseded", "Concept"),
            node("c retired", "Concept", status="retired"),
            node("o", "Observation"),
            node("o2", "Observation"),
            node("n", "Note"),
            edge("o", "RESOLVES", "q resolved"),
            edge("q new", "REBINDS", "q old"),
            edge("o", "SUPPORTS", "h tested"),
            edge("o", "SUPPORTS", "h fought"),
            edge("o2", "CHALLENGES", "h fought"),
            edge("o", "SUPPORTS", "h sure"),
            edge("o2", "SUPPORTS", "h sure"),
            edge("o", "GROUNDS", "c grounded"),
            edge("o", "ABOUT", "c seen"),
            edge("n", "ABOUT", "c noted"),
            edge("c grounded", "SUPERSEDES", "c superseded"),
        )
    )
    assert set(found.unanswered_questions) == {"q open", "q null"}
    assert set(found.untested_hypotheses) == {"h new"}
    assert set(found.ungrounded_concepts) == {"c bare", "c noted"}
    assert set(found.confidence_dissonance) == {"h tested", "c bare"}
    assert set(found.contested_hypotheses) == {"h fought"}
    assert found.open_work == ("h new", "q null", "q open")


def test_without_open_work_all_cuts_are_the_seeds_and_without_any_there_are_none():
    assert frontier_seeds(frontier(graph(node("q", "Question")))).mode == "open work"
    assert frontier_seeds(frontier(graph(node("c")))).mode == "all cuts"
    assert frontier_seeds(frontier(graph(node("o", "Observation")))).mode == "none"


# --- the panel ---


def encounter(item, tick, created, *, first):
    return Node(
        id=item, family="encounters", label="Encounter", scope=REPOSITORY, name=item,
        body={"properties": {"name": item}, "tick": tick, "first": first}, created=created,
    )  # fmt: skip


def test_the_baseline_is_what_was_there_before_the_newest_first_encounter():
    items = graph(node("old"), node("new", created=30), edge("old", "INFORMS", "new", created=31))
    spine = [encounter("e1", 1, 5, first=True), encounter("e2", 2, 20, first=True), encounter("e3", 3, 40, first=False)]
    found = baseline(items, spine)
    assert found.encounter == "Encounter:e2"
    assert set(found.graph.nodes) == {"old"}
    assert found.graph.edges == ()
    assert baseline(items, []).encounter == ""


def test_an_empty_graph_has_an_empty_panel():
    empty = Authored({}, ())
    readings = Readings((), (), (), 0, (), (), (), (), {})
    panel = compose(empty, [], frontier(empty), project([], []), readings, 20, str)
    assert panel["mass"] == {"total": 0, "top": []}
    assert panel["frontier_mass"]["seed_mode"] == "none"
    assert panel["divergence"]["compared"] == 0
