"""Record decisions, procedures and conventions that are documents; changed ones supersede, gone ones are taken back."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from remora.core.capture.document_text import read_document
from remora.core.capture.documents import Chain, SymbolLookup, chains, next_record, tombstones
from remora.core.capture.paths import stored_path
from remora.core.errors import Conflict, InvalidInput
from remora.core.policy import DOCUMENTS_MAX, SKIPPED_NAMED_MAX
from remora.core.records import codec
from remora.core.records.indexed import Narrowing
from remora.core.records.log import AppendOutcome, Progress
from remora.core.records.model import Record
from remora.core.records.vocabulary import DECISIONS, Relation
from remora.core.scope import Grant, Right
from remora.ports import RecordPorts, SourceFiles


class IngestDocsPorts(RecordPorts, Protocol):
    """What this verb needs besides the ports of records."""

    @property
    def documents(self) -> SourceFiles:
        """The checkout's files that `is_document` names."""
        ...

    @property
    def symbol(self) -> SymbolLookup:
        """Grounds names in the present code graph."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestDocsResult:
    """Counts: seen = recorded + unchanged + skipped + conflicts; of the recorded, `changed` superseded a former record.
    `removed` documents were taken back. `skipped_by_reason` counts every skip, also of files that were not read.
    """

    seen: int = 0
    recorded: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped_by_reason: Mapping[str, int] = field(default_factory=dict)
    skipped_documents: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def skipped(self) -> int:
        """How many documents could not be recorded."""
        return sum(self.skipped_by_reason.values())


def ingest_docs(ports: IngestDocsPorts, grant: Grant, progress: Progress | None = None) -> IngestDocsResult:
    """Bring the records of documents up to what lies in the checkout now. Safe to repeat and to run twice at once."""
    identity = ports.repository.identity
    grant.require(identity, Right.WRITE)
    listing = ports.documents.listing()
    known = _known(ports, grant)
    run = _Run(ports, grant, known)
    paths = {stored_path(path.encode("utf-8", "surrogateescape")): path for path in listing.files}
    for number, (stored, path) in enumerate(paths.items()):
        run.take(stored, ports.documents.read(path))
        if progress:
            progress(number + 1, len(paths))
    for stored in known.keys() - run.present:
        run.take_back(known[stored])
    reasons = run.reasons + Counter(listing.skipped)
    return IngestDocsResult(
        seen=len(paths) + sum(listing.skipped.values()),
        recorded=run.recorded,
        changed=run.changed,
        unchanged=run.unchanged,
        removed=run.removed,
        skipped_by_reason=dict(sorted(reasons.items())),
        skipped_documents=tuple(run.skipped),
        conflicts=tuple(run.conflicts),
    )


def _known(ports: IngestDocsPorts, grant: Grant) -> dict[str, Chain]:
    with ports.record_index.view(grant) as view:
        found, _ = view.newest(Narrowing(kinds=DECISIONS), limit=DOCUMENTS_MAX)
    records = (codec.parse(item.data, trusted=True).record for item in found)
    return chains(records, ports.repository.identity)


class _Run:
    """One pass over the documents, with its counts."""

    def __init__(self, ports: IngestDocsPorts, grant: Grant, known: Mapping[str, Chain]) -> None:
        self._ports = ports
        self._grant = grant
        self._known = known
        self._now = ports.clock.now() // 1_000_000
        self.present: set[str] = set()
        self.recorded = self.changed = self.unchanged = self.removed = 0
        self.reasons: Counter[str] = Counter()
        self.skipped: list[tuple[str, str]] = []
        self.conflicts: list[str] = []

    def take(self, path: str, data: bytes | None) -> None:
        """Record one document, unless what stands says the same."""
        if data is None:
            self._skip(path, "unreadable")
            self.present.add(path)  # it is there, so it is not taken back
            return
        try:
            document = read_document(path, data)
            if document is None:
                self._skip(path, "empty, not text, or only Remora's own block")
                return
            self.present.add(path)
            redact = self._ports.redact
            document = replace(document, title=redact(document.title), summary=redact(document.summary))
            record = next_record(
                path,
                document,
                self._known.get(path, Chain()),
                repository=self._ports.repository.identity,
                now=self._now,
                symbol=self._ports.symbol,
            )
        except InvalidInput as error:
            self.present.add(path)
            self._skip(path, f"invalid ({error.field})")
            return
        if record is None or self._append(record) is not AppendOutcome.RECORDED:
            self.unchanged += record is None or record.idempotency_key not in self.conflicts
            return
        self.recorded += 1
        self.changed += bool(record.targets(Relation.SUPERSEDES))

    def take_back(self, chain: Chain) -> None:
        """Tombstone what stands of a document that is gone."""
        for record in tombstones(chain, now=self._now):
            self.removed += self._append(record) is AppendOutcome.RECORDED

    def _append(self, record: Record) -> AppendOutcome | None:
        try:
            return self._ports.records.append(self._grant, record)
        except Conflict:
            self.conflicts.append(record.idempotency_key)
            return None

    def _skip(self, path: str, reason: str) -> None:
        self.reasons[reason] += 1
        if len(self.skipped) < SKIPPED_NAMED_MAX:
            self.skipped.append((path, reason))
