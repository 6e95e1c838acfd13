"""The meaning matcher: a sidecar that looks after itself, one bounded call per prompt, and a fallback that is said."""

import pytest

from encounter_desk import AGENT, SECRET, Desk, concept, member, note, observation, question, sqlite_desk
from fakes.models import FakeModels, choosing, told
from remora.core import policy
from remora.core.errors import Denied, InvalidInput
from remora.core.graph import Changes
from remora.core.infusion.meanings import FAMILY as MEANINGS
from remora.core.infusion.meanings import Meaning, content_state, meaning_node, sentences
from remora.core.models.wire import Fault, NoAnswer
from remora.core.scope import REPOSITORY, SYSTEM, Right, Trust
from remora.usecases.compress_meanings import compress_meanings, compress_when_idle
from remora.usecases.delete_entities import delete_entities
from remora.usecases.infuse import InfuseRequest, infuse

PROMPT = "gateway hiccups double our orders"


@pytest.fixture(params=["memory", "sqlite"])
def desk(request, tmp_path):
    found = Desk(folder=tmp_path) if request.param == "memory" else sqlite_desk(tmp_path)
    found.models = FakeModels()
    fill(found)
    yield found
    found.store.close()


def fill(desk: Desk) -> None:
    desk.advance("first")
    desk.write(
        concept("Retry budget", "Retries draw on a shared budget"),
        concept("Idempotent writes", "A request may arrive twice"),
        observation("Slow disk", "fsync took a second"),
        question("Who owns the pager?", "nobody answers"),
        *(note(f"lunch {at}", f"soup {at} with bread") for at in range(12)),
    )
    desk.relate(("Retry budget", "INFORMS", "Idempotent writes"))


def kept(desk: Desk) -> dict[str, str]:
    """Name of each node -> its meaning."""
    with desk.store.read(AGENT) as view:
        nodes = [item for item in view.snapshot(("encounters",), (REPOSITORY,)) if item.label in ("Concept", "Note")]
        found = sentences(view, nodes)
    return {node.name: found[node.id] for node in nodes if node.id in found}


def rows(desk: Desk) -> int:
    with desk.store.read(AGENT) as view:
        return len(view.snapshot((MEANINGS,), (SYSTEM,)))


def ask(desk: Desk, text: str = PROMPT, **more):
    return infuse(desk, AGENT, InfuseRequest(text, session=desk.ref(), **more))


# --- the sidecar ---


def test_every_idea_is_compressed_once(desk):
    done = compress_meanings(desk, AGENT)
    assert (done.made, done.spoilt, done.fault, done.model) == (16, 0, "", "fake/model")
    assert kept(desk)["Retry budget"] == "Matters before anyone touches Concept: Retry budget"
    assert compress_meanings(desk, AGENT).made == 0
    assert len(desk.models.asked) == 16


def test_a_changed_node_gets_a_new_meaning_and_the_old_one_is_not_used_meanwhile(desk):
    compress_meanings(desk, AGENT)
    desk.write(concept("Retry budget", "per caller now"))
    assert "Retry budget" not in kept(desk)
    assert compress_meanings(desk, AGENT, whole=False).made == 1
    assert "Retry budget" in kept(desk)
    assert rows(desk) == 16


def test_a_property_that_is_not_compressed_changes_no_meaning(desk):
    compress_meanings(desk, AGENT)
    desk.write({"type": "Concept", "name": "Retry budget", "status": "stable"})
    assert compress_meanings(desk, AGENT).made == 0


def test_a_meaning_of_another_version_of_the_prompt_is_made_anew(desk):
    compress_meanings(desk, AGENT)
    node = desk.node("Concept", "Retry budget")
    older = Meaning(node.id, content_state(node, version="0"), "Matters on Sundays", 3)
    desk.store.apply(AGENT, lambda view, now: Changes(put=(meaning_node(older, now),)))
    assert "Retry budget" not in kept(desk)
    assert compress_meanings(desk, AGENT).made == 1


def test_a_deleted_node_takes_its_meaning_along(desk):
    compress_meanings(desk, AGENT)
    delete_entities(desk, AGENT, ["Retry budget"], dry_run=False)
    assert rows(desk) == 15
    assert compress_meanings(desk, AGENT).swept == 0


def test_meanings_whose_node_vanished_otherwise_are_swept(desk):
    compress_meanings(desk, AGENT)
    gone = desk.node("Concept", "Retry budget").id
    desk.store.apply(AGENT, lambda view, now: Changes(drop=(gone,)))
    assert compress_meanings(desk, AGENT).swept == 1
    assert rows(desk) == 15


def test_meanings_are_no_properties_and_outlive_the_process(tmp_path):
    desk = sqlite_desk(tmp_path)
    desk.models = FakeModels()
    fill(desk)
    before = desk.node("Concept", "Retry budget")
    compress_meanings(desk, AGENT)
    assert desk.node("Concept", "Retry budget") == before
    desk.store.close()
    again = sqlite_desk(tmp_path)
    again.models = FakeModels([choosing("Idempotent")])
    again.handle = desk.handle
    assert compress_meanings(again, AGENT).made == 0
    assert ask(again).selection_channel == "meaning"
    again.store.close()


def test_losing_the_sidecar_costs_calls_and_nothing_else(desk):
    desk.models.choices = [choosing("Idempotent")]
    compress_meanings(desk, AGENT)
    first = ask(desk)
    desk.store.apply(
        AGENT, lambda view, now: Changes(drop=tuple(item.id for item in view.snapshot((MEANINGS,), (SYSTEM,))))
    )
    assert ask(desk).fallback == "matcher: no meanings yet"
    compress_meanings(desk, AGENT)
    assert ask(desk).payload == first.payload


def test_a_run_goes_on_where_the_last_one_stopped(desk):
    assert (compress_meanings(desk, AGENT, limit=5).made, rows(desk)) == (5, 5)
    patience = iter([True] * 4 + [False] * 99)
    assert compress_meanings(desk, AGENT, going_on=lambda: next(patience)).fault == "interrupted"
    assert rows(desk) == 9
    assert compress_meanings(desk, AGENT).made == 7


@pytest.mark.parametrize(
    "answer",
    [
        NoAnswer(Fault.UNREACHABLE),
        NoAnswer(Fault.NO_KEY),
        NoAnswer(Fault.REFUSED),
        NoAnswer(Fault.STATUS, "status 503"),
    ],
)
def test_a_model_that_is_not_there_or_still_loads_blames_no_node(desk, answer):
    desk.models.compressions = [answer]
    done = compress_meanings(desk, AGENT)
    assert (done.fault, done.spoilt, rows(desk)) == (answer.fault, 0, 0)
    assert len(desk.models.asked) == 1


@pytest.mark.parametrize("answer", ["prose", '{"meaning": 7}', "{" * 9_999, "", "\x00"])
def test_a_node_that_no_answer_fits_is_left_alone_after_three_tries(desk, answer):
    desk.models.compressions = [answer]
    for _ in range(5):
        compress_meanings(desk, AGENT)
    assert len(desk.models.asked) == 3 * 16
    assert kept(desk) == {}
    desk.models.compressions = ['{"meaning": "When it changed"}']
    desk.write(concept("Retry budget", "other words"))
    assert compress_meanings(desk, AGENT).made == 1


def test_a_model_that_hangs_ends_the_run_soon(desk):
    desk.models.compressions = [NoAnswer(Fault.TIMEOUT)]
    assert compress_meanings(desk, AGENT).fault == "timeout"
    assert len(desk.models.asked) == policy.MEANING_TIMEOUTS_MAX


def test_secrets_are_neither_sent_nor_kept(desk):
    desk.redact = lambda text: text
    desk.write(concept("Deploy key", f"it is {SECRET}"))
    desk.redact = lambda text: text.replace(SECRET, "[secret]")
    desk.models.compressions = [f'{{"meaning": "When {SECRET} is asked for"}}']
    compress_meanings(desk, AGENT)
    assert not any(SECRET in message.content for request in desk.models.asked for message in request.messages)
    assert kept(desk)["Deploy key"] == "When [secret] is asked for"
    ask(desk, f"is {SECRET} the gateway key?", trajectory=[f"look at {SECRET}"])
    assert SECRET not in desk.models.of("choice")[0].messages[-1].content


def test_what_an_unasked_channel_may_not_carry_is_never_compressed(desk):
    from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter

    bot = member("bot", trust=Trust.DERIVED)
    handle = advance_encounter(desk, bot, AdvanceRequest("bot's")).session
    desk.write(concept("Doctrine", "retry for ever"), session=handle, grant=bot)
    assert compress_meanings(desk, AGENT).made == 16
    assert "Doctrine" not in kept(desk)


def test_making_meanings_needs_the_write_right(desk):
    reader = member("eve", right=Right.READ)
    with pytest.raises(Denied):
        compress_meanings(desk, reader)
    assert compress_when_idle(desk, reader, lambda: True) is None
    assert desk.models.asked == []


def test_one_process_compresses_at_a_time_and_trouble_is_told(desk):
    assert desk.store.lease("meanings", "somebody else", 60)
    assert compress_when_idle(desk, AGENT, lambda: True) is None
    desk.store.lease("meanings", "somebody else", 0)
    assert compress_when_idle(desk, AGENT, lambda: True, whole=True).made == 16
    desk.models.route = Denied("the route is refused")
    assert compress_when_idle(desk, AGENT, lambda: True).fault == "denied"


def test_without_a_route_nothing_is_asked(desk):
    desk.models = None
    assert compress_meanings(desk, AGENT).made == 0
    assert compress_when_idle(desk, AGENT, lambda: True) is None
    found = ask(desk)
    assert (found.selection_channel, found.fallback) == ("local", "")


# --- the choice ---


def test_a_matcher_recognises_what_shares_no_words(desk):
    desk.models.choices = [choosing("Idempotent")]
    compress_meanings(desk, AGENT)
    found = ask(desk)
    assert found.selection_channel == "meaning"
    assert found.surfaced[0] == "Concept:Idempotent writes"
    assert "[by meaning]" in found.payload
    assert "Matters before" not in found.payload, "a meaning is for matching; what is told is the node"
    assert len(desk.models.of("choice")) == 1
    assert found.counts["considered"] == 16


def test_the_matcher_is_told_the_prompt_and_the_turns_before_it_bounded(desk):
    compress_meanings(desk, AGENT)
    ask(desk, trajectory=[f"turn {at} " + "x" * 5_000 for at in range(12)])
    sent = told(desk.models.of("choice")[0])
    assert sent["prompt"] == PROMPT
    assert [turn.split()[1] for turn in sent["earlier"]] == ["6", "7", "8", "9", "10", "11"]
    assert sum(map(len, sent["earlier"])) <= policy.TRAJECTORY_MAX_CHARS
    assert max(map(len, sent["earlier"])) == policy.TRAJECTORY_TURN_MAX_CHARS


def test_a_matcher_that_chooses_nothing_is_believed(desk):
    compress_meanings(desk, AGENT)
    found = ask(desk, "how should the retry budget work?")
    assert found.silence
    assert (found.selection_channel, found.reason) == ("meaning", "nothing recognised")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (NoAnswer(Fault.TIMEOUT), "timeout"),
        (NoAnswer(Fault.NO_KEY), "no_key"),
        (NoAnswer(Fault.UNREACHABLE), "unreachable"),
        (NoAnswer(Fault.TOO_LARGE), "too_large"),
        ("I would pick the second one.", "malformed"),
        ('{"ids": ["m1', "malformed"),
        ('{"ids": ["m4711"]}', "malformed"),
        ('{"ids": ["enc_0123456789abcdef"]}', "malformed"),
        ("[" * 500_000, "malformed"),
        (Denied("elsewhere"), "denied"),
    ],
)
def test_whatever_goes_wrong_the_words_select_and_the_result_says_so(desk, answer, fault):
    compress_meanings(desk, AGENT)
    desk.models.choices = [answer]
    found = ask(desk, "how should the retry budget work?")
    assert (found.selection_channel, found.fallback) == ("local", f"matcher: {fault}")
    assert "Concept:Retry budget" in found.payload
    assert f"Selection: local (matcher: {fault})" in found.payload
    assert found.silence is False


@pytest.mark.parametrize("error", [Denied("refused"), InvalidInput("models' file", "is not YAML")])
def test_a_route_that_cannot_be_used_blocks_no_turn(desk, error):
    desk.models.route = error
    found = ask(desk, "how should the retry budget work?")
    assert found.fallback == f"matcher: {error.code}"
    assert "Retry budget" in found.payload


class WithoutModelsFile:
    """A desk whose models' file cannot be read."""

    def __init__(self, desk):
        self.desk = desk

    def __getattr__(self, name):
        return getattr(self.desk, name)

    @property
    def models(self):
        raise InvalidInput("models' file", "is not YAML")


def test_a_models_file_that_cannot_be_read_blocks_no_turn_and_no_sweep(desk):
    broken = WithoutModelsFile(desk)
    found = infuse(broken, AGENT, InfuseRequest("how should the retry budget work?", session=desk.ref()))
    assert found.fallback == "matcher: invalid_input"
    assert "Retry budget" in found.payload
    assert compress_when_idle(broken, AGENT, lambda: True).fault == "invalid_input"


def test_before_any_meaning_is_made_no_call_is_made(desk):
    found = ask(desk, "how should the retry budget work?")
    assert found.fallback == "matcher: no meanings yet"
    assert desk.models.asked == []


def test_small_talk_and_tool_calls_ask_no_model(desk):
    compress_meanings(desk, AGENT)
    ask(desk, "thanks!")
    ask(desk, "how should the retry budget work?", mode="delta")
    assert desk.models.of("choice") == []


def test_a_matcher_that_times_out_again_and_again_rests_a_minute(desk):
    compress_meanings(desk, AGENT)
    desk.models.choices = [NoAnswer(Fault.TIMEOUT)] * 3 + [choosing("Idempotent")]
    for _ in range(3):
        assert ask(desk).fallback == "matcher: timeout"
    assert ask(desk).fallback == "matcher: rests after timeouts"
    assert len(desk.models.of("choice")) == 3
    desk.clock.advance(policy.MEANING_REST_SECONDS + 1)
    assert ask(desk).selection_channel == "meaning"


def test_a_superseded_idea_is_not_offered(desk):
    desk.write(concept("Retry budget per caller", "newer"))
    desk.relate(("Retry budget per caller", "SUPERSEDES", "Retry budget", {"revision_why": "measured"}))
    compress_meanings(desk, AGENT)
    ask(desk, "how should the retry budget work?")
    offered = [note["matters_when"] for note in told(desk.models.of("choice")[0])["notes"]]
    assert any("Retry budget per caller" in text for text in offered)
    assert not any(text.endswith("Concept: Retry budget") for text in offered)


def test_words_of_meanings_are_searched_too_when_no_model_answers(desk):
    desk.models.compressions = ['{"meaning": "When orders are doubled by hiccups"}'] + ['{"meaning": "At noon"}'] * 99
    compress_meanings(desk, AGENT)
    desk.models.choices = [NoAnswer(Fault.TIMEOUT)]
    found = ask(desk, "hiccups doubled orders")
    assert found.selection_channel == "local"
    assert not found.silence


def sizes(tmp_path, nodes: int) -> tuple[int, int, int]:
    """(calls, characters sent, meanings offered) of one prompt in a graph of this many nodes."""
    tmp_path.mkdir(exist_ok=True)
    desk = sqlite_desk(tmp_path)
    desk.models = FakeModels()
    desk.advance("first")
    for start in range(0, nodes, 200):
        desk.write(*(concept(f"gateway {at}", f"retry {at} orders double") for at in range(start, start + 200)))
    made = [item for item in desk.items() if item.label == "Concept"]
    rows = [Meaning(node.id, content_state(node), f"Matters when {node.name} is changed", 1) for node in made]
    desk.store.apply(AGENT, lambda view, now: Changes(put=tuple(meaning_node(row, now) for row in rows)))
    ask(desk, "gateway retry orders", trajectory=["orders came twice"])
    sent = [len(message.content) for request in desk.models.asked for message in request.messages]
    offered = len(told(desk.models.asked[0])["notes"])
    desk.store.close()
    return len(desk.models.asked), sum(sent), offered


def test_a_prompt_costs_the_same_in_a_graph_of_any_size(tmp_path):
    small, large = sizes(tmp_path / "small", 200), sizes(tmp_path / "large", 1_200)
    assert small[0] == large[0] == 1
    assert small[2] == large[2] == policy.MEANINGS_MAX
    assert abs(large[1] - small[1]) < 0.05 * small[1]
