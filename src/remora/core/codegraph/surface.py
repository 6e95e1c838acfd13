"""What other files can see of a file: a digest per top-level name, so that an edit re-links only whom it concerns."""

import json
from typing import Any

from remora.core.codegraph.facts import FileFacts
from remora.core.ids import digest

STORES = "*"
"""Owner of what a file sets on objects outside of methods."""


def surface(facts: FileFacts) -> dict[str, str]:
    """Top-level name -> digest of everything another file's calls could depend on. Call sites and positions are out."""
    return _Surface(facts).digests()


class _Surface:
    def __init__(self, facts: FileFacts) -> None:
        self._facts = facts
        self._tops: list[str] = []
        for scope in facts.scopes:
            above = "" if scope.parent <= 0 else self._tops[scope.parent]
            self._tops.append(above or (scope.name if scope.parent == 0 else ""))
        self._numbers: dict[tuple[str, int], int] = {}
        self._rows: list[Any] = []
        self._owner = ""

    def digests(self) -> dict[str, str]:
        by_top: dict[str, list[int]] = {name: [] for name in self._facts.scopes[0].members}
        for index, top in enumerate(self._tops):
            if index:
                by_top.setdefault(top, []).append(index)
        found = {}
        for name, scopes in by_top.items():
            found[name] = self._digest(name, self._facts.scopes[0].members.get(name, []), scopes)
        found[STORES] = self._stores()
        return found

    def _digest(self, owner: str, bindings: list[int], scopes: list[int]) -> str:
        self._numbers, self._rows, self._owner = {}, [], owner
        for scope in scopes:
            self._numbers[("s", scope)] = len(self._numbers)
        rows = [[self._binding(number) for number in bindings], [self._scope(scope) for scope in scopes], self._rows]
        return digest(json.dumps(rows).encode())[:16]

    def _stores(self) -> str:
        self._numbers, self._rows, self._owner = {}, [], STORES
        rows = [[self._value(s.object), s.name, self._value(s.key), self._value(s.value)] for s in self._facts.stores]
        stars = [list(self._facts.imports[star][:2]) for star in self._facts.stars]
        return digest(json.dumps([rows, stars, self._rows]).encode())[:16]

    def _scope(self, index: int) -> Any:
        scope = self._facts.scopes[index]
        head = [scope.kind, scope.qualified, scope.flags, scope.label, self._value(scope.owner)]
        parameters = [[p.name, p.kind, self._value(p.type), self._value(p.default)] for p in scope.parameters]
        lists = (scope.returns, scope.yields, scope.bases)
        values = [[self._value(value) for value in part] for part in lists]
        members = [[name, [self._binding(n) for n in numbers]] for name, numbers in scope.members.items()]
        attributes = [[name, [self._value(v) for v in parts]] for name, parts in scope.attributes.items()]
        return [head, parameters, values, self._value(scope.result), members, attributes]

    def _binding(self, number: int) -> Any:
        binding = self._facts.bindings[number]
        return [binding.kind, self._value(binding.value)]

    def _value(self, expression: int) -> int:
        """Number of an expression among those this owner shows; equal texts number alike."""
        todo = [expression]
        while todo:
            index = todo.pop()
            key = ("e", index)
            if key in self._numbers:
                continue
            self._numbers[key] = len(self._numbers)
            row, children = self._row(index)
            for child in children:
                self._numbers.setdefault(("q", child), len(self._numbers))
            self._rows.append([self._numbers[key], row, [self._numbers[("q", child)] for child in children]])
            todo.extend(children)
        return self._numbers[("e", expression)]

    def _row(self, index: int) -> tuple[Any, list[int]]:
        row = self._facts.expressions[index]
        op = row[0]
        if op in ("f", "g", "S", "s"):
            return [op, self._facts.scopes[row[1]].qualified], []
        if op == "p":
            return [op, self._facts.scopes[row[1]].qualified, row[2]], []
        if op == "m":
            return [op, *self._facts.imports[row[1]][:2]], []
        if op == "n":
            return self._names(row)
        if op in ("u", "k", "?", "E", "M"):
            return list(row), []
        if op == "V":
            return [op, row[1], [self._facts.scopes[scope].qualified for scope in row[2]]], [row[3]]
        return self._compound(row)

    def _names(self, row: Any) -> tuple[Any, list[int]]:
        shown: list[Any] = ["n"]
        children: list[int] = []
        for number in row[1:]:
            binding = self._facts.bindings[number]
            if binding.scope == 0 and self._owner not in (binding.name, STORES):
                shown.append(binding.name)
            else:
                shown.append([binding.kind, binding.value])
                children.append(binding.value)
        # Child numbers follow from the order of the walk, so the raw index is left out of the digest.
        return [part if isinstance(part, str) else part[0] for part in shown], children

    def _compound(self, row: Any) -> tuple[Any, list[int]]:
        op = row[0]
        if op == "c":
            children = [row[1], *row[2], *(value for _, value in row[3])]
            return [op, len(row[2]), [name for name, _ in row[3]]], children
        if op == "d":
            return [op, row[1], len(row) - 2], [part for pair in row[2:] for part in pair]
        if op == "a":
            return [op, row[2]], [row[1]]
        if op == "l":
            return [op, row[1], len(row) - 2], list(row[2:])
        if op in ("b", "r"):
            return [op, row[2]], [row[1]]
        return [op, len(row) - 1], list(row[1:])
