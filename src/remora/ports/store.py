"""The graph-shaped store: reads, the one write, and care."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from remora.core.graph import Applied, Changes
from remora.core.store_read import StoreRead

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from remora.core.scope import Grant


Decide = Callable[[StoreRead, int], Changes]
"""A pure plan: (view inside the write transaction, transaction time in microseconds) -> changes. May run again."""


class Store(Protocol):
    """One repository's partition of an engine. `apply` is the only write."""

    def read(self, grant: Grant) -> AbstractContextManager[StoreRead]:
        """A consistent view; raises `Denied` unless the grant may read the repository."""
        ...

    def apply(self, grant: Grant, decide: Decide, *, idempotency_key: str = "") -> Applied:
        """Run `decide` and apply its changes in one serialised, durable transaction.

        The time handed to `decide` is strictly greater than any handed out before in this repository. Putting into the
        repository scope needs the write right, into a session or system scope the read right; dropping likewise (edges
        that a dropped node takes along included). A key that this principal used before returns the former result
        without deciding again; the result is None once an item of that write was dropped (forgetting reaches it). An
        empty change keeps the sequence. Raises `InvalidBatch` for what no engine keeps, `Unavailable` at the busy
        deadline. Not to be called from inside `decide`.
        """
        ...

    def drop_scope(self, grant: Grant, scope: str) -> int:
        """Remove every item of one scope with its tokens and vectors, and scrub the bytes; returns how many items.

        Edges of other scopes that end in the scope go along. The repository scope needs the admin right, others read.
        """
        ...

    def lease(self, name: str, holder: str, seconds: int) -> bool:
        """Take or renew a named lease; False when another holder has it and it has not run out.

        0 seconds gives it back.
        """
        ...


class StoreAdmin(Protocol):
    """Care of one repository's partition."""

    def migrate(self) -> int:
        """Bring the layout up to date; returns its version. A newer layout than ours is an error."""
        ...

    def health(self) -> Mapping[str, str | int | bool]:
        """Engine, versions, layout, journal mode, sizes, warnings; for `doctor`."""
        ...

    def verify(self) -> tuple[str, ...]:
        """Names everything that is bad; empty when all is well."""
        ...

    def backup(self, target: Path) -> None:
        """A consistent copy while others write. Refuses to overwrite."""
        ...

    def scrub(self) -> None:
        """Make erased bytes unreadable (checkpoint and truncate what a journal still holds)."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...
