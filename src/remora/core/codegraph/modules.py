"""Which file a written module name means, from the names of the files alone."""

# ruff: noqa: ARG002 - every style answers the same questions, whatever it needs for it

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from remora.core.codegraph.packed import Outline
from remora.core.codegraph.rules import Rules

ModuleValue = tuple[str, int | str]
"""("M", file index) or ("P", folder or package) for a package without a file of its own."""
_WORD = re.compile(r"[\w$]+")


class Modules:
    """What every style answers; by itself it knows no module at all (the style `none`)."""

    def __init__(
        self,
        rules: Rules,
        files: Sequence[tuple[int, str]],
        outline: Callable[[int], Outline] = lambda _: Outline("", []),
        manifests: Sequence[tuple[str, dict[str, Any]]] = (),
    ) -> None:
        """`files` are (index, path) of this language's files, in any order; manifests are (path, content)."""
        self._rules = rules
        self._paths = dict(files)
        self._outline = outline
        self._manifests = sorted(manifests, key=lambda item: item[0])
        self._folders = folders_of(self._paths.values())

    def path(self, file: int) -> str:
        """The path of a file."""
        return self._paths[file]

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """The module meant by `module` in the file `importer`; None = not in this tree."""
        return None

    def child(self, module: ModuleValue, name: str) -> ModuleValue | None:
        """The submodule `name` of a package."""
        return None

    def providers(self, package: str, name: str) -> Sequence[int]:
        """The files of a package that declare a top-level name."""
        return ()

    def around(self, importer: int) -> Sequence[ModuleValue]:
        """Packages whose names a file sees without importing them, nearest first."""
        return ()

    def attached(self, file: int, name: str) -> Sequence[int]:
        """Files that may attach `Class.name` to a class of `file` from outside of its body."""
        return ()

    def definitions(self, importer: int, name: str) -> Sequence[int]:
        """Files that define what `importer` only declares."""
        return ()


def folders_of(paths: Iterable[str]) -> set[str]:
    """Every folder above some files; not the root."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def joined(folder: str, rest: str) -> str:
    """`folder/rest`, either of which may be empty."""
    return f"{folder}/{rest}" if folder and rest else folder or rest


def normal(path: str) -> str | None:
    """A path without `.` and `..`; None when it leaves the tree."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def components(modules: Iterable[str]) -> frozenset[str]:
    """Every word of some module names; a file with such a name may change what they mean."""
    return frozenset(part for module in modules for part in _WORD.findall(module))
