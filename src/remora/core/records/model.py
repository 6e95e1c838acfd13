"""The record: one immutable observation with at least one source, and the values nested in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite

from remora.core import ids, policy
from remora.core.errors import InvalidInput
from remora.core.records.vocabulary import (
    PITFALLS,
    Lifecycle,
    PathChangeKind,
    RecordKind,
    Relation,
    ScopeKind,
    SymbolChangeKind,
    VerificationStatus,
)

VERSION = 3
_RECORD_ID = re.compile(r"mem_[0-9a-f]{24}")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SourceArtifact:
    """What a record was derived from. `uri` is a stable locator (`git:<sha>`, a URL, a path), never fetched by us."""

    kind: str
    uri: str
    revision: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SymbolAnchor:
    """A symbol as the writer saw it. A raw anchor (unresolved name) has no file and confidence 0.5."""

    node_id: str
    label: str
    source_file: str = ""
    repo: str = ""
    commit: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """One symbol's identity on both sides of a commit."""

    old: SymbolAnchor
    new: SymbolAnchor
    confidence: float = 1.0
    kind: SymbolChangeKind = SymbolChangeKind.RENAMED


@dataclass(frozen=True, slots=True)
class PathChange:
    """One path's fate in a commit; renames and copies keep both ends. Paths are repository-relative with `/`."""

    kind: PathChangeKind
    old_path: str = ""
    new_path: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether and how the observation was checked."""

    status: VerificationStatus = VerificationStatus.UNKNOWN
    commands: tuple[str, ...] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class AccessScope:
    """Who may see the record; `workspace` is named only in the workspace scope."""

    scope: ScopeKind = ScopeKind.PRIVATE
    workspace: str = ""


PRIVATE = AccessScope(ScopeKind.PRIVATE)
SHARED = AccessScope(ScopeKind.REPOSITORY)


@dataclass(frozen=True, slots=True)
class Link:
    """A typed relation to a record id, or to an artifact's URI."""

    relation: Relation
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One observation. Make it with `Record.create`, which computes the id and checks every field.

    Times are Unix seconds. Equality compares everything that is written except the digest, which is computed.
    """

    id: str
    idempotency_key: str
    kind: RecordKind
    title: str
    summary: str
    repository: str
    occurred_at: int
    recorded_at: int
    sources: tuple[SourceArtifact, ...]
    branch: str = ""
    commit: str = ""
    affected_symbols: tuple[SymbolAnchor, ...] = ()
    symbol_changes: tuple[SymbolChange, ...] = ()
    path_changes: tuple[PathChange, ...] = ()
    verification: Verification = field(default_factory=Verification)
    confidence: float = 1.0
    lifecycle: Lifecycle = Lifecycle.ACTIVE
    access_scope: AccessScope = PRIVATE
    owner: str = ""
    links: tuple[Link, ...] = ()
    version: int = VERSION

    @classmethod
    def create(
        cls,
        *,
        idempotency_key: str,
        kind: RecordKind,
        title: str,
        summary: str,
        repository: str,
        occurred_at: int,
        sources: Iterable[SourceArtifact],
        recorded_at: int | None = None,
        branch: str = "",
        commit: str = "",
        affected_symbols: Iterable[SymbolAnchor] = (),
        symbol_changes: Iterable[SymbolChange] = (),
        path_changes: Iterable[PathChange] = (),
        verification: Verification | None = None,
        confidence: float = 1.0,
        lifecycle: Lifecycle = Lifecycle.ACTIVE,
        access_scope: AccessScope = PRIVATE,
        owner: str = "",
        links: Iterable[Link] = (),
    ) -> "Record":
        """A checked record with its computed id; raises `InvalidInput` naming the field.

        Lone surrogates in texts become U+FFFD; paths keep theirs, so that undecodable file names round-trip.
        """
        record = cls(
            id=ids.record_id(repository, idempotency_key),
            idempotency_key=idempotency_key,
            kind=kind,
            title=whole_text(title),
            summary=whole_text(summary),
            repository=repository,
            occurred_at=occurred_at,
            recorded_at=occurred_at if recorded_at is None else recorded_at,
            sources=tuple(sources),
            branch=whole_text(branch),
            commit=commit,
            affected_symbols=tuple(affected_symbols),
            symbol_changes=tuple(symbol_changes),
            path_changes=tuple(path_changes),
            verification=verification or Verification(),
            confidence=float(confidence),
            lifecycle=lifecycle,
            access_scope=access_scope,
            owner=whole_text(owner),
            links=tuple(links),
        )
        check_record(record)
        check_new(record)
        return record

    @property
    def is_pitfall(self) -> bool:
        """Whether the record warns: a negative kind, or a CI run that failed."""
        failed_run = self.kind is RecordKind.CI_RUN and self.verification.status is VerificationStatus.FAILED
        return self.kind in PITFALLS or failed_run

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path the record names, old and new, without repeats, in order of appearance."""
        found = [path for change in self.path_changes for path in (change.old_path, change.new_path)]
        found += [anchor.source_file for anchor in self.anchors]
        return tuple(dict.fromkeys(path for path in found if path))

    @property
    def anchors(self) -> tuple[SymbolAnchor, ...]:
        """Every anchor the record holds: affected symbols and both ends of symbol changes."""
        return self.affected_symbols + tuple(end for change in self.symbol_changes for end in (change.old, change.new))

    def targets(self, relation: Relation) -> tuple[str, ...]:
        """Targets of the links with this relation."""
        return tuple(link.target for link in self.links if link.relation is relation)


def whole_text(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, so that it can be encoded everywhere."""
    return _SURROGATES.sub("\ufffd", text) if not text.isascii() else text


def is_record_id(text: str) -> bool:
    """Whether the text has the form of a record id; nothing else ever becomes a file name."""
    return _RECORD_ID.fullmatch(text) is not None


def check_record(record: Record) -> None:
    """Raise `InvalidInput` unless the record keeps the rules that stored records keep too."""
    _check_identity(record)
    _check_sources(record.sources)
    for name in ("occurred_at", "recorded_at"):
        if abs(getattr(record, name)) > policy.RECORD_TIME_MAX_SECONDS:
            raise InvalidInput(name, "is not a time in Unix seconds", allowed="seconds, years 1 to 9999")
    check_confidence("confidence", record.confidence)
    if (record.access_scope.scope is ScopeKind.WORKSPACE) != bool(record.access_scope.workspace):
        raise InvalidInput("access_scope.workspace", "names the workspace in the workspace scope and only there")
    for anchor in record.anchors:
        check_confidence("affected_symbols.confidence", anchor.confidence)
    for change in record.symbol_changes:
        check_confidence("symbol_changes.confidence", change.confidence)


def _check_identity(record: Record) -> None:
    for name in ("idempotency_key", "repository"):
        value = getattr(record, name)
        if not value.strip():
            raise InvalidInput(name, "is empty")
        if "\0" in value or _SURROGATES.search(value):
            raise InvalidInput(name, "holds a NUL or a lone surrogate")
    if record.id != ids.record_id(record.repository, record.idempotency_key):
        raise InvalidInput("id", "is not the one computed from repository and idempotency key")


def _check_sources(sources: tuple[SourceArtifact, ...]) -> None:
    if not sources:
        raise InvalidInput("sources", "a record must cite at least one source")
    if not all(source.uri.strip() for source in sources):
        raise InvalidInput("sources.uri", "is empty")


def check_confidence(name: str, value: float) -> None:
    """Raise `InvalidInput` unless the value is a finite number from 0 to 1."""
    if not (isfinite(value) and 0.0 <= value <= 1.0):
        raise InvalidInput(name, f"{value!r} is out of range", allowed="0 to 1")


def check_new(record: Record) -> None:
    """Raise `InvalidInput` when a new record says nothing or is too large; stored ones are read as they are."""
    if not record.title.strip():
        raise InvalidInput("title", "is empty")
    if not all(source.kind.strip() for source in record.sources):
        raise InvalidInput("sources.kind", "is empty")
    if not all(anchor.label or anchor.node_id for anchor in record.anchors):
        raise InvalidInput("affected_symbols", "an anchor needs a label or a node id")
    if not all(change.old_path or change.new_path for change in record.path_changes):
        raise InvalidInput("path_changes", "a change needs an old or a new path")
    if not all(link.target.strip() for link in record.links):
        raise InvalidInput("links.target", "is empty")
    _check_sizes(record)


def _check_sizes(record: Record) -> None:
    limits = (
        ("idempotency_key", len(record.idempotency_key), policy.RECORD_KEY_MAX_CHARS),
        ("title", len(record.title), policy.RECORD_TITLE_MAX_CHARS),
        ("summary", len(record.summary), policy.RECORD_SUMMARY_MAX_CHARS),
        ("sources", len(record.sources), policy.RECORD_SOURCES_MAX),
        ("sources.uri", max(len(source.uri) for source in record.sources), policy.RECORD_URI_MAX_CHARS),
        ("affected_symbols", len(record.affected_symbols), policy.RECORD_LIST_MAX),
        ("symbol_changes", len(record.symbol_changes), policy.RECORD_LIST_MAX),
        ("path_changes", len(record.path_changes), policy.RECORD_LIST_MAX),
        ("links", len(record.links), policy.RECORD_LIST_MAX),
        ("verification.commands", len(record.verification.commands), policy.RECORD_SOURCES_MAX),
        ("verification.notes", len(record.verification.notes), policy.RECORD_SUMMARY_MAX_CHARS),
    )
    for name, size, limit in limits:
        if size > limit:
            raise InvalidInput(name, f"is too long ({size})", allowed=f"at most {limit}")
