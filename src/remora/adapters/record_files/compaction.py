"""Compaction: fold loose files and small segments into verified segments, then remove what they replace."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from remora.adapters.record_files import loose, segments
from remora.adapters.record_files.disk import Disk
from remora.adapters.record_files.layout import RECORDS, SEGMENTS, Layout
from remora.core import policy
from remora.core.records.log import BadRecord, Compacted, Progress, UnitContent
from remora.core.records.model import Record

_SMALL = policy.SEGMENT_RECORDS_MAX // 2
"""A segment below half the limit is worth merging; so every record is rewritten a logarithmic number of times."""


@dataclass(slots=True)
class _Plan:
    """What is to be folded: each record once, and every file that holds nothing else."""

    records: dict[str, Record] = field(default_factory=dict)
    replaced: list[tuple[Path, tuple[Record, ...]]] = field(default_factory=list)
    loose_count: int = 0
    kept: int = 0
    bad: list[BadRecord] = field(default_factory=list)


def compact(layout: Layout, disk: Disk, now_ns: int, progress: Progress | None) -> Compacted:
    """Fold under the exclusive lock. A damaged, foreign or diverging file stays where it is, named or counted."""
    for folder in (layout.records, layout.segments):
        for path in loose.stale_temporaries(folder, now_ns):
            disk.remove(path)
    plan = _plan(layout, now_ns, progress)
    if not plan.loose_count and len(plan.replaced) < 2:
        return Compacted(kept=plan.kept, bad=tuple(plan.bad))
    written = _write_verified(layout, disk, plan)
    _remove_replaced(disk, plan, written)
    disk.sync_folder(layout.records)
    disk.sync_folder(layout.segments)
    return Compacted(plan.loose_count, len({path for path, _ in written.values()}), plan.kept, tuple(plan.bad))


def _plan(layout: Layout, now_ns: int, progress: Progress | None) -> _Plan:
    plan = _Plan()
    units = loose.list_loose(layout.records, RECORDS, now_ns)
    for done, unit in enumerate(units, start=1):
        path = layout.records / unit.name.partition("/")[2]
        content = loose.read_loose(path, unit.name, shared=False)
        if _take(plan, path, content):
            plan.loose_count += 1
        if progress:
            progress(done, len(units))
    for path, content in _small_segments(layout):
        _take(plan, path, content)
    return plan


def _small_segments(layout: Layout) -> Iterator[tuple[Path, UnitContent]]:
    for path in layout.segment_paths():
        if path.stat().st_size <= policy.SEGMENT_BYTES_MAX // 2:
            content = segments.read_segment(path, f"{SEGMENTS}/{path.name}")
            if len(content.records) < _SMALL:
                yield path, content


def _take(plan: _Plan, path: Path, content: UnitContent) -> bool:
    """Add a whole good unit to the plan; anything else stays."""
    plan.bad += content.bad
    records = tuple(stored.record for stored in content.records)
    diverging = any(plan.records.get(record.id, record) != record for record in records)
    if content.bad or diverging or not all(stored.verified for stored in content.records):
        plan.kept += len(records)
        return False
    plan.records.update((record.id, record) for record in records)
    plan.replaced.append((path, records))
    return True


def _write_verified(layout: Layout, disk: Disk, plan: _Plan) -> dict[str, tuple[Path, Record]]:
    """Write the segments and read them back from disk; returns id -> (segment, record) of what truly lies there."""
    found: dict[str, tuple[Path, Record]] = {}
    lines = sorted(segments.segment_lines(plan.records.values()))
    for chunk in segments.chunked(lines):
        path = segments.write_segment(disk, layout.segments, chunk)
        content = segments.read_segment(path, f"{SEGMENTS}/{path.name}")
        plan.bad += content.bad
        if not content.bad:
            found |= {stored.record.id: (path, stored.record) for stored in content.records}
    return found


def _remove_replaced(disk: Disk, plan: _Plan, written: dict[str, tuple[Path, Record]]) -> None:
    targets = {path for path, _ in written.values()}
    for path, records in plan.replaced:
        if path not in targets and all(written.get(record.id, (None, None))[1] == record for record in records):
            disk.remove(path)
