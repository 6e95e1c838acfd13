"""Outcomes: from what an agent or CI reports to a checked record."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.records.model import AccessScope, Record, SourceArtifact, SymbolAnchor, Verification
from remora.core.records.view import SymbolLookup
from remora.core.records.vocabulary import OUTCOME_KINDS, Outcome, ScopeKind, VerificationStatus
from remora.core.scope import Grant

_Enum = TypeVar("_Enum", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRequest:
    """What a caller reports. `scope` is private, repository, or workspace with its name in `workspace`."""

    idempotency_key: str
    title: str
    summary: str
    outcome: str
    source_uri: str
    commit: str = ""
    branch: str = ""
    symbols: tuple[str, ...] = ()
    verification_status: str = VerificationStatus.UNKNOWN.value
    verification_commands: tuple[str, ...] = ()
    verification_notes: str = ""
    confidence: float = 1.0
    scope: str = ScopeKind.PRIVATE.value
    workspace: str = ""


def one_of(kind: type[_Enum], field: str, value: str) -> _Enum:
    """The member with this value; raises `InvalidInput` naming the field and what is allowed."""
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(member.value for member in kind)
        raise InvalidInput(field, f"{value[:80]!r} is not known", allowed=allowed) from None


def scope_of(scope: str, workspace: str) -> AccessScope:
    """The access scope that the words name."""
    return AccessScope(one_of(ScopeKind, "scope", scope), workspace)


def outcome_record(
    request: OutcomeRequest, grant: Grant, repository: str, now_seconds: int, lookup: SymbolLookup
) -> Record:
    """The record of an outcome, owned by its writer; raises `InvalidInput` naming the field."""
    kind = OUTCOME_KINDS[one_of(Outcome, "outcome", request.outcome)]
    status = one_of(VerificationStatus, "verification_status", request.verification_status)
    source = SourceArtifact(_source_kind(request.source_uri), request.source_uri)
    return Record.create(
        idempotency_key=request.idempotency_key,
        kind=kind,
        title=request.title,
        summary=request.summary,
        repository=repository,
        occurred_at=now_seconds,
        sources=(source,),
        branch=request.branch,
        commit=request.commit,
        affected_symbols=anchors(request.symbols, lookup),
        verification=Verification(status, request.verification_commands, request.verification_notes),
        confidence=request.confidence,
        access_scope=scope_of(request.scope, request.workspace),
        owner=grant.principal,
    )


def anchors(names: Iterable[str], lookup: SymbolLookup) -> tuple[SymbolAnchor, ...]:
    """Anchors of names: whole when a name means exactly one symbol, raw and half as sure otherwise."""
    distinct = dict.fromkeys(name.strip() for name in names if name.strip())
    return tuple(_anchor(name, lookup(name)) for name in distinct)


def _anchor(name: str, found: tuple[str, str] | None) -> SymbolAnchor:
    if found is None:
        return SymbolAnchor(name, name, confidence=policy.RAW_ANCHOR_CONFIDENCE)
    return SymbolAnchor(found[0], name, found[1])


def _source_kind(uri: str) -> str:
    """The scheme of the locator names its kind; a bare path is a document."""
    scheme, separator, _ = uri.strip().partition(":")
    return scheme.lower() if separator and scheme.isalnum() and len(scheme) <= 20 else "document"
