"""Commands that revise, show and exchange records; they join the group of `records`."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.entrypoints.cli.frame import Frame, Peers, command, progress
from remora.entrypoints.cli.output import read_limited, write_whole
from remora.entrypoints.cli.records import records

if TYPE_CHECKING:
    from remora.core.records.revision import Revise
    from remora.usecases.import_records import Imported

_Id = Annotated[str, typer.Argument(help="A record's id (mem_...).")]


def register(app: typer.Typer) -> None:
    """Add the commands to the group of records."""
    for name, run in (
        ("show", show), ("retract", retract), ("correct", correct), ("promote", promote), ("link", link),
        ("reactivate", reactivate), ("schema", schema), ("export", export), ("import", import_records),
        ("sync", sync),
    ):  # fmt: skip
        command(records, name)(run)


# --- Revisions --------------------------------------------------------------------------------------------------------


def retract(
    frame: Frame,
    id: _Id,  # noqa: A002  # as printed
    reason: Annotated[str, typer.Option(help="Why it is wrong.")] = "",
) -> None:
    """Hide a record that is wrong; what it had superseded stands again."""
    from remora.core.records.revision import retraction

    _revise(frame, id, retraction(reason))


def correct(
    frame: Frame,
    id: _Id,  # noqa: A002  # as printed
    title: Annotated[str | None, typer.Option(help="Another title.")] = None,
    summary: Annotated[str | None, typer.Option(help="Another summary.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    verification_status: Annotated[str | None, typer.Option(help="passed, failed, partial, unknown.")] = None,
    source_uri: Annotated[str | None, typer.Option(help="One more source.")] = None,
) -> None:
    """Put a record with other words, confidence, verification or one more source in its place."""
    from remora.core.records.revision import Correction, correction

    change = Correction(
        title=title, summary=summary, confidence=confidence, verification_status=verification_status,
        source_uri=source_uri,
    )  # fmt: skip
    _revise(frame, id, correction(change))


def promote(
    frame: Frame,
    id: _Id,  # noqa: A002  # as printed
    scope: Annotated[str, typer.Option(help="repository or workspace.")] = "repository",
    workspace: Annotated[str, typer.Option(help="Name of the workspace.")] = "",
) -> None:
    """Share a private record with a workspace or everyone in the repository."""
    from remora.core.records.revision import promotion

    _revise(frame, id, promotion(scope, workspace))


def link(
    frame: Frame,
    id: _Id,  # noqa: A002  # as printed
    relation: Annotated[str, typer.Option(help="fixed, regressed, motivated_by, similar_to, ...")],
    target: Annotated[str, typer.Option(help="A record's id or the URI of a source.")],
) -> None:
    """Say how a record relates to another one or to a source."""
    from remora.core.records.revision import linking

    _revise(frame, id, linking(relation, target))


def reactivate(frame: Frame, id: _Id) -> None:  # noqa: A002  # as printed
    """Bring a retracted or superseded record back, as a new one derived from it."""
    from remora.core.records.revision import reactivation

    _revise(frame, id, reactivation())


def _revise(frame: Frame, record_id: str, revise: "Revise") -> None:
    from remora.usecases.revise_record import revise_record

    frame.require_memory()
    done = revise_record(frame.ports(), frame.grant, record_id, revise)
    data = {"outcome": done.outcome.value, "id": done.record.id, "replaced": done.replaced,
            "lifecycle": done.record.lifecycle.value, "scope": done.record.access_scope.scope.value}  # fmt: skip
    frame.emit(data, f"{done.outcome.value}: {done.record.id} takes the place of {done.replaced}")


# --- Reading ----------------------------------------------------------------------------------------------------------


def show(frame: Frame, id: _Id, peer: Peers = None) -> None:  # noqa: A002  # as printed
    """One record whole, with what supersedes it and what links to it."""
    from remora.core.records import codec
    from remora.core.records.evidence import line_text
    from remora.core.records.scrub import scrubbed
    from remora.entrypoints import render
    from remora.usecases.get_record import get_record

    frame.require_memory()
    frame.peers = tuple(peer or ())
    ports = frame.ports()
    found = get_record(ports, frame.grant, id)
    record = codec.undigested(scrubbed(found.record, ports.redact))
    linked = [{"relation": relation.value, "id": source} for relation, source in found.linked_from]
    data: dict[str, Any] = {"record": record, "superseded_by": found.superseded_by, "linked_from": linked,
                            "unreachable": found.unreachable}  # fmt: skip
    lines = [f"{name}: {_said(value)}" for name, value in record.items()]
    lines += [f"superseded by: {found.superseded_by}"] if found.superseded_by else []
    lines += ["unreachable: no branch or tag holds this commit any more"] if found.unreachable else []
    lines += [f"linked from: {row['id']} ({row['relation']})" for row in linked]
    shown = [line_text(line, policy.RECORD_SUMMARY_MAX_CHARS) for line in lines]
    frame.emit(frame.with_withheld(data), render.enclosed(shown))


def _said(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_said(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_said(item)}" for key, item in value.items())
    return str(value)


def schema(
    frame: Frame, name: Annotated[str, typer.Argument(help="record, artifacts, bundle, benchmark.")] = ""
) -> None:
    """The JSON Schema of a record format, or of all of them."""
    import json

    from remora.core.records.schema import all_schemas

    schemas = all_schemas()
    if name and name not in schemas:
        raise InvalidInput("name", f"{name!r} is no format", allowed=", ".join(schemas))
    data: Any = schemas[name] if name else schemas
    frame.emit(data, json.dumps(data, indent=2, ensure_ascii=False))


# --- Exchange ---------------------------------------------------------------------------------------------------------


def export(
    frame: Frame,
    output: Annotated[Path, typer.Option(help="File to write; `-` is standard output.")],
    legacy: Annotated[bool, typer.Option(help="In the public layout, without checksums of single records.")] = False,
) -> None:
    """Write every record that the caller may see as one checksummed bundle."""
    from remora.usecases.export_records import export_records

    frame.require_memory()
    data = export_records(frame.ports(), frame.grant, legacy=legacy)
    if str(output) == "-":
        sys.stdout.buffer.write(data)
        return
    write_whole(output, data, "--output")
    frame.emit({"path": str(output), "bytes": len(data)}, f"written to {output} ({len(data)} bytes)")


def import_records(
    frame: Frame,
    path: Annotated[Path, typer.Argument(help="A bundle (`-`: standard input), or another store's folder.")],
) -> None:
    """Take in the records of a bundle or of another store, also one of the first generation. Safe to repeat."""
    from remora.usecases.import_records import import_bundle, import_store

    frame.require_memory()
    ports, told = frame.ports(), progress("importing")
    if path.is_dir():
        from remora.bootstrap import open_peer_log

        done = import_store(ports, frame.grant, open_peer_log(path), told)
    else:
        data = read_limited(path, policy.BUNDLE_FILE_MAX_BYTES, "path")
        done = import_bundle(ports, frame.grant, data, told)
    frame.emit(asdict(done), "\n".join(_imported(done)))
    if done.bad and not done.recorded + done.already_present:
        raise typer.Exit(1)


def sync(
    frame: Frame,
    bundle: Annotated[Path, typer.Option(help="The bundle file to exchange with; made when it does not exist.")],
) -> None:
    """Take in what a bundle has, and give it what it lacks of what the caller may see."""
    from remora.usecases.import_records import sync_bundle

    frame.require_memory()
    data = read_limited(bundle, policy.BUNDLE_FILE_MAX_BYTES, "--bundle") if bundle.exists() else None
    done = sync_bundle(frame.ports(), frame.grant, data, progress("exchanging"))
    if done.data is not None:
        write_whole(bundle, done.data, "--bundle")
    lines = [*_imported(done.imported), f"given to the bundle: {done.added}"]
    lines += ["the bundle was not written: records in it cannot be read"] if done.imported.bad else []
    frame.emit({"imported": asdict(done.imported), "added": done.added, "written": done.data is not None},
               "\n".join(lines))  # fmt: skip
    if done.imported.bad:
        raise typer.Exit(1)


def _imported(done: "Imported") -> list[str]:
    lines = [f"{done.recorded} recorded, {done.already_present} already present, {done.denied} not yours to write"]
    lines += [f"conflict: {key}" for key in done.conflicts]
    return lines + [f"bad: {item.unit}: {item.problem}" for item in done.bad]
