"""Commands on the git hooks that record what is committed."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remora.entrypoints.cli.frame import Frame, command

if TYPE_CHECKING:
    from remora.usecases.install_git_hooks import GitHooksResult

hooks = typer.Typer(
    help="Git hooks that record what is committed, beside whatever hooks there are.", no_args_is_help=True
)
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(hooks, name="hooks")


def install(frame: Frame, dry_run: _DryRun = False) -> None:
    """Record commits, merges and rebases in the background from now on. Safe to repeat."""
    done = change_git_hooks(frame, dry_run=dry_run)
    _emit(frame, done, dry_run=dry_run)


def remove(frame: Frame, dry_run: _DryRun = False) -> None:
    """Take our block out of each hook; others' text stays to the byte."""
    done = change_git_hooks(frame, remove=True, dry_run=dry_run)
    _emit(frame, done, dry_run=dry_run)


def status(frame: Frame) -> None:
    """Which hooks are installed, and when they last recorded something."""
    from remora.core.clients.hook_trail import GIT_MARK
    from remora.core.encounters.times import shown

    there = change_git_hooks(frame, remove=True, dry_run=True)
    wanted = {row.name: row.outcome for row in change_git_hooks(frame, dry_run=True).hooks}
    rows = [{"name": row.name, "state": _state(row.outcome, wanted[row.name]), "reason": row.reason}
            for row in there.hooks]  # fmt: skip
    last = frame.ports().hook_trail.marks().get(GIT_MARK)
    lines = [f"{row['name']}: {row['state']}" + (f" ({row['reason']})" if row["reason"] else "") for row in rows]
    lines.append(f"last recorded: {shown(last) if last else 'never'}")
    frame.emit({"hooks": rows, "last_success": shown(last) if last else None}, "\n".join(lines))


def _state(removal: str, installing: str) -> str:
    if removal == "refused" or installing == "refused":
        return "refused"
    if removal != "removed":
        return "absent"
    return "installed" if installing == "unchanged" else "outdated"


def change_git_hooks(frame: Frame, *, remove: bool = False, dry_run: bool = False) -> "GitHooksResult":
    """Install or remove the hooks of the repository that the command stands in."""
    from remora.bootstrap import open_hooks
    from remora.usecases.install_git_hooks import GitHooksRequest, install_git_hooks

    place, files = open_hooks(frame.ports())
    return install_git_hooks(files, GitHooksRequest(place, own_command(), remove=remove, dry_run=dry_run))


def own_command() -> tuple[str, ...]:
    """What starts this very remora, wherever it is run: the folder it stands in is kept off the module path."""
    return (str(Path(sys.executable).absolute()), "-P", "-m", "remora")


def _emit(frame: Frame, done: "GitHooksResult", *, dry_run: bool) -> None:
    data: dict[str, Any] = asdict(done) | {"dry_run": dry_run}
    frame.emit(data, "\n".join(hook_lines(done)))
    if all(row.outcome == "refused" for row in done.hooks):
        raise typer.Exit(1)


def hook_lines(done: "GitHooksResult") -> list[str]:
    """What happened to each hook."""
    lines = [f"{row.name}: {row.outcome}" + (f" ({row.reason})" if row.reason else "") for row in done.hooks]
    return [*lines, *done.notes]


for _run in (install, remove, status):
    command(hooks)(_run)
