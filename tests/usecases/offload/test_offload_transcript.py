"""Turns older than the last exchanges are taken from a transcript once, whatever the file looks like."""

import json
from pathlib import Path

import pytest

from chat_server import says
from remora.core import policy
from remora.core.clients.turns import make_turn
from remora.core.errors import NotFound, QueueFull, Unavailable
from remora.usecases.offload_transcript import OffloadTranscriptRequest, offload_transcript
from usecases.offload.conftest import OPERATOR

SAID = "Our billing uses Stripe for cards."


def line(role, text, **more):
    return json.dumps({"type": role, "message": {"role": role, "content": text}, **more}).encode() + b"\n"


def exchange(number):
    return line("user", f"please look at step {number}") + line("assistant", f"Step {number} is done.")


def take(bag, path="", **more):
    request = OffloadTranscriptRequest(client="claude-code", session_id="chat-1", path=str(path), **more)
    return offload_transcript(bag, OPERATOR, request)


@pytest.fixture
def transcript(tmp_path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(line("user", SAID) + line("assistant", "Noted.") + b"".join(map(exchange, range(10))))
    return path


def test_turns_older_than_the_last_ten_exchanges_are_taken_once(bag, transcript):
    ref = bag.register()
    with bag.asking(says("[]")) as server:
        first = take(bag, transcript)
        assert first.turns == 2
        assert take(bag, transcript).job == ""
        with transcript.open("ab") as file:
            file.write(b"".join(map(exchange, range(10, 13))))
        assert take(bag, transcript).turns == 6
        bag.finished()
        asked = "\n".join(asked.text for asked in server.asked)
        assert asked.count(SAID) == 1
        assert all(asked.count(f"please look at step {n}") == 1 for n in range(3))
        assert "step 3" not in asked
    assert bag.facts(ref) == []


def test_a_rewritten_transcript_delivers_nothing_twice(bag, transcript):
    bag.register()
    named = line("user", SAID, uuid="u-1") + line("assistant", "Noted.", uuid="u-2")
    rest = b"".join(line("user", f"q {n}", uuid=f"q{n}") + line("assistant", "a", uuid=f"a{n}") for n in range(10))
    transcript.write_bytes(named + rest)
    assert take(bag, transcript).turns == 2
    transcript.write_bytes(line("system", "compacted") + named + rest)
    again = take(bag, transcript)
    assert (again.job, again.skipped["repeated"]) == ("", 2)


def test_messages_that_come_along_and_summaries_are_taken_once(bag):
    ref = bag.register()
    turns = [make_turn("user", SAID, name="m1"), *(make_turn("user", f"go on {n}", name=f"n{n}") for n in range(10))]
    assert take(bag, turns=turns).turns == 1
    assert take(bag, turns=turns).job == ""
    assert take(bag, summary="The gateway listens on port 8080.").turns == 1
    assert take(bag, summary="The gateway listens on port 8080.").skipped["repeated"] == 1
    bag.finished()
    assert bag.facts(ref) == ["billing USES Stripe", "gateway LISTENS_ON port 8080"]


def test_a_transcript_in_any_state_is_read_as_far_as_it_goes(bag, tmp_path):
    bag.register()
    rows = [
        b"\xef\xbb\xbf" + line("user", SAID), b"\0\0\0\n", b"not json\n", b'{"type": "future-type", "x": [1]}\n', b"\n",
        line("user", "NUL \0 inside"), b'{"type": "user", "message": {"role": "user", "content": "\xff\xfe"}}\r\n',
        json.dumps({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "content": "x" * 3_000_000}]}}).encode() + b"\n",
        b'{"type": "user", "message": ' + b"[" * 5000 + b"\n",
        line("assistant", "y" * 50_000), line("user", "\ud800 lone"), *map(exchange, range(12)),
        b'{"type": "user", "message": {"role": "user", "content": "torn',
    ]  # fmt: skip
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b"".join(rows))
    done = take(bag, path)
    assert done.job
    assert done.skipped["bad"] >= 1
    assert done.skipped["tool_result"] == 1
    [job] = bag.finished()
    assert job["state"] == "done"
    assert job["skipped"]["cut_chars"] == 50_000 - policy.TURN_MAX_CHARS


def test_what_is_no_transcript_is_said_and_changes_nothing(bag, tmp_path):
    bag.register()
    for path in (tmp_path / "gone", tmp_path, Path("/dev/zero")):
        with pytest.raises(Unavailable):
            take(bag, path)
    assert take(bag).skipped["no_transcript"] == 1
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    assert take(bag, empty).job == ""
    assert bag.finished() == []


def test_nothing_is_taken_for_a_chat_that_is_unknown_or_for_too_little(bag, transcript):
    with pytest.raises(NotFound):
        take(bag, transcript)
    bag.register()
    assert take(bag, transcript, at_least=policy.OFFLOAD_AT_STOP_CHARS).job == ""
    assert take(bag, transcript).turns == 2, "the cursor has not moved"


def test_a_full_queue_leaves_the_turns_for_the_next_time(bag, transcript):
    bag.register()
    while bag.queue.reserve():
        pass
    with pytest.raises(QueueFull):
        take(bag, transcript)
    for _ in range(3):
        bag.queue.release()
    assert take(bag, transcript).turns == 2
