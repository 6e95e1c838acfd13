"""What an engine offers to read: the one protocol by which the core looks into a store while it plans and ranks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from remora.core.graph import Candidates, Change, Item, Neighbourhood


class StoreRead(Protocol):
    """One consistent view of one repository. Only items in the given scopes are ever returned or counted."""

    @property
    def seq(self) -> int:
        """Sequence number of the last write this view sees."""
        ...

    def get(self, ids: Iterable[str], scopes: Collection[str]) -> dict[str, Item]:
        """The items with these ids that exist in the scopes.

        An item whose stored bytes are damaged raises `Corrupt` here, since it cannot count as absent; the other reads
        leave it out, and `health` and `verify` tell of it.
        """
        ...

    def scan(
        self,
        family: str,
        label: str,
        scopes: Collection[str],
        *,
        after: str = "",
        limit: int,
        newest_first: bool = False,
    ) -> tuple[tuple[Item, ...], str]:
        """A page of items and the next page's cursor ("" at the end), by id, or by `updated` descending, then id.

        `after` is "" or a cursor of the same list; anything else newest first is `InvalidInput`.
        """
        ...

    def text_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        terms: Collection[str],
        prefixes: Collection[str] = (),
        *,
        labels: Collection[str] = (),
        limit: int,
    ) -> Candidates:
        """Items holding any of the exact `terms` or any token starting with one of `prefixes`.

        When more than `limit` match, terms are taken rarest first (ties: the term itself) and within a term by id, so
        that every engine cuts alike. Items come ordered by id. A string that is both term and prefix counts as prefix.
        """
        ...

    def vector_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        model: str,
        query: bytes,
        *,
        floor: float,
        limit: int,
    ) -> tuple[tuple[Item, float], ...]:
        """Items by exact cosine to `query` (float32 little-endian), at least `floor`, best first, ties by id.

        Vectors of another size than the query, zero vectors and those with a NaN or infinity are never in a result.
        """
        ...

    def expand(
        self,
        ids: Collection[str],
        scopes: Collection[str],
        *,
        labels: Collection[str],
        names: Collection[str] = (),
        outgoing: bool = True,
        incoming: bool = True,
        hops: int = 1,
        per_node: int,
        limit: int,
    ) -> Neighbourhood:
        """Edges with these labels (and names, when given) around the ids, in rounds, and the nodes at their ends.

        Per node and direction the `per_node` most recently updated edges (ties: id) are followed; `limit` edges in all,
        of which an earlier round's come first and within a round the most recently updated. An edge counts only when
        both its ends are visible in the scopes. Nodes and edges come ordered by id.
        """
        ...

    def counts(self, scopes: Collection[str]) -> Mapping[tuple[str, str, str], int]:
        """(family, label, scope) -> number of items."""
        ...

    def snapshot(self, families: Collection[str], scopes: Collection[str]) -> tuple[Item, ...]:
        """Every item of the families in the scopes, by id."""
        ...

    def changes(self, since: int, *, limit: int) -> tuple[Change, ...]:
        """The change feed after `since`, by sequence, then id; an item appears once, at its latest change.

        The lines of one write are never split, so a page may be longer than `limit`: go on from its last `seq`.
        """
        ...

    def vectors_missing(
        self,
        families: Collection[str],
        scopes: Collection[str],
        model: str,
        *,
        labels: Collection[str] = (),
        limit: int,
    ) -> tuple[Item, ...]:
        """Searchable items (of the labels, when given) without a vector of this model, by id.

        Putting an item anew with other tokens drops its vectors.
        """
        ...
