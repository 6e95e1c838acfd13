"""Install or remove the hooks and the MCP registration of agent clients in one project's settings files."""

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from remora.core.clients.catalogue import CLIENT_NAMES, client_named
from remora.core.clients.entries import HookOptions
from remora.core.clients.install_plan import Step, install_steps, removal_steps
from remora.core.clients.settings import Patch, Receipt
from remora.core.errors import InvalidInput
from remora.ports import ProjectFiles

Change = Literal["created", "changed", "unchanged", "removed"]
_COMPACT_NOTE = (
    "compact-at sets CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: reports say that it can only lower Claude Code's own threshold "
    "and that some versions ignore it; prefer the client's setting where it has one."
)


@dataclass(frozen=True, slots=True)
class ClientHooksRequest:
    """Which clients, and how. Nothing is written on `dry_run`, nor when any one of the files cannot be patched."""

    clients: tuple[str, ...]
    options: HookOptions
    hooks: bool = True
    mcp: bool = True
    remove: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happened to one file; `kept` names keys that hold somebody else's value; `diff` shows changed lines only."""

    path: str
    change: Change
    kept: tuple[str, ...] = ()
    diff: str = ""


@dataclass(frozen=True, slots=True)
class ClientHooksResult:
    """Every file that was looked at, in order, and what the user should know."""

    files: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()
    dry_run: bool = False


def install_client_hooks(files: ProjectFiles, request: ClientHooksRequest) -> ClientHooksResult:
    """Patch the settings files of the clients. Raises `InvalidInput` with every file as it was."""
    if not request.clients:
        raise InvalidInput("client", "no client was named", allowed=", ".join(CLIENT_NAMES))
    receipts = _read_receipts(files)
    plan = [_planned(files, receipts, step) for step in _steps(files, request)]
    changes = tuple(change for change, _, _ in plan if change is not None)
    if not request.dry_run:
        for change, before, patch in plan:
            if change is not None:
                _carry_out(files, change, before, patch)
        _write_receipts(files, receipts, plan)
    return ClientHooksResult(changes, _notes(request, changes), request.dry_run)


Planned = tuple[FileChange | None, bytes | None, Patch]


def _steps(files: ProjectFiles, request: ClientHooksRequest) -> list[Step]:
    steps: list[Step] = []
    for name in dict.fromkeys(request.clients):
        client = client_named(name)
        if client.name == "opencode" and files.read("opencode.json") is None and files.read("opencode.jsonc"):
            client = replace(client, mcp_file="opencode.jsonc")
        if request.remove:
            steps += removal_steps(client)
        else:
            steps += install_steps(client, request.options, hooks=request.hooks, mcp=request.mcp)
    return steps


def _planned(files: ProjectFiles, receipts: Mapping[str, Receipt], step: Step) -> Planned:
    before = files.read(step.path)
    try:
        text = None if before is None else before.decode("utf-8")
        patch = step.edit(text, receipts.get(step.path))
    except UnicodeDecodeError as error:
        raise InvalidInput(step.path, "not UTF-8; nothing was changed", allowed="UTF-8") from error
    except InvalidInput as error:
        raise InvalidInput(step.path, f"{error.problem}; nothing was changed", allowed=error.allowed) from error
    if text is None and patch.text is None:
        return None, before, patch
    if text == patch.text:
        return FileChange(step.path, "unchanged", patch.kept), before, patch
    change: Change = "removed" if patch.text is None else "created" if text is None else "changed"
    return FileChange(step.path, change, patch.kept, _diff(step.path, text or "", patch.text or "")), before, patch


def _diff(path: str, before: str, after: str) -> str:
    """Changed lines without context: the lines around them may hold other people's secrets."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, n=0, lineterm="")
    return "\n".join(lines)


def _carry_out(files: ProjectFiles, change: FileChange, before: bytes | None, patch: Patch) -> None:
    if change.change == "removed":
        files.remove(change.path)
    elif patch.text is not None and patch.text.encode("utf-8") != before:
        files.write(change.path, patch.text.encode("utf-8"))


def _read_receipts(files: ProjectFiles) -> dict[str, Receipt]:
    try:
        body = json.loads(files.read_receipts() or b"{}")
    except ValueError:
        return {}
    pairs = body.items() if isinstance(body, dict) else ()
    return {path: receipt for path, value in pairs if (receipt := Receipt.from_json(value)) is not None}


def _write_receipts(files: ProjectFiles, receipts: dict[str, Receipt], plan: list[Planned]) -> None:
    after = dict(receipts)
    for change, _, patch in plan:
        if change is not None and patch.receipt is not None:
            after[change.path] = patch.receipt
        elif change is not None:
            after.pop(change.path, None)
    if after != receipts:
        body = {path: receipt.to_json() for path, receipt in sorted(after.items())}
        files.write_receipts(json.dumps(body, ensure_ascii=False).encode("utf-8") if body else b"")


def _notes(request: ClientHooksRequest, changes: tuple[FileChange, ...]) -> tuple[str, ...]:
    notes = [
        f"{change.path}: {key} holds another value and was left alone" for change in changes for key in change.kept
    ]
    if request.remove:
        return tuple(notes)
    notes += [note for name in request.clients if (note := client_named(name).note)]
    options = request.options
    if options.compact_at and "claude-code" in request.clients:
        notes.append(_COMPACT_NOTE)
    if not options.python.startswith("$") and (named := _often_committed(request)):
        notes.append(f"{', '.join(named)}: names an interpreter of this machine; others run the install themselves")
    return tuple(notes)


def _often_committed(request: ClientHooksRequest) -> list[str]:
    clients = [client_named(name) for name in request.clients] if request.hooks else []
    shared = [
        client.shared_hooks_file if request.options.shared else "" for client in clients if client.shared_hooks_file
    ]
    return [
        path for path in (*shared, *(client.hooks_file for client in clients if not client.shared_hooks_file)) if path
    ]
