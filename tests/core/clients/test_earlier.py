"""What the user said before a prompt is read from the end of any client's transcript, in bounded pieces."""

import json
from pathlib import Path
from typing import Any

import pytest

from remora.core.clients.earlier import earlier_prompts
from remora.core.clients.event import HookEvent, read_event
from remora.core.policy import TRAJECTORY_TURNS, TRANSCRIPT_TAILS_BYTES

TRANSCRIPTS = Path(__file__).resolve().parents[2] / "fixtures/transcripts"
SAID = {
    "claude-code": "claude-code.jsonl",
    "codex": "codex.jsonl",
    "gemini": "gemini.jsonl",
    "copilot": "copilot.jsonl",
    "cursor": "cursor.jsonl",
}


def event(client: str = "claude-code", prompt: str = "and now?", **more: Any) -> HookEvent:
    names = {"gemini": "BeforeAgent", "cursor": "beforeSubmitPrompt", "opencode": "chat.message"}
    body = {"session_id": "s", "prompt": prompt, **more}
    found = read_event(client, json.dumps(body).encode(), names.get(client, "UserPromptSubmit"))
    return found if isinstance(found, HookEvent) else HookEvent(client, None, "", "s", prompt=prompt)


class File:
    """A transcript in memory; remembers which ends of it were asked for."""

    def __init__(self, data: bytes) -> None:
        self.data, self.asked = data, []

    def tail(self, size: int) -> tuple[list[bytes], int]:
        self.asked.append(size)
        start = max(0, len(self.data) - size)
        return [self.data[at : at + 4_096] for at in range(start, len(self.data), 4_096)], start


def said(at: int, role: str = "user", size: int = 0) -> bytes:
    return (
        json.dumps({"type": role, "message": {"role": role, "content": f"{role} {at} " + "x" * size}}).encode() + b"\n"
    )


@pytest.mark.parametrize("client", SAID)
def test_the_users_turns_of_every_clients_transcript_are_found(client: str) -> None:
    file = File((TRANSCRIPTS / SAID[client]).read_bytes())
    found = earlier_prompts(event(client), file.tail)
    assert 0 < len(found) <= TRAJECTORY_TURNS
    assert all(turn.strip() and "tool_result" not in turn for turn in found)


def test_a_transcript_that_is_one_document_is_read_too() -> None:
    file = File((TRANSCRIPTS / "gemini.json").read_bytes())
    assert earlier_prompts(event("gemini"), file.tail)


def test_only_the_last_turns_count_and_the_prompt_itself_is_none_of_them() -> None:
    file = File(b"".join(said(at) + said(at, "assistant") for at in range(20)) + said(20))
    assert earlier_prompts(event(prompt="user 20"), file.tail) == tuple(f"user {at}" for at in range(13, 20))
    assert earlier_prompts(event(prompt="else"), file.tail)[-1] == "user 20"


def test_a_larger_end_is_read_only_when_too_few_turns_were_found() -> None:
    short = File(b"".join(said(at) for at in range(100_000)))
    earlier_prompts(event(), short.tail)
    assert short.asked == [TRANSCRIPT_TAILS_BYTES[0]]
    rare = File(b"".join(said(at) + said(at, "assistant", 400_000) for at in range(40)))
    assert len(earlier_prompts(event(), rare.tail)) == TRAJECTORY_TURNS
    assert rare.asked == list(TRANSCRIPT_TAILS_BYTES)
    small = File(said(1))
    assert earlier_prompts(event(), small.tail) == ("user 1",)
    assert len(small.asked) == 1


def test_lines_that_are_torn_bad_or_huge_are_stepped_over() -> None:
    for data in (
        b"",
        b"\0" * 300_000,
        b"{" * 300_000,
        b"\xff\xfe\n" * 99,
        said(1)[9:] + said(2),
        b"x" * 5_000_000 + said(3),
    ):
        found = earlier_prompts(event(), File(data).tail)
        assert all(turn.startswith("user") for turn in found)


def test_messages_that_come_with_the_event_serve_where_there_is_no_transcript() -> None:
    messages = [{"role": "user", "content": "first"}, {"role": "assistant", "content": "yes"},
                {"role": "user", "content": "and now?"}]  # fmt: skip
    assert earlier_prompts(event(messages=messages), None) == ("first",)
    assert earlier_prompts(event(), None) == ()
