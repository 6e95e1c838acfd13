"""Record what other systems say happened; changed versions supersede, and one bad item loses no other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol, TypeVar

from remora.core.capture.artifacts import Artifact, ArtifactList, BadArtifact, named
from remora.core.capture.artifacts_record import Home, artifact_record, cleaned
from remora.core.capture.clean_texts import redact_all
from remora.core.capture.exports.formats import read_export
from remora.core.capture.exports.reading import ExportPlace
from remora.core.errors import InvalidInput
from remora.core.policy import ARTIFACT_BATCH, ARTIFACT_SOURCES_BATCH
from remora.core.records.access import may_write
from remora.core.records.identity import apart
from remora.core.records.log import Progress
from remora.core.records.model import Record
from remora.core.records.scrub import Redact, scrubbed
from remora.core.records.view import SymbolLookup
from remora.core.records.vocabulary import Relation, ScopeKind
from remora.core.scope import Grant
from remora.ports import Checkout, RecordPorts

_T = TypeVar("_T")


class ImportArtifactsPorts(RecordPorts, Protocol):
    """What this verb needs of the ports."""

    @property
    def checkout(self) -> Checkout:
        """Where absolute paths of an export are relative to."""
        ...

    @property
    def symbol(self) -> SymbolLookup:
        """Grounds names in the present code graph."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportArtifactsRequest:
    """A file as it is on disk; `format` is one of `exports.FORMATS`."""

    data: bytes
    format: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportArtifactsResult:
    """Counts: seen = recorded + already_present + bad items + conflicts. Of the recorded, `changed` superseded a former
    version and `restored` came back to one. `skipped` counts by reason what the format leaves out.
    """

    format: str
    seen: int = 0
    recorded: int = 0
    changed: int = 0
    restored: int = 0
    already_present: int = 0
    bad: tuple[BadArtifact, ...] = ()
    conflicts: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    ignored_fields: tuple[str, ...] = ()


def import_artifacts(
    ports: ImportArtifactsPorts, grant: Grant, request: ImportArtifactsRequest, progress: Progress | None = None
) -> ImportArtifactsResult:
    """Bring the records of artifacts up to a file. Safe to repeat; private to the importer unless an item says else.

    Raises `InvalidInput` or `LimitReached` for what is wrong with the file as a whole; what is wrong with an item is
    in the result, by its place in the file.
    """
    repository = ports.repository
    place = ExportPlace(repository.identity, str(ports.checkout.root))
    form, found = read_export(request.data, request.format, place)
    home = Home(repository.identity, repository.aliases, cache(ports.symbol))
    run = _Run(ports, grant, home, found, progress)
    run.plan()
    return run.store(form)


class _Run:
    """One pass over the artifacts of a file, with its counts."""

    def __init__(
        self, ports: RecordPorts, grant: Grant, home: Home, found: ArtifactList, progress: Progress | None
    ) -> None:
        self._ports = ports
        self._grant = grant
        self._home = home
        self._found = found
        self._progress = progress
        self._now = ports.clock.now() // 1_000_000
        self._already = 0
        self._seen = sum(not artifact.settles for _, artifact in found.artifacts)
        self._bad = list(found.bad)
        self._planned: list[Record] = []

    def plan(self) -> None:
        """Decide what each artifact asks for, given what is recorded of it."""
        items = self._distinct()
        done = 0
        for start in range(0, len(items), ARTIFACT_SOURCES_BATCH):
            batch = items[start : start + ARTIFACT_SOURCES_BATCH]
            versions = self._versions([artifact.source_uri for _, artifact, _ in batch])
            for index, artifact, digest in batch:
                self._plan_one(index, artifact, digest, versions.get(artifact.source_uri, ()))
                done += 1
                if self._progress and done % ARTIFACT_BATCH == 0:
                    self._progress(done, len(items))
        if self._progress and items:
            self._progress(len(items), len(items))

    def _distinct(self) -> list[tuple[int, Artifact, str]]:
        """(place, artifact, digest) of each thing once; a second, different version in one file is an error."""
        first: dict[tuple[str, str, str], tuple[int, str]] = {}
        kept = []
        for index, clean, digest in self._cleaned():
            key = (clean.kind.value, clean.external_id, clean.source_uri)
            if key not in first:
                first[key] = (index, digest)
                kept.append((index, clean, digest))
            elif first[key][1] == digest:
                self._already += 1
            else:
                problem = f"{clean.external_id[:80]!r} is also item {first[key][0]}, which says something else"
                self._bad.append(BadArtifact(index, "external_id", problem))
        return kept

    def _cleaned(self) -> Iterator[tuple[int, Artifact, str]]:
        """Artifacts whose names hold no secrets, with the digests of what was exported."""
        found = self._found.artifacts
        for start in range(0, len(found), ARTIFACT_BATCH):
            batch = found[start : start + ARTIFACT_BATCH]
            clean = self._together([artifact for _, artifact in batch], cleaned)
            yield from ((index, each, artifact.digest) for (index, artifact), each in zip(batch, clean, strict=True))

    def _versions(self, uris: Sequence[str]) -> dict[str, list[Record]]:
        with self._ports.record_index.view(self._grant) as view:
            records = [item.record for item in view.by_source(uris)]
        found: dict[str, list[Record]] = {}
        for record in records:
            for source in record.sources:
                found.setdefault(source.uri, []).append(record)
        return found

    def _plan_one(self, index: int, artifact: Artifact, digest: str, versions: Sequence[Record]) -> None:
        try:
            record = artifact_record(artifact, digest, versions, self._grant, self._home, self._now)
        except InvalidInput as error:
            self._bad += named(index, error)
            return
        if record is None:
            self._already += not artifact.settles
        elif not may_write(self._grant, record):
            scope = record.access_scope.scope.value
            self._bad.append(BadArtifact(index, "scope", f"this principal may not write {scope} records here"))
        else:
            self._planned.append(record if self._grant.operator else apart(record, self._grant.principal))
            self._seen += artifact.settles

    def store(self, form: str) -> ImportArtifactsResult:
        """Write what was planned, and count."""
        done = self._ports.records.append_many(self._grant, self._scrubbed(self._planned))
        taken = set(done.conflicts)
        others = [record for record in self._planned if record.idempotency_key in taken]
        again = [apart(record, self._grant.principal) for record in others if _is_private(record)]
        more = self._ports.records.append_many(self._grant, self._scrubbed(again))
        conflicts = (*(record.idempotency_key for record in others if not _is_private(record)), *more.conflicts)
        kept = [record for record in self._planned if record.idempotency_key not in conflicts]
        bad = tuple(sorted(self._bad, key=lambda item: item.index))
        return ImportArtifactsResult(
            format=form,
            seen=self._seen + len({item.index for item in self._found.bad}),
            recorded=done.recorded + more.recorded,
            changed=sum(bool(record.targets(Relation.SUPERSEDES)) for record in kept),
            restored=sum(":restore:" in record.idempotency_key for record in kept),
            already_present=self._already + done.already_present + more.already_present,
            bad=bad,
            conflicts=conflicts,
            skipped=dict(self._found.skipped),
            ignored_fields=self._found.ignored_fields,
        )

    def _scrubbed(self, records: Sequence[Record]) -> Iterator[Record]:
        for start in range(0, len(records), ARTIFACT_BATCH):
            batch = records[start : start + ARTIFACT_BATCH]
            yield from self._together(batch, scrubbed)

    def _together(self, items: Sequence[_T], clean: Callable[[_T, Redact], _T]) -> list[_T]:
        """The items without secrets; their texts are searched together, since few hold any."""
        texts: dict[str, str] = {}
        for item in items:
            clean(item, lambda text: texts.setdefault(text, text))
        texts = dict(zip(texts, redact_all(list(texts), self._ports.redact), strict=True))
        return [clean(item, texts.__getitem__) for item in items]


def _is_private(record: Record) -> bool:
    """Private records have a key of their own where another owner's has taken the plain one."""
    return record.access_scope.scope is ScopeKind.PRIVATE
