"""Commands on the code graph."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.entrypoints import render
from remora.entrypoints.cli.frame import Frame, command, staged_progress
from remora.entrypoints.cli.output import read_limited

graph = typer.Typer(help="The code graph: export it, see how it stands, check it.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the top-level commands."""
    command(app, "index")(index)
    command(app, "update")(update)
    command(app, "reindex")(reindex)
    command(app, "affected")(affected)
    command(app, "impact")(impact)
    command(app, "watch")(watch)
    app.add_typer(graph, name="graph")


def index(frame: Frame, full: Annotated[bool, typer.Option(help="Build everything anew.")] = False) -> None:
    """Build the code graph of this checkout (what is unchanged is kept)."""
    _index(frame, full=full)


def update(frame: Frame) -> None:
    """Bring the code graph up to date with what changed."""
    _index(frame, full=False)


def reindex(
    frame: Frame,
    vectors: Annotated[bool, typer.Option("--vectors", help="Only what recall by meaning needs.")] = False,
) -> None:
    """Rebuild what is derived: the code graph, the record index, and vectors of memory that has none of this model."""
    from remora.usecases.index_memory import IndexMemoryRequest, index_memory

    ports = frame.ports()
    if not vectors:
        _index(frame, full=True)
        ports.record_index.rebuild()
    if ports.embedder is None:
        frame.emit({"vectors": None}, "no vectors: no embedder is in use")
        return
    frame.require_memory()
    done = index_memory(ports, frame.grant, IndexMemoryRequest())
    told = f"{_many(done.embedded, 'vector')} made by {done.model}, {done.missing} still missing"
    told += f", {done.refused} refused as unusable" if done.refused else ""
    frame.emit({"vectors": done.to_json()}, told)


def _index(frame: Frame, *, full: bool) -> None:
    from remora.usecases.index_repository import IndexRequest, index_repository

    done = index_repository(frame.ports(), frame.grant, IndexRequest(full=full), staged_progress())
    data = asdict(done)
    skipped = ", ".join(f"{count} {reason}" for reason, count in done.skipped.items())
    told = f"{done.mode}: {_many(done.files, 'file')}, "
    if done.mode == "incremental":
        told += f"{done.parsed} parsed and {done.relinked} re-linked with "
    told += _figures(done.counts)
    lines = [told + (f"; skipped {skipped}" if skipped else "")]
    lines += [f"  {path}: {problem}" for path, problem in done.problems[:20]]
    frame.emit(data, "\n".join(lines))


def watch(frame: Frame) -> None:
    """Keep the code graph up to date while files change; ends with Ctrl-C."""
    import time

    from remora.core.codegraph.settling import Settling
    from remora.usecases.index_repository import IndexRequest, index_repository

    ports, settling = frame.ports(), Settling()
    try:
        while True:
            started = time.monotonic()
            if settling.look(ports.sources.listing(), started):
                done = index_repository(ports, frame.grant, IndexRequest(), staged_progress())
                text = f"{done.mode}: {done.files} files, {done.parsed} parsed, {done.relinked} linked"
                frame.emit(asdict(done), text)
                sys.stdout.flush()
            time.sleep(settling.pause(time.monotonic() - started))
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)


def _figures(counts: Any) -> str:
    names = {
        "symbol": "symbol",
        "edge": "edge",
        "unresolved": "unresolved call",
        "guess": "guessed call",
        "boundary": "route or other boundary",
        "unmatched_crossing": "request to none of them",
    }
    return ", ".join(_many(counts[key], name) for key, name in names.items() if key in counts)


def _many(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def affected(
    frame: Frame,
    symbol: Annotated[str, typer.Argument(help="Symbol id, name, file, or name@path.")],
    depth: Annotated[int, typer.Option(help="Hops.")] = 3,
    tests: Annotated[bool, typer.Option("--tests", help="Only tests.")] = False,
    ambiguous: Annotated[bool, typer.Option(help="Follow guesses by unique name too.")] = False,
) -> None:
    """What depends on a symbol or file, with its tests and the memory on it."""
    frame.answer("affected", symbol=symbol, depth=depth, tests_only=tests, ambiguous=ambiguous)


def impact(
    frame: Frame,
    revision: Annotated[str | None, typer.Argument(help="BASE..HEAD, or a pull request's number.")] = None,
    base: Annotated[str | None, typer.Option(help="Compare the working tree with this commit.")] = None,
    files: Annotated[list[str] | None, typer.Option(help="As if these files changed; may be repeated.")] = None,
    diff: Annotated[Path | None, typer.Option(help="As if this diff were applied; `-` reads standard input.")] = None,
    depth: Annotated[int | None, typer.Option(help="Hops shown.")] = None,
) -> None:
    """What a change reaches: symbols, tests, habits, risk, and the memory on it. Alone: the uncommitted work."""
    if sum(given is not None for given in (revision, base, files or None, diff)) > 1:
        raise InvalidInput("REVISION", "--base, --files and --diff exclude each other", allowed="one of them")
    if revision:
        frame.answer("get_pr_impact", revision=revision, depth=depth)
    elif files or diff:
        text = read_limited(diff, policy.DIFF_MAX_CHARS, "--diff").decode("utf-8", "replace") if diff else None
        frame.answer("predict_impact", files=files or None, diff=text, depth=depth)
    else:
        frame.answer("working_changes_impact", base=base, depth=depth)


def export(
    frame: Frame,
    root: Annotated[Path | None, typer.Option(help="The checkout to export (indexed first when need be).")] = None,
    format: Annotated[str, typer.Option("--format", help="json, graphml or cypher.")] = "json",  # noqa: A002  # the option's name
    out: Annotated[Path | None, typer.Option(help="File to write; standard output when left out.")] = None,
    ambiguous: Annotated[bool, typer.Option(help="Guesses by unique name too.")] = False,
) -> None:
    """Write the whole code graph as one deterministic document."""
    from remora.usecases.export_graph import ExportRequest, export_graph
    from remora.usecases.index_repository import IndexRequest, index_repository

    frame.root = root.absolute() if root else frame.root
    ports = frame.ports()
    index_repository(ports, frame.grant, IndexRequest(), staged_progress())
    pieces = export_graph(ports, frame.grant, ExportRequest(format, ambiguous))
    if out is None:
        sys.stdout.writelines(pieces)
        return
    try:
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
    except OSError as error:
        raise InvalidInput("--out", f"{out} cannot be written: {error.strerror}") from error
    frame.emit({"path": str(out)}, f"written to {out}")


def import_scip(frame: Frame, file: Annotated[Path, typer.Argument(help="The index; `-` reads stdin.")]) -> None:
    """Confirm relations by a SCIP index: what a compiler saw too is of the first tier from then on."""
    from remora.usecases.import_scip import import_scip as confirm

    done = confirm(frame.ports(), frame.grant, read_limited(file, policy.SCIP_MAX_BYTES, "FILE"))
    text = f"{done.lifted} relations confirmed and {done.bound} calls bound by {done.documents} documents"
    text += f"; {done.unknown_documents} documents are not of this code graph" if done.unknown_documents else ""
    frame.emit(asdict(done), text)


def stats(frame: Frame) -> None:
    """Sizes per language, what was skipped and why, what went wrong."""
    data = _status(frame)
    frame.emit(data, render.graph_status(data))


def check(frame: Frame) -> None:
    """Like stats, and fails when a language parses badly or yields no symbols."""
    data = _status(frame)
    frame.emit(data, render.graph_status(data))
    if data["warnings"]:
        raise typer.Exit(1)


def _status(frame: Frame) -> dict[str, Any]:
    from remora.usecases.graph_status import graph_status

    return asdict(graph_status(frame.ports(), frame.grant))


def mirror(frame: Frame, ambiguous: Annotated[bool, typer.Option(help="Guesses by unique name too.")] = False) -> None:
    """Copy the code graph into the server engine, beside the memory, for `remora store cypher`."""
    from remora.bootstrap.stores import open_native
    from remora.config import load
    from remora.usecases.index_repository import IndexRequest, index_repository
    from remora.usecases.mirror_code_graph import mirror_code_graph

    ports = frame.ports()
    native = open_native(load(), ports.repository)
    index_repository(ports, frame.grant, IndexRequest(), staged_progress())
    done = mirror_code_graph(ports, frame.grant, native, ambiguous=ambiguous)
    text = (
        f"{_many(done.symbols, 'symbol')} and {_many(done.relations, 'relation')} mirrored into the server's database"
    )
    frame.emit(asdict(done), text)


for _run in (export, stats, check, import_scip, mirror):
    command(graph)(_run)
