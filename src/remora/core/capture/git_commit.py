"""A commit becomes a record: one observation that depends on the commit alone, so that every clone writes the same."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from remora.core.capture.clean_texts import redact_all
from remora.core.capture.git_log import RawCommit
from remora.core.capture.trailers import Mention, mentions, without_addresses
from remora.core.ids import record_id
from remora.core.policy import (
    COMMIT_BODY_MAX_CHARS,
    COMMIT_LINKS_MAX,
    COMMIT_PATHS_MAX,
    COMMIT_SUBJECT_MAX_CHARS,
    RECORD_TIME_MAX_SECONDS,
    RENAME_LIMIT,
    SECRET_NAME_MIN_CHARS,
)
from remora.core.records.identity import KeyPrefix
from remora.core.records.model import (
    SHARED,
    Link,
    PathChange,
    Record,
    SourceArtifact,
    SymbolAnchor,
    SymbolChange,
    Verification,
)
from remora.core.records.vocabulary import PathChangeKind, RecordKind, Relation
from remora.core.text import clean

_UNVERIFIED = Verification()
_LINEAGE = (PathChangeKind.RENAMED, PathChangeKind.COPIED)


@dataclass(frozen=True, slots=True)
class CommitContext:
    """What all commits of one capture share. `redact` takes secrets out of a text."""

    repository: str
    redact: Callable[[str], str]
    branch: str = ""
    paths: dict[str, str] = field(default_factory=dict, compare=False)
    """Path -> the same without secrets; most paths of a history come up many times."""

    def path(self, path: str) -> str:
        """The path without secrets in its names. One path always becomes the same one, so that lineage holds."""
        found = self.paths.get(path)
        if found is None:
            found = self.paths[path] = clean_path(path, self.redact)
        return found


@dataclass(frozen=True, slots=True)
class TouchedSymbols:
    """Symbols of one commit: those whose lines it touched, and those it renamed."""

    anchors: tuple[SymbolAnchor, ...] = ()
    renames: tuple[SymbolChange, ...] = ()
    notes: tuple[str, ...] = ()


NO_SYMBOLS = TouchedSymbols()


@dataclass(frozen=True, slots=True)
class ReadCommit:
    """A commit with its message read: clean, without addresses and secrets, and with what it names."""

    raw: RawCommit
    title: str
    summary: str
    mentions: tuple[Mention, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def abbreviations(self) -> tuple[str, ...]:
        """Commits it names by less than the full id."""
        return tuple(m.commit for m in self.mentions if m.commit and len(m.commit) != len(self.raw.sha))


def commit_key(sha: str) -> str:
    """The idempotency key of a commit's record."""
    return KeyPrefix.GIT + sha


def commit_record_id(repository: str, sha: str) -> str:
    """The id of a commit's record."""
    return record_id(repository, commit_key(sha))


def read_commits(raws: Sequence[RawCommit], context: CommitContext) -> list[ReadCommit]:
    """Clean the messages, take out addresses and secrets, cap them with a mark, and find what they name."""
    messages = [(" ".join(clean(raw.subject).split()), clean(raw.body).strip()) for raw in raws]
    texts = [without_addresses(f"{subject}\n\n{body}" if body else subject) for subject, body in messages]
    return [
        _read(raw, text, mentions(subject, body, context.repository))
        for raw, text, (subject, body) in zip(raws, redact_all(texts, context.redact), messages, strict=True)
    ]


def _read(raw: RawCommit, text: str, named: tuple[Mention, ...]) -> ReadCommit:
    title, _, summary = text.partition("\n\n")
    return ReadCommit(
        raw,
        _capped(title.strip() or "(no message)", COMMIT_SUBJECT_MAX_CHARS),
        _capped(summary.strip(), COMMIT_BODY_MAX_CHARS),
        named,
        _notes(raw),
    )


def _capped(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit].rstrip()} [{len(text) - limit} more characters]"


def _notes(raw: RawCommit) -> tuple[str, ...]:
    """What is known to be missing from the file list."""
    notes = []
    if raw.cut:
        notes.append("history_incomplete: a shallow clone ends here, changed files unknown")
    if raw.unsafe_paths:
        notes.append(f"unsafe_paths: {raw.unsafe_paths} names point out of the repository and were left out")
    if len(raw.changes) > RENAME_LIMIT and _renames_incomplete(raw.changes):
        notes.append("renames_incomplete: too many files for inexact rename detection")
    if len(raw.changes) > COMMIT_PATHS_MAX:
        notes.append(f"paths_capped: {COMMIT_PATHS_MAX} of {len(raw.changes)} changed files kept, renames first")
    return tuple(notes)


def _renames_incomplete(changes: tuple[PathChange, ...]) -> bool:
    """Git looks for inexact renames only while sources times targets stay within the limit squared."""
    added = sum(change.kind is PathChangeKind.ADDED for change in changes)
    deleted = sum(change.kind is PathChangeKind.DELETED for change in changes)
    return added * deleted > RENAME_LIMIT * RENAME_LIMIT


def commit_record(
    commit: ReadCommit,
    context: CommitContext,
    *,
    full_ids: Mapping[str, str] | None = None,
    symbols: TouchedSymbols = NO_SYMBOLS,
) -> Record:
    """The record of one commit. `full_ids` says what its abbreviations stand for; unknown ones are left as text.

    The recording time is the committer's time: two captures of one commit write the same bytes.
    """
    raw = commit.raw
    notes = commit.notes + symbols.notes
    return Record.create(
        idempotency_key=commit_key(raw.sha),
        kind=RecordKind.CHANGE_EPISODE,
        title=commit.title,
        summary=commit.summary,
        repository=context.repository,
        occurred_at=max(-RECORD_TIME_MAX_SECONDS, min(RECORD_TIME_MAX_SECONDS, raw.time)),
        sources=(SourceArtifact("git_commit", commit_key(raw.sha)),),
        branch=context.branch,
        commit=raw.sha,
        affected_symbols=tuple(_clean_anchor(anchor, context.path) for anchor in symbols.anchors),
        symbol_changes=_clean_renames(symbols, context.path),
        path_changes=tuple(_clean_change(change, context.path) for change in _kept_changes(raw.changes)),
        verification=Verification(notes="; ".join(notes)) if notes else _UNVERIFIED,
        access_scope=SHARED,
        links=_links(commit, context.repository, full_ids or {}) if commit.mentions else (),
    )


def anchored_id(record: Record) -> str:
    """The id of the record that tells the same commit with its symbols."""
    return record_id(record.repository, _anchored_key(record))


def _anchored_key(record: Record) -> str:
    return f"{record.idempotency_key}:anchor:{record.id}"


def anchored_record(record: Record, symbols: TouchedSymbols, path: Callable[[str], str]) -> Record:
    """The same observation with what it did to symbols: a new record that takes the place of one made without.

    `path` takes secrets out of a path.
    """
    notes = "; ".join(note for note in (record.verification.notes, *symbols.notes) if note)
    return Record.create(
        idempotency_key=_anchored_key(record),
        kind=record.kind,
        title=record.title,
        summary=record.summary,
        repository=record.repository,
        occurred_at=record.occurred_at,
        sources=record.sources,
        branch=record.branch,
        commit=record.commit,
        affected_symbols=tuple(_clean_anchor(anchor, path) for anchor in symbols.anchors),
        symbol_changes=_clean_renames(symbols, path),
        path_changes=record.path_changes,
        verification=replace(record.verification, notes=notes),
        confidence=record.confidence,
        access_scope=record.access_scope,
        owner=record.owner,
        links=(*record.links, Link(Relation.SUPERSEDES, record.id)),
    )


def clean_path(path: str, redact: Callable[[str], str]) -> str:
    """The path without secrets in its names."""
    names = [redact(name) if len(name) >= SECRET_NAME_MIN_CHARS else name for name in path.split("/")]
    return "/".join(name.replace("/", "_") for name in names)


def _clean_change(change: PathChange, clean_path: Callable[[str], str]) -> PathChange:
    old, new = clean_path(change.old_path), clean_path(change.new_path)
    return change if (old, new) == (change.old_path, change.new_path) else replace(change, old_path=old, new_path=new)


def _clean_renames(symbols: TouchedSymbols, clean_path: Callable[[str], str]) -> tuple[SymbolChange, ...]:
    return tuple(
        replace(pair, old=_clean_anchor(pair.old, clean_path), new=_clean_anchor(pair.new, clean_path))
        for pair in symbols.renames
    )


def _clean_anchor(anchor: SymbolAnchor, clean_path: Callable[[str], str]) -> SymbolAnchor:
    path = clean_path(anchor.source_file)
    if path == anchor.source_file:
        return anchor
    return replace(anchor, node_id=anchor.node_id.replace(anchor.source_file, path), source_file=path)


def _kept_changes(changes: tuple[PathChange, ...]) -> tuple[PathChange, ...]:
    if len(changes) <= COMMIT_PATHS_MAX:
        return changes
    lineage = [change for change in changes if change.kind in _LINEAGE]
    others = [change for change in changes if change.kind not in _LINEAGE]
    return tuple((lineage + others)[:COMMIT_PATHS_MAX])


def _links(commit: ReadCommit, repository: str, full_ids: Mapping[str, str]) -> tuple[Link, ...]:
    links: dict[Link, None] = {}
    for mention in commit.mentions:
        target = mention.target
        if mention.commit:
            whole = len(mention.commit) == len(commit.raw.sha)
            sha = mention.commit if whole else full_ids.get(mention.commit, "")
            target = commit_record_id(repository, sha) if sha and sha != commit.raw.sha else ""
        if target:
            links[Link(mention.relation, target)] = None
    return tuple(links)[:COMMIT_LINKS_MAX]
