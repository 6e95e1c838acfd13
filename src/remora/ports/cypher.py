"""Reading Cypher over a copy of the graph in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from remora.core.cypher.rows import Graph
    from remora.core.graph import Json


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to a query. `truncated` says that a row or size limit cut it; warnings are the engine's."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Json], ...]
    truncated: bool
    warnings: tuple[str, ...]


class GraphQueries(Protocol):
    """Runs gated queries over snapshots, each in a process of its own that reaches nothing but its snapshot."""

    def run(
        self,
        owner: object,
        version: int,
        graph: Callable[[], Graph],
        query: str,
        params: Mapping[str, Json],
    ) -> Table:
        """Run a query over the snapshot of `owner` at `version`; `graph` loads it when it is not held.

        Raises `InvalidInput` for what the engine does not understand, `LimitReached` at a time, work or memory limit,
        `Unavailable` when the process cannot be started.
        """
        ...

    def close(self) -> None:
        """End the processes."""
        ...


class CodeMirror(Protocol):
    """A database that holds a copy of the code graph beside the memory."""

    def mirror_code(
        self, nodes: Mapping[str, list[dict[str, Json]]], relations: Mapping[str, list[dict[str, Json]]]
    ) -> tuple[int, int]:
        """Replace the copy: nodes by label ({properties}), relations by type ({s, t, properties}); returns how many."""
        ...
