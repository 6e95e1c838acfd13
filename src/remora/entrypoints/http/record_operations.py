"""Operations on records that only this door has: one record whole, revisions, and exchange with other stores."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from remora.core import policy
from remora.core.records.vocabulary import Relation, ScopeKind, VerificationStatus
from remora.entrypoints import render
from remora.entrypoints.catalogue.operation import (
    Answer,
    Call,
    Operation,
    arguments,
    choice,
    integer,
    many,
    number,
    optional,
    rows,
    text,
)

if TYPE_CHECKING:
    from remora.core.records.revision import Revise

_ID = text("A record's id.", max_chars=28)
_REVISED = ("outcome", "id", "replaced", "lifecycle", "scope")
_BUNDLE_MAX_CHARS = policy.HTTP_BODY_MAX_BYTES


def _record(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.recall.notice import NOTICE
    from remora.usecases.get_record import get_record

    detail = get_record(call.ports, call.grant, given["id"])
    linked = [{"relation": relation.value, "id": other} for relation, other in detail.linked_from]
    data: dict[str, Any] = {
        "record": render.record_row(detail.record, call.ports.redact),
        "superseded_by": detail.superseded_by,
        "linked_from": linked[: policy.LIST_LIMIT_MAX],
        "notice": NOTICE,
    }
    return Answer(data, "")


# --- Revisions --------------------------------------------------------------------------------------------------------


def _retraction(given: Mapping[str, Any]) -> "Revise":
    from remora.core.records.revision import retraction

    return retraction(given.get("reason", ""))


def _correction(given: Mapping[str, Any]) -> "Revise":
    from remora.core.records.revision import Correction, correction

    return correction(Correction(**{name: value for name, value in given.items() if name != "id"}))


def _promotion(given: Mapping[str, Any]) -> "Revise":
    from remora.core.records.revision import promotion

    return promotion(given["scope"], given.get("workspace", ""))


def _linking(given: Mapping[str, Any]) -> "Revise":
    from remora.core.records.revision import linking

    return linking(given["relation"], given["target"])


def _reactivation(given: Mapping[str, Any]) -> "Revise":
    from remora.core.records.revision import reactivation

    return reactivation()


def _revising(revision: Callable[[Mapping[str, Any]], "Revise"]) -> Callable[[Call, Mapping[str, Any]], Answer]:
    def run(call: Call, given: Mapping[str, Any]) -> Answer:
        from remora.usecases.revise_record import revise_record

        done = revise_record(call.ports, call.grant, given["id"], revision(given))
        data = {
            "outcome": done.outcome.value, "id": done.record.id, "replaced": done.replaced,
            "lifecycle": done.record.lifecycle.value, "scope": done.record.access_scope.scope.value,
        }  # fmt: skip
        return Answer(data, "")

    return run


# --- Exchange ---------------------------------------------------------------------------------------------------------


def _ids(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.list_record_ids import list_record_ids

    page = list_record_ids(call.ports, call.grant, cursor=given.get("cursor", ""), limit=given["limit"])
    data = {
        "ids": list(page.ids), "total": page.total, "next_cursor": page.next_cursor,
        "principal": call.grant.principal, "operator": call.grant.operator,
    }  # fmt: skip
    return Answer(data, "")


def _export(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.export_records import export_some

    return Answer({"bundle": export_some(call.ports, call.grant, given["ids"]).decode()}, "")


def _import(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.errors import Corrupt, InvalidInput
    from remora.usecases.import_records import import_bundle

    try:
        done = import_bundle(call.ports, call.grant, given["bundle"].encode("utf-8", "surrogatepass"))
    except Corrupt as error:  # the caller's bytes, not ours
        raise InvalidInput("bundle", str(error)) from error
    bad = [f"{item.record_id or item.unit}: {item.problem}" for item in done.bad]
    data: dict[str, Any] = {
        "recorded": done.recorded, "already_present": done.already_present, "denied": done.denied,
        "conflicts": list(done.conflicts), "bad": bad,
    }  # fmt: skip
    return Answer(data, "")


def _row(
    name: str, title: str, description: str, http: tuple[str, str], schema: Mapping[str, Any], run: Any, *outputs: str,
    writes: bool = False,
) -> Operation:  # fmt: skip
    """A row that no MCP profile lists. What writes records is gated like the tool that records outcomes."""
    return Operation(
        name=name, title=title, description=description, profiles=frozenset(), input=schema, output=rows(*outputs),
        run=run, read_only=not writes, gated=writes, http=http,
    )  # fmt: skip


_SENTENCE = text("", max_chars=policy.RECORD_SUMMARY_MAX_CHARS)

OPERATIONS: tuple[Operation, ...] = (
    _row(
        "get_record", "One record", "A record with what supersedes it and what links to it.",
        ("GET", "/records/{id}"), arguments(id=_ID), _record, "record", "superseded_by", "linked_from", "notice",
    ),
    _row(
        "retract_record", "Retract", "Hide a record that is wrong, by a new one; what it had superseded stands again.",
        ("POST", "/records/{id}/retract"), arguments(id=_ID, reason=optional(_SENTENCE)),
        _revising(_retraction), *_REVISED, writes=True,
    ),
    _row(
        "correct_record", "Correct", "Put a record with other words, confidence, verification or source in its place.",
        ("POST", "/records/{id}/correct"),
        arguments(
            id=_ID, title=optional(text("", max_chars=policy.RECORD_TITLE_MAX_CHARS)), summary=optional(_SENTENCE),
            confidence=optional(number("", low=0, high=1)),
            verification_status=optional(choice("", *(status.value for status in VerificationStatus))),
            source_uri=optional(text("One more source.", max_chars=policy.RECORD_URI_MAX_CHARS)),
        ),
        _revising(_correction), *_REVISED, writes=True,
    ),
    _row(
        "promote_record", "Promote", "Share a private record with a workspace or all readers of the repository.",
        ("POST", "/records/{id}/promote"),
        arguments(
            id=_ID, scope=choice("", *(kind.value for kind in ScopeKind), default=ScopeKind.REPOSITORY.value),
            workspace=optional(text(max_chars=200)),
        ),
        _revising(_promotion), *_REVISED, writes=True,
    ),
    _row(
        "link_record", "Link", "Say how a record relates to another one or to a source.",
        ("POST", "/records/{id}/link"),
        arguments(
            id=_ID, relation=choice("", *(relation.value for relation in Relation)),
            target=text("A record's id or a URI.", max_chars=policy.RECORD_URI_MAX_CHARS),
        ),
        _revising(_linking), *_REVISED, writes=True,
    ),
    _row(
        "reactivate_record", "Reactivate", "Bring a retracted or superseded record back, as a new one derived from it.",
        ("POST", "/records/{id}/reactivate"), arguments(id=_ID), _revising(_reactivation), *_REVISED, writes=True,
    ),
    _row(
        "list_record_ids", "Ids of records", "Ids of every record that the key may see, by pages, and whose key it is.",
        ("GET", "/records/ids"),
        arguments(
            limit=integer("Ids of a page.", low=1, high=policy.EXCHANGE_IDS_PAGE, default=policy.EXCHANGE_IDS_PAGE),
            cursor=optional(text("`next_cursor` of the page before.", max_chars=60)),
        ),
        _ids, "ids", "total", "next_cursor", "principal", "operator",
    ),
    _row(
        "export_records", "Export records", "A bundle of as many of these records as one answer carries.",
        ("POST", "/records/export"),
        arguments(ids=many(_ID, "Ids of records.", most=policy.EXCHANGE_RECORDS_MAX, minItems=1)), _export, "bundle",
    ),
    _row(
        "import_records", "Import records", "Merge a bundle; private records belong to the key that brings them.",
        ("POST", "/records/import"), arguments(bundle=text("A bundle.", max_chars=_BUNDLE_MAX_CHARS)),
        _import, "recorded", "already_present", "denied", "conflicts", "bad", writes=True,
    ),
)  # fmt: skip
