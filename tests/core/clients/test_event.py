"""What each client sends becomes one canonical event, and each gets the one answer that it documents."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.clients.catalogue import CLIENTS, Event, client_named
from remora.core.clients.event import HookEvent, Skipped, read_event, write_context
from remora.core.errors import InvalidInput

FIXTURES = Path(__file__).parents[2] / "fixtures/hooks"
RECORDED = [
    (path.stem, next(client.name for client in CLIENTS if path.stem.startswith(client.name)), name, payload)
    for path in sorted(FIXTURES.glob("*.json"))
    for name, payload in json.loads(path.read_text()).items()
]


def event_of(client: str, payload: object, native: str = "") -> HookEvent:
    event = read_event(client, json.dumps(payload).encode(), native)
    assert isinstance(event, HookEvent)
    return event


@pytest.mark.parametrize(
    ("version", "client", "name", "payload"), RECORDED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_recorded_payload_is_understood(version: str, client: str, name: str, payload: dict[str, object]) -> None:
    native = name.partition(".")[0] if client != "opencode" else name
    event = event_of(client, payload, native)
    assert event.event is client_named(client).events[native]
    assert event.session_id
    assert event.cwd == "/home/dev/app" or event.transcript_path
    if event.event is Event.PROMPT and "notification" not in name:
        assert (event.prompt, event.from_user) == ("Why does the login test fail?", True)
    if event.event is Event.TOOL:
        assert event.tool is not None
        assert event.tool.files


def test_every_client_has_a_recorded_payload_of_each_event_it_is_installed_for() -> None:
    seen = {(client, name.partition(".")[0] if client != "opencode" else name) for _, client, name, _ in RECORDED}
    wanted = {(client.name, native) for client in CLIENTS for native in client.events}
    assert wanted - seen <= {("codex", "PostToolUse")}


def test_a_prompt_that_nobody_typed_is_told_apart() -> None:
    base = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hello"}
    assert event_of("claude-code", base).from_user
    for change in (
        {"prompt": "<task-notification>x"},
        {"agent_id": "a1"},
        {"prompt_source": "system"},
        {"origin": "cron"},
    ):
        assert not event_of("claude-code", {**base, **change}).from_user


def test_a_compaction_summary_and_its_trigger_are_kept() -> None:
    payload = json.loads((FIXTURES / "claude-code-2.1.json").read_text())
    post = event_of("claude-code", payload["PostCompact"])
    assert (post.summary, post.trigger) == ("We moved the session check into the middleware.", "manual")
    assert event_of("claude-code", payload["SessionStart.compact"]).trigger == "compact"


def test_messages_sent_along_become_turns() -> None:
    payload = json.loads((FIXTURES / "opencode-1.0.json").read_text())["experimental.session.compacting"]
    assert [(turn.role, turn.content) for turn in event_of("opencode", payload).turns] == [
        ("user", "Hello"),
        ("assistant", "Hi"),
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "payload_is_not_an_object"),
        (b"[]", "payload_is_not_an_object"),
        (b"{" * 100_000, "payload_is_not_an_object"),
        (b'{"session_id": "s"}', "unknown_event"),
        (b'{"session_id": "s", "hook_event_name": "Other"}', "unknown_event"),
        (b'{"hook_event_name": "SessionStart"}', "no_session_id"),
        (b'{"hook_event_name": "SessionStart", "session_id": 5}', "no_session_id"),
        (b'{"hook_event_name": "SessionStart", "session_id": "a\\nb"}', "no_session_id"),
        (b'{"hook_event_name": "SessionStart", "session_id": "' + b"x" * 300 + b'"}', "no_session_id"),
    ],
)
def test_a_payload_that_says_too_little_is_skipped_with_a_reason(body: bytes, reason: str) -> None:
    assert read_event("claude-code", body) == Skipped(reason)


def test_an_unknown_client_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="client"):
        read_event("emacs", b"{}")


def test_long_prompts_are_cut_with_a_count_and_bad_characters_replaced() -> None:
    event = event_of(
        "claude-code", {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "a\0\ud800" + "x" * 100_000}
    )
    assert event.prompt.startswith("a\ufffdx")
    assert (len(event.prompt), event.prompt_cut) == (100_000, 2)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
odd_keys = st.sampled_from(
    [
        "session_id",
        "prompt",
        "cwd",
        "tool_input",
        "tool_response",
        "messages",
        "workspace_roots",
        "transcript_path",
        "source",
    ]
)


@given(st.sampled_from(CLIENTS), st.dictionaries(odd_keys, json_values), st.data())
def test_no_payload_of_any_shape_raises(client, payload, data) -> None:
    native = data.draw(st.sampled_from(sorted(client.events)))
    event = read_event(client.name, json.dumps(payload).encode(), native)
    if isinstance(event, HookEvent):
        for text in (event.session_id, event.prompt, event.cwd, event.trigger):
            text.encode("utf-8")


@given(st.binary(max_size=200))
def test_no_bytes_raise(body: bytes) -> None:
    read_event("codex", body, "Stop")


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_only_events_whose_output_is_read_get_one(client) -> None:
    for native, event in client.events.items():
        out = write_context(HookEvent(client.name, event, native, "s"), "note\x1b\u202e\ud800 é")
        assert bool(out) == (event in client.answers)
        assert out.isascii()
        assert b"\x1b" not in out
        assert not out or json.loads(out)
        assert write_context(HookEvent(client.name, event, native, "s"), " \n") == b""


def test_the_answers_have_the_documented_shapes() -> None:
    def said(client: str, native: str) -> object:
        return json.loads(write_context(HookEvent(client, client_named(client).events[native], native, "s"), "x"))

    nested = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}
    assert (
        said("claude-code", "SessionStart") == said("codex", "SessionStart") == said("gemini", "SessionStart") == nested
    )
    assert said("cursor", "sessionStart") == {"additional_context": "x"}
    assert said("copilot", "SessionStart") == {"additionalContext": "x", **nested}
    assert said("opencode", "chat.message") == {"context": "x"}
