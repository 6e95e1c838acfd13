"""The delivery ledger and the payload's form, as laws."""

from hypothesis import given, settings
from hypothesis import strategies as st

from remora.core.infusion.ledger import Due, Ledger, state_hash
from remora.core.infusion.payload import Block, Section, assemble, one_line, shortened
from remora.core.infusion.rank import restart, severity
from remora.core.infusion.trajectory import bounded
from remora.core.policy import (
    LEDGER_ENTRIES_MAX,
    RENEWAL_HORIZON_TURNS,
    TRAJECTORY_MAX_CHARS,
    TRAJECTORY_TURN_MAX_CHARS,
    TRAJECTORY_TURNS,
)
from remora.core.recall.notice import CLOSE, OPEN

WORDS = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)


# --- the ledger ---


def test_a_ledger_survives_being_stored():
    ledger = Ledger().stamped([("a", "1"), ("b", "2")], delta=False).stamped([("a", "3")], delta=True)
    assert Ledger.of(ledger.node("ses_x", 5)) == ledger
    assert ledger.turn == 1
    assert ledger.told == {"a": ("3", 1), "b": ("2", 1)}
    assert Ledger.of(None) == Ledger()


def test_what_is_due_depends_on_state_and_age():
    ledger = Ledger().stamped([("a", "1")], delta=False)
    assert ledger.due("a", "1", delta=False) is Due.STANDING
    assert ledger.due("a", "2", delta=False) is Due.FRESH
    assert ledger.due("b", "1", delta=False) is Due.FRESH
    assert ledger.due("a", "1", delta=True) is Due.SUPPRESSED
    assert ledger.due("a", "2", delta=True) is Due.FRESH
    for _ in range(RENEWAL_HORIZON_TURNS - 1):
        ledger = ledger.stamped([], delta=False)
    assert ledger.due("a", "1", delta=False) is Due.FRESH
    assert ledger.due("a", "1", delta=True) is Due.SUPPRESSED, "a delta announces a state once"


def test_a_ledger_is_bounded_and_forgets_the_oldest():
    ledger = Ledger().stamped([("old", "s")], delta=False)
    ledger = ledger.stamped([(f"k{at}", "s") for at in range(LEDGER_ENTRIES_MAX)], delta=False)
    assert len(ledger.told) == LEDGER_ENTRIES_MAX
    assert "old" not in ledger.told


def test_a_damaged_ledger_reads_as_an_empty_one():
    node = Ledger().node("s", 1)
    object.__setattr__(node, "body", {"turn": "x", "told": {"a": "b", "c": [1], "d": ["s", "t"], "e": ["s", 3]}})
    assert Ledger.of(node) == Ledger(0, {"e": ("s", 3)})


def test_states_differ_when_any_part_does():
    assert len({state_hash("a", "b"), state_hash("ab"), state_hash("a", "c"), state_hash("", "ab")}) == 4


# --- the payload ---

BLOCKS = st.lists(
    st.builds(
        lambda section, words, severity, key: Block(
            section, tuple(f"- {one_line(word)}." for word in words), severity, key, "s", f"- handle {key}"
        ),
        st.sampled_from(list(Section)),
        st.lists(WORDS, min_size=1, max_size=3),
        st.floats(0, 1),
        st.sampled_from(["", "a", "b", "c", "d"]),
    ),
    max_size=12,
)


@settings(max_examples=200)
@given(BLOCKS, st.integers(1, 1_500), st.booleans(), st.sets(st.sampled_from("abcd")))
def test_a_payload_keeps_its_budget_its_frame_and_its_word(blocks, max_chars, delta, told):
    ledger = Ledger(3, dict.fromkeys(told, ("s", 3)))
    found = assemble(["why"], blocks, ledger, max_chars=max_chars, delta=delta)
    assert len(found.text) <= max_chars
    if not found.text:
        assert found.delivered == ()
        return
    lines = found.text.splitlines()
    assert lines[0] == OPEN
    assert lines[-1] == CLOSE
    assert found.text.count(OPEN) == found.text.count(CLOSE) == 1
    for key, _ in found.delivered:
        assert key not in told, "what stands is not stamped again"
        assert any(block.key == key and all(line in lines for line in block.lines) for block in blocks), "whole blocks"
    due = [b for b in blocks if not (delta and (b.section > Section.RECOGNISED or not b.key or b.key in told))]
    assert found.dropped + found.fresh + found.standing <= len(due)
    assert (f"({found.dropped} more left out" in found.text) == bool(found.dropped)


def test_the_least_severe_of_a_section_is_left_out_first():
    blocks = [Block(Section.RECOGNISED, (f"- {at} " + "x" * 40,), at / 10, f"k{at}", "s", "-") for at in range(10)]
    small = assemble([], blocks, Ledger(), max_chars=480, delta=False)
    assert 0 < small.dropped < 10
    kept = [int(key[1:]) for key, _ in small.delivered]
    assert kept == list(range(9, 9 - len(kept), -1))
    assert f"({small.dropped} more left out" in small.text


def test_a_small_block_does_not_slip_in_where_a_more_severe_one_did_not_fit():
    blocks = [
        Block(Section.RECOGNISED, ("- " + "big " * 400,), 0.9, "big", "s", "-"),
        Block(Section.RECOGNISED, ("- small",), 0.1, "small", "s", "-"),
    ]
    assert assemble([], blocks, Ledger(), max_chars=600, delta=False).delivered == ()


@given(st.text(max_size=400), st.integers(30, 200))
def test_a_shortened_text_is_one_line_and_tells_its_length(text, chars):
    short = shortened(text, chars)
    assert len(short) <= chars
    assert len(short.splitlines()) <= 1
    if one_line(text) != short:
        assert short.endswith(f"… ({len(one_line(text))} characters)")


# --- seeds ---


@given(
    st.lists(st.sampled_from("abcdef"), max_size=4),
    st.lists(st.sampled_from("ghijkl"), max_size=6),
    st.lists(st.sampled_from("mnopqr"), max_size=6),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_each_class_of_seeds_weighs_its_bias_however_many_they_are(
    focal, beside, frontier, frontier_bias, expansion_bias
):
    found = restart(focal, beside, frontier, frontier_bias=frontier_bias, expansion_bias=expansion_bias)
    for ids, bias in ((focal, 1.0), (beside, expansion_bias), (frontier, frontier_bias)):
        weight = sum(found.weights.get(item, 0.0) for item in set(ids))
        assert abs(weight - (bias if ids else 0.0)) < 1e-9
    assert (found.mode in ("blended", "focal_only")) == bool(focal)
    assert (found.mode == "none") == (not focal and not (frontier and frontier_bias > 0))


def test_severity_is_the_share_of_the_top_rank():
    assert severity(["a", "b"], {"a": 0.1, "b": 0.2, "c": 0.4}) == 0.5
    assert severity([], {"a": 1.0}) == severity(["x"], {}) == 0.0


# --- the trajectory ---


@given(st.lists(st.one_of(st.text(max_size=50), st.none(), st.integers()), max_size=20))
def test_a_trajectory_is_the_newest_turns_in_order(turns):
    kept = bounded(turns)
    assert len(kept) <= TRAJECTORY_TURNS
    assert all(0 < len(turn) <= TRAJECTORY_TURN_MAX_CHARS for turn in kept)


def test_long_turns_are_cut_and_the_oldest_left_out():
    kept = bounded(["x" * 5_000] * 20)
    assert len(kept) == TRAJECTORY_MAX_CHARS // TRAJECTORY_TURN_MAX_CHARS
    assert sum(map(len, kept)) <= TRAJECTORY_MAX_CHARS
    assert bounded(["old", "new"]) == ("old", "new")
