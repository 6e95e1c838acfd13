"""Modules by included file: the styles `include` (C, C++) and `require` (Ruby, Lua, Bash)."""

# ruff: noqa: ARG002 - every style answers the same questions, whatever it needs for it

import re
from collections.abc import Sequence
from typing import Any

from remora.core.codegraph.modules import Modules, ModuleValue, joined, normal
from remora.core.codegraph.rules import Rules

_VARIABLE = re.compile(r"^(\$\{?\w+\}?|\$\([^)]*\))/")
"""A folder only known when it runs, in front of a path."""


class IncludedFiles(Modules):
    """A path relative to the including file, to a source root, or to a folder that alone holds such a path."""

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]], *others: Any) -> None:
        super().__init__(rules, files, *others)
        self._by_path = {path: index for index, path in files}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._by_path):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._defined: dict[str, list[int]] | None = None

    def _candidates(self, module: str) -> list[str]:
        written = module.replace(self._rules.separator, "/") if self._rules.separator != "/" else module
        endings = ["", *self._rules.extensions] if self._rules.module_style == "require" else [""]
        found = [written + ending for ending in endings]
        return found + [f"{written}/{name}{ending}" for name in self._rules.index for ending in endings[1:]]

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """The file an include means."""
        folder = self._paths[importer].rpartition("/")[0]
        module = _VARIABLE.sub("", module)
        for written in self._candidates(module):
            for root in (folder, "", *self._rules.roots):
                path = normal(joined(root, written))
                if path in self._by_path:
                    return ("M", self._by_path[path])
        for written in self._candidates(module):
            bare = normal(written) if not written.startswith("..") else None
            named = self._by_name.get(written.rpartition("/")[2], ())
            ends = [path for path in named if bare and (path == bare or path.endswith(f"/{bare}"))]
            if len(ends) == 1:
                return ("M", self._by_path[ends[0]])
        return None

    def _definitions(self) -> dict[str, list[int]]:
        if self._defined is None:
            self._defined = {}
            for index, _ in sorted(self._paths.items(), key=lambda item: item[1]):
                for name in self._outline(index).names:
                    self._defined.setdefault(name, []).append(index)
        return self._defined

    def definitions(self, importer: int, name: str) -> Sequence[int]:
        """The file of the declaration's own name that defines it, else the only file that does."""
        found = [index for index in self._definitions().get(name, ()) if index != importer]
        stem = _stem(self._paths[importer])
        twins = [index for index in found if _stem(self._paths[index]) == stem]
        return twins[:1] if twins else found if len(found) == 1 else ()

    def attached(self, file: int, name: str) -> Sequence[int]:
        """Definitions of methods out of their class, and reopened classes."""
        return self._definitions().get(name, ())


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
