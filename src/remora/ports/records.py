"""The log of records and its index."""

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from remora.core.records.log import (
    AppendOutcome,
    BulkAppended,
    Compacted,
    LogReport,
    LogUnit,
    Progress,
    UnitContent,
)
from remora.core.records.model import Record
from remora.core.scope import Grant


class RecordLog(Protocol):
    """The truth of records: append-only, shared by processes and checkouts. Nothing stored is ever altered."""

    def append(self, grant: Grant, record: Record) -> AppendOutcome:
        """Store one record durably, or find that it is there.

        Raises `Denied` unless the grant may write it, `Conflict` when its key stands for something else.
        """
        ...

    def append_many(self, grant: Grant, records: Iterable[Record], progress: Progress | None = None) -> BulkAppended:
        """Store a stream of records; a key that stands for something else is reported and loses no other record."""
        ...

    def get(self, grant: Grant, record_id: str) -> Record:
        """One record; raises `NotFound` alike for absent and hidden ones."""
        ...

    def present(self, record_ids: Collection[str]) -> frozenset[str]:
        """Which ids the log holds, whoever may see them; for captures that skip what they did before."""
        ...

    def units(self) -> tuple[LogUnit, ...]:
        """Everything that holds records, with stamps: together the fingerprint of the log."""
        ...

    def read(self, names: Iterable[str]) -> Iterator[UnitContent]:
        """Content of units, good records and named bad ones; units that are gone are left out (list again)."""
        ...

    def compact(self, progress: Progress | None = None) -> Compacted:
        """Fold small units into larger verified ones; never removes the last good copy of a record."""
        ...

    def verify(self, progress: Progress | None = None) -> LogReport:
        """Check every byte and name everything that is bad."""
        ...
