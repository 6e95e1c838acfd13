"""Only what is older than the last ten exchanges is offloaded, each turn once, whatever happens to the transcript."""

import json

from hypothesis import given
from hypothesis import strategies as st

from remora.core.clients.turns import Cursor, Older, Turn, anchor_of, make_turn, older_turns
from remora.core.policy import OFFLOAD_MAX_CHARS, SEEN_TURNS


def talk(count: int, start: int = 0) -> list[Turn]:
    """`count` exchanges of one user and two assistant turns."""
    turns = []
    for index in range(start, start + count):
        for at, role in enumerate(("user", "assistant", "assistant")):
            turns.append(make_turn(role, f"{role} {index}.{at}", name=f"{index}.{at}", end=index * 30 + at * 10 + 10))  # type: ignore[arg-type]
    return turns


def moved(cursor: Cursor, older: Older) -> Cursor:
    return Cursor(older.offset, "", older.seen)


def test_the_last_ten_exchanges_stay() -> None:
    older = older_turns(talk(13), Cursor())
    assert [turn.content for turn in older.turns] == [turn.content for turn in talk(3)]
    assert older.offset == older.turns[-1].end
    assert older_turns(talk(10), Cursor()).turns == ()


@given(st.lists(st.integers(0, 15), min_size=1, max_size=8))
def test_a_growing_conversation_is_offloaded_once_in_order(steps: list[int]) -> None:
    cursor, sent, total = Cursor(), [], 0
    for step in steps:
        total += step
        older = older_turns([turn for turn in talk(total) if turn.end > cursor.offset], cursor)
        sent += older.turns
        cursor = moved(cursor, older)
    assert sent == talk(max(0, total - 10))


def test_a_rewritten_transcript_delivers_nothing_again() -> None:
    first = older_turns(talk(15), Cursor())
    again = older_turns(talk(17), Cursor(0, "", first.seen))
    assert [turn.key for turn in again.turns] == [turn.key for turn in talk(2, start=5)]
    assert again.repeated == 15


def test_equal_words_in_two_places_are_two_turns() -> None:
    assert make_turn("user", "yes", end=10).key != make_turn("user", "yes", end=20).key
    assert make_turn("user", "yes", name="a").key == make_turn("user", "yes", name="a", end=9).key


def test_a_backlog_beyond_the_limit_is_continued_next_time() -> None:
    size = 7_000
    turns = [make_turn("user", f"{index} " + "x" * size, name=str(index), end=index + 1) for index in range(150)]
    first = older_turns(turns, Cursor())
    assert first.more
    assert sum(len(turn.content) for turn in first.turns) < OFFLOAD_MAX_CHARS + 2 * size
    cursor, sent = moved(Cursor(), first), list(first.turns)
    while len(sent) < 140:
        older = older_turns([turn for turn in turns if turn.end > cursor.offset], cursor)
        assert older.turns
        sent += older.turns
        cursor = moved(cursor, older)
    assert sent == turns[:140]


def test_a_cursor_survives_the_store_and_bad_ones_are_the_start() -> None:
    cursor = Cursor(5, "ab", ("k",))
    assert Cursor.from_json(json.loads(json.dumps(cursor.to_json()))) == cursor
    for bad in (None, 5, {}, {"offset": -1}, {"offset": "x", "seen": 5}, {"seen": [1, None]}):
        assert Cursor.from_json(bad) == Cursor()
    assert len(older_turns(talk(600), Cursor()).seen) == SEEN_TURNS


def test_the_anchor_tells_a_rewritten_file() -> None:
    cursor = Cursor(300, anchor_of(b"x" * 300))
    assert cursor.anchor_bytes == 256
    assert cursor.holds(b"x" * 256)
    assert not cursor.holds(b"y" * 256)
