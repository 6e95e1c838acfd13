"""Which file a written module name means, from the names of the files alone."""

from collections.abc import Iterable, Sequence

from remora.core.codegraph.rules import Rules

ModuleValue = tuple[str, int | str]
"""("M", file index) or ("P", folder) for a package without a file of its own."""


class DottedModules:
    """Dotted module names over folders (Python): relative imports, packages, namespace packages, source roots."""

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]]) -> None:
        """`files` are (index, path) of this language's files, in any order."""
        self._rules = rules
        self._modules: dict[str, int] = {}
        self._packages: dict[str, int] = {}
        self._folders: set[str] = set()
        self._paths: dict[int, str] = {}
        rank = {ending: place for place, ending in enumerate(rules.extensions)}
        order = sorted(files, key=lambda item: (rank.get("." + item[1].rpartition(".")[2], 9), item[1]))
        for index, path in order:
            self._add(index, path)
        self._roots = self._package_roots()
        self._ladders: dict[str, tuple[str, ...]] = {}

    def _add(self, index: int, path: str) -> None:
        self._paths[index] = path
        stem = path[: path.rfind(".")]
        folder, _, name = stem.rpartition("/")
        if name in self._rules.index:
            self._packages.setdefault(folder, index)
        else:
            self._modules.setdefault(stem, index)
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]

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
            return self.at(_join(folder, rest)) if rest or folder in self._folders or folder in self._packages else None
        weak: ModuleValue | None = None
        for root in self._ladder(folder):
            found = self.at(_join(root, rest))
            if found is not None and found[0] == "M":
                return found
            weak = weak or found
        return weak

    def child(self, module: ModuleValue, name: str) -> ModuleValue | None:
        """The submodule `name` of a package."""
        if module[0] == "P":
            return self.at(_join(str(module[1]), name))
        folder, _, stem = self._paths[int(module[1])].rpartition("/")
        if stem[: stem.rfind(".")] not in self._rules.index:
            return None
        return self.at(_join(folder, name))

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


def _join(folder: str, rest: str) -> str:
    return f"{folder}/{rest}" if folder and rest else folder or rest


def components(modules: Iterable[str]) -> frozenset[str]:
    """Every part of some dotted names; a file with such a name may change what they mean."""
    return frozenset(part for module in modules for part in module.split(".") if part)
