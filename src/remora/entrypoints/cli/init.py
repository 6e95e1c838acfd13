"""`remora init`: makes a repository ready, and takes the further steps that a switch or a person asks for."""

import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from remora.core.clients.catalogue import CLIENT_NAMES
from remora.core.errors import InvalidInput, RemoraError
from remora.entrypoints.cli.frame import Frame, command, progress, staged_progress

_Step = tuple[str, str, Callable[[], tuple[dict[str, Any], list[str]]]]
"""Name, the question that is asked before it, and what does it: (what happened for machines, for people)."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "init")(init)


def init(
    frame: Frame,
    share_records: Annotated[bool, typer.Option(help="Add a folder that git tracks, for authored records.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take every step without asking.")] = False,
    git_hooks: Annotated[bool | None, typer.Option("--git-hooks/--no-git-hooks", help="Record commits.")] = None,
    client_hooks: Annotated[
        bool | None, typer.Option("--client-hooks/--no-client-hooks", help="Connect the agent clients in use.")
    ] = None,
    client: Annotated[list[str] | None, typer.Option(help="Connect this client; may be given several times.")] = None,
    agents_md: Annotated[
        bool | None, typer.Option("--agents-md/--no-agents-md", help="Write the memory rules into AGENTS.md.")
    ] = None,
    index: Annotated[
        bool | None, typer.Option("--index/--no-index", help="Build the code graph, record history and documents.")
    ] = None,
) -> None:
    """Make this repository ready for Remora. On a terminal each further step is asked for. Safe to repeat."""
    from remora.usecases.init_repository import init_repository

    for name in client or ():
        if name not in CLIENT_NAMES:
            raise InvalidInput("--client", f"{name!r} is unknown", allowed=", ".join(CLIENT_NAMES))
    wanted = {"git_hooks": git_hooks, "client_hooks": True if client else client_hooks, "agents_md": agents_md,
              "index": index}  # fmt: skip
    done = init_repository(frame.ports(), frame.grant, share_records=share_records)
    lines = [f"ready: {done.identity} ({done.id})", f"records: {done.home}", f"store: {done.store}"]
    data: dict[str, Any] = dict(done.to_json())
    failed = False
    for name, question, run in _steps(frame, tuple(client or ()), wanted):
        if not _agreed(frame, question, wanted[name], yes=yes):
            continue
        try:
            told, more = run()
        except RemoraError as error:  # one step that fails stops no other
            failed, told, more = True, {"error": str(error)}, [f"failed: {error}"]
        data.setdefault("steps", {})[name] = told
        lines += [f"{name.replace('_', ' ')}:", *(f"  {line}" for line in more)]
    if "index" not in data.get("steps", {}):
        lines.append("next: remora index; remora records ingest --all; remora recall ...")
    frame.emit(data, "\n".join(lines))
    if failed:
        raise typer.Exit(1)


def _agreed(frame: Frame, question: str, told: bool | None, *, yes: bool) -> bool:
    """What the switches say; on a terminal a person is asked where they say nothing."""
    if told is not None or yes:
        return told is not False
    if frame.json_output or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm(question, default=True)


def _steps(frame: Frame, clients: tuple[str, ...], wanted: dict[str, bool | None]) -> Iterator[_Step]:
    """The steps that make sense here, and those asked for by name, which then say why they cannot be taken."""
    from remora.entrypoints.cli.setup import clients_in_use

    root = frame.ports().checkout.root
    names = clients or clients_in_use(root)
    if frame.ports().checkout.common_dir is not None or wanted["git_hooks"]:
        yield "git_hooks", "Record commits in the background from git hooks?", lambda: _git_hooks(frame)
    if names or wanted["client_hooks"]:
        yield "client_hooks", f"Connect {', '.join(names)} to this memory?", lambda: _client_hooks(frame, names)
    yield "agents_md", "Write the memory rules into AGENTS.md?", lambda: _agents_md(frame)
    yield "index", "Build the code graph and record history and documents now?", lambda: _index(frame)


def _git_hooks(frame: Frame) -> tuple[dict[str, Any], list[str]]:
    from dataclasses import asdict

    from remora.entrypoints.cli.hooks import change_git_hooks, hook_lines

    done = change_git_hooks(frame)
    return asdict(done), hook_lines(done)


def _client_hooks(frame: Frame, names: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    from remora.bootstrap import compile_hook, project_files
    from remora.entrypoints.cli.setup import hook_options
    from remora.usecases.install_client_hooks import ClientHooksRequest, install_client_hooks

    files = project_files(frame.ports().checkout.root)
    done = install_client_hooks(files, ClientHooksRequest(names, hook_options()))
    compile_hook()
    rows = [{"path": row.path, "change": row.change, "kept": list(row.kept)} for row in done.files]
    lines = [f"{row.change}: {row.path}" for row in done.files]
    return {"clients": list(names), "files": rows, "notes": list(done.notes)}, [*lines, *done.notes]


def _agents_md(frame: Frame) -> tuple[dict[str, Any], list[str]]:
    from remora.bootstrap import project_files
    from remora.usecases.write_agents_md import write_agents_md

    done = write_agents_md(project_files(frame.ports().checkout.root))
    rows = [{"path": row.path, "change": row.outcome} for row in done]
    return {"files": rows}, [f"{row.outcome}: {row.path}" for row in done]


def _index(frame: Frame) -> tuple[dict[str, Any], list[str]]:
    from remora.usecases.index_repository import IndexRequest, index_repository
    from remora.usecases.ingest_docs import ingest_docs
    from remora.usecases.ingest_git import IngestRequest, ingest_git

    ports, grant = frame.ports(), frame.grant
    graph = index_repository(ports, grant, IndexRequest(), staged_progress())
    data: dict[str, Any] = {"mode": graph.mode, "counts": dict(graph.counts)}
    lines = [f"code graph: {', '.join(f'{count} {name}' for name, count in graph.counts.items())}"]
    if ports.checkout.common_dir is not None:
        history = ingest_git(ports, grant, IngestRequest(all_refs=True), progress("ingesting"))
        data["commits"] = {"seen": history.seen, "recorded": history.recorded, "skipped": history.skipped}
        lines.append(f"history: {history.seen} commits, {history.recorded} recorded, {history.skipped} skipped")
    docs = ingest_docs(ports, grant)
    data["documents"] = {"seen": docs.seen, "recorded": docs.recorded, "skipped": len(docs.skipped_documents)}
    lines.append(f"documents: {docs.seen}, {docs.recorded} recorded, {len(docs.skipped_documents)} skipped")
    return data, lines
