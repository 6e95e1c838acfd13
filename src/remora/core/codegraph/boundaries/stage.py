"""The last stage of a build: all endpoints of the tree, stored and new, become boundaries."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from remora.core.codegraph.boundaries.endpoints import Endpoint, Named, unpacked
from remora.core.codegraph.boundaries.rows import Symbols, boundary_rows
from remora.core.codegraph.snapshot import GraphUpdate, SymbolRow


class _Overlay:
    """Symbols as they will be when the update is written."""

    def __init__(
        self,
        update: GraphUpdate,
        of_file: Callable[[int], Iterable[SymbolRow]],
        named: Callable[[str], Iterable[SymbolRow]],
    ) -> None:
        self._update = update
        self._of_file = of_file
        self._named = named
        self._known: dict[int, dict[str, SymbolRow]] = {}
        self._gone = {*update.removed, *update.symbols}
        self._fresh: dict[str, list[SymbolRow]] = {}
        for rows in update.symbols.values():
            for row in rows:
                self._fresh.setdefault(row.name, []).append(row)

    def find(self, named: Named) -> SymbolRow | None:
        file, qualified = named
        table = self._known.get(file)
        if table is None:
            rows = self._update.symbols.get(file)
            rows = [row for row in self._of_file(file) if row.id > 0] if rows is None else rows
            table = self._known[file] = {row.qualified: row for row in rows}
        return table.get(qualified)

    def named(self, name: str) -> Sequence[SymbolRow]:
        stored = [row for row in self._named(name) if row.id > 0 and row.file not in self._gone]
        return [*stored, *self._fresh.get(name, ())]


def cross(
    update: GraphUpdate,
    stored: Mapping[int, str],
    of_file: Callable[[int], Iterable[SymbolRow]],
    named: Callable[[str], Iterable[SymbolRow]],
    paths: Mapping[int, str],
    language: Callable[[str], str],
) -> None:
    """Put the boundaries of the whole tree into an update. `paths` are the files that will be in the graph."""
    texts = {file: text for file, text in stored.items() if file in paths and file not in update.relinked}
    texts.update(update.endpoints)
    endpoints: dict[int, list[Endpoint]] = {
        file: unpacked(json.loads(text)) for file, text in sorted(texts.items(), key=lambda item: paths[item[0]])
    }
    overlay = _Overlay(update, of_file, named)
    symbols = Symbols(overlay.find, overlay.named, paths, lambda file: language(paths[file]))
    found = boundary_rows(endpoints, symbols)
    update.boundaries, update.boundary_edges = found.nodes, found.edges
    update.meta["unmatched_boundaries"] = str(found.unmatched)
