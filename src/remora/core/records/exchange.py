"""What a store and a server have to tell each other so that neither lacks what the other has."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.records.bundle import encode_bundle
from remora.core.records.codec import encode_line
from remora.core.records.identity import apart, is_everyones
from remora.core.records.model import Record


@dataclass(frozen=True, slots=True)
class ServerListing:
    """Ids of the records that a server shows the caller, and as whom it knows the caller."""

    ids: frozenset[str]
    principal: str
    operator: bool

    def holds(self, record: Record) -> bool:
        """Whether the server has the record, under its own key or under the one it gives to what this caller brings."""
        return record.id in self.ids or self.kept_as(record) in self.ids

    def kept_as(self, record: Record) -> str:
        """The id under which the server keeps the record when this caller brings it."""
        return self.as_kept(record).id

    def as_kept(self, record: Record) -> Record:
        """The record under that key: one that the server shows already keeps its own."""
        if self.operator or is_everyones(record) or record.id in self.ids:
            return record
        return apart(record, self.principal)


@dataclass(frozen=True, slots=True)
class Taken:
    """What one side did with what it was brought."""

    recorded: int = 0
    already_present: int = 0
    denied: int = 0
    conflicts: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()

    def __add__(self, other: "Taken") -> "Taken":
        return Taken(
            self.recorded + other.recorded,
            self.already_present + other.already_present,
            self.denied + other.denied,
            self.conflicts + other.conflicts,
            self.bad + other.bad,
        )


def relinked(record: Record, moved: Mapping[str, str]) -> Record:
    """The record with its links to records that are kept under another id (`moved`: id -> id) following them."""
    links = tuple(replace(link, target=moved.get(link.target, link.target)) for link in record.links)
    return record if links == record.links else replace(record, links=links)


def parcels(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records in lots that one request carries; a record larger than that goes alone."""
    lot: list[Record] = []
    room = policy.EXCHANGE_BYTES_MAX
    for record in records:
        size = len(encode_line(record))
        if lot and (size > room or len(lot) >= policy.EXCHANGE_RECORDS_MAX):
            yield lot
            lot, room = [], policy.EXCHANGE_BYTES_MAX
        lot.append(record)
        room -= size
    if lot:
        yield lot


def bundled(records: Iterable[Record]) -> bytes:
    """The bundle of as many of the records as one answer carries, at least one."""
    return encode_bundle(next(parcels(records), []))
