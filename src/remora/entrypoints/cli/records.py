"""Commands on records; `remora memory ...` is the same group under its former name."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from remora.core import policy
from remora.core.capture.exports import FORMATS
from remora.core.errors import InvalidInput
from remora.core.text import counted
from remora.entrypoints.cli.frame import Frame, Peers, command, progress, staged_progress

records = typer.Typer(help="Records: what happened around the code, each with its source.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group, and its alias."""
    app.add_typer(records, name="records")
    app.add_typer(records, name="memory", help="The same as `remora records`.")


def ingest(
    frame: Frame,
    revision: Annotated[str, typer.Argument(help="A commit, or a range A..B.")] = "HEAD",
    all_refs: Annotated[bool, typer.Option("--all", help="Everything that any branch, tag or remote reaches.")] = False,
    history: Annotated[bool, typer.Option(help="Everything that REVISION reaches.")] = False,
    since: Annotated[str, typer.Option(help="A date, or `2 weeks ago`.")] = "",
    catch_up: Annotated[bool, typer.Option(help="From the nearest recorded ancestor up to REVISION.")] = False,
    anchors: Annotated[int | None, typer.Option(help="How many of the newest commits get symbols.")] = None,
) -> None:
    """Record git commits, with rename lineage and the symbols they touched."""
    from remora.usecases.ingest_git import IngestRequest, ingest_git

    if all_refs and (history or since or revision != "HEAD"):
        raise InvalidInput("--all", "goes with no revision, --history or --since")
    request = IngestRequest(
        revision=revision, since=since, history=history, all_refs=all_refs, catch_up=catch_up, anchors=anchors
    )
    frame.require_memory()
    done = ingest_git(frame.ports(), frame.grant, request, progress("ingesting"))
    lines = [(f"{done.seen} commits: {done.recorded} recorded, {done.already_present} already present, "
             f"{done.anchored} with symbols")]  # fmt: skip
    if done.recorded and not done.anchored and (all_refs or history):
        lines.append("no symbols were looked up: run `remora records anchor` to add those of the newest commits")
    lines += [f"skipped {count}: {reason}" for reason, count in done.skipped_by_reason.items()]
    lines += [f"conflict: {key}" for key in done.conflicts]
    lines += ["history is incomplete (shallow clone or missing commits)"] if done.history_incomplete else []
    frame.emit(asdict(done), "\n".join(lines))


def anchor(
    frame: Frame,
    revision: Annotated[str, typer.Argument(help="Where to start.")] = "HEAD",
    newest: Annotated[int, typer.Option(help="How many of the commits it reaches.")] = policy.ANCHORED_COMMITS,
) -> None:
    """Add symbols to commits that were recorded without (as `ingest --all` does)."""
    from remora.usecases.anchor_commits import AnchorRequest, anchor_commits

    request = AnchorRequest(revision=revision, newest=newest)
    frame.require_memory()
    done = anchor_commits(frame.ports(), frame.grant, request, progress("anchoring"))
    frame.emit(asdict(done), f"{done.seen} commits: {done.looked_at} without symbols, {done.anchored} now have some")


def ingest_docs(frame: Frame) -> None:
    """Record decisions, procedures and conventions found in documents."""
    from remora.usecases.ingest_docs import ingest_docs as ingest_documents

    frame.require_memory()
    done = ingest_documents(frame.ports(), frame.grant)
    lines = [(f"{done.seen} documents: {done.recorded} recorded, {done.changed} changed, {done.unchanged} unchanged, "
             f"{done.removed} removed")]  # fmt: skip
    lines += [f"skipped: {path} ({reason})" for path, reason in done.skipped_documents]
    lines += [f"conflict: {key}" for key in done.conflicts]
    frame.emit(asdict(done), "\n".join(lines))


def refresh(frame: Frame) -> None:
    """Bring records of documents and summaries of the parts of the code up to date."""
    from remora.usecases.index_repository import IndexRequest, index_repository
    from remora.usecases.ingest_docs import ingest_docs as ingest_documents
    from remora.usecases.refresh_semantic import refresh_semantic

    ports = frame.ports()
    docs = ingest_documents(ports, frame.grant)
    index_repository(ports, frame.grant, IndexRequest(), staged_progress())
    parts = refresh_semantic(ports, frame.grant)
    lines = [(f"{docs.seen} documents: {docs.recorded} recorded, {docs.unchanged} unchanged, {docs.removed} removed"),
             (f"{parts.parts} parts of the code: {parts.recorded} recorded, {parts.changed} of them changed, "
              f"{parts.unchanged} unchanged, {parts.removed} gone")]  # fmt: skip
    lines += [f"skipped: {path} ({reason})" for path, reason in docs.skipped_documents]
    lines += [f"conflict: {key}" for key in (*docs.conflicts, *parts.conflicts)]
    frame.emit({"documents": asdict(docs), "parts": asdict(parts)}, "\n".join(lines))


def import_artifacts(
    frame: Frame,
    file: Annotated[Path, typer.Option("--file", help="The export; `-` reads standard input.")],
    form: Annotated[str, typer.Option("--format", help=f"{', '.join(FORMATS)}.")] = "auto",
) -> None:
    """Record what other systems say happened: issues, reviews, CI runs, test reports, findings."""
    from remora.usecases.import_artifacts import ImportArtifactsRequest
    from remora.usecases.import_artifacts import import_artifacts as import_file

    request = ImportArtifactsRequest(data=_content(file), format=form)
    frame.require_memory()
    done = import_file(frame.ports(), frame.grant, request, progress("importing"))
    lines = [(f"{done.seen} artifacts ({done.format}): {done.recorded} recorded, {done.changed} of them changed, "
              f"{done.already_present} already present, {len(done.bad)} faults")]  # fmt: skip
    lines += [f"item {item.index}: {item.field}: {item.problem}" for item in done.bad]
    lines += [f"skipped {count}: {reason}" for reason, count in done.skipped.items()]
    lines += [f"ignored: {', '.join(done.ignored_fields)}"] if done.ignored_fields else []
    lines += [f"conflict: {key}" for key in done.conflicts]
    frame.emit(asdict(done), "\n".join(lines))
    if done.bad and not done.recorded + done.already_present:
        raise typer.Exit(1)


def _content(file: Path) -> bytes:
    """Bytes of a file that a person named."""
    if str(file) == "-":
        return sys.stdin.buffer.read(policy.ARTIFACTS_FILE_MAX_BYTES + 1)
    try:
        with file.open("rb") as opened:
            return opened.read(policy.ARTIFACTS_FILE_MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput("--file", f"{str(file)!r} cannot be read: {error.strerror}") from error


def search(
    frame: Frame,
    query: Annotated[str, typer.Argument(help="Words; may be empty with --symbol.")] = "",
    symbol: Annotated[str, typer.Option(help="Only records on this symbol or file.")] = "",
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind; may be given several times.")] = None,
    include_superseded: Annotated[bool, typer.Option(help="Superseded ones too.")] = False,
    limit: Annotated[int, typer.Option(help="How many.")] = policy.RECORD_HITS,
    ranking: Annotated[str, typer.Option(help="default or v1.")] = "default",
    peer: Peers = None,
) -> None:
    """Search records; each hit says why it came and cites its source."""
    frame.peers = tuple(peer or ())
    frame.answer("search_memory", query=query, symbol=symbol or None, kinds=kind or None,
                 include_superseded=include_superseded, limit=limit, ranking=ranking)  # fmt: skip


def record(
    frame: Frame,
    idempotency_key: Annotated[str, typer.Option(help="Stable id of the task, run or patch.")],
    title: Annotated[str, typer.Option(help="One line.")],
    summary: Annotated[str, typer.Option(help="What happened and why.")],
    outcome: Annotated[str, typer.Option(help="succeeded, partial, failed, rolled_back or regressed.")],
    source_uri: Annotated[str, typer.Option(help="A resolvable locator of the source.")],
    commit: Annotated[str | None, typer.Option(help="Commit id.")] = None,
    branch: Annotated[str | None, typer.Option(help="Branch.")] = None,
    symbol: Annotated[list[str] | None, typer.Option(help="Symbol; may be given several times.")] = None,
    verification_status: Annotated[str | None, typer.Option(help="passed, failed, partial, unknown.")] = None,
    verification_command: Annotated[list[str] | None, typer.Option(help="What was run.")] = None,
    verification_notes: Annotated[str | None, typer.Option(help="What it said.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    scope: Annotated[str | None, typer.Option(help="private (default), repository or workspace.")] = None,
    workspace: Annotated[str | None, typer.Option(help="Name of the workspace.")] = None,
) -> None:
    """Record how a change went, once per idempotency key, citing its source."""
    frame.answer(
        "record_change_outcome", idempotency_key=idempotency_key, title=title, summary=summary, outcome=outcome,
        source_uri=source_uri, commit=commit, branch=branch, symbols=symbol or None,
        verification_status=verification_status, verification_commands=verification_command or None,
        verification_notes=verification_notes, confidence=confidence, scope=scope, workspace=workspace,
    )  # fmt: skip


def history(
    frame: Frame,
    subject: Annotated[str, typer.Argument(help="Symbol, file or topic.")],
    include_superseded: Annotated[bool, typer.Option(help="Superseded ones too.")] = False,
    limit: Annotated[int, typer.Option(help="How many.")] = policy.RECORD_HITS,
    peer: Peers = None,
) -> None:
    """What happened around a symbol, file or topic, newest first, through renames."""
    frame.peers = tuple(peer or ())
    frame.answer("explain_history", subject=subject, include_superseded=include_superseded, limit=limit)


def pitfalls(
    frame: Frame,
    subject: Annotated[str, typer.Argument(help="Symbol, file or topic.")],
    limit: Annotated[int, typer.Option(help="How many.")] = policy.RECORD_HITS,
    peer: Peers = None,
) -> None:
    """What went wrong here before."""
    frame.peers = tuple(peer or ())
    frame.answer("known_pitfalls", subject=subject, limit=limit)


def status(frame: Frame) -> None:
    """How many records there are, where they lie, and which cannot be read."""
    with frame.ports().record_index.view(frame.grant) as view:
        state, total = view.state, view.total
    bad = [asdict(item) for item in state.bad]
    where = f" in {counted(state.units, 'file')} (index {state.origin})" if state.origin else ""
    lines = [counted(total, "record") + where]
    lines += [f"bad: {item['unit']}: {item['problem']}" for item in bad]
    files = {"units": state.units, "index": state.origin, "bad": bad} if state.origin else {}
    frame.emit({"records": total} | files, "\n".join(lines))


def compact(frame: Frame) -> None:
    """Fold loose record files into verified segments."""
    from remora.usecases.compact_records import compact_records

    done = compact_records(frame.ports(), frame.grant, progress("compacting"))
    frame.emit(
        asdict(done),
        f"{counted(done.folded, 'record')} folded into {counted(done.segments, 'segment')}, {done.kept} left loose",
    )


def verify(frame: Frame) -> None:
    """Check every checksum and name what is bad."""
    from remora.usecases.verify_records import verify_records

    done = verify_records(frame.ports(), frame.grant, progress("verifying"))
    where = f"{counted(done.records, 'record')} in {counted(done.units, 'file')}"
    lines = [f"{where}, {done.unverifiable} without a checksum"]
    lines += [f"bad: {item.unit}: {item.problem}" for item in done.bad]
    frame.emit(asdict(done), "\n".join(lines))
    if done.bad:
        raise typer.Exit(1)


for _name, _run in (
    ("ingest", ingest), ("anchor", anchor), ("ingest-docs", ingest_docs), ("refresh", refresh),
    ("import-artifacts", import_artifacts), ("search", search), ("record", record), ("history", history),
    ("pitfalls", pitfalls), ("status", status), ("compact", compact), ("verify", verify),
):  # fmt: skip
    command(records, _name)(_run)
