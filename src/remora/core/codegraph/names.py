"""From what someone writes to the symbols it can mean: id, qualified name, bare name, file, unique suffix."""

import re
from collections.abc import Callable, Iterable, Mapping

from remora.core.codegraph.snapshot import FileRow, SymbolRow, node_id
from remora.core.errors import Ambiguous, InvalidInput, NotFound

_SEPARATORS = re.compile(r"::|#|->|/")
_REPEATED = re.compile(r"~\d+$")
_MAX_CHARS = 1_000
_SHOWN = 20


class Names:
    """Resolves names over one view of the graph."""

    def __init__(
        self,
        files: Iterable[FileRow],
        named: Callable[[str], list[SymbolRow]],
        inside: Callable[[int], list[SymbolRow]],
    ) -> None:
        """`named` finds symbols by bare name, `inside` those of a file."""
        self._files: Mapping[str, FileRow] = {row.path: row for row in files}
        self._paths = {row.id: row.path for row in self._files.values()}
        self._named = named
        self._inside = inside

    def path(self, symbol: SymbolRow) -> str:
        """The file a symbol is declared in."""
        return self._paths[symbol.file]

    def id(self, symbol: SymbolRow) -> str:
        """A symbol's public id."""
        row = self._files[self._paths[symbol.file]]
        return node_id(row.language, row.path, symbol.qualified)

    def one(self, name: str) -> SymbolRow:
        """The one symbol meant; raises `Ambiguous` with the candidates, or `NotFound`."""
        found = self.candidates(name)
        if not found:
            raise NotFound(f"no symbol or file is called {_shown(name)!r}", advice="try part of the name, or name@path")
        if len(found) > 1:
            ids = sorted(self.id(symbol) for symbol in found)
            more = f" (and {len(ids) - _SHOWN} more)" if len(ids) > _SHOWN else ""
            raise Ambiguous(f"{_shown(name)!r} means {len(ids)} symbols{more}", ids[:_SHOWN])
        return found[0]

    def candidates(self, name: str) -> list[SymbolRow]:
        """Every symbol the name can mean at the first level that knows any."""
        name = name.strip()
        if not name or len(name) > _MAX_CHARS or "\0" in name:
            raise InvalidInput("symbol", "is empty, too long or holds a NUL", allowed=f"1 to {_MAX_CHARS} characters")
        text, _, pin = name.partition("@")
        found = self._levels(text.removeprefix("code:"))
        if pin:
            found = [symbol for symbol in found if _ends(self.path(symbol), pin)]
        return _without_repeats(found)

    def _levels(self, text: str) -> list[SymbolRow]:
        for level in (self._by_id, self._by_qualified, self._by_bare, self._by_file, self._by_suffix):
            found = level(text)
            if found:
                return found
        return []

    def _by_id(self, text: str) -> list[SymbolRow]:
        place, _, qualified = text.partition("#")
        language, _, path = place.partition(":")
        row = self._files.get(path) or self._files.get(place)
        if row is None or (row.path == path and row.language != language):
            return []
        return [symbol for symbol in self._inside(row.id) if symbol.qualified == qualified]

    def _by_qualified(self, text: str) -> list[SymbolRow]:
        dotted = _SEPARATORS.sub(".", text)
        return [symbol for symbol in self._last(dotted) if symbol.qualified == dotted]

    def _by_bare(self, text: str) -> list[SymbolRow]:
        return [symbol for symbol in self._named(text) if symbol.qualified]

    def _by_file(self, text: str) -> list[SymbolRow]:
        paths = [text] if text in self._files else [path for path in self._files if _ends(path, text)]
        return [symbol for path in paths for symbol in self._inside(self._files[path].id) if not symbol.qualified]

    def _by_suffix(self, text: str) -> list[SymbolRow]:
        dotted = _SEPARATORS.sub(".", text)
        found = [symbol for symbol in self._last(dotted) if _tail(self._full(symbol), dotted)]
        return found or self._modules(dotted)

    def _modules(self, dotted: str) -> list[SymbolRow]:
        paths = [path for path in self._files if _tail(_module(path), dotted)]
        return [symbol for path in paths for symbol in self._inside(self._files[path].id) if not symbol.qualified]

    def _last(self, dotted: str) -> list[SymbolRow]:
        return [symbol for symbol in self._named(dotted.rpartition(".")[2]) if symbol.qualified]

    def _full(self, symbol: SymbolRow) -> str:
        return f"{_module(self.path(symbol))}.{symbol.qualified}"


def _module(path: str) -> str:
    stem = path[: path.rfind(".")] if "." in path.rpartition("/")[2] else path
    return stem.replace("/", ".").removesuffix(".__init__")


def _ends(path: str, tail: str) -> bool:
    return path == tail or path.endswith("/" + tail)


def _tail(full: str, tail: str) -> bool:
    return full == tail or full.endswith("." + tail)


def _shown(name: str) -> str:
    return name if len(name) <= 100 else name[:100] + "…"


def _without_repeats(found: list[SymbolRow]) -> list[SymbolRow]:
    """A name declared several times in one file (a getter and its setter) is one answer: the first declaration."""
    first: dict[tuple[int, str], SymbolRow] = {}
    for symbol in found:
        first.setdefault((symbol.file, _REPEATED.sub("", symbol.qualified)), symbol)
    return list(first.values())
