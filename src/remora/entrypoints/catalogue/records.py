"""Operations on records: what happened around the code."""

from collections.abc import Mapping
from typing import Any

from remora.core import policy
from remora.core.records.vocabulary import Outcome, RecordKind, ScopeKind, VerificationStatus
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
    switch,
    text,
)

_SUBJECT = text("Symbol, file or topic.", max_chars=policy.SUBJECT_MAX_CHARS)
_LIMIT = integer("", low=1, high=policy.RECORD_HITS_MAX, default=policy.RECORD_HITS)
_OLD = switch("Superseded ones too.")
_FOUND = rows("records", "total", "truncated", "notice")


def _search(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.records.search import Ranking, RecordQuery
    from remora.usecases.search_records import search_records

    query = RecordQuery(
        text=given["query"],
        symbol=given.get("symbol", ""),
        kinds=frozenset(RecordKind(kind) for kind in given.get("kinds", ())),
        include_superseded=given["include_superseded"],
        limit=given["limit"],
        ranking=Ranking(given.get("ranking", Ranking.DEFAULT)),
    )
    found = search_records(call.ports, call.grant, query)
    data = render.record_hits(found.hits, found.total, call.ports.redact, truncated=len(found.hits) < found.candidates)
    data["diagnostics"] = {"total": found.total, "candidates": found.candidates}
    if found.index.origin:  # the operator's: files hold records of everyone
        files = {"index": found.index.origin, "units": found.index.units, "bad": len(found.index.bad)}
        data["diagnostics"] |= files
    return Answer(data, render.records(data))


def _explained(call: Call, found: Any) -> Answer:
    from remora.core.records.evidence import line_text

    data = render.record_hits(found.hits, found.total, call.ports.redact, truncated=found.truncated)
    data["subject"] = found.subject
    if not found.hits:
        with call.ports.record_index.view(call.grant) as view:
            data["looked_at"] = view.total  # of those the caller may see
    elif _named_by_words_only(found):
        data["fallback"] = f"nothing is anchored to {found.subject}; these records only say its words"
    data["followed"] = [{"old": step.old, "new": step.new} for step in found.followed]
    data["linked"] = [
        {"relation": link.relation.value, "from": link.source, "to": link.target, "id": link.record.id,
         "title": call.ports.redact(line_text(link.record.title, policy.EVIDENCE_TITLE_CHARS))}
        for link in found.linked
    ]  # fmt: skip
    return Answer(data, render.records(data))


def _named_by_words_only(found: Any) -> bool:
    """Whether a path or a symbol was asked for that no record is anchored to."""
    subject = found.subject.strip()
    named = not any(char.isspace() for char in subject) and any(mark in subject for mark in "/.#")
    return named and all(hit.matched_by == ("text",) for hit in found.hits)


def _history(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.explain_history import explain_history

    old, limit = given["include_superseded"], given["limit"]
    found = explain_history(call.ports, call.grant, given["subject"], include_superseded=old, limit=limit)
    return _explained(call, found)


def _decision(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.explain_decision import explain_decision

    old, limit = given["include_superseded"], given["limit"]
    found = explain_decision(call.ports, call.grant, given["subject"], include_superseded=old, limit=limit)
    return _explained(call, found)


def _pitfalls(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.known_pitfalls import known_pitfalls

    return _explained(call, known_pitfalls(call.ports, call.grant, given["subject"], limit=given["limit"]))


def _similar(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.find_similar_change import find_similar_change

    found = find_similar_change(
        call.ports, call.grant, given["description"], symbol=given.get("symbol", ""), limit=given["limit"]
    )
    return _explained(call, found)


def _record(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.records.outcome import OutcomeRequest
    from remora.usecases.record_outcome import record_outcome

    lists = {"symbols", "verification_commands"}
    values: dict[str, Any] = {key: tuple(value) if key in lists else value for key, value in given.items()}
    request = OutcomeRequest(**values)
    done = record_outcome(call.ports, call.grant, request, lookup=call.ports.symbol)
    data = {"outcome": done.outcome.value, "id": done.record.id, "kind": done.record.kind.value,
            "record": render.record_row(done.record, call.ports.redact)}  # fmt: skip
    return Answer(data, f"{done.outcome.value}: {done.record.id} ({done.record.kind.value})")


OPERATIONS = (
    Operation(
        name="explain_history",
        title="What happened here",
        description="What happened around a symbol, file or topic, newest first, also under former and later names.",
        profiles=frozenset({"core", "records"}),
        input=arguments(subject=_SUBJECT, include_superseded=_OLD, limit=_LIMIT),
        output=_FOUND,
        run=_history,
        read_only=True,
        http=("GET", "/records/history"),
    ),
    Operation(
        name="known_pitfalls",
        title="What went wrong here",
        description="Failed attempts, regressions, incidents, rejected reviews and failed CI runs on a subject.",
        profiles=frozenset({"core", "records"}),
        input=arguments(subject=_SUBJECT, limit=_LIMIT),
        output=_FOUND,
        run=_pitfalls,
        read_only=True,
        http=("GET", "/records/pitfalls"),
    ),
    Operation(
        name="search_memory",
        title="Search records",
        description="Search source-grounded records by words, symbol and kind; each hit cites its source and says why.",
        profiles=frozenset({"records"}),
        input=arguments(
            query=text("Words; may be empty with a symbol.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            symbol=optional(text("Only records on this symbol or file.", max_chars=policy.SUBJECT_MAX_CHARS)),
            kinds=optional(many(choice("", *(kind.value for kind in RecordKind)), "Only these kinds.", most=20)),
            include_superseded=_OLD,
            limit=_LIMIT,
            ranking=optional(choice("v1 is the first generation's rule.", "default", "v1")),
        ),
        output=_FOUND,
        run=_search,
        read_only=True,
        http=("GET", "/records"),
    ),
    Operation(
        name="find_similar_change",
        title="Similar changes",
        description="Earlier changes with a similar intent, and how they went.",
        profiles=frozenset({"records"}),
        input=arguments(
            description=text("What is to be changed.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            symbol=optional(text("Only changes of this symbol or file.", max_chars=policy.SUBJECT_MAX_CHARS)),
            limit=_LIMIT,
        ),
        output=_FOUND,
        run=_similar,
        read_only=True,
        http=("GET", "/records/similar"),
    ),
    Operation(
        name="explain_decision",
        title="Which decisions govern this",
        description="Active decisions, invariants, conventions and procedures on a subject.",
        profiles=frozenset({"records"}),
        input=arguments(subject=_SUBJECT, include_superseded=_OLD, limit=_LIMIT),
        output=_FOUND,
        run=_decision,
        read_only=True,
        http=("GET", "/records/decisions"),
    ),
    Operation(
        name="record_change_outcome",
        title="Record an outcome",
        description="Record how a change went, once per idempotency key, citing its source.",
        profiles=frozenset({"records"}),
        input=arguments(
            idempotency_key=text("Stable id of the task, run or patch.", max_chars=policy.RECORD_KEY_MAX_CHARS),
            title=text("", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            summary=text("", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            outcome=choice("", *(outcome.value for outcome in Outcome)),
            source_uri=text("A resolvable locator.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            commit=optional(text()),
            branch=optional(text()),
            symbols=optional(many(text(), most=policy.RECORD_SOURCES_MAX)),
            verification_status=optional(choice("", *(status.value for status in VerificationStatus))),
            verification_commands=optional(many(text(max_chars=10_000), most=policy.RECORD_SOURCES_MAX)),
            verification_notes=optional(text(max_chars=policy.QUERY_INPUT_MAX_CHARS)),
            confidence=optional(number("", low=0, high=1)),
            scope=optional(choice("", *(kind.value for kind in ScopeKind))),
            workspace=optional(text()),
        ),
        output=rows("outcome", "id", "kind", "record"),
        run=_record,
        read_only=False,
        gated=True,
        http=("POST", "/records"),
    ),
)
