"""Commands that set up agent clients: their hooks and MCP registration, and the memory rules in instruction files."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remora.core.clients.catalogue import CLIENT_NAMES
from remora.core.errors import InvalidInput
from remora.entrypoints.cli.frame import guarded
from remora.entrypoints.cli.serving import mcp

if TYPE_CHECKING:
    from remora.core.clients.entries import HookOptions

_SIGNS = {
    "claude-code": (".claude", "CLAUDE.md", ".mcp.json"),
    "codex": (".codex",),
    "gemini": (".gemini", "GEMINI.md"),
    "cursor": (".cursor", ".cursorrules"),
    "copilot": (".vscode", ".github/copilot-instructions.md"),
    "opencode": (".opencode", "opencode.json", "opencode.jsonc"),
}
"""Files by which a client that is used in a project is recognised."""
_Project = Annotated[Path, typer.Argument(help="The project.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
_Remove = Annotated[bool, typer.Option("--remove", help="Take back exactly what was added.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")]


def register(app: typer.Typer) -> None:
    """Add the commands to `remora mcp`."""
    mcp.command("hooks")(hooks)
    mcp.command("agents-md")(agents_md)


def hooks(
    path: _Project = Path(),
    client: Annotated[list[str] | None, typer.Option(help="Agent client; those in use when left out.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="Into the file that git tracks.")] = False,
    compact_at: Annotated[int, typer.Option(help="Claude Code: compact at this percentage; 0 leaves it.")] = 0,
    delta: Annotated[bool, typer.Option("--delta", help="After each tool call too.")] = False,
    shadow: Annotated[bool, typer.Option("--shadow", help="Log what would be said; say nothing.")] = False,
    token: Annotated[bool, typer.Option("--token", help="Pass REMORA_API_TOKEN on, by name.")] = False,
    no_hooks: Annotated[bool, typer.Option("--no-hooks", help="Only the MCP server.")] = False,
    no_mcp: Annotated[bool, typer.Option("--no-mcp", help="Only the hooks.")] = False,
    remove: _Remove = False,
    dry_run: _DryRun = False,
    json_output: _Json = False,
) -> None:
    """Install the hooks and the MCP server in the settings of agent clients, keeping all else byte for byte."""

    def run() -> None:
        from remora.bootstrap import compile_hook, project_files
        from remora.usecases.install_client_hooks import ClientHooksRequest, install_client_hooks

        root = _folder(path)
        options = hook_options(shared=shared, compact_at=compact_at, delta=delta, shadow=shadow, token=token)
        names = tuple(client or (CLIENT_NAMES if remove else clients_in_use(root) or ("claude-code",)))
        request = ClientHooksRequest(names, options, hooks=not no_hooks, mcp=not no_mcp, remove=remove, dry_run=dry_run)
        done = install_client_hooks(project_files(root), request)
        if not (remove or dry_run):
            compile_hook()
        rows = [{"path": row.path, "change": row.change, "kept": list(row.kept)} for row in done.files]
        lines = [f"{row.change}: {row.path}" + (f"\n{row.diff}" if dry_run and row.diff else "") for row in done.files]
        data = {"clients": list(names), "files": rows, "notes": list(done.notes), "dry_run": done.dry_run}
        _emit(data, [*lines, *done.notes], json_output=json_output)

    guarded(run, json_output)


def agents_md(
    path: _Project = Path(), remove: _Remove = False, dry_run: _DryRun = False, json_output: _Json = False
) -> None:
    """Write or refresh the memory rules in AGENTS.md and, where present, CLAUDE.md and GEMINI.md."""

    def run() -> None:
        from remora.bootstrap import project_files
        from remora.usecases.write_agents_md import write_agents_md

        done = write_agents_md(project_files(_folder(path)), remove=remove, dry_run=dry_run)
        rows = [{"path": row.path, "change": row.outcome} for row in done]
        lines = [f"{row.outcome}: {row.path}" for row in done]
        _emit({"files": rows, "dry_run": dry_run}, lines, json_output=json_output)

    guarded(run, json_output)


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise InvalidInput("path", f"{str(path)!r} is not a folder", allowed="an existing project folder")
    return path.absolute()


def clients_in_use(root: Path) -> tuple[str, ...]:
    """The agent clients that left a file of theirs in the project."""
    return tuple(name for name, signs in _SIGNS.items() if any((root / sign).exists() for sign in signs))


def hook_options(*, shared: bool = False, **more: Any) -> "HookOptions":
    """How hooks start this very remora."""
    from remora.core.clients.entries import HookOptions

    return HookOptions(
        python=_absolute(sys.executable), script=_script(), mcp_command=_server_command(shared=shared),
        shared=shared, windows=os.name == "nt", **more,
    )  # fmt: skip


def _absolute(program: str) -> str:
    return str(Path(program).absolute())


def _script() -> str:
    import remora_hook

    return str(Path(remora_hook.__file__).absolute().with_name("hook.py"))


def _server_command(*, shared: bool) -> tuple[str, ...]:
    """Shared files must work on other machines, where only the name on PATH is known.

    The folder that a client starts the server in is kept off the module path: a repository is not trusted with that.
    """
    return ("remora", "mcp") if shared else (_absolute(sys.executable), "-P", "-m", "remora", "mcp")


def _emit(data: dict[str, Any], lines: list[str], *, json_output: bool) -> None:
    import json

    typer.echo(json.dumps(data, ensure_ascii=False) if json_output else "\n".join(lines) or "nothing to change")
