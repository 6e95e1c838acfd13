"""The log of records and its index."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from remora.core.records.indexed import AnchorKey, IndexedRecord, IndexState, Lineage, Narrowing, RecordCandidates
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
from remora.core.records.vocabulary import Relation
from remora.core.scope import Grant
from remora.ports.repository import Clock, Repository


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


class RecordView(Protocol):
    """One consistent view of the records that a caller may see; hidden ones are never returned, counted or weighed."""

    @property
    def total(self) -> int:
        """How many records the caller may see."""
        ...

    @property
    def state(self) -> IndexState:
        """What the view was served from."""
        ...

    def text(
        self, terms: Collection[str], prefixes: Collection[str], narrowing: Narrowing, *, limit: int
    ) -> RecordCandidates:
        """Records that share words with the query, cut by the rarity of what they share, newest first, then id."""
        ...

    def concrete(self, keys: Collection[str], *, limit: int) -> tuple[str, ...]:
        """Path endings and folders as whole path keys; other anchor keys stay as they are."""
        ...

    def anchored(
        self, keys: Collection[AnchorKey], narrowing: Narrowing, *, limit: int
    ) -> tuple[tuple[IndexedRecord, ...], int]:
        """Records that hold any of the keys within its time, newest first, and how many there are in all."""
        ...

    def lineage(self, keys: Collection[str]) -> tuple[Lineage, ...]:
        """Renames and copies that records tell of these keys, oldest first."""
        ...

    def newest(self, narrowing: Narrowing, *, limit: int) -> tuple[tuple[IndexedRecord, ...], int]:
        """The newest records, and how many there are in all."""
        ...

    def get(self, ids: Collection[str]) -> dict[str, IndexedRecord]:
        """The visible ones of these records."""
        ...

    def by_source(self, uris: Collection[str]) -> tuple[IndexedRecord, ...]:
        """Records that cite any of these sources, newest first."""
        ...

    def linking(self, targets: Collection[str]) -> tuple[tuple[str, Relation, IndexedRecord], ...]:
        """(target, relation, record) of records with a link to any of the targets, newest first."""
        ...


class RecordIndex(Protocol):
    """The derived index of one log. It changes speed, never results."""

    def view(self, grant: Grant) -> AbstractContextManager[RecordView]:
        """A view of everything in the log now; what other processes appended before is in it."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


SymbolLookup = Callable[[str], tuple[str, str] | None]
"""A name -> (node id, file) when it means exactly one symbol of the code graph now; None otherwise."""


class RecordPorts(Protocol):
    """The part of the bag that records need."""

    @property
    def repository(self) -> Repository:
        """Which repository the bag is bound to."""
        ...

    @property
    def records(self) -> RecordLog:
        """Its record log."""
        ...

    @property
    def record_index(self) -> RecordIndex:
        """The index of the log."""
        ...

    @property
    def clock(self) -> Clock:
        """Time and randomness."""
        ...

    @property
    def redact(self) -> Callable[[str], str]:
        """Takes secrets out of a text."""
        ...

    @property
    def symbol(self) -> SymbolLookup:
        """Looks names up in the present code graph."""
        ...
