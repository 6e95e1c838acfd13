"""The canonical hook event, read from whatever a client sends, and the one answer each client understands."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remora.core.clients.catalogue import Client, Event, client_named
from remora.core.clients.turns import Turn, turn_of_message
from remora.core.policy import HOOK_TOOL_MAX_CHARS, PROMPT_MAX_CHARS, SESSION_ID_MAX_CHARS

Json = Mapping[str, object]

_SESSION = ("session_id", "sessionId", "sessionID", "conversation_id")
_PATH_KEYS = ("file_path", "filePath", "path", "absolute_path", "notebook_path")
_SPEAKERS = ("prompt_source", "promptSource", "origin")
_PEOPLE = frozenset({"user", "human", "typed", "keyboard", "interactive", ""})
_NOT_TYPED = re.compile(r"\s*<(?:task-notification|system-reminder|command-(?:name|message)|local-command-)")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that ran: its name, the files it names, its input and result as text; `cut` counts what was left out."""

    name: str
    files: tuple[str, ...] = ()
    text: str = ""
    cut: int = 0


@dataclass(frozen=True, slots=True)
class HookEvent:
    """What happened in a client. `native` is the client's own name of the event, needed for the answer.

    `trigger` is how a session started, why it ended or what set off a compaction. `from_user` is False for prompts that
    no person typed. `prompt_cut` counts characters beyond the limit. `turns` are messages sent along instead of a
    transcript.
    """

    client: str
    event: Event
    native: str
    session_id: str
    cwd: str = ""
    prompt: str = ""
    prompt_cut: int = 0
    trigger: str = ""
    transcript_path: str = ""
    summary: str = ""
    tool: ToolUse | None = None
    turns: tuple[Turn, ...] = ()
    from_user: bool = True


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing to do for this payload; `reason` is a fixed word, fit for a log."""

    reason: str


def read_event(client_name: str, body: bytes, native: str = "") -> HookEvent | Skipped:
    """The event in a client's payload. `native` is what the command line says, and wins over the payload.

    Raises `InvalidInput` for an unknown client; everything a payload can be is answered by a value.
    """
    client = client_named(client_name)
    payload = _payload(body)
    if payload is None:
        return Skipped("payload_is_not_an_object")
    native = native if native in client.events else _text(payload, "hook_event_name", "hookEventName")
    if native not in client.events:
        return Skipped("unknown_event")
    session = _text(payload, *_SESSION).strip()
    if not session or len(session) > SESSION_ID_MAX_CHARS or not session.isprintable():
        return Skipped("no_session_id")
    prompt = _text(payload, "prompt", "user_prompt", "initial_prompt", "initialPrompt")
    return HookEvent(
        client=client.name,
        event=client.events[native],
        native=native,
        session_id=session,
        cwd=_folder(payload),
        prompt=prompt[:PROMPT_MAX_CHARS],
        prompt_cut=max(0, len(prompt) - PROMPT_MAX_CHARS),
        trigger=_text(payload, "source", "trigger", "reason", "stop_reason")[:64],
        transcript_path=_text(payload, "transcript_path", "transcriptPath", "agent_transcript_path"),
        summary=_text(payload, "compact_summary", "summary")[:PROMPT_MAX_CHARS],
        tool=_tool(payload) if client.events[native] is Event.TOOL else None,
        turns=_messages(payload),
        from_user=_typed_by_a_person(payload, prompt),
    )


def write_context(event: HookEvent, context: str) -> bytes:
    """What to print so that the client adds `context` to the conversation; b"" when it would not be read."""
    client = client_named(event.client)
    if not context.strip() or event.event not in client.answers:
        return b""
    return json.dumps(_answer(client, event.native, clean(context))).encode("ascii")


def clean(text: str) -> str:
    """Text that every encoder takes: no NUL, no lone surrogate."""
    return _SURROGATE.sub("\ufffd", text.replace("\0", ""))


def _answer(client: Client, native: str, context: str) -> dict[str, object]:
    if client.name == "cursor":
        return {"additional_context": context}
    if client.name == "opencode":
        return {"context": context}
    nested = {"hookSpecificOutput": {"hookEventName": native, "additionalContext": context}}
    if client.name == "copilot":  # the editor reads the nested form, the CLI the plain one
        return {"additionalContext": context, **nested}
    return dict(nested)


def _payload(body: bytes) -> Json | None:
    try:
        payload = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _text(payload: Json, *keys: str) -> str:
    """The first of the keys that holds a non-empty string."""
    return next((clean(value) for key in keys if isinstance(value := payload.get(key), str) and value), "")


def _folder(payload: Json) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return _text(payload, "cwd") or clean(first)


def _typed_by_a_person(payload: Json, prompt: str) -> bool:
    speaker = next((value for key in _SPEAKERS if isinstance(value := payload.get(key), str)), "")
    return not payload.get("agent_id") and speaker.lower() in _PEOPLE and not _NOT_TYPED.match(prompt)


def _tool(payload: Json) -> ToolUse:
    given = _decoded(payload.get("tool_input", payload.get("toolArgs")))
    result = payload.get(
        "tool_response", payload.get("tool_result", payload.get("toolResult", payload.get("tool_output")))
    )
    text = "\n".join(piece for piece in (*_strings(given), *_strings(_decoded(result))) if piece)
    files = tuple(dict.fromkeys(_files(given)))
    name = _text(payload, "tool_name", "toolName")[:200]
    return ToolUse(name, files, clean(text[:HOOK_TOOL_MAX_CHARS]), max(0, len(text) - HOOK_TOOL_MAX_CHARS))


def _decoded(value: object) -> object:
    if isinstance(value, str) and value.startswith(("{", "[")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _strings(value: object, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth > 6:
        return []
    inner: Sequence[object] = (
        list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []
    )
    return [found for item in inner for found in _strings(item, depth + 1)]


def _files(given: object) -> list[str]:
    if not isinstance(given, Mapping):
        return []
    named = [value for key in _PATH_KEYS if isinstance(value := given.get(key), str) and value]
    listed = given.get("files")
    more = [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
    return [clean(path) for path in (*named, *more)][:50]


def _messages(payload: Json) -> tuple[Turn, ...]:
    messages = payload.get("messages")
    found = [turn_of_message(message) for message in messages] if isinstance(messages, list) else []
    return tuple(turn for turn in found if turn is not None)
