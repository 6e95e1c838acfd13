"""Commands that revise and show records; they join the group of `records`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.entrypoints.cli.frame import Frame, Peers, command
from remora.entrypoints.cli.records import records

if TYPE_CHECKING:
    from remora.core.records.revision import Revise

_Id = Annotated[str, typer.Argument(help="A record's id (mem_...).")]


def register(app: typer.Typer) -> None:
    """Add the commands to the group of records."""
    for name, run in (
        ("show", show), ("retract", retract), ("correct", correct), ("promote", promote), ("link", link),
        ("reactivate", reactivate), ("schema", schema),
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
