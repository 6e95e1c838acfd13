"""The demo: the main job on one repository, step by step, with sources and timings.

Records and the code graph are the repository's own; facts go to a store that is thrown away, so that a demo leaves no
made-up knowledge behind.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import typer

from remora.bootstrap import open_ports
from remora.config import load
from remora.core.errors import Ambiguous, NotFound, RemoraError
from remora.core.schema import checked
from remora.core.scope import Grant
from remora.core.sessions import SessionRef
from remora.entrypoints.catalogue.listing import by_name
from remora.entrypoints.catalogue.operation import Call
from remora.entrypoints.cli.frame import Frame, progress, staged_progress
from remora.entrypoints.render import for_people
from remora.ports import Ports

_SHOWN_LINES = 14
_ANCHORED_COMMITS = 100


def tour(frame: Frame) -> None:
    """Index, ingest, remember two facts, then recall, look at history and impact, understand something, be reminded."""
    with tempfile.TemporaryDirectory(prefix="remora-demo-") as folder:
        ports = open_ports(replace(load(), data_dir=Path(folder)), frame.root)
        steps: list[dict[str, Any]] = []
        typer.echo(f"Repository {ports.repository.identity} at {ports.checkout.root}\n")
        for title, run in _steps(frame, ports):
            _step(title, run, steps)
        ports.store_admin.close()
        ports.record_index.close()
        if frame.json_output:
            frame.emit({"steps": steps}, "")


def _step(title: str, run: Callable[[], str], steps: list[dict[str, Any]]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        text = for_people(run())
    except RemoraError as error:
        text = f"({error})"
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    steps.append({"step": title, "seconds": round(wall, 3), "cpu_seconds": round(cpu, 3), "text": text})
    lines = text.splitlines()
    typer.echo(f"== {title}  ({wall:.2f} s, {cpu:.2f} s CPU)")
    for line in lines[:_SHOWN_LINES]:
        typer.echo(f"   {line}")
    if len(lines) > _SHOWN_LINES:
        typer.echo(f"   ... {len(lines) - _SHOWN_LINES} more lines")
    typer.echo("")


def _steps(frame: Frame, ports: Ports) -> Iterator[tuple[str, Callable[[], str]]]:
    """Title and work of each step; later ones look at what earlier ones stored."""
    session = SessionRef(client="remora-demo", session_id="demo")
    call = Call(ports, frame.grant, lambda: session)

    def ask(operation: str, **given: Any) -> str:
        chosen = by_name(operation)
        return chosen.run(call, checked(chosen.input, given)).text

    name = ports.checkout.root.name or "this repository"
    facts = [
        {"subject": name, "predicate": "KEEPS_RECORDS_IN", "object": str(ports.checkout.home)},
        {"subject": name, "predicate": "IS_KNOWN_AS", "object": ports.repository.identity},
    ]
    yield "index the code", lambda: _index(frame, ports)
    yield "ingest the history", lambda: _ingest(frame, ports)
    yield "ingest the documents", lambda: _documents(frame, ports)
    yield "remember two facts", lambda: ask("upsert_graph_triples", triples=facts)
    for question in (f"where does {name} keep records?", _topic(frame, ports)):
        yield (
            f"recall: {question}",
            partial(ask, "recall_context", query=question, memory_scope="repository", limit=4),
        )
    file = _file(frame, ports)
    yield f"history of {file}", lambda: ask("explain_history", subject=file, limit=4)
    yield "impact: what a change of the most used function reaches", lambda: _impact(ports, ask)
    yield "open an encounter and note a question", lambda: _encounter(ports, frame.grant, session, ask, file)
    prompt = f"I am going to change {file}; is its history understood?"
    yield f"infusion: {prompt}", lambda: ask("infuse", text=prompt)


def _encounter(ports: Ports, grant: Grant, session: SessionRef, ask: Callable[..., str], file: str) -> str:
    from remora.usecases.register_session import RegisterSessionRequest, register_session

    register_session(ports, grant, RegisterSessionRequest(session_id=session.session_id, client=session.client))
    ask("advance_encounter", name="A look around")
    question = {
        "type": "Question",
        "name": f"Is the history of {file} understood?",
        "description": f"{file} was changed lately; what was learnt from it is not written down yet.",
    }
    return ask("create_entities", entities=[question])


def _index(frame: Frame, ports: Ports) -> str:
    from remora.usecases.index_repository import IndexRequest, index_repository

    done = index_repository(ports, frame.grant, IndexRequest(), staged_progress())
    return f"{done.mode}: {done.files} files, " + ", ".join(f"{n} {name}" for name, n in done.counts.items())


def _ingest(frame: Frame, ports: Ports) -> str:
    from remora.usecases.ingest_git import IngestRequest, ingest_git

    request = IngestRequest(all_refs=True, anchors=_ANCHORED_COMMITS)
    done = ingest_git(ports, frame.grant, request, progress("ingesting"))
    lines = [f"{done.seen} commits: {done.recorded} recorded, {done.already_present} already present",
             f"the newest {done.anchored} with the symbols they touched"]  # fmt: skip
    return "\n".join(lines)


def _documents(frame: Frame, ports: Ports) -> str:
    from remora.usecases.ingest_docs import ingest_docs

    done = ingest_docs(ports, frame.grant)
    return f"{done.seen} documents: {done.recorded} recorded, {done.changed} changed, {done.unchanged} unchanged"


def _newest(frame: Frame, ports: Ports) -> Any:
    from remora.core.records.search import RecordQuery
    from remora.usecases.search_records import search_records

    found = search_records(ports, frame.grant, RecordQuery(limit=50))
    with_paths = [
        hit.record for hit in found.hits if hit.record.path_changes and not hit.record.title.startswith("Merge")
    ]
    return with_paths[0] if with_paths else None


def _topic(frame: Frame, ports: Ports) -> str:
    record = _newest(frame, ports)
    return record.title if record else "what changed last?"


def _file(frame: Frame, ports: Ports) -> str:
    record = _newest(frame, ports)
    change = record.path_changes[0] if record else None
    return (change.new_path or change.old_path) if change else "README.md"


def _impact(ports: Ports, ask: Callable[..., str]) -> str:
    with ports.code_graph.read() as reader:
        used: dict[int, int] = {}
        for edge in reader.edges():
            used[edge.target] = used.get(edge.target, 0) + 1
        functions = [row for row in reader.symbols() if row.kind in ("function", "method") and not row.test]
    if not functions:
        raise NotFound("no function of a known language is in this repository")
    most = max(functions, key=lambda row: (used.get(row.id, 0), -row.id))
    try:
        return ask("affected", symbol=most.qualified)
    except Ambiguous as error:
        return ask("affected", symbol=error.candidates[0])
