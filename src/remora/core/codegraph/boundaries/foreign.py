"""Functions that code of another language can call: by their bare name, or as members of a module."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from remora.core.codegraph.boundaries.endpoints import Endpoint, Open, Provided, Used
from remora.core.codegraph.snapshot import SymbolRow


class Shelves(Protocol):
    """Everything exposed."""

    def of(self, channel: str) -> Sequence[Open]:
        """All of one channel."""
        ...


_PLAIN = re.compile(r"[^a-z0-9]")
_NATIVE = frozenset({"c", "cpp"})


class Exports:
    """Exported functions of a tree. `named` finds symbols by name, `language` tells a file's."""

    def __init__(
        self,
        endpoints: Mapping[int, Sequence[Endpoint]],
        paths: Mapping[int, str],
        named: Callable[[str], Sequence[SymbolRow]],
        language: Callable[[int], str],
        crates: Mapping[str, Sequence[str]],
    ) -> None:
        self._paths = paths
        self._named = named
        self._language = language
        self._crates = crates
        self._modules: dict[str, set[str]] = {}
        for file, rows in endpoints.items():
            for row in rows:
                if isinstance(row, Provided) and row.channel == "modname":
                    for name in row.paths:
                        self._modules.setdefault(_plain(name), set()).add(_folder(paths[file]))

    def meeting(self, file: int, used: Used, shelf: Shelves) -> Iterator[Open]:
        """What a call into another language can reach."""
        if used.channel == "module":
            yield from self._of_module(file, used, shelf)
            return
        for key in used.paths:
            marked = [item for item in shelf.of("ffi") if item.key == key]
            yield from marked or self._native(key)

    def _of_module(self, file: int, used: Used, shelf: Shelves) -> Iterator[Open]:
        for text in used.paths:
            head, _, name = text.partition("#")
            parts = [_plain(part) for part in re.split(r"[./@]", head) if _plain(part)]
            for item in shelf.of("module"):
                if self._language(item.file) == self._language(file):
                    continue
                if not (item.key == name or name.endswith(f".{item.key}")):
                    continue
                if self._within(parts, self._paths[item.file]):
                    yield item

    def _within(self, parts: Sequence[str], path: str) -> bool:
        """Whether a module's name is that of the native module or crate a file belongs to."""
        for part in parts:
            for folder in self._modules.get(part, ()):
                if path.startswith(f"{folder}/") or not folder:
                    return True
        crate = max((folder for folder in self._crates if path.startswith(f"{folder}/") or not folder), default=None)
        if crate is None:
            return False
        names = [crate.rpartition("/")[2], *self._crates[crate]]
        return any(_plain(name) in parts for name in names if name)

    def _native(self, key: str) -> Iterator[Open]:
        """Functions of C: they are exported unless they say otherwise."""
        rows = [
            row for row in self._named(key)
            if row.kind == "function" and "." not in row.qualified and self._language(row.file) in _NATIVE
            and not re.match(r"\s*(?:inline\s+)?static\b", row.signature)
        ]  # fmt: skip
        for row in rows:
            yield Open(row.file, row.line, "ffi", "", key, (), (row.file, row.qualified), "", "exported function", True)


def _plain(name: str) -> str:
    return _PLAIN.sub("", name.lower().removesuffix(".node").removesuffix(".js"))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
