"""The instrument panel and focused analytics, over real use cases."""

import json

import pytest

from encounter_desk import (
    AGENT,
    Desk,
    component,
    concept,
    hypothesis,
    member,
    note,
    observation,
    question,
    sqlite_desk,
)
from remora.core.errors import Denied, InvalidInput, LimitReached, NotFound
from remora.core.policy import PROJECTIONS_PER_SESSION
from remora.core.scope import Right
from remora.core.sessions import SessionRef
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.gds import METRICS, ProjectionRequest, create_projection, drop_projection, run_metric
from remora.usecases.orient import orient


class CountingMetrics:
    def __init__(self, real):
        self.real, self.calls = real, 0

    def __getattr__(self, name):
        self.calls += 1
        return getattr(self.real, name)


@pytest.fixture(params=["memory", "sqlite"])
def desk(request, tmp_path):
    found = Desk() if request.param == "memory" else sqlite_desk(tmp_path)
    found.metrics = CountingMetrics(found.metrics)
    found.advance("first")
    found.write(
        concept("hub"), concept("leaf a"), concept("leaf b"), concept("leaf c"), observation("o"), question("open?"),
        hypothesis("h"), concept("island"),
    )  # fmt: skip
    found.relate(
        ("hub", "INFORMS", "leaf a"),
        ("hub", "INFORMS", "leaf b"),
        ("hub", "INFORMS", "leaf c"),
        ("o", "GROUNDS", "hub"),
        ("o", "RAISES", "open?"),
    )
    yield found
    found.store.close()


def test_the_panel_reads_the_graph_in_one_call(desk):
    panel = orient(desk, AGENT).panel
    assert panel["projection"] == {"nodes": 8, "relations": 5, "pairs": 5, "encounters_left_out": 1}
    assert panel["frontier"]["unanswered_questions"] == {"total": 1, "nodes": ["Question:open?"]}
    assert panel["frontier"]["untested_hypotheses"]["nodes"] == ["Hypothesis:h"]
    assert panel["mass"]["top"][0]["node"] == "Concept:hub"
    assert panel["frontier_mass"]["seed_mode"] == "open work"
    assert panel["weave_audit"]["top"][0]["node"] == "Concept:hub"
    assert panel["fragility"]["articulation_points"]["nodes"] == ["Concept:hub", "Observation:o"]
    assert panel["fragility"]["bridges"]["total"] == 5
    assert panel["components"]["total"] == 3
    assert panel["betweenness"]["method"] == "exact"
    assert panel["betweenness"]["top"][0]["node"] == "Concept:hub"
    assert "Question:open?" in str(panel["divergence"]["lifted_by_open_work"])
    assert panel["unsealed"]["encounters"][0]["name"] == "first"
    json.dumps(panel, allow_nan=False)


def test_drift_tells_what_moved_since_the_newest_session_began(desk):
    assert orient(desk, AGENT).panel["drift"]["baseline_nodes"] == 0
    desk.advance("second", session="")
    desk.write(*(observation(f"o{at}") for at in range(6)))
    desk.relate(*((f"o{at}", "GROUNDS", "island") for at in range(6)))
    moved = orient(desk, AGENT).panel["drift"]
    assert moved["since"] == "Encounter:second"
    assert moved["baseline_nodes"] == 8
    assert moved["risers"]["top"][0]["node"] == "Concept:island"
    assert moved["new"]["total"] == 6


def test_an_unchanged_graph_is_answered_from_the_cache_also_after_writes_elsewhere(desk):
    first = orient(desk, AGENT)
    calls = desk.metrics.calls
    assert orient(desk, AGENT) == first
    from remora.core.facts.batch import Triple
    from remora.usecases.remember import RememberRequest, remember

    remember(desk, AGENT, RememberRequest(triples=[Triple(subject="a", predicate="USES", object="b")]))
    after = orient(desk, AGENT)
    assert after.panel == first.panel
    assert after.seq > first.seq
    assert desk.metrics.calls == calls
    desk.write(note("new"))
    assert orient(desk, AGENT).panel["projection"]["nodes"] == 9
    assert desk.metrics.calls > calls


def test_the_cached_graph_follows_every_kind_of_change(desk):
    from remora.usecases.delete_entities import delete_entities
    from remora.usecases.delete_relations import delete_relations

    def fresh():
        from remora.adapters.derived_cache import DerivedCache

        kept, desk.cache = desk.cache, DerivedCache()
        panel = orient(desk, AGENT).panel
        desk.cache = kept
        return panel

    steps = [
        lambda: desk.write(component("m"), note("n")),
        lambda: desk.relate(("n", "ABOUT", "m"), ("n", "ABOUT", "hub")),
        lambda: desk.write({"type": "Question", "name": "open?", "status": "answered"}),
        lambda: delete_relations(desk, AGENT, [{"source": "n", "target": "m", "type": "ABOUT"}], dry_run=False),
        lambda: delete_entities(desk, AGENT, ["hub"], dry_run=False),
        desk.close,
    ]
    for step in steps:
        step()
        assert orient(desk, AGENT).panel == fresh()


def test_limits_are_kept_and_totals_told(desk):
    desk.write(*(question(f"q{at}") for at in range(30)))
    cut = orient(desk, AGENT, result_limit=3).panel["frontier"]["unanswered_questions"]
    assert len(cut["nodes"]) == 3
    assert cut["total"] == 31
    for limit in (0, 201):
        with pytest.raises(InvalidInput):
            orient(desk, AGENT, result_limit=limit)
    assert len(json.dumps(orient(desk, AGENT).panel)) < 25_000


def test_an_empty_memory_has_a_panel():
    panel = orient(Desk(), AGENT).panel
    assert panel["projection"]["nodes"] == 0


def test_a_stranger_sees_no_panel(desk):
    with pytest.raises(Denied):
        orient(desk, member("mal", right=Right.NONE))


# --- gds ---


def project_all(desk, name="p", **more):
    return create_projection(desk, AGENT, ProjectionRequest(name=name, session=desk.ref(), **more))


def metric(desk, name, projection="p", **more):
    return run_metric(desk, AGENT, name, projection, desk.ref(), **more)


def test_a_projection_holds_the_types_and_relations_it_names(desk):
    assert project_all(desk).nodes == 8
    found = project_all(desk, "c", node_types=["Concept"], rel_types=["INFORMS"], undirected=True)
    assert (found.nodes, found.pairs, found.directed) == (5, 3, False)
    rows = metric(desk, "pagerank", "c").rows
    assert rows[0]["node"] == "Concept:hub"
    assert sum(row["score"] for row in rows) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_answers_within_its_limit(desk, name):
    project_all(desk, undirected=True)
    found = metric(desk, name, result_limit=2)
    assert len(found.rows) == 2
    assert found.truncated
    json.dumps(found.rows, allow_nan=False)


def test_groups_come_largest_first(desk):
    project_all(desk, undirected=True)
    rows = metric(desk, "wcc").rows
    assert [row["size"] for row in rows] == [6, 1, 1]
    assert sum(row["size"] for row in metric(desk, "leiden").rows) == 8


def test_a_projection_sees_what_was_written_after_it(desk):
    project_all(desk)
    desk.write(note("late"))
    assert metric(desk, "articlerank").total == 9


def test_two_sessions_use_one_name_and_never_meet(desk):
    project_all(desk, node_types=["Concept"])
    mine = desk.handle
    desk.advance("other", session="")
    with pytest.raises(NotFound, match="no projection"):
        metric(desk, "pagerank")
    project_all(desk, node_types=["Question"])
    assert metric(desk, "pagerank").total == 1
    assert run_metric(desk, AGENT, "pagerank", "p", SessionRef(handle=mine)).total == 5
    drop_projection(desk, AGENT, "p", desk.ref())
    assert run_metric(desk, AGENT, "pagerank", "p", SessionRef(handle=mine)).total == 5


def test_wrong_names_are_refused_with_what_is_allowed(desk):
    for bad in (
        {"node_types": ["Encounter"]},
        {"node_types": ["`x`"]},
        {"rel_types": ["RECORDED"]},
        {"rel_types": ["X"]},
    ):
        with pytest.raises(InvalidInput, match="cannot be projected"):
            project_all(desk, **bad)
    project_all(desk)
    with pytest.raises(InvalidInput, match="metric"):
        metric(desk, "closeness")
    with pytest.raises(NotFound):
        drop_projection(desk, AGENT, "ghost", desk.ref())


def test_a_session_keeps_a_bounded_number_of_projections(desk):
    for at in range(PROJECTIONS_PER_SESSION):
        project_all(desk, f"p{at}")
    project_all(desk, "p0")
    with pytest.raises(LimitReached, match="drop"):
        project_all(desk, "one more")
    drop_projection(desk, AGENT, "P0", desk.ref())
    project_all(desk, "one more")


def test_a_foreign_handle_projects_nothing(desk):
    other = advance_encounter(desk, member("bob"), AdvanceRequest("bob's")).session
    with pytest.raises(NotFound):
        create_projection(desk, AGENT, ProjectionRequest(name="p", session=SessionRef(handle=other)))
    project_all(desk)
    with pytest.raises(NotFound):
        run_metric(desk, member("bob"), "wcc", "p", desk.ref())
