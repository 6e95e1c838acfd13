"""From an artifact to its record: which earlier version it supersedes, and what its status makes of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.capture.artifacts import Artifact
from remora.core.capture.remote import normal_remote
from remora.core.errors import InvalidInput
from remora.core.records.identity import KeyPrefix
from remora.core.records.model import AccessScope, Link, Record, SourceArtifact, SymbolAnchor, Verification
from remora.core.records.outcome import anchors
from remora.core.records.scrub import Redact
from remora.core.records.view import SymbolLookup
from remora.core.records.vocabulary import Lifecycle, RecordKind, Relation, ScopeKind, VerificationStatus
from remora.core.scope import Grant
from remora.core.source import Anchor

_DIGEST = re.compile(r"[0-9a-f]{64}(?::.*)?", re.DOTALL)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\s]+@[^/\s]+:")


@dataclass(frozen=True, slots=True)
class Home:
    """The repository that artifacts are imported into: its identity, other names of it, and its symbols."""

    identity: str
    aliases: tuple[str, ...]
    symbol: SymbolLookup


def cleaned(artifact: Artifact, redact: Redact) -> Artifact:
    """The artifact without secrets in what names things; the record's other texts are cleaned with the record."""
    return replace(
        artifact,
        external_id=redact(artifact.external_id),
        source_uri=redact(artifact.source_uri),
        affected_symbols=tuple(redact(name) for name in artifact.affected_symbols),
        affected_files=tuple(redact(path) for path in artifact.affected_files),
    )


def repository_of(stated: str, home: Home) -> str:
    """The identity of the repository that an artifact states: ours under any of its names, else the stated one's.

    `owner/name` means ours when our remote ends so.
    """
    text = stated.strip()
    ours = (home.identity, *home.aliases)
    remote = normal_remote(text) if _URL.match(text) else normal_remote(f"https://{text}")
    if text in ours or remote in ours:
        return home.identity
    tail = "/" + text.strip("/").removesuffix(".git").casefold()
    if not _URL.match(text) and any(name.casefold().endswith(tail) for name in ours):
        return home.identity
    return remote if remote and _URL.match(text) else text


def artifact_record(
    artifact: Artifact, digest: str, versions: Iterable[Record], grant: Grant, home: Home, now: int
) -> Record | None:
    """The record that a version of an artifact asks for; None when what stands says the same already (or, of one that
    only settles, when nothing failed stands).

    `versions` are records that cite the artifact's source, newest first; `now` is in Unix seconds. Another version
    supersedes what stands. One that was there before comes back as a new record derived from the first one, since a
    superseded record stays superseded. Raises `InvalidInput` naming the field.
    """
    _check(artifact)
    repository = repository_of(artifact.repository, home)
    scope = AccessScope(artifact.scope, artifact.workspace)
    kin = [record for record in versions if _same_thing(record, artifact, repository)]
    kin = [record for record in kin if _may_replace(record, scope, grant.principal)]
    replaced = {target for record in kin for target in record.targets(Relation.SUPERSEDES)}
    heads = [record for record in kin if record.id not in replaced]
    if any(_digest_of(head) == digest for head in heads) or (artifact.settles and not _failed(heads)):
        return None
    key = _key(artifact, digest, grant)
    links = [*artifact.links, *(Link(Relation.SUPERSEDES, head.id) for head in heads)]
    former = [record for record in kin if _digest_of(record) == digest]
    if former:
        links.append(Link(Relation.DERIVED_FROM, former[-1].id))
        key = f"{key}:restore:{heads[0].id}" if heads else key
    own = home.symbol if repository == home.identity else _unresolved
    return Record.create(
        idempotency_key=key,
        kind=artifact.kind,
        title=artifact.title,
        summary=artifact.summary,
        repository=repository,
        occurred_at=now if artifact.occurred_at is None else artifact.occurred_at,
        recorded_at=now,
        sources=(SourceArtifact(artifact.kind.value, artifact.source_uri, digest=digest),),
        branch=artifact.branch,
        commit=artifact.commit,
        affected_symbols=(*anchors(artifact.affected_symbols, own), *_file_anchors(artifact.affected_files)),
        verification=_verification(artifact),
        confidence=artifact.confidence,
        lifecycle=lifecycle_of(artifact.kind, artifact.status),
        access_scope=scope,
        owner=grant.principal,
        links=dict.fromkeys(links),
    )


def _unresolved(_: str) -> None:
    """Names of another repository mean nothing in this one's code graph."""


def _check(artifact: Artifact) -> None:
    if len(artifact.external_id) > policy.ARTIFACT_ID_MAX_CHARS:
        allowed = f"at most {policy.ARTIFACT_ID_MAX_CHARS}"
        raise InvalidInput("external_id", f"is too long ({len(artifact.external_id)})", allowed=allowed)
    for name in ("external_id", "source_uri", "repository"):
        if not getattr(artifact, name).strip():
            raise InvalidInput(name, "is empty")
        if "\0" in getattr(artifact, name):
            raise InvalidInput(name, "holds a NUL")
    if (artifact.scope is ScopeKind.WORKSPACE) != bool(artifact.workspace):
        raise InvalidInput("workspace", "names the workspace in the workspace scope and only there")


def _key(artifact: Artifact, digest: str, grant: Grant) -> str:
    """The key of a version. Private ones of restricted principals carry the owner: a key taken by a record that the
    caller may not see would otherwise show.
    """
    key = f"{_stem(artifact)}{digest}"
    return f"{key}:by:{grant.principal}" if artifact.scope is ScopeKind.PRIVATE and not grant.operator else key


def _stem(artifact: Artifact) -> str:
    return f"{KeyPrefix.EXTERNAL}{artifact.kind.value}:{artifact.external_id}:"


def _same_thing(record: Record, artifact: Artifact, repository: str) -> bool:
    stem = _stem(artifact)
    return (
        record.repository == repository
        and record.kind is artifact.kind
        and record.idempotency_key.startswith(stem)
        and _DIGEST.fullmatch(record.idempotency_key, len(stem)) is not None
        and any(source.uri == artifact.source_uri for source in record.sources)
    )


def _may_replace(record: Record, scope: AccessScope, principal: str) -> bool:
    """Whether a record of this scope and writer can take the place of the record."""
    if record.access_scope.scope is ScopeKind.PRIVATE:
        return record.owner == principal
    return record.access_scope == scope


def _failed(heads: Iterable[Record]) -> bool:
    return any(head.verification.status is VerificationStatus.FAILED for head in heads)


def _digest_of(record: Record) -> str:
    return next((source.digest for source in record.sources if source.digest), "")


def _file_anchors(paths: Sequence[str]) -> tuple[SymbolAnchor, ...]:
    """Anchors on whole files. They have no label: a path is no symbol's name."""
    return tuple(SymbolAnchor(Anchor(path).uri, "", path) for path in dict.fromkeys(paths))


# --- Status -----------------------------------------------------------------------------------------------------------

_PASSED = frozenset({"success", "successful", "succeeded", "passed", "pass", "green", "ok"})
_FAILED = frozenset({"failure", "failed", "fail", "error", "errored", "timed_out", "startup_failure", "broken", "red"})
_REJECTED = frozenset({"rejected", "declined", "dismissed", "wontfix", "wont_fix", "invalid", "not_planned"})
_RESOLVED = frozenset(
    {"closed", "merged", "resolved", "fixed", "done", "completed", "complete", "duplicate", "cancelled", "canceled"}
    | {"skipped", "neutral", "released", "published", "answered", "verified"}
)
_LIFECYCLES = {
    "superseded": Lifecycle.SUPERSEDED,
    "obsolete": Lifecycle.SUPERSEDED,
    "retracted": Lifecycle.RETRACTED,
    "withdrawn": Lifecycle.RETRACTED,
}


def _word(status: str) -> str:
    return status.strip().casefold().replace("'", "").replace("’", "").replace(" ", "_").replace("-", "_")


def lifecycle_of(kind: RecordKind, status: str) -> Lifecycle:
    """What a status means: over and done with is resolved; a rejected review finding still warns; else active."""
    word = _word(status)
    if word in _REJECTED:
        return Lifecycle.ACTIVE if kind is RecordKind.REVIEW_FINDING else Lifecycle.RESOLVED
    if word in _RESOLVED or (kind is RecordKind.CI_RUN and word in _PASSED):
        return Lifecycle.RESOLVED
    return _LIFECYCLES.get(word, Lifecycle.ACTIVE)


def _verification(artifact: Artifact) -> Verification:
    """What was checked; a CI run that states no more than its status is verified by it."""
    status = artifact.verification_status
    if artifact.kind is RecordKind.CI_RUN and status is VerificationStatus.UNKNOWN:
        word = _word(artifact.status)
        status = VerificationStatus.PASSED if word in _PASSED else status
        status = VerificationStatus.FAILED if word in _FAILED else status
    return Verification(status, artifact.verification_commands, artifact.verification_notes)
