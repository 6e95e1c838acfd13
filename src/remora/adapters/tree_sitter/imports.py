"""The part of extraction that reads what comes from other files and what leaves for them."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

import re
from collections.abc import Iterator

import tree_sitter

from remora.adapters.tree_sitter.declare import Declaring
from remora.adapters.tree_sitter.parameters import Captures
from remora.adapters.tree_sitter.texts import literal_text
from remora.core.codegraph.facts import Import

_SPACE = re.compile(r"\s+")
_BRACES = re.compile(r",(?![^{]*\})")
"""Commas outside of braces."""
_RENAMED = re.compile(r"\s*=>\s*|\s+as\s+")
_DRESSED = re.compile(r"^go-|-go$|\.go$|\.v\d+$")
"""What the last part of an import path has more than the name of its package."""
_MAJOR = re.compile(r"v\d+")
"""The last part of an import path may be a version; the package is called by the one before."""


class Importing(Declaring):
    """Imports and exports of one file."""

    def import_(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A name, or a whole module, from another file."""
        line = node.start_point.row + 1
        if "text" in captures:
            for item in self._import_text(self.lower.text(captures["text"][0])):
                self._load(*item, line, node)
            return
        if "tree" in captures:
            for item in self._import_tree(captures["tree"][0], captures.get("module", [None])[0]):
                self._load(*item, line, node)
            return
        raw = captures["module"][0]
        module = _SPACE.sub("", literal_text(self.text[raw.start_byte : raw.end_byte]).strip("<>"))
        line = raw.start_point.row + 1
        if "star" in captures:
            self.builder.load(Import(module, "*", line))
            self.builder.facts.stars.append(len(self.builder.facts.imports) - 1)
            return
        name = self.lower.text(captures["name"][0]) if "name" in captures else self.label
        alias = self.lower.text(captures["alias"][0]) if "alias" in captures else name
        value = self.builder.load(Import(module, name, line))
        if not alias:
            for called in _package_names(module) if self.rules.module_style == "folder" else ():
                self.builder.bind(called, value, node.end_byte, line, "i")
            if self.rules.module_style != "dotted":
                return
            # `import a.b.c` binds `a`; the import itself is still of the whole path.
            alias = module.partition(".")[0]
            if alias != module:
                value = self.builder.load(Import(alias, "", line))
        self.builder.bind(alias, value, node.end_byte, line, "i")

    def _import_tree(self, node: tree_sitter.Node, prefix: tree_sitter.Node | None) -> Iterator[tuple[str, str, str]]:
        """(module, name, alias) of each name of a nested import; name `*` = all of the module."""
        above = _SPACE.sub("", self.lower.text(prefix)) if prefix is not None else ""
        todo = [(above, node)]
        mark = self.rules.separator
        while todo:
            above, item = todo.pop()
            op = self.language.imports.get(item.type, "path")
            path, *rest = item.named_children or [item]
            text = _SPACE.sub("", self.lower.text(item if op == "path" else path))
            full = f"{above}{mark}{text}" if above and text != "self" else above or text
            head, _, last = full.rpartition(mark)
            if op == "list":
                todo += [(above, child) for child in reversed(item.named_children)]
            elif op == "group":
                inner = item.named_children
                todo.append((full if len(inner) > 1 else above, inner[-1]))
            elif op == "alias" and rest:
                yield head, last, self.lower.text(rest[-1])
            elif op == "wildcard":
                yield (full if item.named_children else above), "*", ""
            elif op == "path":
                yield head, last, last

    def _import_text(self, text: str) -> Iterator[tuple[str, str, str]]:
        """(module, name, alias) of an import read from its text: `import a.b.{C, D => E, _}`."""
        for written in _BRACES.split(text.strip().partition(" ")[2].strip().rstrip(";")):
            before, brace, inside = written.partition("{")
            for part in inside.rstrip("} ").split(",") if brace else [before.rpartition(".")[2]]:
                name, _, alias = _RENAMED.sub(" as ", part.strip()).partition(" as ")
                module = (before if brace else before.rpartition(".")[0]).strip().rstrip(".")
                if name in ("_", "*", "given"):
                    yield module, "*", ""
                elif name:
                    yield module, name.strip(), (alias or name).strip()

    def _load(self, module: str, name: str, alias: str, line: int, node: tree_sitter.Node) -> None:
        """Bind one imported name."""
        if self.rules.module_style == "crate":
            module = self._from_inline(module)
        if not module:
            module, name = name, ""
        value = self.builder.load(Import(module, name, line))
        if name == "*":
            self.builder.facts.stars.append(len(self.builder.facts.imports) - 1)
        elif alias and alias != "_":
            self.builder.bind(alias, value, node.end_byte, line, "i")

    def _from_inline(self, module: str) -> str:
        """A path as the file itself would write it: a module inside of a file is one step below it."""
        scope = self.builder.facts.scopes[self.builder.scope]
        parts = module.split(self.rules.separator)
        while scope.parent >= 0 and parts[0] == "super":
            if scope.label == "namespace":
                parts = ["self", *parts[1:]] if len(parts) < 2 or parts[1] != "super" else parts[1:]
            scope = self.builder.facts.scopes[scope.parent]
        return self.rules.separator.join(parts)

    def package(self, node: tree_sitter.Node, captures: Captures) -> None:
        """The package the file says it belongs to."""
        if not self.builder.facts.package:
            text = _SPACE.sub("", self.lower.text(captures["name"][0]))
            self.builder.facts.package = text.replace(self.rules.separator, ".").strip(".")

    def export(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A name that leaves the file: `@name` from `@module`, `@value`, or a name of this file, under `@alias`."""
        line = node.start_point.row + 1
        name = self.lower.text(captures["name"][0]) if "name" in captures else ""
        alias = self.lower.text(captures["alias"][0]) if "alias" in captures else self.label or name
        if "module" in captures:
            raw = captures["module"][0]
            module = literal_text(self.text[raw.start_byte : raw.end_byte])
            value = self.builder.load(Import(module, name, line))
        elif "value" in captures:
            value = self.lower.value(captures["value"][0])
        else:
            value = self.builder.use(name, len(self.text))
        self.builder.bind(f"={alias}", value, node.end_byte, line, "i", scope=0)


def _package_names(path: str) -> list[str]:
    """Names by which a Go package may be used that is imported by a path without saying its name."""
    parts = [part for part in path.split("/") if not _MAJOR.fullmatch(part)] or [path]
    return list(dict.fromkeys((parts[-1], _DRESSED.sub("", parts[-1]))))
