"""Encounter nodes as hits of the shared recall."""

import pytest

from encounter_desk import AGENT, SECRET, Desk, concept, hypothesis, member, note, observation, sqlite_desk
from remora.core.encounters.search import recall_nodes
from remora.core.scope import Trust
from remora.core.text import parse_query
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.recall import RecallRequest, recall


@pytest.fixture(params=["memory", "sqlite"])
def desk(request, tmp_path):
    found = Desk() if request.param == "memory" else sqlite_desk(tmp_path)
    found.advance("first")
    found.write(
        concept("Retry budget", "Retries draw on a shared budget"),
        concept("Retry limits", "The old words for a retry budget"),
        observation("Gateway times out", "p99 went to 30 s"),
        hypothesis("Cache is cold", "after each deploy", status="proposed"),
        *(note(f"lunch {at}", "soup and bread") for at in range(10)),
    )
    found.relate({"source": "Retry budget", "target": "Retry limits", "type": "SUPERSEDES", "revision_why": "clearer"})
    yield found
    found.store.close()


def ask(desk, text, **more):
    with desk.store.read(AGENT) as view:
        return recall_nodes(view, parse_query(text), redact=desk.redact, **more)


def test_hits_are_labelled_with_family_source_and_why(desk):
    hit = ask(desk, "retry budget").hits[0]
    row = hit.to_json()
    assert row["family"] == "encounters"
    assert row["title"] == "Concept:Retry budget"
    assert row["source"] == "encounter tick 1"
    assert row["trust"] == "operator"
    assert "name" in row["why"]
    assert ask(desk, "is the cache cold?").hits[0].detail["status"] == "proposed"


def test_what_was_superseded_comes_last(desk):
    assert [hit.title for hit in ask(desk, "retry budget limits").hits] == [
        "Concept:Retry budget",
        "Concept:Retry limits",
    ]


@pytest.mark.parametrize(
    "text", ["", "who won the world cup in nineteen seventy?", "translate it into Portuguese please"]
)
def test_a_question_about_something_else_is_met_with_silence(desk, text):
    assert ask(desk, text).hits == ()


def test_a_sealed_report_is_found(desk):
    desk.close("Moved the payment webhook behind the queue", report="Latency halved")
    assert ask(desk, "payment webhook queue").hits[0].title == "Encounter:first"


def test_unasked_recall_leaves_out_what_is_trusted_less_than_an_agent(desk):
    derived = member("bot", trust=Trust.DERIVED)
    handle = advance_encounter(desk, derived, AdvanceRequest("bot's")).session
    desk.write(concept("Kafka partitions", "rebalanced at noon"), session=handle, grant=derived)
    assert ask(desk, "kafka partitions").hits
    assert not ask(desk, "kafka partitions", unasked=True).hits


def test_a_secret_from_before_is_masked_at_read(desk):
    desk.redact = lambda text: text
    desk.write(concept("Signing key rotation", f"the key was {SECRET}"))
    desk.redact = lambda text: text.replace(SECRET, "[secret]")
    assert "[secret]" in ask(desk, "signing key rotation").hits[0].text


def test_recall_of_the_repository_asks_encounters_too(tmp_path):
    desk = Desk(folder=tmp_path)
    desk.advance("first")
    desk.write(concept("Retry budget", "Retries draw on a shared budget"), *(note(f"n{at}", "soup") for at in range(9)))
    found = recall(desk, AGENT, RecallRequest(query="retry budget", memory_scope="repository"))
    assert [(hit.family, hit.title) for hit in found.hits] == [("encounters", "Concept:Retry budget")]
    session = desk.ref()
    assert recall(desk, AGENT, RecallRequest(query="retry budget", memory_scope="session", session=session)).hits == ()
    desk.record_index.close()
