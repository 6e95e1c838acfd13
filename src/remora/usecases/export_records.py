"""Export the records that the caller may see as one checksummed bundle."""

from collections.abc import Sequence

from remora.core.errors import LimitReached
from remora.core.records.bundle import encode_bundle
from remora.core.records.exchange import bundled
from remora.core.records.indexed import Narrowing
from remora.core.records.schema import BUNDLE_RECORDS_MAX
from remora.core.scope import Grant
from remora.ports import RecordPorts


def export_records(ports: RecordPorts, grant: Grant, *, legacy: bool = False) -> bytes:
    """The bundle's bytes; superseded and retracted records are part of the history and go along.

    Raises `LimitReached` above what one bundle holds.
    """
    with ports.record_index.view(grant) as view:
        if view.total > BUNDLE_RECORDS_MAX:
            raise LimitReached(f"a bundle holds at most {BUNDLE_RECORDS_MAX} records, these are {view.total}")
        records = [found.record for found in view.newest(Narrowing(), limit=BUNDLE_RECORDS_MAX)[0]]
    return encode_bundle(records, legacy=legacy)


def export_some(ports: RecordPorts, grant: Grant, record_ids: Sequence[str]) -> bytes:
    """The bundle of as many of these records as one answer carries; absent and hidden ones are left out alike."""
    with ports.record_index.view(grant) as view:
        found = view.get(record_ids)
    return bundled(found[each].record for each in sorted(found))
