"""Transcripts are read as streams: a bad line costs itself only, tool output and other noise are only counted."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.clients.transcript import read_turns
from remora.core.clients.turns import Turn
from remora.core.policy import TRANSCRIPT_DOCUMENT_MAX_BYTES, TRANSCRIPT_LINE_MAX_BYTES, TURN_MAX_CHARS

FIXTURES = Path(__file__).parents[2] / "fixtures/transcripts"
USER = {"type": "user", "message": {"role": "user", "content": "Hello"}, "uuid": "u1"}


def read(
    data: bytes, client: str = "claude-code", *, size: int = 1 << 16, **more: object
) -> tuple[list[Turn], Counter[str]]:
    skipped: Counter[str] = Counter()
    chunks = (data[at : at + size] for at in range(0, len(data), size))
    return list(read_turns(chunks, client, skipped, **more)), skipped  # type: ignore[arg-type]


def line(text: str, name: str = "u", role: str = "user") -> bytes:
    return json.dumps({"type": role, "message": {"role": role, "content": text}, "uuid": name}).encode() + b"\n"


def said(turns: list[Turn]) -> list[str]:
    return [turn.content for turn in turns]


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir()))
@pytest.mark.parametrize("size", [1 << 16, 7])
def test_each_clients_transcript_gives_the_conversation(name: str, size: int) -> None:
    turns, skipped = read((FIXTURES / name).read_bytes(), name.partition(".")[0], size=size)
    words = ["Why does the login test fail?", "The clock is mocked twice.", "Use one clock."]
    assert [text for text in said(turns) if text != "Let me look."] == words
    assert [turn.role for turn in turns if turn.content in words] == ["user", "assistant", "user"]
    assert len({turn.key for turn in turns}) == len(turns)
    assert skipped.total() > 0 or name == "cursor.jsonl"


def test_what_was_stepped_over_is_counted_by_reason() -> None:
    _, skipped = read((FIXTURES / "claude-code.jsonl").read_bytes())
    assert skipped == {"other": 3, "empty": 1, "tool_result": 1, "sidechain": 1, "meta": 3}


@pytest.mark.parametrize(
    "bad",
    [b"{", b'nonsense "role"', b"\x00\x00\x00", b'\xff\xfe"role"', b'["role"]', b'{"role":' * 5000, b"null", b'"role"'],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_bad_line_anywhere_costs_only_itself(bad: bytes, place: int) -> None:
    lines = [line("one", "a"), line("two", "b")]
    lines.insert(place, bad + b"\n")
    turns, skipped = read(b"".join(lines))
    assert said(turns) == ["one", "two"]
    assert skipped.total() == (0 if bad.strip(b"\0") == b"" else 1)


def test_a_mark_of_byte_order_windows_line_ends_and_a_torn_last_line_do_not_matter() -> None:
    data = (
        b"\xef\xbb\xbf"
        + line("one", "a").replace(b"\n", b"\r\n")
        + b"\n\n"
        + line("two", "b")[:-1]
        + b"\n"
        + b'{"type": "user", "mess'
    )
    turns, skipped = read(data, size=3)
    assert said(turns) == ["one", "two"]
    assert skipped == {"bad": 1}
    assert said(read(line("last", "c")[:-1])[0]) == ["last"]


def test_a_line_beyond_the_limit_is_stepped_over_without_being_held() -> None:
    def chunks() -> Iterator[bytes]:
        yield line("one", "a")
        yield b'{"type": "user", "message": {"role": "user", "content": "'
        for _ in range(50):
            yield b"x" * (1 << 20)
        yield b'"}}\n' + line("two", "b")

    skipped: Counter[str] = Counter()
    assert said(list(read_turns(chunks(), "claude-code", skipped))) == ["one", "two"]
    assert skipped == {"too_long": 1}
    assert TRANSCRIPT_LINE_MAX_BYTES < 50 << 20


def test_a_document_beyond_its_limit_is_counted() -> None:
    data = b'{\n  "a": 1,' + b" " * TRANSCRIPT_DOCUMENT_MAX_BYTES + b'"messages": []}'
    assert read(data, "gemini", size=1 << 20) == ([], Counter({"too_long": 1}))


def test_a_long_turn_keeps_its_beginning_and_end_and_counts_the_rest() -> None:
    turns, skipped = read(line("b" + "x" * 20_000 + "e"))
    assert turns[0].content.startswith("bx")
    assert turns[0].content.endswith("xe")
    assert len(turns[0].content) < TURN_MAX_CHARS + 60
    assert skipped["cut_chars"] == turns[0].cut == 20_002 - TURN_MAX_CHARS


def test_nothing_that_no_encoder_takes_comes_out() -> None:
    raw = b'{"type":"user","message":{"role":"user","content":"a\\u0000b\\ud800c"},"uuid":"1"}\n'
    assert said(read(raw)[0]) == ["ab\ufffdc"]


def test_reading_from_the_middle_of_a_line_begins_at_the_next_one() -> None:
    data = line("one", "a") + line("two", "b")
    turns, _ = read(data[5:], start=5, torn=True)
    assert said(turns) == ["two"]
    assert turns[0].end == len(data)


@given(
    st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["user", "assistant"])), max_size=6), st.integers(1, 40)
)
def test_the_offset_of_a_turn_is_where_the_next_reading_may_start(pairs: list[tuple[str, str]], size: int) -> None:
    data = b"".join(line(text, f"u{index}", role) for index, (text, role) in enumerate(pairs))
    turns, _ = read(data, size=size)
    for index, turn in enumerate(turns):
        rest, _ = read(data[turn.end :], start=turn.end, size=size)
        assert [later.key for later in rest] == [later.key for later in turns[index + 1 :]]


@given(
    st.binary(max_size=300), st.sampled_from(["claude-code", "codex", "gemini", "cursor", "copilot", "opencode", "new"])
)
def test_no_bytes_raise(data: bytes, client: str) -> None:
    read(data, client, size=11)


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["user", "assistant", "message", "text"])
)
keys = st.sampled_from(
    ["type", "role", "message", "content", "payload", "data", "uuid", "id", "text", "parts", "messages", "isMeta"]
)
rows = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)


@given(rows, st.sampled_from(["claude-code", "codex", "gemini", "cursor", "copilot", "opencode"]))
def test_no_shape_of_row_raises(row: object, client: str) -> None:
    read(json.dumps(row).encode(), client)
