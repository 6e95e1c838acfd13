"""The entries that an install writes for one client: hook commands per event, and the MCP server."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from remora.core.clients.catalogue import Client, Event
from remora.core.clients.settings import Wanted
from remora.core.errors import InvalidInput
from remora.core.policy import COMPACT_AT_MAX_PERCENT, HOOK_CLIENT_TIMEOUT_SECONDS, SESSION_END_TIMEOUT_SECONDS

_TOOLS_WORTH_A_LOOK = {
    "claude-code": "Edit|Write|NotebookEdit|Read|Bash|PowerShell",
    "gemini": "replace|write_file|read_file|run_shell_command",
}
_COMPACT_VARIABLE = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"


@dataclass(frozen=True, slots=True)
class HookOptions:
    """How hooks are to be installed. `python` and `script` are absolute paths; `mcp_command` starts the stdio server.

    `compact_at` is a percentage, 0 leaves the client's own threshold alone. `windows` quotes for cmd.
    """

    python: str
    script: str
    mcp_command: tuple[str, ...] = ("remora", "mcp")
    shared: bool = False
    compact_at: int = 0
    delta: bool = False
    shadow: bool = False
    token: bool = False
    windows: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.compact_at <= COMPACT_AT_MAX_PERCENT:
            allowed = f"0 (leave it alone) to {COMPACT_AT_MAX_PERCENT}"
            raise InvalidInput("compact_at", f"{self.compact_at} is no percentage to compact at", allowed=allowed)


def hook_argv(client: Client, native: str, options: HookOptions) -> tuple[str, ...]:
    """The hook's command line for one event."""
    words = [options.python, "-I", "-S", options.script, "--client", client.name, "--event", native]
    if client.events[native] is Event.TOOL:
        words += ["--mode", "delta"]
    return (*words, "--shadow") if options.shadow else tuple(words)


def hook_entries(client: Client, options: HookOptions) -> list[Wanted]:
    """Everything wanted in the client's hooks file (not for OpenCode, whose plugin is a file of its own)."""
    wanted = [Wanted((key,), value) for key, value in client.heads]
    for native, event in client.events.items():
        if event is not Event.TOOL or options.delta:
            wanted.append(Wanted(("hooks", native), _entry(client, native, options), append=True))
    if client.name == "claude-code" and options.compact_at:
        wanted.append(Wanted(("env", _COMPACT_VARIABLE), str(options.compact_at)))
    return wanted


def server_entry(client: Client, options: HookOptions) -> Wanted:
    """The stdio server in the client's MCP file: a command and, when asked for, the NAME of the token's variable."""
    command, *rest = options.mcp_command
    variables: dict[str, object] = {"REMORA_API_TOKEN": client.variable_reference} if options.token else {}
    server: dict[str, object] = {"command": command, "args": rest}
    if client.mcp_form == "typed":
        server = {"type": "stdio", **server}
    if client.mcp_form == "list":
        server = {"type": "local", "command": [command, *rest], "enabled": True}
    if variables:
        server["environment" if client.mcp_form == "list" else "env"] = variables
    return Wanted(client.mcp_path, server)


def server_toml(options: HookOptions) -> str:
    """The same registration as a TOML table, for Codex; the token's variable is forwarded by name."""
    command, *rest = options.mcp_command
    lines = ["[mcp_servers.remora]", f"command = {_toml(command)}", f"args = [{', '.join(map(_toml, rest))}]"]
    if options.token:
        lines.append('env_vars = ["REMORA_API_TOKEN"]')
    return "\n".join(lines) + "\n"


def shell_command(words: Sequence[str], *, windows: bool = False) -> str:
    """One shell line; `$CLAUDE_PROJECT_DIR` at the start of a word stays a variable."""
    if windows:
        return " ".join(f'"{word}"' if set(word) & set(" &()^%!") else word for word in words)
    prefix = "$CLAUDE_PROJECT_DIR/"
    quoted = [
        f'"$CLAUDE_PROJECT_DIR"/{shlex.quote(word[len(prefix) :])}' if word.startswith(prefix) else shlex.quote(word)
        for word in words
    ]
    return " ".join(quoted)


def _entry(client: Client, native: str, options: HookOptions) -> dict[str, object]:
    event = client.events[native]
    seconds = SESSION_END_TIMEOUT_SECONDS if event is Event.SESSION_END else HOOK_CLIENT_TIMEOUT_SECONDS
    command = shell_command(hook_argv(client, native, options), windows=options.windows)
    hook: dict[str, object] = {"type": "command", "command": command}
    if client.name == "cursor":
        hook = {"command": command}
    if client.name == "copilot":  # the editor reads `command`, the CLI `bash` or `powershell`
        hook["powershell" if options.windows else "bash"] = command
        hook["timeoutSec"] = seconds
    if client.name == "gemini":
        hook = {"name": f"remora-{event.value.replace('_', '-')}", **hook}
    hook[client.timeout_key] = seconds * client.timeout_unit
    if not client.nested:
        return hook
    matcher = _TOOLS_WORTH_A_LOOK.get(client.name) if event is Event.TOOL else None
    return {"matcher": matcher, "hooks": [hook]} if matcher else {"hooks": [hook]}


def _toml(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)
