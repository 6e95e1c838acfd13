"""Take in records of a bundle or of another store; one bad or foreign record loses no other."""

from collections.abc import Iterable
from dataclasses import dataclass

from remora.core.records.access import may_write
from remora.core.records.bundle import adopted, decode_bundle
from remora.core.records.log import BadRecord, Progress
from remora.core.records.model import Record
from remora.core.records.scrub import scrubbed
from remora.core.scope import Grant
from remora.ports import RecordLog, RecordPorts


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the records. `denied` counts those that the caller may not write here."""

    recorded: int
    already_present: int
    denied: int
    conflicts: tuple[str, ...]
    bad: tuple[BadRecord, ...]


def import_bundle(ports: RecordPorts, grant: Grant, data: bytes, progress: Progress | None = None) -> Imported:
    """Merge a bundle. Private records belong to their importer; secrets are redacted on the way in."""
    bundle = decode_bundle(data)
    return _take(ports, grant, bundle.records, bundle.bad, progress)


def import_store(ports: RecordPorts, grant: Grant, source: RecordLog, progress: Progress | None = None) -> Imported:
    """Merge another store's log, also one of the first generation."""
    records: list[Record] = []
    bad: list[BadRecord] = []
    for content in source.read(unit.name for unit in source.units()):
        records += [stored.record for stored in content.records]
        bad += content.bad
    return _take(ports, grant, records, tuple(bad), progress)


def _take(
    ports: RecordPorts, grant: Grant, records: Iterable[Record], bad: tuple[BadRecord, ...], progress: Progress | None
) -> Imported:
    own = [scrubbed(adopted(r, grant.principal, operator=grant.operator), ports.redact) for r in records]
    allowed = [record for record in own if may_write(grant, record)]
    done = ports.records.append_many(grant, allowed, progress)
    return Imported(done.recorded, done.already_present, len(own) - len(allowed), done.conflicts, bad)
