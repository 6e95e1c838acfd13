"""Modules by package: Go's folders under go.mod (`folder`), and declared namespaces (`package`)."""

# ruff: noqa: ARG002 - every style answers the same questions, whatever it needs for it

from collections.abc import Iterator, Sequence
from typing import Any

from remora.core.codegraph.modules import Modules, ModuleValue, joined, normal
from remora.core.codegraph.rules import Rules


class _Packages(Modules):
    """Files grouped into packages; a file sees the names of its own."""

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]], *others: Any) -> None:
        super().__init__(rules, files, *others)
        self._package: dict[int, str] = {}
        self._names: dict[tuple[str, str], list[int]] = {}
        self._attached: dict[str, list[int]] = {}
        self._known: set[str] = set()
        self._filled = False

    def _key(self, index: int, declared: str) -> str:
        raise NotImplementedError

    def _fill(self) -> None:
        if self._filled:
            return
        self._filled = True
        for index, _ in sorted(self._paths.items(), key=lambda item: item[1]):
            outline = self._outline(index)
            package = self._package[index] = self._key(index, outline.package)
            self._known.add(package)
            for name in outline.names:
                self._names.setdefault((package, name), []).append(index)
                if "." in name:
                    self._attached.setdefault(name, []).append(index)

    def providers(self, package: str, name: str) -> Sequence[int]:
        """The files of a package that declare a top-level name."""
        self._fill()
        return self._names.get((package, name), ())


class FolderPackages(_Packages):
    """Go: an import path is the module path of a go.mod and a folder; the files of a folder are one package."""

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]], *others: Any) -> None:
        super().__init__(rules, files, *others)
        roots = [(str(content.get("module", "")), path.rpartition("/")[0]) for path, content in self._manifests]
        self._roots = sorted((item for item in roots if item[0]), key=lambda item: (-len(item[0]), item))
        self._holding = {path.rpartition("/")[0] for path in self._paths.values()}

    def _key(self, index: int, declared: str) -> str:
        folder = self._paths[index].rpartition("/")[0]
        # Tests of another package (`x_test`) live in the same folder and see only what they import.
        return f"{folder}:{declared}" if declared.endswith("_test") else folder

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """The folder an import path means."""
        for root, folder in self._roots:
            if module == root or module.startswith(f"{root}/"):
                found = joined(folder, module[len(root) + 1 :])
                return ("P", found) if found in self._holding else None
        return None

    def around(self, importer: int) -> Sequence[ModuleValue]:
        """The package of the file."""
        self._fill()
        return (("P", self._package[importer]),)

    def attached(self, file: int, name: str) -> Sequence[int]:
        """Methods are declared in the package of their type."""
        self._fill()
        return self._names.get((self._package[file], name), ())


class TargetPackages(_Packages):
    """Swift: the files of one target (`Sources/Name`) see one another; a target imports others by name."""

    def _key(self, index: int, declared: str) -> str:
        parts = self._paths[index].split("/")
        for place, part in enumerate(parts[:-2]):
            if part in self._rules.roots:
                return parts[place + 1]
        return ""

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """The target of a name."""
        self._fill()
        return ("P", module) if module and module in self._known else None

    def around(self, importer: int) -> Sequence[ModuleValue]:
        """The target of the file."""
        self._fill()
        return (("P", self._package[importer]),)

    def attached(self, file: int, name: str) -> Sequence[int]:
        """Extensions may stand in any file."""
        self._fill()
        return self._attached.get(name, ())


class DeclaredPackages(_Packages):
    """Java, Kotlin, Scala, C#, PHP, Swift: a file says to which package it belongs.

    Where several files declare one name, the map of a composer.json (PSR-4) says which of them is loaded.
    """

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]], *others: Any) -> None:
        super().__init__(rules, files, *others)
        self._autoload = sorted({entry for path, content in self._manifests for entry in _autoloaded(path, content)})

    def providers(self, package: str, name: str) -> Sequence[int]:
        """The files of a package that declare a top-level name."""
        found = super().providers(package, name)
        if len(found) < 2 or not self._autoload:
            return found
        loaded = {
            joined(folder, "/".join([*package[len(prefix) :].strip(".").split("."), name]).lstrip("/"))
            for prefix, folder in self._autoload
            if package == prefix or package.startswith(f"{prefix}.") or not prefix
        }
        return [index for index in found if self._paths[index].rpartition(".")[0] in loaded] or found

    def _key(self, index: int, declared: str) -> str:
        return declared

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """A package some file declares, or one above such a package."""
        self._fill()
        module = module.strip(self._rules.separator).replace(self._rules.separator, ".")
        if module in self._known:
            return ("P", module)
        return ("P", module) if any(name.startswith(f"{module}.") for name in self._known) else None

    def child(self, module: ModuleValue, name: str) -> ModuleValue | None:
        """A package below another."""
        return self.resolve(0, f"{module[1]}.{name}" if module[1] else name) if module[0] == "P" else None

    def around(self, importer: int) -> Sequence[ModuleValue]:
        """The package of the file and those above it."""
        self._fill()
        package = self._package[importer]
        found: list[ModuleValue] = [("P", package)]
        while package and self._rules.nested_packages:
            package = package.rpartition(".")[0]
            found.append(("P", package))
        return found

    def attached(self, file: int, name: str) -> Sequence[int]:
        """Extensions may stand in any file."""
        self._fill()
        return self._attached.get(name, ())


def _autoloaded(path: str, content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(namespace, folder) of each entry of a manifest's PSR-4 map."""
    root = path.rpartition("/")[0]
    for key in ("autoload", "autoload-dev"):
        section = content.get(key)
        table = section.get("psr-4") if isinstance(section, dict) else None
        for prefix, folders in table.items() if isinstance(table, dict) else ():
            for folder in folders if isinstance(folders, list) else [folders]:
                place = normal(joined(root, str(folder)))
                if place is not None:
                    yield str(prefix).strip("\\").replace("\\", "."), place
