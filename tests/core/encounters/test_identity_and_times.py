"""Names, ids and times: what is the same, what is ambiguous, what is refused."""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.encounters.identity import candidate_ids, named, node_id, only, relation_id, version_id
from remora.core.encounters.provenance import trace
from remora.core.encounters.schema import NODE_TYPES, RELATIONS
from remora.core.encounters.times import instant, shown
from remora.core.errors import Ambiguous, InvalidInput, NotFound
from remora.core.graph import Edge, Neighbourhood, Node
from remora.core.scope import REPOSITORY


def node(label, name):
    return Node(id=node_id(label, name), family="encounters", label=label, scope=REPOSITORY, name=name)


@pytest.mark.parametrize("spelling", ["MyService", "myservice", " MYSERVICE ", "ＭｙＳｅｒｖｉｃｅ", "My\u200bService"])
def test_spellings_of_a_name_are_one_node(spelling):
    assert node_id("Concept", spelling) == node_id("Concept", "MyService")


@pytest.mark.parametrize(("one", "other"), [("C", "C++"), ("C++", "C#"), ("東京", "大阪"), ("Отдел 5", "Кабинет 5")])
def test_different_names_stay_apart(one, other):
    assert node_id("Concept", one) != node_id("Concept", other)


def test_types_labels_and_versions_never_share_an_id():
    ids = [node_id(label, "x") for label in NODE_TYPES]
    ids += [relation_id(label, a, b) for label in RELATIONS for a, b in (("a", "b"), ("b", "a"))]
    ids += [version_id("a", 1), version_id("a", 2)]
    assert len(set(ids)) == len(ids)


def test_a_typed_name_means_one_node_and_falls_back_to_the_whole_name():
    found = {n.id: n for n in (node("Concept", "x"), node("Note", "x"), node("Note", "Concept:y"))}
    assert only("Concept:x", found).label == "Concept"
    assert only(" Note : X ", found).label == "Note"
    assert only("Concept:y", found).label == "Note"
    with pytest.raises(Ambiguous, match="2 nodes"):
        only("x", found)
    with pytest.raises(NotFound):
        only("Question:x", found)
    assert named("", found) == ()


@given(st.text(max_size=80))
def test_any_text_can_be_looked_up(name):
    assert len(set(candidate_ids(name))) >= len(NODE_TYPES)


# --- times ---


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_survives_whatever_its_offset(moment):
    text = instant(moment.isoformat(), "t")
    assert datetime.fromisoformat(text) == moment
    assert instant(text, "t") == text


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("2026-03-01T09:30:00+01:00", "2026-03-01T08:30:00Z"),
        ("2026-03-01t08:30:00z", "2026-03-01T08:30:00Z"),
        ("2026-03-01 08:30:00-00:00", "2026-03-01T08:30:00Z"),
        ("2026-03-01T08:30:00.123456789Z", "2026-03-01T08:30:00.123456Z"),
        (" 2026-02-28T23:30:00-01:00 ", "2026-03-01T00:30:00Z"),
    ],
)
def test_times_are_kept_in_utc(written, kept):
    assert instant(written, "t") == kept


@pytest.mark.parametrize(
    "written",
    ["", "2026-03-01", "2026-03-01T09:30:00", "2026-03-01T09:30Z", "2026-13-01T00:00:00Z", "2026-03-01T24:00:01Z",
     "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00", "٢٠٢٦-03-01T00:00:00Z", "2026-03-01T09:30:00+25:00", "now"],
)  # fmt: skip
def test_other_times_are_refused_with_the_form(written):
    with pytest.raises(InvalidInput, match="RFC 3339"):
        instant(written, "t_observed")


def test_microseconds_are_shown_as_rfc_3339():
    assert shown(0) == "1970-01-01T00:00:00Z"
    assert shown(1_700_000_000_000_001) == "2023-11-14T22:13:20.000001Z"


# --- the walk ---


@pytest.mark.parametrize("seed", range(30))
def test_the_walk_visits_a_node_once_goes_down_only_and_every_path_ends_in_words(seed):
    draw = random.Random(seed)
    labels = ["Concept", "Observation", "Citation", "Component", "Question", "Hypothesis", "Note"]
    nodes = [node(draw.choice(labels), f"n{at}") for at in range(25)]
    edges = []
    for _ in range(80):
        relation = draw.choice([r for r in RELATIONS.values() if r.authored])
        source, target = draw.choice(nodes), draw.choice(nodes)
        if (source.label, target.label) in relation.pairs and source.id != target.id:
            item = relation_id(relation.name, source.id, target.id)
            edges.append(
                Edge(
                    id=item,
                    family="encounters",
                    label=relation.name,
                    scope=REPOSITORY,
                    source=source.id,
                    target=target.id,
                )
            )
    by_id = {n.id: n for n in nodes}

    def expand(ids, outgoing):
        near = [e for e in edges if (e.source if outgoing else e.target) in ids]
        ends = {end for e in near for end in (e.source, e.target)}
        return Neighbourhood(tuple(by_id[end] for end in sorted(ends)), tuple(near))

    start = draw.choice(nodes)
    found = trace(start, expand, depth=6, nodes_max=300)
    assert {path.end for path in found.paths} <= {"citation", "ungrounded", "seen", "depth"}
    walked = {path.nodes[-1] for path in found.paths} | {item for path in found.paths for item in path.nodes}
    assert walked == set(found.nodes)
    down = {
        ("Concept", "Observation"),
        ("Concept", "Concept"),
        ("Observation", "Citation"),
        ("Hypothesis", "Observation"),
        ("Question", "Observation"),
        ("Component", "Observation"),
        ("Component", "Concept"),
    }
    for path in found.paths:
        pairs = [(found.nodes[a].label, found.nodes[b].label) for a, b in zip(path.nodes, path.nodes[1:], strict=False)]
        assert set(pairs) <= down
        if path.end == "citation":
            assert found.nodes[path.nodes[-1]].label == "Citation"


def test_a_bound_on_nodes_is_told():
    top = node("Concept", "top")
    leaves = [node("Observation", f"o{at}") for at in range(9)]
    edges = [
        Edge(id=f"e{at}", family="encounters", label="GROUNDS", scope=REPOSITORY, source=leaf.id, target=top.id)
        for at, leaf in enumerate(leaves)
    ]

    def expand(ids, outgoing):
        return Neighbourhood() if outgoing or top.id not in ids else Neighbourhood((top, *leaves), tuple(edges))

    found = trace(top, expand, depth=3, nodes_max=4)
    assert found.truncated
    assert len(found.nodes) == 4
