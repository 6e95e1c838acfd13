"""Modules of Rust crates: the style `crate`."""

# ruff: noqa: ARG002 - every style answers the same questions, whatever it needs for it

from collections.abc import Sequence
from typing import Any

from remora.core.codegraph.modules import ModuleValue, joined
from remora.core.codegraph.packages import DeclaredPackages
from remora.core.codegraph.rules import Rules

_ROOTS = ("lib", "main")


class CrateModules(DeclaredPackages):
    """A file's module path follows from its place below `src`; Cargo.toml files give crates their names."""

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]], *others: Any) -> None:
        super().__init__(rules, files, *others)
        self._crates: dict[str, str] = {}
        self._tops: dict[str, str] = {}
        for path, content in self._manifests:
            package = content.get("package")
            if isinstance(package, dict) and isinstance(package.get("name"), str):
                folder = path.rpartition("/")[0]
                name = package["name"].replace("-", "_")
                library = content.get("lib")
                if isinstance(library, dict) and isinstance(library.get("name"), str):
                    name = library["name"].replace("-", "_")
                self._crates.setdefault(name, joined(folder, "src"))
        self._files = {path: index for index, path in files}

    def _key(self, index: int, declared: str) -> str:
        return self._paths[index]

    def _root(self, folder: str) -> str:
        """The file at the head of the crate a folder's files belong to."""
        while True:
            for name in _ROOTS:
                if joined(folder, f"{name}.rs") in self._files:
                    return joined(folder, f"{name}.rs")
            if not folder:
                return ""
            folder = folder.rpartition("/")[0]

    def _inside(self, path: str) -> str:
        """The folder that holds the submodules of a file."""
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".rs")
        return folder if stem in (*_ROOTS, "mod") or self._root(folder) == path else joined(folder, stem)

    def _above(self, path: str) -> str:
        """The file whose module holds this file's; "" when there is none."""
        folder, _, name = path.rpartition("/")
        if name in ("lib.rs", "main.rs"):
            return ""
        if name == "mod.rs":
            folder = folder.rpartition("/")[0]
        candidates = [joined(folder, f"{stem}.rs") for stem in ("mod", *_ROOTS)]
        if folder:
            candidates.append(f"{folder}.rs")
        return next((item for item in candidates if item in self._files and item != path), "")

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """The file of a path: `crate`, `self`, `super`, the name of a crate of the workspace, or a submodule."""
        first, *rest = module.split(self._rules.separator)
        path = self._paths[importer]
        if first == "crate":
            start = self._root(path.rpartition("/")[0])
        elif first == "self":
            start = path
        elif first == "super":
            start = self._above(path)
            while rest and rest[0] == "super":
                start, rest = (self._above(start) if start else ""), rest[1:]
        elif first in self._crates and self._root(self._crates[first]):
            start = joined(self._crates[first], "lib.rs")
            start = start if start in self._files else self._root(self._crates[first])
        else:
            start, rest = path, [first, *rest]
        found: ModuleValue | None = ("M", self._files[start]) if start else None
        for name in rest:
            found = self.child(found, name) if found is not None else None
        return found

    def child(self, module: ModuleValue, name: str) -> ModuleValue | None:
        """The submodule `name`."""
        if module[0] != "M":
            return None
        if name == "super":
            above = self._above(self._paths[int(module[1])])
            return ("M", self._files[above]) if above else None
        folder = self._inside(self._paths[int(module[1])])
        for path in (joined(folder, f"{name}.rs"), joined(folder, f"{name}/mod.rs")):
            if path in self._files:
                return ("M", self._files[path])
        return None

    def around(self, importer: int) -> Sequence[ModuleValue]:
        """Nothing is seen without being imported."""
        return ()
