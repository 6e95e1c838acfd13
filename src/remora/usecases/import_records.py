"""Take in records of a bundle or of another store, or exchange with a bundle; one bad record loses no other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from remora.core.policy import EXCHANGE_RECORDS_MAX
from remora.core.records.access import may_write
from remora.core.records.bundle import Bundle, adopted, decode_bundle, encode_bundle, united
from remora.core.records.exchange import ServerListing, relinked
from remora.core.records.identity import apart, is_everyones
from remora.core.records.indexed import Narrowing
from remora.core.records.log import BadRecord, Progress
from remora.core.records.model import Record
from remora.core.records.schema import BUNDLE_RECORDS_MAX
from remora.core.records.scrub import scrubbed
from remora.core.scope import Grant
from remora.ports import RecordLog, RecordPorts, RecordServer


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


@dataclass(frozen=True, slots=True)
class Synced:
    """What came in, how many records the bundle gained, and its new bytes (None: it stays as it is)."""

    imported: Imported
    added: int
    data: bytes | None


def sync_bundle(ports: RecordPorts, grant: Grant, data: bytes | None, progress: Progress | None = None) -> Synced:
    """Take in what a bundle has and give it what it lacks; None is a bundle that does not exist yet.

    What the bundle holds stays as it is, also records that this caller may not write. One with unreadable records is
    not written, since they would be lost. Raises `LimitReached` when both together are more than a bundle holds.
    """
    bundle = decode_bundle(data) if data is not None else None
    held, bad = (bundle.records, bundle.bad) if bundle else ((), ())
    imported = _take(ports, grant, held, bad, progress)
    with ports.record_index.view(grant) as view:
        ours = [found.record for found in view.newest(Narrowing(), limit=BUNDLE_RECORDS_MAX + 1)[0]]
    if not grant.operator:  # copies under the importer's own keys are in the bundle already
        copies = {apart(record, grant.principal).id for record in held if not is_everyones(record)}
        copies -= {record.id for record in held}
        ours = [record for record in ours if record.id not in copies]
    both = united(held, ours)
    added = len(both) - len({record.id for record in held})
    if bad or (bundle is not None and not added):
        return Synced(imported, 0 if bad else added, None)
    return Synced(imported, added, encode_bundle(both))


def import_store(ports: RecordPorts, grant: Grant, source: RecordLog, progress: Progress | None = None) -> Imported:
    """Merge another store's log, also one of the first generation."""
    records: list[Record] = []
    bad: list[BadRecord] = []
    for content in source.read(unit.name for unit in source.units()):
        records += [stored.record for stored in content.records]
        bad += content.bad
    return _take(ports, grant, records, tuple(bad), progress)


def import_from_server(
    ports: RecordPorts, grant: Grant, server: RecordServer, progress: Progress | None = None
) -> Imported:
    """Take in what a server shows the caller and this store lacks.

    What the server keeps of ours under the caller's own key there is ours already. All of it is taken in at once, so
    that links among what is taken hold.
    """
    listing = server.listing()
    lacking = listing.ids - ports.records.present(listing.ids)
    if not listing.operator:
        lacking -= _copies(ports, grant, listing)
    wanted = sorted(lacking)
    records: list[Record] = []
    bad: list[BadRecord] = []
    for start in range(0, len(wanted), EXCHANGE_RECORDS_MAX):
        for bundle in _given(server, wanted[start : start + EXCHANGE_RECORDS_MAX]):
            records += bundle.records
            bad += bundle.bad
        if progress:
            progress(min(start + EXCHANGE_RECORDS_MAX, len(wanted)), len(wanted))
    return _take(ports, grant, records, tuple(bad), None)


def _copies(ports: RecordPorts, grant: Grant, listing: ServerListing) -> set[str]:
    with ports.record_index.view(grant) as view:
        ours = [found.record for found in view.newest(Narrowing(), limit=BUNDLE_RECORDS_MAX)[0]]
    return {listing.kept_as(record) for record in ours}


def _given(server: RecordServer, wanted: list[str]) -> Iterator[Bundle]:
    """Bundles of these records, as many as it takes; what is gone meanwhile is left out."""
    while wanted:
        bundle = decode_bundle(server.give(wanted))
        got = {record.id for record in bundle.records} | {item.record_id for item in bundle.bad}
        yield bundle
        rest = [each for each in wanted if each not in got]
        wanted = rest if bundle.records and len(rest) < len(wanted) else []


def _take(
    ports: RecordPorts, grant: Grant, records: Iterable[Record], bad: tuple[BadRecord, ...], progress: Progress | None
) -> Imported:
    own = [scrubbed(adopted(r, grant.principal, operator=grant.operator), ports.redact) for r in records]
    own = own if grant.operator else _apart(ports, grant, own)
    allowed = [record for record in own if may_write(grant, record)]
    done = ports.records.append_many(grant, allowed, progress)
    return Imported(done.recorded, done.already_present, len(own) - len(allowed), done.conflicts, bad)


def _apart(ports: RecordPorts, grant: Grant, records: list[Record]) -> list[Record]:
    """Records under keys of their importer, but for those it sees already and those that anyone would capture alike:
    a key that is taken by what the importer may not see must not show. Links among the records follow.
    """
    with ports.record_index.view(grant) as view:
        held = view.get([record.id for record in records])
    own = {
        record.id: apart(record, grant.principal)
        for record in records
        if not is_everyones(record) and record.id not in held
    }
    moved = {former: record.id for former, record in own.items()}
    return [relinked(own.get(record.id, record), moved) for record in records]
