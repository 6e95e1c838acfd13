"""Dotted module names over folders: the style `dotted`."""

from collections.abc import Sequence
from typing import Any

from remora.core.codegraph.modules import Modules, ModuleValue, joined
from remora.core.codegraph.rules import Rules


class DottedModules(Modules):
    """Dotted module names over folders (Python): relative imports, packages, namespace packages, source roots."""

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]], *others: Any) -> None:
        super().__init__(rules, files, *others)
        self._modules: dict[str, int] = {}
        self._packages: dict[str, int] = {}
        rank = {ending: place for place, ending in enumerate(rules.extensions)}
        order = sorted(files, key=lambda item: (rank.get("." + item[1].rpartition(".")[2], 9), item[1]))
        for index, path in order:
            self._add(index, path)
        self._roots = self._package_roots()
        self._ladders: dict[str, tuple[str, ...]] = {}

    def _add(self, index: int, path: str) -> None:
        stem = path[: path.rfind(".")]
        folder, _, name = stem.rpartition("/")
        if name in self._rules.index:
            self._packages.setdefault(folder, index)
        else:
            self._modules.setdefault(stem, index)

    def _package_roots(self) -> tuple[str, ...]:
        tops = {self._top(folder) for folder in self._packages}
        fixed = ["", *(root for root in self._rules.roots if root in self._folders)]
        return (*fixed, *sorted(tops - set(fixed)))

    def _top(self, folder: str) -> str:
        """The folder that holds the outermost package around `folder`."""
        while folder and folder in self._packages:
            folder = folder.rpartition("/")[0]
        return folder

    def _ladder(self, folder: str) -> tuple[str, ...]:
        found = self._ladders.get(folder)
        if found is None:
            found = tuple(dict.fromkeys((self._top(folder), *self._roots)))
            self._ladders[folder] = found
        return found

    def at(self, path: str) -> ModuleValue | None:
        """The module or package at a path without ending."""
        if path in self._packages:
            return ("M", self._packages[path])
        if path in self._modules:
            return ("M", self._modules[path])
        return ("P", path) if path in self._folders else None

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """The module meant by `module` (dots in front = relative) in the file `importer`; None = not in this tree."""
        folder = self._paths[importer].rpartition("/")[0]
        bare = module.lstrip(".")
        up = len(module) - len(bare)
        rest = bare.replace(".", "/")
        if up:
            for _ in range(up - 1):
                if not folder:
                    return None
                folder = folder.rpartition("/")[0]
            return (
                self.at(joined(folder, rest)) if rest or folder in self._folders or folder in self._packages else None
            )
        weak: ModuleValue | None = None
        for root in self._ladder(folder):
            found = self.at(joined(root, rest))
            if found is not None and found[0] == "M":
                return found
            weak = weak or found
        return weak

    def child(self, module: ModuleValue, name: str) -> ModuleValue | None:
        """The submodule `name` of a package."""
        if module[0] == "P":
            return self.at(joined(str(module[1]), name))
        folder, _, stem = self._paths[int(module[1])].rpartition("/")
        if stem[: stem.rfind(".")] not in self._rules.index:
            return None
        return self.at(joined(folder, name))

    def name(self, index: int) -> str:
        """The dotted name a file is imported by."""
        path = self._paths[index]
        folder = path.rpartition("/")[0]
        root = self._top(folder)
        stem = path[len(root) + 1 if root else 0 : path.rfind(".")]
        parts = stem.split("/")
        if parts[-1] in self._rules.index:
            parts.pop()
        return ".".join(parts)
