"""The spine: advance, close, sessions that end, and two hundred sessions at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from encounter_desk import Desk, concept, hypothesis, member, note, observation, question, sqlite_desk
from remora.core.encounters.nodes import is_sealed, number, text
from remora.core.encounters.schema import SPINE_FAMILY
from remora.core.errors import Conflict, Denied, InvalidInput, NotFound
from remora.core.graph import Edge, Node
from remora.core.policy import SESSION_LIFETIME_DAYS
from remora.core.scope import SYSTEM, Right
from remora.core.sessions import SessionRef
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.close_encounter import CloseRequest, close_encounter
from remora.usecases.gds import ProjectionRequest, create_projection
from remora.usecases.infuse import InfuseRequest, infuse
from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session
from remora.usecases.stamp_delivery import stamp_delivery
from remora.usecases.sweep_sessions import sweep_sessions


@pytest.fixture
def desk() -> Desk:
    return Desk()


def chain(desk: Desk) -> dict[str, list[tuple[str, str]]]:
    names = {item.id: item.name for item in desk.items() if isinstance(item, Node)}
    found: dict[str, list[tuple[str, str]]] = {"NEXT_ENCOUNTER": [], "INSTANTIATED_AFTER": []}
    for item in desk.items():
        if isinstance(item, Edge) and item.label in found:
            found[item.label].append((names[item.source], names[item.target]))
    return {label: sorted(pairs) for label, pairs in found.items()}


def test_the_first_encounter_hangs_on_nothing_and_returns_a_handle(desk):
    first = desk.advance("one")
    assert first.opened
    assert first.registered
    assert first.session.startswith("rs_")
    assert first.encounter["tick"] == 1
    assert chain(desk) == {"NEXT_ENCOUNTER": [], "INSTANTIATED_AFTER": []}


def test_a_session_chains_its_encounters_and_a_new_session_starts_after_the_latest_of_all(desk):
    mine = desk.advance("a1").session
    desk.advance("a2")
    other = desk.advance("b1", session="").session
    desk.advance("a3", session=mine)
    desk.advance("b2", session=other)
    desk.advance("c1", session="")
    assert chain(desk) == {
        "NEXT_ENCOUNTER": [("a1", "a2"), ("a2", "a3"), ("b1", "b2")],
        "INSTANTIATED_AFTER": [("b1", "a2"), ("c1", "b2")],
    }
    ticks = [number(desk.node("Encounter", name), "tick") for name in ("a1", "a2", "b1", "a3", "b2", "c1")]
    assert ticks == [1, 2, 3, 4, 5, 6]


def test_a_retried_advance_opens_nothing_new(desk):
    desk.advance("one")
    again = desk.advance("one")
    assert not again.opened
    assert again.encounter["tick"] == 1
    assert desk.advance("two").encounter["tick"] == 2


def test_a_taken_name_is_refused_whoever_took_it(desk):
    desk.advance("one")
    with pytest.raises(Conflict, match="tick 1"):
        desk.advance(" ONE ", session="")
    desk.advance("two")
    with pytest.raises(Conflict):
        desk.advance("one")


def test_a_chat_that_registers_again_goes_on_in_its_own_chain(desk):
    desk.advance("a1", session="", session_id="chat-1", client="c")
    desk.advance("b1", session="")
    desk.advance("a2", session="", session_id="chat-1", client="c")
    assert chain(desk)["NEXT_ENCOUNTER"] == [("a1", "a2")]


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "x" * 201])
def test_an_encounter_needs_a_name(desk, name):
    with pytest.raises(InvalidInput, match="name"):
        desk.advance(name)


@pytest.mark.parametrize("name", ["\ud83d", "a\x00b\u202e", "名前", "x" * 200, "DETACH DELETE `n`"])
def test_any_name_is_only_a_name(desk, name):
    assert desk.advance(name).opened
    assert len(desk.items()) == 1


# --- who may ---


def test_an_unknown_a_foreign_and_an_expired_handle_answer_alike(desk):
    ann = member("ann")
    theirs = advance_encounter(desk, member("bob"), AdvanceRequest("bob's")).session
    expired = advance_encounter(desk, ann, AdvanceRequest("old")).session
    desk.clock.advance(SESSION_LIFETIME_DAYS * 86_400 + 1)
    answers = set()
    for handle in ("rs_" + "0" * 32, "nonsense", theirs, expired):
        for call in (
            lambda h: advance_encounter(desk, ann, AdvanceRequest("x", session=SessionRef(handle=h))),
            lambda h: close_encounter(desk, ann, CloseRequest("done", session=SessionRef(handle=h))),
            lambda h: close_encounter(desk, ann, CloseRequest("done", session=SessionRef(handle=h), encounter="bob's")),
            lambda h: desk.write(note("n"), session=h, grant=ann),
            lambda h: desk.relate(("a", "ABOUT", "b"), session=h, grant=ann),
        ):
            with pytest.raises(NotFound) as caught:
                call(handle)
            answers.add((str(caught.value), caught.value.advice))
    assert len(answers) == 1


def test_a_handle_seals_only_encounters_of_its_own_session(desk):
    first = desk.advance("mine").session
    other = desk.advance("theirs", session="").session
    with pytest.raises(NotFound, match="belongs to this session"):
        desk.close(session=first, encounter="theirs")
    with pytest.raises(NotFound):
        desk.close(session=first, encounter="nobody's")
    desk.close(session=other)
    assert not is_sealed(desk.node("Encounter", "mine"))


def test_a_reader_advances_nothing(desk):
    reader = member("eve", right=Right.READ)
    with pytest.raises(Denied):
        advance_encounter(desk, reader, AdvanceRequest("x"))
    with pytest.raises(Denied):
        advance_encounter(desk, member("eve", right=Right.NONE), AdvanceRequest("x"))
    assert desk.items() == ()


# --- closing ---


def test_a_seal_ends_the_write_target_and_not_the_chain(desk):
    desk.advance("one")
    sealed = desk.close("did it", report="and how").encounter
    assert sealed["sealed"]
    assert text(desk.node("Encounter", "one"), "report") == "and how"
    assert number(desk.node("Encounter", "one"), "version") == 1
    with pytest.raises(InvalidInput, match="no open encounter"):
        desk.write(note("late"))
    with pytest.raises(NotFound, match="no open encounter"):
        desk.close()
    desk.advance("two")
    assert chain(desk)["NEXT_ENCOUNTER"] == [("one", "two")]


def test_a_sealed_encounter_stays_sealed(desk):
    desk.advance("one")
    desk.close("first words")
    with pytest.raises(Conflict, match="sealed since"):
        desk.close("other words", encounter="one")
    assert text(desk.node("Encounter", "one"), "summary") == "first words"


def test_an_earlier_encounter_left_open_is_sealed_by_name(desk):
    desk.advance("one")
    desk.advance("two")
    desk.close("late", encounter="one")
    assert desk.write(note("still open")).encounter == "two"


TOOL_CALLS = [
    "<tool_call>{}</tool_call>",
    'done <function_calls><invoke name="x">',
    "</parameter>",
    "<invoke name='x'>",
    "<|tool_call|>",
    "<|im_start|>assistant",
    "[TOOL_CALLS] [{}]",
    '{"tool_calls": []}',
    '{"type": "tool_use", "id": "x"}',
    "<function=search>",
    "< / TOOL_USE >",
    "< tool\u200b_call>",
]


@pytest.mark.parametrize("words", TOOL_CALLS)
def test_a_seal_with_tool_call_markup_is_refused(desk, words):
    desk.advance("one")
    for request in ({"summary": words}, {"summary": "fine", "report": words}):
        with pytest.raises(InvalidInput, match="tool-call markup"):
            desk.close(**request)
    assert not is_sealed(desk.node("Encounter", "one"))


@pytest.mark.parametrize(
    "words", ["fixed parameter parsing in invoke()", "a < b > c", "the tool call failed", "List<Parameter> works"]
)
def test_a_seal_may_speak_of_tools(desk, words):
    desk.advance("one")
    assert desk.close(words).encounter["sealed"]


@pytest.mark.parametrize("words", ["", "   ", "\u200b", "x" * 20_001])
def test_a_seal_needs_words(desk, words):
    desk.advance("one")
    with pytest.raises(InvalidInput, match="summary"):
        desk.close(words)


# --- sessions end ---


def test_an_expired_session_leaves_its_encounter_dissolved_unwritten_and_sealable_by_the_operator(desk):
    desk.advance("lost")
    desk.clock.advance(SESSION_LIFETIME_DAYS * 86_400 + 1)
    assert sweep_sessions(desk, desk.grant).sessions
    lost = desk.node("Encounter", "lost")
    assert text(lost, "dissolved_at")
    assert not text(lost, "summary")
    after = desk.advance("next", session="", session_id="new", client="c")
    assert chain(desk)["INSTANTIATED_AFTER"] == [("next", "lost")]
    (row,) = after.payload["unsealed"]
    assert row["name"] == "lost"
    assert row["dissolved_at"]
    desk.close("pieced together", session="", encounter="lost")
    assert is_sealed(desk.node("Encounter", "lost"))


def test_the_operator_seals_no_encounter_of_a_living_session_without_its_handle(desk):
    desk.advance("alive")
    with pytest.raises(NotFound):
        desk.close("mine now", session="", encounter="alive")


def test_a_revoked_session_is_dissolved_too_and_its_bookkeeping_goes(desk):
    desk.advance("one", session_id="chat", client="c", session="")
    desk.advance("two")
    desk.close("fine", encounter="one")
    revoke_session(desk, desk.grant, RevokeSessionRequest(session=desk.ref()))
    assert not sweep_sessions(desk, desk.grant).sessions
    assert not text(desk.node("Encounter", "one"), "dissolved_at")
    assert text(desk.node("Encounter", "two"), "dissolved_at")
    with desk.store.read(desk.grant) as view:
        labels = {item.label for item in view.snapshot((SPINE_FAMILY,), (SYSTEM,))}
    assert labels == {"Head", "Open"}


def test_the_end_of_a_session_takes_its_ledger_and_projections_along(desk):
    handle = desk.advance("one").session
    desk.write(concept("Retry budget", "shared"), *(note(f"n{at}", "soup") for at in range(9)))
    found = infuse(desk, desk.grant, InfuseRequest("the retry budget?", session=desk.ref()))
    stamp_delivery(desk, desk.grant, desk.ref(), found.receipt.delivered, delta=False)
    create_projection(desk, desk.grant, ProjectionRequest(name="p", session=desk.ref()))
    revoke_session(desk, desk.grant, RevokeSessionRequest(session=SessionRef(handle=handle)))
    with desk.store.read(desk.grant) as view:
        assert found.receipt.delivered
        assert view.snapshot(("infusion", "projections"), (SYSTEM,)) == ()


def test_a_sweep_by_a_reader_leaves_open_encounters_to_one_who_may_write(desk):
    desk.advance("lost")
    desk.clock.advance(SESSION_LIFETIME_DAYS * 86_400 + 1)
    sweep_sessions(desk, member("eve", right=Right.READ))
    assert not text(desk.node("Encounter", "lost"), "dissolved_at")
    sweep_sessions(desk, desk.grant)
    assert text(desk.node("Encounter", "lost"), "dissolved_at")


# --- re-entry ---


def test_the_payload_tells_what_is_open_and_joins_nothing(desk):
    desk.advance("first")
    desk.write(
        question("why slow?"),
        question("answered?"),
        question("muted?", frontier_mute=True),
        hypothesis("cache is cold"),
        hypothesis("dead idea", status="falsified"),
        concept("warm-up"),
        concept("old", status="retired"),
        observation("measured"),
    )
    desk.relate(
        ("measured", "RESOLVES", "answered?"),
        ("measured", "SUPPORTS", "cache is cold"),
        ("measured", "GROUNDS", "warm-up"),
    )
    sibling = desk.advance("sibling", session="").payload
    assert [row["name"] for row in sibling["open_questions"]] == ["why slow?"]
    assert [row["name"] for row in sibling["live_hypotheses"]] == ["cache is cold"]
    assert [row["name"] for row in sibling["recent_concepts"]] == ["warm-up"]
    assert sibling["recent_concepts"][0]["incoming"][0]["source"] == "Observation:measured"
    assert [row["name"] for row in sibling["recent_encounters"]] == ["first"]
    assert [row["name"] for row in sibling["unsealed"]] == ["first"]
    assert not is_sealed(desk.node("Encounter", "first"))


def test_the_unsealed_set_shows_last_activity(desk):
    mine = desk.advance("quiet").session
    desk.advance("busy", session="")
    desk.clock.advance(3_600)
    desk.write(note("work"), session=mine)
    rows = desk.advance("looking", session="").payload["unsealed"]
    assert [row["name"] for row in rows] == ["quiet", "busy"]
    assert rows[0]["last_activity"] > rows[1]["last_activity"]


def test_the_payload_stays_bounded_on_a_full_shelf(desk):
    desk.advance("first")
    for batch in range(4):
        desk.write(*(question(f"q {batch} {at}", "why " * 500) for at in range(100)))
    payload = desk.advance("second").payload
    assert len(payload["open_questions"]) == 20
    assert payload["more"]["open_questions"]
    assert all(row["shortened"]["description"] > 1_000 for row in payload["open_questions"])
    assert len(str(payload)) < 25_000


def test_an_imported_spine_is_continued_from_its_last_tick(desk):
    desk.advance("one")
    desk.advance("two", session="")
    with desk.store.read(desk.grant) as view:
        bookkeeping = [item.id for item in view.snapshot((SPINE_FAMILY,), (SYSTEM,))]
    from remora.core.graph import Changes

    desk.store.apply(desk.grant, lambda view, now: Changes(drop=tuple(bookkeeping)))
    assert desk.advance("three", session="").encounter["tick"] == 3
    assert ("three", "two") in chain(desk)["INSTANTIATED_AFTER"]


# --- many at once ---

WORKER = """
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from encounter_desk import AGENT, REPO, Desk
from remora.core.sessions import SessionRef
from remora.adapters.sqlite.store import open_store
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
import time
class Clock:
    def now(self): return time.time_ns() // 1000
    def token(self, size): import secrets; return secrets.token_hex(size)
clock = Clock()
desk = Desk(clock=clock, store=open_store(Path({store!r}), REPO, clock))
handles = {{}}
for step in range({steps}):
    for chat in range({first}, {last}):
        ref = SessionRef(handle=handles.get(chat, ""), client="c", session_id=f"chat-{{chat}}")
        found = advance_encounter(desk, AGENT, AdvanceRequest(f"{{chat}}.{{step}}", session=ref))
        handles[chat] = found.session
desk.store.close()
"""


def crowd(folder: Path, sessions: int, steps: int, processes: int) -> Desk:
    """Sessions advancing in several processes on one file; sessions straddle two processes."""
    desk = sqlite_desk(folder)
    tests = str(Path(__file__).resolve().parents[1])
    share = sessions // processes
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                WORKER.format(
                    tests=tests,
                    store=str(folder / "store.sqlite3"),
                    steps=steps,
                    first=at * share,
                    last=(at + 1) * share,
                ),
            ]
        )
        for at in range(processes)
    ]
    assert [process.wait(timeout=240) for process in running] == [0] * processes
    return desk


def assert_one_sound_spine(desk: Desk, sessions: int, steps: int) -> None:
    nodes = {item.id: item for item in desk.items() if isinstance(item, Node)}
    edges = [item for item in desk.items() if isinstance(item, Edge)]
    ticks = sorted(number(node, "tick") for node in nodes.values())
    assert ticks == list(range(1, sessions * steps + 1)), "ticks are strict and without gaps"
    nexts = [edge for edge in edges if edge.label == "NEXT_ENCOUNTER"]
    assert len(nexts) == sessions * (steps - 1)
    assert len({edge.source for edge in nexts}) == len({edge.target for edge in nexts}) == len(nexts), (
        "no fork, no join"
    )
    for edge in nexts:
        before, after = nodes[edge.source], nodes[edge.target]
        assert before.body["session"] == after.body["session"]
        assert number(before, "tick") < number(after, "tick")
    anchors = [edge for edge in edges if edge.label == "INSTANTIATED_AFTER"]
    assert len(anchors) == sessions - 1
    for edge in anchors:
        assert number(nodes[edge.source], "tick") == number(nodes[edge.target], "tick") + 1, "the latest at that moment"
    reached, level = set(), {next(node.id for node in nodes.values() if number(node, "tick") == 1)}
    while level:
        reached |= level
        level = {a for e in edges for a, b in ((e.source, e.target), (e.target, e.source)) if b in level} - reached
    assert reached == nodes.keys(), "one connected spine"


def test_many_sessions_advancing_at_once_keep_one_sound_spine(tmp_path):
    desk = crowd(tmp_path, sessions=24, steps=2, processes=3)
    assert_one_sound_spine(desk, 24, 2)
    desk.store.close()


@pytest.mark.slow
def test_two_hundred_sessions_advancing_at_once_keep_one_sound_spine(tmp_path):
    desk = crowd(tmp_path, sessions=200, steps=3, processes=4)
    assert_one_sound_spine(desk, 200, 3)
    desk.store.close()
