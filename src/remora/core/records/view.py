"""What reading asks of an index: one consistent, authorised view of the records."""

from collections.abc import Callable, Collection
from typing import Protocol, TypeAlias

from remora.core.records.indexed import AnchorKey, IndexedRecord, IndexState, Lineage, Narrowing, RecordCandidates
from remora.core.records.vocabulary import Relation

SymbolLookup: TypeAlias = Callable[[str], tuple[str, str] | None]
"""A name -> (node id, file) when it means exactly one symbol of the code graph now; None otherwise."""


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

    def newest(
        self, narrowing: Narrowing, *, limit: int, after: tuple[int, str] | None = None
    ) -> tuple[tuple[IndexedRecord, ...], int]:
        """The newest records, ties by id, and how many there are in all.

        `after`: only those behind this (Unix seconds, id) in the order.
        """
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
