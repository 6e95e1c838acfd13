"""The agent clients: their events, the files they read in a project, and how a hook and a server are written there."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from remora.core.errors import InvalidInput

Json = Mapping[str, object]


class Event(StrEnum):
    """What happened, whatever the client calls it."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    TOOL = "tool"
    PRE_COMPACT = "pre_compact"
    POST_COMPACT = "post_compact"
    STOP = "stop"
    SESSION_END = "session_end"


@dataclass(frozen=True, slots=True)
class Client:
    """One agent client. `events` maps its own event names to ours; `answers` are those whose output it reads.

    `nested` hooks stand in a group with a matcher; flat ones directly under their event. Timeouts are written in the
    client's unit: `timeout_unit` units make a second.
    """

    name: str
    label: str
    events: Mapping[str, Event]
    answers: frozenset[Event]
    hooks_file: str
    shared_hooks_file: str = ""
    nested: bool = True
    timeout_key: str = "timeout"
    timeout_unit: int = 1
    mcp_file: str = ""
    mcp_path: tuple[str, ...] = ("mcpServers", "remora")
    mcp_form: Literal["plain", "typed", "list", "toml"] = "plain"
    variable_reference: str = ""
    heads: tuple[tuple[str, object], ...] = ()
    note: str = ""


_COMPACTING = frozenset({Event.SESSION_START, Event.PROMPT, Event.TOOL})

CLIENTS: tuple[Client, ...] = (
    Client(
        name="claude-code",
        label="Claude Code",
        events={
            "SessionStart": Event.SESSION_START,
            "UserPromptSubmit": Event.PROMPT,
            "PreCompact": Event.PRE_COMPACT,
            "PostCompact": Event.POST_COMPACT,
            "SessionEnd": Event.SESSION_END,
            "PostToolUse": Event.TOOL,
        },
        answers=_COMPACTING,
        hooks_file=".claude/settings.local.json",
        shared_hooks_file=".claude/settings.json",
        mcp_file=".mcp.json",
        variable_reference="${REMORA_API_TOKEN:-}",
    ),
    Client(
        name="codex",
        label="Codex CLI",
        events={
            "SessionStart": Event.SESSION_START,
            "UserPromptSubmit": Event.PROMPT,
            "PreCompact": Event.PRE_COMPACT,
            "PostCompact": Event.POST_COMPACT,
            "Stop": Event.STOP,
            "PostToolUse": Event.TOOL,
        },
        answers=_COMPACTING,
        hooks_file=".codex/hooks.json",
        mcp_file=".codex/config.toml",
        mcp_path=("mcp_servers", "remora"),
        mcp_form="toml",
        variable_reference="REMORA_API_TOKEN",
        note="Codex runs project hooks only after the project and the hooks are trusted: open /hooks once.",
    ),
    Client(
        name="gemini",
        label="Gemini CLI",
        events={
            "SessionStart": Event.SESSION_START,
            "BeforeAgent": Event.PROMPT,
            "PreCompress": Event.PRE_COMPACT,
            "SessionEnd": Event.SESSION_END,
            "AfterTool": Event.TOOL,
        },
        answers=_COMPACTING,
        hooks_file=".gemini/settings.json",
        timeout_unit=1000,
        mcp_file=".gemini/settings.json",
        variable_reference="$REMORA_API_TOKEN",
    ),
    Client(
        name="cursor",
        label="Cursor",
        events={
            "sessionStart": Event.SESSION_START,
            "preCompact": Event.PRE_COMPACT,
            "stop": Event.STOP,
            "sessionEnd": Event.SESSION_END,
            "postToolUse": Event.TOOL,
        },
        answers=frozenset({Event.SESSION_START, Event.TOOL}),
        hooks_file=".cursor/hooks.json",
        nested=False,
        mcp_file=".cursor/mcp.json",
        variable_reference="${env:REMORA_API_TOKEN}",
        heads=(("version", 1),),
        note="Cursor lets no hook add context to a prompt: memory arrives at session start and through the MCP tools.",
    ),
    Client(
        name="copilot",
        label="Copilot / VS Code",
        events={
            "SessionStart": Event.SESSION_START,
            "UserPromptSubmit": Event.PROMPT,
            "PreCompact": Event.PRE_COMPACT,
            "Stop": Event.STOP,
            "PostToolUse": Event.TOOL,
        },
        answers=_COMPACTING,
        hooks_file=".github/hooks/remora.json",
        nested=False,
        mcp_file=".vscode/mcp.json",
        mcp_path=("servers", "remora"),
        mcp_form="typed",
        variable_reference="${env:REMORA_API_TOKEN}",
        heads=(("version", 1),),
        note="VS Code also reads the hooks in .claude/; install for one of the two to hear them once.",
    ),
    Client(
        name="opencode",
        label="OpenCode",
        events={
            "session.created": Event.SESSION_START,
            "chat.message": Event.PROMPT,
            "experimental.session.compacting": Event.PRE_COMPACT,
            "session.compacted": Event.POST_COMPACT,
        },
        answers=frozenset({Event.SESSION_START, Event.PROMPT}),
        hooks_file=".opencode/plugins/remora.js",
        mcp_file="opencode.json",
        mcp_path=("mcp", "remora"),
        mcp_form="list",
        variable_reference="{env:REMORA_API_TOKEN}",
    ),
)
CLIENT_NAMES = tuple(client.name for client in CLIENTS)


def client_named(name: str) -> Client:
    """The client of this name; raises `InvalidInput` listing the names there are."""
    for client in CLIENTS:
        if client.name == name:
            return client
    raise InvalidInput("client", f"{name[:40]!r} is not known", allowed=", ".join(CLIENT_NAMES))
