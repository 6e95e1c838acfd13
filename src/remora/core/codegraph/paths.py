"""Modules by relative path, package name and configured alias: the style `path` (JavaScript and TypeScript)."""

from collections.abc import Iterator, Sequence
from typing import Any

from remora.core.codegraph.modules import Modules, ModuleValue, joined, normal
from remora.core.codegraph.rules import Rules

_EMITTED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_CONDITIONS = ("source", "types", "import", "module", "require", "node", "browser", "default")
_ENTRY = ("source", "types", "typings", "module", "main")
_BUILT = ("dist", "build", "lib", "out", "esm", "cjs")
_DEPTH = 8


class PathModules(Modules):
    """Reads package.json (name, main, exports, imports) and tsconfig/jsconfig (baseUrl, paths, extends, references)."""

    def __init__(self, rules: Rules, files: Sequence[tuple[int, str]], *others: Any) -> None:
        super().__init__(rules, files, *others)
        self._by_path = {path: index for index, path in files}
        self._packages: dict[str, tuple[str, dict[str, Any]]] = {}
        self._package_at: dict[str, dict[str, Any]] = {}
        self._configs: dict[str, dict[str, Any]] = {}
        for path, content in self._manifests:
            folder, _, name = path.rpartition("/")
            if name == "package.json":
                self._package_at[folder] = content
                if isinstance(content.get("name"), str):
                    self._packages.setdefault(content["name"], (folder, content))
            else:
                self._configs[path] = content
        self._found: dict[tuple[str, str], ModuleValue | None] = {}

    def resolve(self, importer: int, module: str) -> ModuleValue | None:
        """The file a specifier means in the file `importer`."""
        folder = self._paths[importer].rpartition("/")[0]
        key = (folder, module)
        if key not in self._found:
            index = self._resolve(folder, module)
            self._found[key] = None if index is None else ("M", index)
        return self._found[key]

    def _resolve(self, folder: str, module: str) -> int | None:
        if module.startswith("."):
            return self._probe(normal(f"{folder}/{module}"))
        if module.startswith("/"):
            return self._probe(normal(module))
        for path in self._aliased(folder, module):
            found = self._probe(path)
            if found is not None:
                return found
        if module.startswith("#"):
            return self._own_import(folder, module)
        return self._package(module)

    def _probe(self, base: str | None) -> int | None:
        """The file at a path: as written, with an ending, the source of an emitted file, or the folder's index."""
        if base is None:
            return None
        if base in self._by_path:
            return self._by_path[base]
        stem, dot, ending = base.rpartition(".")
        candidates = [base + extension for extension in self._rules.extensions]
        candidates += [stem + source for source in _EMITTED.get(dot + ending, ())]
        for path in candidates:
            if path in self._by_path:
                return self._by_path[path]
        return self._folder(base)

    def _folder(self, base: str) -> int | None:
        content = self._package_at.get(base)
        if content is not None and base:
            entry = self._entry(base, content)
            if entry is not None:
                return entry
        for name in self._rules.index:
            for extension in self._rules.extensions:
                found = self._by_path.get(joined(base, name + extension))
                if found is not None:
                    return found
        return None

    # --- tsconfig and jsconfig

    def _aliased(self, folder: str, module: str) -> Iterator[str | None]:
        config = self._config(folder)
        if config is None:
            return
        for path in self._options(config, _DEPTH):
            base, options = path
            patterns: dict[str, Any] = options["paths"] if isinstance(options.get("paths"), dict) else {}
            for pattern in sorted(patterns, key=lambda item: (-len(item.partition("*")[0]), item)):
                before, star, after = pattern.partition("*")
                if not (module == pattern if not star else module.startswith(before) and module.endswith(after)):
                    continue
                middle = module[len(before) : len(module) - len(after)] if star else ""
                targets = patterns[pattern] if isinstance(patterns[pattern], list) else []
                root = joined(base, str(options.get("baseUrl", ".")))
                yield from (normal(joined(root, str(target).replace("*", middle))) for target in targets)
            if isinstance(options.get("baseUrl"), str):
                yield normal(joined(joined(base, options["baseUrl"]), module))

    def _config(self, folder: str) -> str | None:
        """The configuration nearest above a folder."""
        while True:
            for name in ("tsconfig.json", "jsconfig.json"):
                if joined(folder, name) in self._configs:
                    return joined(folder, name)
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _options(self, path: str, depth: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """(folder, compilerOptions) of a configuration, then of what it extends and refers to."""
        content = self._configs.get(path)
        if content is None or depth <= 0:
            return
        folder = path.rpartition("/")[0]
        options = content.get("compilerOptions")
        if isinstance(options, dict):
            yield folder, options
        extended = content.get("extends", [])
        for name in [extended] if isinstance(extended, str) else extended if isinstance(extended, list) else []:
            yield from self._options(self._config_path(folder, str(name)), depth - 1)
        for item in content.get("references", []) if isinstance(content.get("references"), list) else []:
            if isinstance(item, dict):
                yield from self._options(self._config_path(folder, str(item.get("path", ""))), depth - 1)

    def _config_path(self, folder: str, name: str) -> str:
        if not name.startswith("."):
            package = next((item for item in self._packages if name == item or name.startswith(f"{item}/")), None)
            if package is None:
                return ""
            folder, name = self._packages[package][0], "." + name[len(package) :]
        base = normal(f"{folder}/{name}") or ""
        candidates = (base, f"{base}.json", joined(base, "tsconfig.json"))
        return next((path for path in candidates if path in self._configs), "")

    # --- packages

    def _package(self, module: str) -> int | None:
        parts = module.split("/")
        width = 2 if module.startswith("@") else 1
        found = self._packages.get("/".join(parts[:width]))
        if found is None:
            return None
        folder, content = found
        rest = "/".join(parts[width:])
        target = self._exported(content.get("exports"), f"./{rest}" if rest else ".")
        index = self._built(folder, target) if target else None
        if index is not None:
            return index
        return self._probe(joined(folder, rest)) if rest else self._entry(folder, content)

    def _entry(self, folder: str, content: dict[str, Any]) -> int | None:
        for key in _ENTRY:
            found = self._built(folder, content[key]) if isinstance(content.get(key), str) else None
            if found is not None:
                return found
        for base in (joined(folder, "index"), joined(folder, "src/index")):
            found = self._probe(base)
            if found is not None:
                return found
        return None

    def _built(self, folder: str, target: str) -> int | None:
        """A file a manifest names, or the source it is built from."""
        found = self._probe(normal(f"{folder}/{target}"))
        first, _, rest = (normal(target) or "").partition("/")
        if found is not None or first not in _BUILT:
            return found
        stem = rest.removesuffix(".d.ts").rpartition(".")[0] or rest.removesuffix(".d.ts")
        return self._probe(joined(folder, f"src/{stem}"))

    def _own_import(self, folder: str, module: str) -> int | None:
        while folder and folder not in self._package_at:
            folder = folder.rpartition("/")[0]
        target = self._exported(self._package_at.get(folder, {}).get("imports"), module)
        return self._built(folder, target) if target else None

    def _exported(self, table: Any, name: str) -> str:
        """The target of a subpath in an `exports` or `imports` table; "" when it has none."""
        if not isinstance(table, dict) or not any(str(key)[:1] in ".#" for key in table):
            return self._condition(table, _DEPTH) if name == "." else ""
        if name in table:
            return self._condition(table[name], _DEPTH)
        for pattern in sorted(table, key=lambda item: (-len(item), item)):
            before, star, after = pattern.partition("*")
            if star and name.startswith(before) and name.endswith(after):
                middle = name[len(before) : len(name) - len(after)]
                return self._condition(table[pattern], _DEPTH).replace("*", middle)
        return ""

    def _condition(self, value: Any, depth: int) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and depth:
            return self._condition(value[0], depth - 1)
        if isinstance(value, dict) and depth:
            for key in (*_CONDITIONS, *sorted(value)):
                found = self._condition(value.get(key), depth - 1)
                if found:
                    return found
        return ""
