"""Commands that turn a conversation into private facts of its chat, and show how the jobs went."""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from remora.core.sessions import SessionRef
from remora.entrypoints.cli.frame import Frame, command


def register(app: typer.Typer) -> None:
    """Add `offload` and `jobs`."""
    command(app, "offload")(offload)
    command(app, "jobs")(jobs)


def offload(
    frame: Frame,
    source: Annotated[Path, typer.Argument(help="A transcript, or turns as JSON; - is stdin.")] = Path("-"),
    client_format: Annotated[str, typer.Option("--format", help="Whose transcript it is, as in `mcp hooks`.")] = "",
    session: Annotated[str, typer.Option(help="The session's handle; else REMORA_SESSION_ID names it.")] = "",
) -> None:
    """Extract facts from the turns of a chat into its private memory, and wait for the outcome.

    JSON is a list of {"role": "user" or "assistant", "content": ...}, one such object a line, or {"turns": [...]}.
    """
    frame.require_memory()
    turns, skipped = _read(source, client_format)
    ref = SessionRef(handle=session) if session else frame.own_session()
    from remora.bootstrap import offload_queue
    from remora.core.policy import JOB_MAX_SECONDS
    from remora.usecases.list_jobs import ListJobsRequest, list_jobs
    from remora.usecases.offload_turns import OffloadRequest, offload_turns

    done = offload_turns(frame.ports(), frame.grant, OffloadRequest(turns=turns, session=ref))
    offload_queue().drain(JOB_MAX_SECONDS)
    rows = list_jobs(frame.ports(), frame.grant, ListJobsRequest()).jobs
    data: dict[str, Any] = next((job.to_json() for job in rows if job.id == done.job), done.to_json())
    frame.emit(data | {"skipped": dict(skipped)}, _line(data))


def jobs(
    frame: Frame,
    everyone: Annotated[bool, typer.Option(help="Of all principals; never what they said.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
) -> None:
    """The last jobs of offloaded turns: counts, times and states."""
    frame.require_memory()
    from remora.usecases.list_jobs import ListJobsRequest, list_jobs

    page = list_jobs(frame.ports(), frame.grant, ListJobsRequest(limit=limit, everyone=everyone))
    frame.emit(page.to_json(), "\n".join(_line(job.to_json()) for job in page.jobs) or "no jobs")


def _line(job: dict[str, Any]) -> str:
    facts = ", ".join(f"{count} {name}" for name, count in sorted(job.get("facts", {}).items())) or "no facts"
    dropped = sum(job.get("dropped", {}).values())
    told = f"{job.get('id', job.get('job'))} {job['state']}: {job['turns']} turns, {facts}"
    return told + (f", {dropped} dropped" if dropped else "") + (f" ({job['error']})" if job.get("error") else "")


def _read(source: Path, client_format: str) -> tuple[list[dict[str, object]], Counter[str]]:
    from remora.core.clients.catalogue import client_named
    from remora.core.clients.transcript import read_turns
    from remora.core.errors import InvalidInput, unusable
    from remora.core.policy import TRANSCRIPT_WINDOW_BYTES

    if client_format:
        client_named(client_format)
    try:
        with sys.stdin.buffer if str(source) == "-" else source.open("rb") as file:
            data = file.read(TRANSCRIPT_WINDOW_BYTES + 1)
    except OSError as error:
        raise unusable(error) from error
    if len(data) > TRANSCRIPT_WINDOW_BYTES:
        raise InvalidInput("source", "is too large", allowed=f"at most {TRANSCRIPT_WINDOW_BYTES:,} bytes")
    skipped: Counter[str] = Counter()
    given = None if client_format else _turns_of_json(data)
    if given is not None:
        return given, skipped
    turns = read_turns([data], client_format or "plain", skipped)
    return [{"role": turn.role, "content": turn.content} for turn in turns], skipped


def _turns_of_json(data: bytes) -> list[dict[str, object]] | None:
    import json

    try:
        body = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    rows = body.get("turns") if isinstance(body, dict) else body
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else None
