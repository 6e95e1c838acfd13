"""The record log of a server without checkouts: documents in the store engine, through the store port alone."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from remora.core import policy
from remora.core.errors import Conflict, Corrupt, InvalidInput, NotFound
from remora.core.graph import Changes, Item
from remora.core.records import codec, in_store
from remora.core.records.access import may_see, require_write
from remora.core.records.log import (
    AppendOutcome,
    BadRecord,
    BulkAppended,
    Compacted,
    LogReport,
    LogUnit,
    Progress,
    StoredRecord,
    UnitContent,
)
from remora.core.records.model import Record, is_record_id
from remora.core.scope import Channel, Grant, operator_grant
from remora.core.store_read import StoreRead
from remora.ports import Store

_SELF = operator_grant(Channel.HTTP, "record-log")
"""The log decides by each record's own scope who may see and write it; the store only keeps its documents."""


class StoreRecordLog:
    """Records of one repository as documents of its store. Works on every engine, and needs nothing else of it."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store

    def prepare(self, *, share: bool = False) -> Path | None:
        """Nothing to make. Raises `InvalidInput` for a folder that git tracks: there is none here."""
        if share:
            raise InvalidInput("share", "needs a checkout", allowed="a repository with files")
        return None

    # --- Writing ------------------------------------------------------------------------------------------------------

    def append(self, grant: Grant, record: Record) -> AppendOutcome:
        """Store one record durably, or find that it is there. Raises `Conflict` when its key says something else."""
        require_write(grant, record)
        outcome = self._apply(lambda view, now: in_store.appended(view, now, record))
        if outcome == in_store.CONFLICT:
            raise Conflict(
                f"idempotency key {record.idempotency_key!r} was already used for different content",
                advice="use another key, or correct the earlier record",
            )
        return AppendOutcome(outcome)

    def append_many(self, grant: Grant, records: Iterable[Record], progress: Progress | None = None) -> BulkAppended:
        """Store a stream of records by the batch; a key that says something else loses no other record."""
        recorded, present, conflicts, last = 0, 0, [], ""
        for batch in _batches(records):
            for record in batch:
                require_write(grant, record)
            done = self._append_batch(batch, last)
            recorded, present, last = recorded + done["recorded"], present + done["present"], done["list"]
            conflicts += done["conflicts"]
            if progress:
                progress(recorded + present + len(conflicts), 0)
        return BulkAppended(recorded, present, tuple(conflicts))

    def _append_batch(self, batch: list[Record], last: str) -> dict[str, Any]:
        return dict(self._apply(lambda view, now: in_store.appended_many(view, now, batch, last)))

    def _apply(self, decide: Callable[[StoreRead, int], Changes]) -> Any:
        return self._open().apply(_SELF, decide).result

    # --- Reading ------------------------------------------------------------------------------------------------------

    def get(self, grant: Grant, record_id: str) -> Record:
        """One record by id; raises `NotFound` alike for absent and hidden ones."""
        if not is_record_id(record_id):
            raise InvalidInput("id", "is not a record id", allowed="mem_ and 24 hex digits")
        with self._open().read(_SELF) as view:
            found = in_store.held(view, (record_id,))
        if record_id in found:
            record = _parsed(record_id, found[record_id]).record
            if may_see(grant, record):
                return record
        raise NotFound(f"no record {record_id}")

    def present(self, record_ids: Collection[str]) -> frozenset[str]:
        """Which of these ids the log holds, whoever may see them."""
        found: set[str] = set()
        with self._open().read(_SELF) as view:
            for some in _chunks([each for each in record_ids if is_record_id(each)]):
                found.update(in_store.held(view, some))
        return frozenset(found)

    def units(self) -> tuple[LogUnit, ...]:
        """Every list of records: together the fingerprint of the log."""
        with self._open().read(_SELF) as view:
            return in_store.units(view)

    def read(self, names: Iterable[str]) -> Iterator[UnitContent]:
        """The records of lists, one list at a time; lists that are gone are left out."""
        for name in names:
            with self._open().read(_SELF) as view:
                unit = in_store.unit(view, name)
                content = _content(view, *unit) if unit else None
            if content is not None:
                yield content

    # --- Care ---------------------------------------------------------------------------------------------------------

    def compact(self, progress: Progress | None = None) -> Compacted:
        """Long lists in the place of short ones. No document is written or removed."""
        done = self._apply(in_store.compacted)
        if progress:
            progress(1, 1)
        return Compacted(folded=done["folded"], segments=done["lists"])

    def verify(self, progress: Progress | None = None) -> LogReport:
        """Check every document and every list, and name what is bad."""
        names = [unit.name for unit in self.units()]
        bad: list[BadRecord] = []
        seen: set[str] = set()
        for done, content in enumerate(self.read(names), start=1):
            seen.update(stored.record.id for stored in content.records)
            bad += content.bad
            if progress:
                progress(done, len(names))
        known = seen | {item.record_id for item in bad}
        with self._open().read(_SELF) as view:
            bad += [BadRecord("store", "is in no list", each) for each in in_store.documents(view) if each not in known]
        return LogReport(records=len(seen), units=len(names), bad=tuple(bad))


def _content(view: StoreRead, unit: LogUnit, members: Sequence[str]) -> UnitContent:
    records: list[StoredRecord] = []
    bad: list[BadRecord] = []
    for some in _chunks(members):
        found = in_store.held(view, some)
        for record_id in some:
            try:
                records.append(_parsed(record_id, found.get(record_id)))
            except Corrupt as error:
                bad.append(BadRecord(unit.name, str(error), record_id))
    return UnitContent(unit.name, unit.stamp, tuple(records), tuple(bad))


def _parsed(record_id: str, item: Item | None) -> StoredRecord:
    if item is None:
        raise Corrupt("the document cannot be read", advice="run `remora memory verify`")
    line = in_store.line_of(item)
    parsed = codec.parse(line)
    if parsed.record.id != record_id:
        raise Corrupt(f"the document holds {parsed.record.id}")
    return StoredRecord(parsed.record, line, parsed.verified, parsed.digest)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    for record in records:
        batch.append(record)
        if len(batch) == policy.RECORD_STORE_BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _chunks(record_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(record_ids), policy.RECORD_STORE_BATCH):
        yield record_ids[start : start + policy.RECORD_STORE_BATCH]
