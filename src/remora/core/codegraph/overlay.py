"""Symbols as they will be once an update is written: the new ones over those that are stored."""

from collections.abc import Callable, Iterable, Sequence

from remora.core.codegraph.snapshot import GraphUpdate, SymbolRow


class Overlay:
    """`of_file` and `named` read the stored symbols; boundaries are none of them."""

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

    def find(self, named: tuple[int, str]) -> SymbolRow | None:
        """The symbol of a file with a qualified name."""
        file, qualified = named
        table = self._known.get(file)
        if table is None:
            rows = self._update.symbols.get(file)
            rows = [row for row in self._of_file(file) if row.id > 0] if rows is None else rows
            table = self._known[file] = {row.qualified: row for row in rows}
        return table.get(qualified)

    def named(self, name: str) -> Sequence[SymbolRow]:
        """Symbols with a bare name."""
        stored = [row for row in self._named(name) if row.id > 0 and row.file not in self._gone]
        return [*stored, *self._fresh.get(name, ())]
