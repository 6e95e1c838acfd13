"""Writing, deleting and reading entities and relations."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from encounter_desk import (
    AGENT,
    SECRET,
    Desk,
    citation,
    component,
    concept,
    hypothesis,
    member,
    note,
    observation,
    question,
    sqlite_desk,
)
from fakes.embedder import FakeEmbedder
from remora.core.encounters.nodes import number, properties, provenance, text
from remora.core.encounters.schema import HISTORY_FAMILY
from remora.core.errors import Ambiguous, Denied, InvalidBatch, InvalidInput, NotFound
from remora.core.scope import Right, Trust
from remora.core.sessions import SessionRef
from remora.usecases.create_entities import create_entities
from remora.usecases.delete_entities import delete_entities
from remora.usecases.delete_relations import delete_relations
from remora.usecases.describe_schema import describe_schema
from remora.usecases.find_by_name import find_by_name
from remora.usecases.index_memory import IndexMemoryRequest, index_memory
from remora.usecases.search_encounters import search_encounters
from remora.usecases.trace_provenance import trace_provenance


@pytest.fixture(params=["memory", "sqlite"])
def desk(request, tmp_path):
    found = Desk() if request.param == "memory" else sqlite_desk(tmp_path)
    found.advance("first")
    yield found
    found.store.close()


def outcomes(result):
    return [row["outcome"] for row in getattr(result, "entities", None) or result.relations]


# --- entities ---


def test_entities_are_anchored_to_the_open_encounter_by_their_type(desk):
    desk.write(observation("o"), citation("c"), component("m"), note("n"))
    assert len(desk.edges("RECORDED")) == 2
    assert len(desk.edges("CONSULTED")) == 1
    assert {edge.source for edge in desk.edges("RECORDED")} == {desk.node("Encounter", "first").id}


def test_an_update_keeps_the_first_anchor_and_appends_the_former_version(desk):
    desk.write(hypothesis("h", "one", status="proposed"))
    desk.advance("second")
    assert outcomes(desk.write(hypothesis(" H ", "two", confidence="high"))) == ["updated"]
    node = desk.node("Hypothesis", "h")
    assert properties(node) == {"name": "h", "description": "two", "status": "proposed", "confidence": "high"}
    assert number(node, "version") == 2
    assert number(node, "tick") == 1
    assert len(desk.edges("RECORDED")) == 1
    (former,) = desk.items(HISTORY_FAMILY)
    assert text(former, "description") == "one"
    assert former.body["of"] == node.id


def test_an_update_needs_only_the_name_and_saying_the_same_again_changes_nothing(desk):
    desk.write(question("q", status="open"))
    assert outcomes(desk.write({"type": "Question", "name": "q", "status": "answered"})) == ["updated"]
    assert outcomes(desk.write({"type": "Question", "name": "q", "status": "answered"})) == ["unchanged"]
    assert number(desk.node("Question", "q"), "version") == 2


def test_one_name_may_be_of_several_types_and_one_type_has_it_once(desk):
    desk.write(concept("cache"), note("cache"), concept("Straße"))
    assert outcomes(desk.write(concept("CACHE"), concept("STRASSE"))) == ["unchanged", "unchanged"]
    assert desk.node("Concept", "cache").id != desk.node("Note", "cache").id
    assert len([item for item in desk.items() if item.label == "Concept"]) == 2


def test_a_batch_with_one_error_writes_nothing(desk):
    before = desk.items()
    with pytest.raises(InvalidBatch) as caught:
        desk.write(note("fine"), note("bad", colour="red"), question("also bad", status="perhaps"))
    assert len(caught.value.errors) == 2
    assert desk.items() == before


def test_entities_need_a_session_with_an_open_encounter(desk):
    with pytest.raises(InvalidInput, match="session"):
        create_entities(desk, AGENT, [note("n")], SessionRef())
    desk.close()
    with pytest.raises(InvalidInput, match="advance_encounter"):
        desk.write(note("n"))


def test_times_are_kept_in_utc_and_naive_ones_refused(desk):
    desk.write(observation("o"))
    assert text(desk.node("Observation", "o"), "t_observed") == "2026-03-01T08:30:00Z"
    with pytest.raises(InvalidBatch, match="offset"):
        desk.write({**observation("p"), "t_observed": "2026-03-01T08:30:00"})


def test_provenance_is_stamped_and_claims_are_refused(desk):
    desk.write(note("n"))
    by = provenance(desk.node("Note", "n"))
    assert (by.principal, by.client) == ("operator", "test-client")
    assert by.session.startswith("ses_")
    for claim in ("by", "trust", "principal", "session"):
        with pytest.raises(InvalidBatch):
            desk.write(note("m", **{claim: "operator"}))


def test_a_secret_is_nowhere_in_the_store(desk):
    desk.advance(f"about {SECRET}")
    desk.write(observation(f"saw {SECRET}", f"it was {SECRET}"), citation("c", uri=f"https://x/?k={SECRET}"))
    desk.relate(("saw [secret]", "OBSERVED_AT", "c"))
    desk.close(f"used {SECRET}", report=f"with {SECRET}")
    with desk.store.read(AGENT) as view:
        everything = view.snapshot(("encounters", "encounter_history"), ("repository",)) + view.snapshot(
            ("encounter_spine", "sessions"), ("system",)
        )
    assert SECRET not in repr(everything)
    assert "[secret]" in repr(everything)


@pytest.mark.parametrize(
    "text_in", ["\ud83d", "\udc95x", "a\x00b", "\u202eevil\u202c", "x" * 19_000, "名前", "🧠" * 100]
)
def test_any_text_is_stored_or_refused_and_found_again(desk, text_in):
    desk.write(note("n", f"before {text_in} after"))
    kept = text(desk.node("Note", "n"), "description")
    assert kept.startswith("before ")
    assert kept.encode()
    assert not {"\x00", "\u202e"} & set(kept)


# --- trust ---


def test_a_lower_trust_neither_updates_supersedes_nor_deletes_a_higher_one(desk):
    desk.write(concept("rule"), concept("aside"))
    agent = member("ann", trust=Trust.AGENT)
    from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter

    handle = advance_encounter(desk, agent, AdvanceRequest("ann's")).session
    desk.write(concept("new rule"), session=handle, grant=agent)
    with pytest.raises(InvalidBatch, match="higher trust"):
        desk.write({"type": "Concept", "name": "rule", "status": "retired"}, session=handle, grant=agent)
    row = {"source": "new rule", "target": "rule", "type": "SUPERSEDES", "revision_why": "better"}
    with pytest.raises(InvalidBatch, match="higher trust"):
        desk.relate(row, grant=agent)
    with pytest.raises(InvalidBatch, match="higher trust"):
        delete_entities(desk, agent, ["rule"], dry_run=False)
    desk.relate(("new rule", "INFORMS", "rule"), grant=agent)
    desk.relate(row)
    assert desk.write({"type": "Concept", "name": "new rule", "status": "stable"}).entities[0]["outcome"] == "updated"


def test_a_reader_writes_nothing_and_a_stranger_reads_nothing(desk):
    desk.write(concept("a"), concept("b"))
    reader, stranger = member("eve", right=Right.READ), member("mal", right=Right.NONE)
    for call in (
        lambda: desk.relate(("a", "COMPOSES", "b"), grant=reader),
        lambda: delete_entities(desk, reader, ["a"], dry_run=False),
        lambda: find_by_name(desk, stranger, ["a"]),
        lambda: search_encounters(desk, stranger, "a"),
        lambda: trace_provenance(desk, stranger, "a"),
        lambda: describe_schema(desk, stranger),
    ):
        with pytest.raises(Denied):
            call()
    assert find_by_name(desk, reader, ["a"]).entities


# --- relations ---


def test_relations_are_all_or_nothing(desk):
    desk.write(observation("o"), concept("c"), question("q"))
    with pytest.raises(InvalidBatch) as caught:
        desk.relate(("o", "GROUNDS", "c"), ("c", "GROUNDS", "o"), ("o", "RAISES", "nobody"), ("o", "RECORDED", "c"))
    assert len(caught.value.errors) == 3
    assert desk.edges("GROUNDS") == []
    assert outcomes(desk.relate(("o", "GROUNDS", "c"), ("o", "RAISES", "q"))) == ["created", "created"]


def test_a_relation_said_twice_is_one_and_a_new_reason_updates_it(desk):
    desk.write(concept("old"), concept("new"))
    row = {"source": "new", "target": "old", "type": "SUPERSEDES", "properties": {"revision_why": "a"}}
    assert outcomes(desk.relate(row, row)) == ["created", "unchanged"]
    assert outcomes(desk.relate(row)) == ["unchanged"]
    assert outcomes(desk.relate({**row, "properties": {"revision_why": "b"}})) == ["updated"]
    (edge,) = desk.edges("SUPERSEDES")
    assert properties(edge) == {"revision_why": "b"}


def test_an_ambiguous_name_is_refused_with_the_typed_names(desk):
    desk.write(concept("cache"), note("cache"), observation("o"))
    with pytest.raises(InvalidBatch, match="Concept:cache, Note:cache"):
        desk.relate(("o", "GROUNDS", "cache"))
    desk.relate(("o", "GROUNDS", "Concept:cache"))


def test_a_name_that_looks_typed_is_found_as_a_whole_name_too(desk):
    desk.write(concept("Note: keep it"), observation("o"))
    desk.relate(("o", "GROUNDS", "Note: keep it"))
    assert len(desk.edges("GROUNDS")) == 1


@pytest.mark.parametrize("length", [2, 3, 7])
def test_supersedes_never_runs_in_a_circle(desk, length):
    desk.write(*(concept(f"c{at}") for at in range(length)))
    rows = [
        {"source": f"c{at}", "target": f"c{(at + 1) % length}", "type": "SUPERSEDES", "revision_why": "w"}
        for at in range(length)
    ]
    with pytest.raises(InvalidBatch, match="circle"):
        desk.relate(*rows)
    desk.relate(*rows[:-1])
    with pytest.raises(InvalidBatch, match="circle"):
        desk.relate(rows[-1])
    assert len(desk.edges("SUPERSEDES")) == length - 1


def test_rebinds_within_one_batch_goes_by_their_own_times(desk):
    desk.write(observation("early"), {**observation("late"), "t_observed": "2026-03-02T00:00:00Z"})
    with pytest.raises(InvalidBatch, match="later -> earlier"):
        desk.relate(("early", "REBINDS", "late", {"why": "w"}))
    desk.relate(("late", "REBINDS", "early", {"why": "w"}))


# --- deletion ---


def test_deleting_is_a_preview_unless_meant_and_tells_the_relations(desk):
    desk.write(observation("o"), concept("c"))
    desk.write({"type": "Concept", "name": "c", "status": "stable"})
    desk.relate(("o", "GROUNDS", "c"), ("o", "ABOUT", "c"))
    before = desk.items()
    preview = delete_entities(desk, AGENT, ["c"])
    assert not preview.deleted
    assert preview.relations == {"RECORDED": 1, "ABOUT": 1, "GROUNDS": 1}
    assert desk.items() == before
    done = delete_entities(desk, AGENT, ["c", "Concept:c"], dry_run=False)
    assert done.deleted
    assert done.entities == ("Concept:c",)
    assert desk.node("Concept", "c") is None
    assert desk.items(HISTORY_FAMILY) == ()
    assert [edge.label for edge in desk.items() if hasattr(edge, "source")] == ["RECORDED"]
    assert not search_encounters(desk, AGENT, "understood").entities


def test_encounters_are_never_deleted_nor_related_by_hand(desk):
    desk.write(note("n"))
    with pytest.raises(InvalidBatch, match="spine"):
        delete_entities(desk, AGENT, ["first", "n"], dry_run=False)
    assert desk.node("Note", "n")
    with pytest.raises(InvalidBatch, match="automatically"):
        delete_relations(desk, AGENT, [{"source": "first", "target": "n", "type": "RECORDED"}], dry_run=False)
    with pytest.raises(InvalidBatch, match="automatically"):
        desk.relate(("n", "ABOUT", "first"))


def test_relations_are_deleted_whole_batches_at_a_time(desk):
    desk.write(observation("o"), concept("c"), question("q"))
    desk.relate(("o", "GROUNDS", "c"), ("o", "RAISES", "q"))
    rows = [{"source": "o", "target": "c", "type": "GROUNDS"}, {"source": "o", "target": "q", "type": "RESOLVES"}]
    with pytest.raises(InvalidBatch, match="does not exist"):
        delete_relations(desk, AGENT, rows, dry_run=False)
    assert not delete_relations(desk, AGENT, rows[:1]).deleted
    assert len(desk.edges("GROUNDS")) == 1
    assert delete_relations(desk, AGENT, rows[:1], dry_run=False).relations == ("o -GROUNDS-> c",)
    assert desk.edges("GROUNDS") == []


# --- reading ---


def test_names_find_entities_and_the_relations_among_them(desk):
    desk.write(observation("o"), concept("c"), note("c"), citation("z"))
    desk.relate(("o", "GROUNDS", "Concept:c"), ("o", "OBSERVED_AT", "z"))
    found = find_by_name(desk, AGENT, ["c", "O", "ghost"])
    assert sorted((row["type"], row["name"]) for row in found.entities) == [
        ("Concept", "c"), ("Note", "c"), ("Observation", "o"),
    ]  # fmt: skip
    assert [row["type"] for row in found.relations] == ["GROUNDS"]
    assert found.unknown == ("ghost",)
    assert find_by_name(desk, AGENT, ["c", "o"], limit=1).truncated


def test_search_finds_by_words_and_puts_the_superseded_last(desk):
    desk.write(
        concept("retry budget", "retries are bounded"), concept("retry storms", "retries pile up"), note("lunch")
    )
    desk.relate({"source": "retry storms", "target": "retry budget", "type": "SUPERSEDES", "revision_why": "w"})
    found = search_encounters(desk, AGENT, "retry budget")
    assert [row["name"] for row in found.entities] == ["retry storms", "retry budget"]
    assert search_encounters(desk, AGENT, "retry", types=["Note"]).entities == ()
    assert search_encounters(desk, AGENT, "").entities == ()
    with pytest.raises(InvalidInput, match="types"):
        search_encounters(desk, AGENT, "x", types=["Person"])


@pytest.mark.parametrize("query", ["*", "AND", "NEAR(", "a:b", "\x00", "^", "'", '"', "\ud83d", "x" * 100_000])
def test_any_query_is_safe(desk, query):
    desk.write(note("n", "plain words"))
    search_encounters(desk, AGENT, query)


def test_a_wide_search_answers_with_a_bounded_page(desk):
    for batch in range(6):
        desk.write(*(note(f"test {batch} {at}", "a test of tests " * 50) for at in range(50)))
    found = search_encounters(desk, AGENT, "*test*")
    assert len(found.entities) == 10
    assert found.total == 300
    assert found.truncated
    assert len(str(found)) < 25_000


def test_the_schema_is_told_with_live_counts(desk):
    desk.write(note("n", tag="todo"), note("m", tag="todo"), component("x"))
    told = describe_schema(desk, AGENT)
    counts = {row["type"]: row["count"] for row in (*told.node_types, *told.relation_types)}
    assert counts["Note"] == 2
    assert counts["Encounter"] == 1
    assert counts["RECORDED"] == 2
    assert told.vocabulary["Note.tag"]["values"] == [{"value": "todo", "count": 2}]
    assert describe_schema(desk, AGENT, "node_types").relation_types == ()
    with pytest.raises(InvalidInput, match="part"):
        describe_schema(desk, AGENT, "everything")


def test_a_vector_finds_what_shares_no_words(desk):
    desk.embedder = FakeEmbedder()
    desk.write(concept("Idempotent writes"), concept("Lunch"))
    index_memory(desk, AGENT, IndexMemoryRequest())
    found = search_encounters(desk, AGENT, "double orders")
    assert [(row["name"], row["why"]) for row in found.entities] == [("Idempotent writes", "meaning")]


# --- many at once ---


def test_calls_of_one_turn_may_overlap_and_none_is_lost(desk):
    desk.write(concept("hub"), *(note(f"old {at}") for at in range(10)))
    handle = desk.handle

    def call(at):
        if at % 4 == 0:
            return desk.write(observation(f"o{at}"), session=handle)
        if at % 4 == 1:
            return desk.write(note(f"n{at}"), concept(f"c{at}"), session=handle)
        if at % 4 == 2:
            return desk.relate((f"Note:old {at % 10}", "ABOUT", "hub"))
        return (
            delete_entities(desk, AGENT, [f"old {at % 10}"], dry_run=False) if at in (3, 7) else desk.node("Note", "x")
        )

    for _ in range(3):
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(call, range(20)))
        names = {item.name for item in desk.items() if not hasattr(item, "source")}
        assert {f"o{at}" for at in range(0, 20, 4)} | {f"c{at}" for at in range(1, 20, 4)} <= names
        assert len(desk.edges("ABOUT")) == len({2, 6, 0, 4, 8})
        assert not {"old 3", "old 7"} & names
        desk.write(note("old 3"), note("old 7"))
        assert desk.store.verify() == ()


# --- provenance ---


def grounded(desk):
    desk.write(
        concept("top"), concept("base"), observation("seen"), observation("bare"), citation("paper"), hypothesis("h"),
        component("hub"), *(observation(f"other {at}") for at in range(5)),
    )  # fmt: skip
    desk.relate(
        ("base", "INFORMS", "top"),
        ("seen", "GROUNDS", "base"),
        ("bare", "GROUNDS", "top"),
        ("seen", "OBSERVED_AT", "paper"),
        ("seen", "ABOUT", "hub"),
        *((f"other {at}", "ABOUT", "hub") for at in range(5)),
    )


def test_every_path_ends_at_a_citation_or_says_ungrounded(desk):
    grounded(desk)
    found = trace_provenance(desk, AGENT, "top")
    ends = {tuple(step["node"] for step in path["steps"]): path["ends"] for path in found.paths}
    assert ends == {
        ("Concept:top", "Concept:base", "Observation:seen", "Citation:paper"): "citation",
        ("Concept:top", "Observation:bare"): "ungrounded",
    }
    assert found.grounded
    assert trace_provenance(desk, AGENT, "h").paths[0]["ends"] == "ungrounded"


def test_a_walk_never_goes_sideways_through_a_hub(desk):
    grounded(desk)
    found = trace_provenance(desk, AGENT, "top", depth=6)
    assert "other" not in str(found)
    assert "hub" not in str(found)


def test_depth_bounds_the_walk_and_says_so(desk):
    grounded(desk)
    ends = [path["ends"] for path in trace_provenance(desk, AGENT, "top", depth=1).paths]
    assert ends == ["depth", "depth"]
    for depth in (0, 7):
        with pytest.raises(InvalidInput, match="depth"):
            trace_provenance(desk, AGENT, "top", depth=depth)


def test_a_circle_of_concepts_is_walked_once(desk):
    desk.write(concept("a"), concept("b"))
    desk.relate(("a", "INFORMS", "b"), ("b", "INFORMS", "a"))
    (path,) = trace_provenance(desk, AGENT, "a", depth=6).paths
    assert path["ends"] == "seen"


def test_absent_and_ambiguous_names_are_told_apart(desk):
    desk.write(concept("x"), note("x"))
    with pytest.raises(NotFound):
        trace_provenance(desk, AGENT, "y")
    with pytest.raises(Ambiguous) as caught:
        trace_provenance(desk, AGENT, "x")
    assert caught.value.candidates == ("Concept:x", "Note:x")
