"""What the declarations of a file expose and reach for: annotations, bases, modifiers."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from remora.core.codegraph.boundaries.calls import Calls
from remora.core.codegraph.boundaries.endpoints import Endpoint, Provided, Used
from remora.core.codegraph.boundaries.mounts import joined
from remora.core.codegraph.boundaries.rules import CallRule, plain_name
from remora.core.codegraph.facts import FOREIGN, Scope, Site
from remora.core.codegraph.values import Values

_CONSTRUCTORS = frozenset({"new", "constructor"})
_CONTROLLER = re.compile(r"\[(controller|action)\]")
_NO_ROW = ("c", 0, (), ())
_WORD = re.compile(r"\w+")


class Note(NamedTuple):
    """An annotation: its plain name and the call it is written as (a bare name is a call without arguments)."""

    name: str
    row: Any


class Declared(Calls):
    """Reads the declarations of one file."""

    def declarations(self) -> Iterator[Endpoint]:
        """Endpoints of annotations, bases and modifiers."""
        rules = [rule for rule in self.rules.declared if self.applies(rule)]
        if not rules:
            return
        noted = [rule for rule in rules if rule.place == "annotation"]
        for index, scope in enumerate(self.facts.scopes):
            notes = self._notes(scope) if noted and scope.decorators else []
            for note in notes:
                for rule in noted:
                    kept = rule.call.match(note.name)
                    if kept is not None and not rule.prefix and rule.target != "client":
                        yield from self._noted(index, scope, note, rule, kept)
            for rule in rules:
                if rule.place == "base" and scope.kind in ("class", "extension"):
                    yield from self._based(index, rule)
                elif rule.place in ("signature", "above") and scope.kind == "function":
                    yield from self._marked(index, scope, rule)

    def _notes(self, scope: Scope) -> list[Note]:
        found = []
        for decorator in scope.decorators:
            row = self.facts.expressions[decorator]
            callee = row[1] if row[0] == "c" else decorator
            call = row if row[0] == "c" else _NO_ROW
            values = self.evaluator.values(self.file, callee)
            names = [f"{v[1]}.{v[4]}" for v in values if v[0] == "O" and len(v) > 4]
            names += [plain_name(v[1]) for v in values if v[0] in ("X", "Y")]
            found += [Note(name, call) for name in names[:1]]
        return found

    # --- annotations

    def _noted(self, index: int, scope: Scope, note: Note, rule: CallRule, kept: dict[str, str]) -> Iterator[Endpoint]:
        if rule.channel == "http":
            if scope.kind != "class":
                yield from self._route(index, scope, note, rule, kept)
            return
        name = self._own_name(scope)
        words = {**kept, "name": name, "camel": _camel(name), "class": self._class_name(index)}
        if rule.target == "members":
            yield from self._members(scope, name, note, rule)
            return
        keys = self._keys(note.row, rule, words)
        if not keys or rule.channel in self.rules.methods.values():
            keys = [*keys, self._full(scope, name)]
        if rule.provides:
            named = (self.file, scope.qualified)
            yield Provided(rule.channel, scope.line, "", keys, [], named, note.name, "", False)
        else:
            yield Used(rule.channel, scope.qualified, scope.line, "", keys, [], note.name, False)

    def _members(self, scope: Scope, name: str, note: Note, rule: CallRule) -> Iterator[Endpoint]:
        """The methods of a class that another language sees as its members."""
        scopes = self.facts.scopes
        for member in scopes:
            home = scopes[member.parent] if member.parent >= 0 else member
            if member.kind == "function" and home.kind in ("extension", "class") and home.name == scope.name:
                notes = {self.last_name(self._callee(mark)) for mark in member.decorators}
                own = self._own_name(member)
                keys = [name] if notes & _CONSTRUCTORS else [f"{name}.{own}", f"{name}.{_camel(own)}"]
                named = (self.file, member.qualified)
                yield Provided(rule.channel, member.line, "", keys, [], named, note.name, "", False)

    def _callee(self, mark: int) -> int:
        row = self.facts.expressions[mark]
        return int(row[1]) if row[0] == "c" else mark

    def _route(self, index: int, scope: Scope, note: Note, rule: CallRule, kept: dict[str, str]) -> Iterator[Endpoint]:
        around = self._around_class(index)
        keys = [key for key in self._keys(note.row, rule, kept) if key] or self._prefixes_of(scope) or [""]
        verb, keys = self._verb(0, note.row, note.name, rule, keys)
        prefixes, client = [""], False
        if around:
            prefixes = self._prefixes_of(self.facts.scopes[around]) or [""]
            client = self._is_client(self.facts.scopes[around])
        name = self._class_name_of(self.facts.scopes[around])
        words = {"controller": name, "action": scope.name}
        # `~/` and, after a word in brackets, `/` begin at the root.
        paths = [key[1:] if key.startswith("~/") else joined(prefix, key) for prefix in prefixes for key in keys]
        paths = [_CONTROLLER.sub(lambda found: words[found[1]], path) for path in paths]
        if client:
            yield Used("http", scope.qualified, scope.line, verb, paths, [], note.name, False)
        else:
            named = (self.file, scope.qualified)
            yield Provided("http", scope.line, verb, paths, [], named, note.name, "", False)

    def _around_class(self, index: int) -> int:
        scope = self.facts.scopes[index].parent
        while scope > 0 and self.facts.scopes[scope].kind != "class":
            scope = self.facts.scopes[scope].parent
        return max(scope, 0)

    def _prefixes_of(self, scope: Scope) -> list[str]:
        """Paths that annotations give a class, or a method beside the one with its verb."""
        found: list[str] = []
        for note in self._notes(scope):
            for rule in self.rules.declared:
                if rule.prefix and rule.call.match(note.name) is not None:
                    parts = [part for place in rule.prefix if (part := self.argument(note.row, place))]
                    found += self.keys_in(parts[0]) if parts else []
        return found

    def _is_client(self, scope: Scope) -> bool:
        clients = [rule.call for rule in self.rules.declared if rule.target == "client"]
        return any(call.match(note.name) is not None for note in self._notes(scope) for call in clients)

    def _class_name_of(self, scope: Scope) -> str:
        return scope.name.removesuffix("Controller").lower()

    def _own_name(self, scope: Scope) -> str:
        """The name something goes by outside: another one when an annotation says so."""
        for decorator in scope.decorators:
            row = self.facts.expressions[decorator]
            if row[0] != "c":
                continue
            part = self.argument(row, "name") or self.argument(row, "js_name")
            text = self.texts.of(self.file, part)[0] if part else ""
            if text and "\0" not in text:
                return text
            if self.last_name(row[1]) in ("pyo3", "pyfunction", "pyclass", "wasm_bindgen", "napi"):
                given = [self._token(item) for item in row[2]]
                for word, name in pairwise(given):
                    if word in ("name", "js_name"):
                        return name
        return scope.name

    def _token(self, part: int) -> str:
        row = self.facts.expressions[part]
        return str(row[2]) if row[0] == "k" else self.last_name(part)

    def _full(self, scope: Scope, name: str) -> str:
        """The dotted name of something by its file, where names are given so."""
        if self.evaluator.rules.module_style != "dotted":
            return name
        return self.dotted(self.file, scope.qualified)

    def _class_name(self, index: int) -> str:
        """The class a function is written in, by the name it goes by outside."""
        parent = self.facts.scopes[self.facts.scopes[index].parent]
        if parent.kind == "extension":
            for other in self.facts.scopes:
                if other.kind == "class" and other.name == parent.name:
                    return self._own_name(other)
        return self._own_name(parent) if parent.kind == "class" else parent.name

    # --- bases

    def _based(self, index: int, rule: CallRule) -> Iterator[Endpoint]:
        scope = self.facts.scopes[index]
        for base in self._bases(index):
            kept = rule.call.match(base)
            if kept is None:
                continue
            for place, method in enumerate(self.facts.scopes):
                if method.kind == "function" and self._belongs(place, method, index, scope):
                    for key in self._keys(_NO_ROW, rule, {**kept, "method": method.name}):
                        named = (self.file, method.qualified)
                        yield Provided(rule.channel, method.line, "", [key], [], named, base, "", False)

    def _bases(self, index: int) -> list[str]:
        found = []
        for written in self.facts.scopes[index].bases:
            row = self.facts.expressions[written]
            for value in self.evaluator.values(self.file, row[1] if row[0] == "i" else written):
                if value[0] in ("X", "Y"):
                    found.append(plain_name(value[1]))
                elif value[0] == "C":
                    found.append(self.name_of(value))
        return found

    def _belongs(self, place: int, method: Scope, index: int, scope: Scope) -> bool:
        if method.parent == index:
            return True
        if not method.owner or scope.kind != "class":
            return False
        return self.evaluator.owner(self.file, place) == (self.file, index)

    # --- modifiers

    def _marked(self, index: int, scope: Scope, rule: CallRule) -> Iterator[Endpoint]:
        if FOREIGN not in scope.flags:
            return
        words = {"name": scope.name, "class": self._class_name(index), "package": self.facts.package}
        keys = [key.replace(".", "_") if rule.channel == "jni" else key for key in self._keys(_NO_ROW, rule, words)]
        if rule.provides:
            named = (self.file, scope.qualified)
            yield Provided(rule.channel, scope.line, "", keys, [], named, rule.place, "", False)
        else:
            yield Used(rule.channel, scope.qualified, scope.line, "", keys, [], rule.place, False)

    # --- calls into modules of other languages

    def foreign(self, sites: Iterable[tuple[Site, Values]]) -> Iterator[Endpoint]:
        """Calls of what is imported from outside of the tree: it may be made by another language of it."""
        heads = {item.module for item in self.facts.imports if item.module}
        seen: set[tuple[str, str]] = set()
        for site, values in sites:
            scope = self.symbol(site.scope)
            for value in values:
                name = plain_name(value[1]) if value[0] in ("X", "Y") else ""
                # What another file of the tree imports from outside may be called through it.
                above = name.rpartition(".")[0] if value[0] == "X" else ""
                head = next((head for head in heads if value[1].startswith(f"{head}.")), above) if name else ""
                if head and (scope, name) not in seen:
                    seen.add((scope, name))
                    yield Used("module", scope, site.line, "", [f"{head}#{value[1][len(head) + 1 :]}"], [], name, False)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)
