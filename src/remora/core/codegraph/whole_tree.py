"""What a build can only tell of a whole tree: boundaries, and calls guessed by a name that is unique."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any, Protocol

from remora.core.codegraph.boundaries.stage import cross
from remora.core.codegraph.guesses import CALLABLE, guessed, renamed
from remora.core.codegraph.overlay import Overlay
from remora.core.codegraph.snapshot import GraphUpdate, SymbolRow, UnresolvedRow


class StoredGraph(Protocol):
    """The graph before the update."""

    def symbols(self, *, files: Collection[int] = (), ids: Collection[int] = (), name: str = "") -> list[SymbolRow]:
        """Symbols of files, by ids or by bare name."""
        ...

    def unresolved(self, *, sources: Collection[int] = (), name: str = "") -> list[UnresolvedRow]:
        """Calls that could not be told: of some symbols, or of callees with a last name."""
        ...

    def callables(self) -> list[tuple[int, int, str]]:
        """(id, file, name) of every function and method."""
        ...

    def homes(self) -> dict[int, int]:
        """Symbol -> its file."""
        ...

    def endpoints(self) -> dict[int, str]:
        """File -> what it exposes and reaches for."""
        ...


class WholeTree:
    """`stored` is the graph before the update; in a whole build what was written of it. `paths` are its files."""

    def __init__(
        self,
        update: GraphUpdate,
        stored: StoredGraph,
        paths: Mapping[int, str],
        language: Callable[[str], str],
        family: Callable[[str], str],
    ) -> None:
        self._update = update
        self._stored = stored
        self._paths = paths
        self._language = language
        self._family = family

    def complete(self, manifest: Callable[[int], Mapping[str, Any]], *, whole: bool) -> None:
        """Put boundaries and guesses into the update. `manifest` gives the content of a file that is one."""
        stored = self._stored
        overlay = Overlay(
            self._update, lambda file: stored.symbols(files=(file,)), lambda name: stored.symbols(name=name)
        )
        cross(self._update, overlay, stored.endpoints(), self._paths, self._language, manifest)
        family = cache(lambda number: self._family(self._paths[number]))
        if whole:
            by_name: dict[str, list[tuple[int, int]]] = {}
            for number, file, name in stored.callables():
                by_name.setdefault(name, []).append((number, file))
            rows = stored.unresolved()
            self._update.guesses = guessed(rows, stored.homes(), lambda name: by_name.get(name, ()), family)
            return
        home = {row.id: row.file for symbols in self._update.symbols.values() for row in symbols}
        rows = [*self._update.unresolved, *self._waiting(stored, home)]
        self._update.guesses = guessed(rows, home, lambda name: _callable(overlay.named(name)), family)

    def _waiting(self, stored: StoredGraph, home: dict[int, int]) -> list[UnresolvedRow]:
        """Stored calls that may mean another function now: of names that came, went or moved."""
        update = self._update
        parsed = [*update.symbols, *update.removed]
        before = stored.symbols(files=parsed) if parsed else []
        names = renamed(before, (row for symbols in update.symbols.values() for row in symbols))
        waiting = {row.source for name in sorted(names) for row in stored.unresolved(name=name)}
        unknown = (waiting | {row.source for row in update.unresolved}) - home.keys()
        for row in stored.symbols(ids=unknown) if unknown else ():
            home.setdefault(row.id, row.file)
        linked = {*update.relinked, *update.removed}
        update.stale_guesses = sorted(key for key in waiting if key in home and home[key] not in linked)
        return stored.unresolved(sources=update.stale_guesses) if update.stale_guesses else []


def _callable(rows: Iterable[SymbolRow]) -> list[tuple[int, int]]:
    return [(row.id, row.file) for row in rows if row.kind in CALLABLE]
