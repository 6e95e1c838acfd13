"""The log of records and its index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from remora.core.records.view import RecordView

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from remora.core.records.exchange import ServerListing, Taken
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
    from remora.ports.repository import Clock, Repository

__all__ = ["RecordIndex", "RecordLog", "RecordPorts", "RecordServer", "RecordView"]


class RecordLog(Protocol):
    """The truth of records: append-only, shared by processes and checkouts. Nothing stored is ever altered."""

    def prepare(self, *, share: bool = False) -> Path | None:
        """Make the log's folder, which keeps itself out of git; `share` adds a tracked one for authored records.

        None where the log keeps no files.
        """
        ...

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


class RecordIndex(Protocol):
    """The derived index of one log. It changes speed, never results."""

    def view(self, grant: Grant) -> AbstractContextManager[RecordView]:
        """A view of everything in the log now; what other processes appended before is in it."""
        ...

    def rebuild(self) -> None:
        """Throw the index away and build it anew from the log."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class RecordServer(Protocol):
    """The records of the same repository on a server, as it shows them to the caller's key."""

    def listing(self) -> ServerListing:
        """What it has. Raises `Denied` for a key that it does not know, `NotFound` where it serves no such repository,
        `Unavailable` when it does not answer.
        """
        ...

    def give(self, record_ids: Collection[str]) -> bytes:
        """A bundle of these records, of as many as one answer carries."""
        ...

    def take(self, bundle: bytes) -> Taken:
        """Bring it a bundle; raises `Denied` where the key, or the server, takes no records."""
        ...


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
