"""Bring a server the records that it lacks, of those that the caller may see here."""

from collections.abc import Iterator

from remora.core import policy
from remora.core.records.bundle import encode_bundle
from remora.core.records.exchange import Taken, parcels, relinked
from remora.core.records.indexed import Narrowing
from remora.core.records.log import Progress
from remora.core.records.model import Record
from remora.core.scope import Grant
from remora.ports import RecordPorts, RecordServer


def push_records(ports: RecordPorts, grant: Grant, server: RecordServer, progress: Progress | None = None) -> Taken:
    """What became of what was sent. The server decides by the caller's key what it takes, and whose it is there."""
    listing = server.listing()
    moved = {record.id: listing.kept_as(record) for record in _ours(ports, grant)}
    lacking = [record for record in _ours(ports, grant) if not listing.holds(record)]
    done, sent = Taken(), 0
    for lot in parcels(relinked(listing.as_kept(record), moved) for record in lacking):
        done += server.take(encode_bundle(lot))
        sent += len(lot)
        if progress:
            progress(sent, len(lacking))
    return done


def _ours(ports: RecordPorts, grant: Grant) -> Iterator[Record]:
    """Every record that the caller may see, page by page."""
    after: tuple[int, str] | None = None
    while True:
        with ports.record_index.view(grant) as view:
            found, _ = view.newest(Narrowing(), limit=policy.EXCHANGE_IDS_PAGE, after=after)
        yield from (item.record for item in found)
        if len(found) < policy.EXCHANGE_IDS_PAGE:
            return
        after = (found[-1].occurred_at, found[-1].id)
