"""The record log on disk: append once, read any unit, compact and verify. Nothing stored is ever altered."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from remora.adapters.record_files import compaction, layout, loose, segments
from remora.adapters.record_files.disk import PRIVATE, TRACKED, Disk, locked
from remora.adapters.record_files.layout import Layout
from remora.core import policy
from remora.core.errors import Conflict, Corrupt, InvalidInput, NotFound
from remora.core.records import codec
from remora.core.records.access import may_see, require_write
from remora.core.records.identity import KeyPrefix, same_content
from remora.core.records.log import (
    AppendOutcome,
    BadRecord,
    BulkAppended,
    Compacted,
    LogReport,
    LogUnit,
    Progress,
    UnitContent,
)
from remora.core.records.model import Record, is_record_id
from remora.core.scope import Grant

_Found = TypeVar("_Found")


class FileRecordLog:
    """The log under one `.remora` folder; many processes may use it at once. Reads need no lock and write nothing."""

    def __init__(
        self,
        home: Path | Layout,
        *,
        disk: Disk | None = None,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._layout = home if isinstance(home, Layout) else Layout(home)
        self._disk = disk or Disk()
        self._now_ns = now_ns

    def prepare(self, *, share: bool = False) -> Path:
        """Make the folders, which keep themselves out of git; `share` adds the tracked one. Returns the `.remora`."""
        if share:
            self._disk.make_folder(self._layout.shared)
        layout.prepare(self._layout, self._disk)
        return self._layout.home

    # --- Writing ------------------------------------------------------------------------------------------------------

    def append(self, grant: Grant, record: Record) -> AppendOutcome:
        """Store one record durably, or find that it is there. Raises `Conflict` when its key says something else."""
        require_write(grant, record)
        layout.prepare(self._layout, self._disk)
        folder = self._layout.folder_for(record)
        target, mode = folder / f"{record.id}.json", TRACKED if folder == self._layout.shared else PRIVATE
        with self._lock(shared=True):
            while True:
                existing = self._find(record.id)
                if existing is not None:
                    return _already(existing, record)
                if self._disk.publish(target, (codec.encode_file(record),), mode=mode):
                    return AppendOutcome.RECORDED

    def append_many(self, grant: Grant, records: Iterable[Record], progress: Progress | None = None) -> BulkAppended:
        """Store a stream of records, as segments when they are many. Keys that say something else are reported."""
        layout.prepare(self._layout, self._disk)
        total = BulkAppended()
        chunk: list[Record] = []
        for record in records:
            require_write(grant, record)
            chunk.append(record)
            if len(chunk) >= policy.SEGMENT_RECORDS_MAX:
                total = _sum(total, self._append_chunk(grant, chunk))
                chunk = []
                if progress:
                    progress(total.recorded + total.already_present + len(total.conflicts), 0)
        total = _sum(total, self._append_chunk(grant, chunk))
        if progress:
            progress(total.recorded + total.already_present + len(total.conflicts), 0)
        return total

    def _append_chunk(self, grant: Grant, records: list[Record]) -> BulkAppended:
        if len(records) < policy.RECORD_BULK_MIN:
            return self._append_each(grant, records)
        fresh: dict[str, Record] = {}
        already, conflicts = 0, []
        with self._lock(shared=False):
            present = self.present([record.id for record in records])
            for record in records:
                known = fresh.get(record.id) or (self._known(record) if record.id in present else record)
                if known is None or not same_content(known, record):
                    conflicts.append(record.idempotency_key)
                elif record.id in present or record.id in fresh:
                    already += 1
                else:
                    fresh[record.id] = record
            for chunk in segments.chunked(segments.segment_lines(fresh.values())):
                segments.write_segment(self._disk, self._layout.segments, chunk)
        return BulkAppended(len(fresh), already, tuple(conflicts))

    def _append_each(self, grant: Grant, records: list[Record]) -> BulkAppended:
        recorded, conflicts = 0, []
        for record in records:
            try:
                recorded += self.append(grant, record) is AppendOutcome.RECORDED
            except Conflict:
                conflicts.append(record.idempotency_key)
        return BulkAppended(recorded, len(records) - recorded - len(conflicts), tuple(conflicts))

    def _known(self, record: Record) -> Record | None:
        """The stored record under the id, None when it is damaged; a commit is its id, so its file is not read."""
        if record.idempotency_key.startswith(KeyPrefix.GIT):
            return record
        try:
            return self._find(record.id)
        except Corrupt:
            return None

    # --- Reading ------------------------------------------------------------------------------------------------------

    def get(self, grant: Grant, record_id: str) -> Record:
        """One record by id; raises `NotFound` alike for absent and hidden ones."""
        if not is_record_id(record_id):
            raise InvalidInput("id", "is not a record id", allowed="mem_ and 24 hex digits")
        record = _retried(lambda: self._find(record_id))
        if record is None or not may_see(grant, record):
            raise NotFound(f"no record {record_id}")
        return record

    def present(self, record_ids: Collection[str]) -> frozenset[str]:
        """Which of these ids the log holds, whoever may see them; for captures that skip what they did before."""
        return _retried(lambda: self._present(set(record_ids)))

    def _present(self, wanted: set[str]) -> frozenset[str]:
        many = len(wanted) >= policy.RECORD_BULK_MIN
        likely = wanted & loose.names(self._layout.loose) if many else wanted  # one listing, not a stat for each id
        found = {name for name in likely if any(self._loose_path(folder, name) for folder in self._layout.loose)}
        for path in self._layout.segment_paths():
            missing = wanted - found
            if many:
                found |= missing & segments.line_ids(path)
            else:
                found |= {name for name in missing if segments.find_line(path, name) is not None}
        return frozenset(found)

    def units(self) -> tuple[LogUnit, ...]:
        """Every unit with its stamp, by name: together the fingerprint of the log."""
        now_ns = self._now_ns()
        found = [
            unit
            for prefix, folder in self._layout.prefixed_loose()
            for unit in loose.list_loose(folder, prefix, now_ns)
        ]
        found += [LogUnit(f"{layout.SEGMENTS}/{path.name}", path.stem) for path in self._layout.segment_paths()]
        return tuple(found)

    def read(self, names: Iterable[str]) -> Iterator[UnitContent]:
        """The content of units, one at a time. A unit that is gone meanwhile is left out: list the units again."""
        for name in names:
            try:
                yield self._read_unit(name)
            except FileNotFoundError:
                continue

    def _read_unit(self, name: str) -> UnitContent:
        prefix, _, file_name = name.partition("/")
        if prefix == layout.SEGMENTS and segments.NAME.fullmatch(file_name):
            return segments.read_segment(self._layout.segments / file_name, name)
        folder = dict(self._layout.prefixed_loose()).get(prefix)
        if folder is None or "/" in file_name or file_name.startswith("."):
            raise InvalidInput("unit", f"{name[:80]!r} is no unit of the log")
        return loose.read_loose(folder / file_name, name, shared=prefix == layout.SHARED)

    def _loose_path(self, folder: Path, record_id: str) -> Path | None:
        path = folder / f"{record_id}.json"
        return path if is_record_id(record_id) and (path.is_file() or path.is_symlink()) else None

    def _find(self, record_id: str) -> Record | None:
        """The stored record under the id. Raises `Corrupt` when the only copy of it is damaged."""
        problem: BadRecord | None = None
        for prefix, folder in self._layout.prefixed_loose():
            if self._loose_path(folder, record_id):
                for content in self.read([f"{prefix}/{record_id}.json"]):
                    if content.records:
                        return content.records[0].record
                    problem = content.bad[0]
        for path in self._layout.segment_paths():
            line = segments.find_line(path, record_id)
            if line is not None:
                try:
                    return codec.parse(line).record
                except Corrupt as error:
                    problem = BadRecord(f"{layout.SEGMENTS}/{path.name}", str(error), record_id)
        if problem is not None:
            raise Corrupt(f"{problem.unit}: {problem.problem}", advice="run `remora memory verify`")
        return None

    # --- Care ---------------------------------------------------------------------------------------------------------

    def compact(self, progress: Progress | None = None) -> Compacted:
        """Fold loose files and small segments into verified segments; never removes the last good copy."""
        if not self._layout.memory.is_dir():
            return Compacted()
        layout.prepare(self._layout, self._disk)
        with self._lock(shared=False):
            return compaction.compact(self._layout, self._disk, self._now_ns(), progress)

    def verify(self, progress: Progress | None = None) -> LogReport:
        """Check every byte of the log and name everything that is bad."""
        names = [unit.name for unit in self.units()]
        records, unverifiable = 0, 0
        bad: list[BadRecord] = []
        for done, content in enumerate(self.read(names), start=1):
            records += len(content.records)
            unverifiable += sum(not stored.verified for stored in content.records)
            bad += content.bad
            if progress:
                progress(done, len(names))
        return LogReport(records, len(names), unverifiable, tuple(bad))

    def _lock(self, *, shared: bool) -> AbstractContextManager[None]:
        return locked(self._layout.lock, shared=shared)


def _retried(look: Callable[[], _Found]) -> _Found:
    """Look again when a compaction takes a file away between listing and reading it."""
    for _ in range(policy.RELIST_ATTEMPTS - 1):
        try:
            return look()
        except FileNotFoundError:
            continue
    return look()


def _already(existing: Record, record: Record) -> AppendOutcome:
    if same_content(existing, record):
        return AppendOutcome.ALREADY_PRESENT
    raise Conflict(
        f"idempotency key {record.idempotency_key!r} was already used for different content",
        advice="use another key, or correct the earlier record",
    )


def _sum(first: BulkAppended, second: BulkAppended) -> BulkAppended:
    return BulkAppended(
        first.recorded + second.recorded,
        first.already_present + second.already_present,
        first.conflicts + second.conflicts,
    )
