"""Which files are documents of decisions and procedures, and which records keep up with them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from remora.core.capture.document_text import Document
from remora.core.policy import PROPOSED_DECISION_CONFIDENCE, RAW_ANCHOR_CONFIDENCE
from remora.core.records.identity import KeyPrefix
from remora.core.records.model import SHARED, Link, Record, SourceArtifact, SymbolAnchor
from remora.core.records.vocabulary import Lifecycle, RecordKind, Relation

_FOLDERS = {
    "adr": RecordKind.ARCHITECTURE_DECISION,
    "adrs": RecordKind.ARCHITECTURE_DECISION,
    "decisions": RecordKind.ARCHITECTURE_DECISION,
    "procedures": RecordKind.PROCEDURE,
    "runbooks": RecordKind.PROCEDURE,
    "playbooks": RecordKind.PROCEDURE,
}
_TOP = ("doc", "docs")
_ROOT_FILES = {
    "contributing": RecordKind.CONVENTION,
    "development": RecordKind.CONVENTION,
    "releasing": RecordKind.CONVENTION,
    "agents": RecordKind.CONVENTION,
}
_ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".txt")
_NO_DECISION = ("readme", "index", "template", "adr-template", "0000-template", "adr_template", "toc", "summary")
SOURCE_KIND = "document"

SymbolLookup = Callable[[str], tuple[str, str] | None]
"""A name -> (node id, file) when it means exactly one symbol now."""


def document_kind(path: str) -> RecordKind | None:
    """What a file of this name would be recorded as; None when it is no document that we read.

    Folders count at the top and anywhere under `docs/` (or `doc/`); templates and tables of contents do not.
    """
    *folders, name = path.split("/")
    lower = name.lower()
    stem = lower.rpartition(".")[0]
    if not lower.endswith(_ENDINGS):
        return None
    if not folders:
        return _ROOT_FILES.get(stem)
    places = folders if folders[0].lower() in _TOP else folders[:1]
    kind = next((_FOLDERS[place.lower()] for place in places if place.lower() in _FOLDERS), None)
    return None if kind is RecordKind.ARCHITECTURE_DECISION and stem in _NO_DECISION else kind


def is_document(path: str) -> bool:
    """Whether a file of this name is read as a document."""
    return document_kind(path) is not None


def document_key(path: str, digest: str) -> str:
    """The key of a document's first record with this content."""
    return f"{KeyPrefix.DOCUMENT}{path}:{digest}"


@dataclass(frozen=True, slots=True)
class Chain:
    """Every record of one document; `heads` are those that no other one supersedes, newest first."""

    records: tuple[Record, ...] = ()

    @property
    def heads(self) -> tuple[Record, ...]:
        """What stands now."""
        replaced = {target for record in self.records for target in record.targets(Relation.SUPERSEDES)}
        return tuple(record for record in self.records if record.id not in replaced)


def chains(records: Iterable[Record], repository: str) -> dict[str, Chain]:
    """Document path -> its records (given newest first). A path and a kind of record make one chain."""
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.repository == repository and record.idempotency_key.startswith(KeyPrefix.DOCUMENT):
            for source in record.sources:
                if source.kind == SOURCE_KIND:
                    found.setdefault(source.uri, []).append(record)
    return {path: Chain(tuple(of_path)) for path, of_path in found.items()}


def next_record(
    path: str, document: Document, chain: Chain, *, repository: str, now: int, symbol: SymbolLookup
) -> Record | None:
    """The record that a document asks for; None when what stands says the same already. `now` is in Unix seconds.

    Other content supersedes what stands. Content that was there before comes back as a new record derived from the
    first one, since a superseded record stays superseded.
    """
    kind = document_kind(path)
    if kind is None:
        return None
    heads = chain.heads
    if any(_says(head, document, kind) for head in heads):
        return None
    key = document_key(path, document.digest)
    links = [Link(Relation.SUPERSEDES, head.id) for head in heads if head.kind is kind]
    if any(record.idempotency_key == key for record in chain.records) and heads:
        links.append(Link(Relation.DERIVED_FROM, _first(chain, key)))
        key = f"{key}:restore:{heads[0].id}"
    lifecycle, confidence = _standing(document.status)
    return Record.create(
        idempotency_key=key,
        kind=kind,
        title=document.title,
        summary=document.summary,
        repository=repository,
        occurred_at=min(document.date, now) if document.date else now,
        recorded_at=now,
        sources=(SourceArtifact(SOURCE_KIND, path, digest=document.digest),),
        affected_symbols=tuple(_anchor(name, symbol) for name in document.symbols),
        confidence=confidence,
        lifecycle=lifecycle,
        access_scope=SHARED,
        links=links,
    )


def tombstones(chain: Chain, *, now: int) -> tuple[Record, ...]:
    """Records that take back what stands of a document that is gone; none when that was done before."""
    return tuple(
        tombstone(
            head,
            subject=f"{KeyPrefix.DOCUMENT}{head.sources[0].uri}",
            summary=f"The document {head.sources[0].uri} was removed.",
            now=now,
        )
        for head in chain.heads
        if not is_tombstone(head)
    )


def tombstone(head: Record, *, subject: str, summary: str, now: int) -> Record:
    """The record that takes back what stands of something that is gone; `subject` begins its key."""
    return Record.create(
        idempotency_key=f"{subject}:tombstone:{head.id}",
        kind=head.kind,
        title=head.title,
        summary=summary,
        repository=head.repository,
        occurred_at=now,
        sources=head.sources,
        lifecycle=Lifecycle.RETRACTED,
        access_scope=head.access_scope,
        owner=head.owner,
        links=(Link(Relation.SUPERSEDES, head.id),),
    )


def is_tombstone(record: Record) -> bool:
    """Whether the record says that its document is gone."""
    return ":tombstone:" in record.idempotency_key and record.lifecycle is Lifecycle.RETRACTED


def anchored_names(record: Record) -> tuple[str, ...]:
    """Names a record is grounded on."""
    return tuple(anchor.label for anchor in record.affected_symbols)


def _says(head: Record, document: Document, kind: RecordKind) -> bool:
    return head.kind is kind and not is_tombstone(head) and head.sources[0].digest == document.digest


def _first(chain: Chain, key: str) -> str:
    return next(record.id for record in chain.records if record.idempotency_key == key)


def _anchor(name: str, symbol: SymbolLookup) -> SymbolAnchor:
    found = symbol(name)
    if found is None:
        return SymbolAnchor(name, name, confidence=RAW_ANCHOR_CONFIDENCE)
    return SymbolAnchor(found[0], name, found[1])


_STANDINGS: Mapping[str, tuple[Lifecycle, float]] = {
    "superseded": (Lifecycle.SUPERSEDED, 1.0),
    "replaced": (Lifecycle.SUPERSEDED, 1.0),
    "deprecated": (Lifecycle.SUPERSEDED, 1.0),
    "obsolete": (Lifecycle.SUPERSEDED, 1.0),
    "rejected": (Lifecycle.RETRACTED, 1.0),
    "withdrawn": (Lifecycle.RETRACTED, 1.0),
    "proposed": (Lifecycle.ACTIVE, PROPOSED_DECISION_CONFIDENCE),
    "draft": (Lifecycle.ACTIVE, PROPOSED_DECISION_CONFIDENCE),
    "pending": (Lifecycle.ACTIVE, PROPOSED_DECISION_CONFIDENCE),
}


def _standing(status: str) -> tuple[Lifecycle, float]:
    """What a stated status makes of the record: hidden when it governs no more or never did, lighter when proposed."""
    words: Sequence[str] = status.replace(",", " ").replace(".", " ").split()
    return next((_STANDINGS[word] for word in words[:6] if word in _STANDINGS), (Lifecycle.ACTIVE, 1.0))
