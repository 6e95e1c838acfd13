"""Revisions: to retract, correct, promote, link or bring back a record is to write a new one that supersedes it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from remora.core import ids
from remora.core.errors import InvalidInput
from remora.core.records.model import AccessScope, Link, Record, SourceArtifact, check_new, check_record
from remora.core.records.outcome import one_of
from remora.core.records.vocabulary import Lifecycle, Relation, ScopeKind, VerificationStatus

_FOLLOW_UP = re.compile(r":[a-z]+:mem_[0-9a-f]{24}$")
Revise = Callable[[Record, "Moment"], Record]
"""(record, moment) -> the record that takes its place."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When and by whom a record is revised, and the id of what hides it now ("" when nothing does)."""

    seconds: int
    who: str
    superseded_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a corrected record says instead; None leaves a field as it is. A new source is added to the old ones."""

    title: str | None = None
    summary: str | None = None
    confidence: float | None = None
    verification_status: str | None = None
    source_uri: str | None = None


def retraction(reason: str) -> Revise:
    """What was recorded is wrong: it is hidden, and what it superseded stands again."""

    def revise(record: Record, moment: Moment) -> Record:
        summary = reason.strip() or "Retracted."
        return _successor(record, "retract", moment, summary=summary, lifecycle=Lifecycle.RETRACTED, links=())

    return revise


def correction(change: Correction) -> Revise:
    """The record with other words, confidence or verification."""

    def revise(record: Record, moment: Moment) -> Record:
        verification = record.verification
        if change.verification_status is not None:
            status = one_of(VerificationStatus, "verification_status", change.verification_status)
            verification = replace(verification, status=status)
        sources = record.sources
        if change.source_uri is not None:
            sources = tuple(dict.fromkeys((*sources, SourceArtifact("correction", change.source_uri))))
        corrected = replace(
            record,
            title=record.title if change.title is None else change.title,
            summary=record.summary if change.summary is None else change.summary,
            confidence=record.confidence if change.confidence is None else change.confidence,
            verification=verification,
            sources=sources,
        )
        if corrected == record:
            raise InvalidInput("correction", "changes nothing", allowed="another title, summary, confidence, ...")
        return _successor(corrected, "correct", moment, lifecycle=Lifecycle.ACTIVE)

    return revise


def promotion(scope: str, workspace: str = "") -> Revise:
    """The record for a wider audience: from private to a workspace or the repository, or from a workspace to it."""

    def revise(record: Record, moment: Moment) -> Record:
        wider = AccessScope(one_of(ScopeKind, "scope", scope), workspace)
        if _WIDTH[wider.scope] <= _WIDTH[record.access_scope.scope]:
            problem = f"{wider.scope.value} is no wider than {record.access_scope.scope.value}"
            raise InvalidInput("scope", problem, allowed="workspace, repository")
        return _successor(record, "promote", moment, access_scope=wider, owner=record.owner or moment.who)

    return revise


_WIDTH = {ScopeKind.PRIVATE: 0, ScopeKind.WORKSPACE: 1, ScopeKind.REPOSITORY: 2}


def linking(relation: str, target: str) -> Revise:
    """The record with one more link."""

    def revise(record: Record, moment: Moment) -> Record:
        link = Link(one_of(Relation, "relation", relation), target.strip())
        if link in record.links:
            raise InvalidInput("target", "is linked so already")
        return _successor(record, "link", moment, links=(*record.links, link))

    return revise


def reactivation() -> Revise:
    """A hidden record back as a new one, derived from it; what hides it now is superseded."""

    def revise(record: Record, moment: Moment) -> Record:
        kept = [link for link in record.links if link.relation is not Relation.SUPERSEDES]
        links = (*kept, Link(Relation.DERIVED_FROM, record.id))
        found = _successor(record, "reactivate", moment, links=links, lifecycle=Lifecycle.ACTIVE)
        replaced = tuple(dict.fromkeys((moment.superseded_by or record.id, record.id)))
        return replace(found, links=(*links, *(Link(Relation.SUPERSEDES, target) for target in replaced)))

    return revise


def _successor(record: Record, verb: str, moment: Moment, **changes: object) -> Record:
    """A checked copy of the record under its own key that supersedes it.

    Keys grow by one suffix only: the id in it names the predecessor, whose key names the one before.
    """
    key = f"{_FOLLOW_UP.sub('', record.idempotency_key)}:{verb}:{record.id}"
    scope = record.access_scope.scope
    fields: dict[str, object] = {"owner": record.owner if scope is ScopeKind.PRIVATE else moment.who} | changes
    links = _kept(fields.pop("links", record.links))
    made = replace(
        record,
        id=ids.record_id(record.repository, key),
        idempotency_key=key,
        occurred_at=moment.seconds,
        recorded_at=moment.seconds,
        links=(*links, Link(Relation.SUPERSEDES, record.id)),
        version=3,
        **fields,  # type: ignore[arg-type]  # names and types are those of Record, written just above
    )
    check_record(made)
    check_new(made)
    return made


def _kept(links: object) -> Iterable[Link]:
    """Links that the successor carries on; it supersedes its predecessor alone."""
    assert isinstance(links, tuple)
    return tuple(link for link in links if link.relation is not Relation.SUPERSEDES)
