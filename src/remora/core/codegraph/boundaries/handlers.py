"""Which symbols handle what a call exposes: functions given to it, decorated by it, or methods of a class."""

from collections.abc import Iterator
from typing import Any

from remora.core.codegraph.boundaries.endpoints import Named
from remora.core.codegraph.boundaries.rules import Place
from remora.core.codegraph.boundaries.texts import Texts
from remora.core.codegraph.boundaries.verbs import VERBS, verb_in
from remora.core.codegraph.facts import UNNAMED
from remora.core.codegraph.tracked import Tracked
from remora.core.codegraph.values import Value

_DEPTH = 4
_THINGS = frozenset("FBCIMPO")
"""Kinds of values that are no texts."""
_RESOURCE = {
    "list": "GET", "retrieve": "GET", "create": "POST", "update": "PUT", "partial_update": "PATCH", "destroy": "DELETE",
}  # fmt: skip


class Handlers:
    """Reads expressions of one file."""

    def __init__(self, evaluator: Tracked, file: int) -> None:
        self.evaluator = evaluator
        self.file = file
        self.facts = evaluator.facts(file)
        self.texts = Texts(evaluator.values, evaluator.facts, dict(evaluator.rules.boundaries.texts))
        self._decorating: dict[int, list[int]] | None = None

    # --- arguments and names

    def argument(self, row: Any, place: Place) -> int:
        """The expression given at a place; 0 when there is none."""
        if isinstance(place, int):
            return int(row[2][place]) if -len(row[2]) <= place < len(row[2]) else 0
        for name, value in row[3]:
            if name.strip(":") == place:
                return int(value)
        return next((found for part in row[2] if (found := self._entry(part, place))), 0)

    def _entry(self, part: int, name: str) -> int:
        """The value an object given as an argument has under a name."""
        inner = self.facts.expressions[part]
        if inner[0] != "d":
            return 0
        for key, value in inner[2:]:
            written = self.facts.expressions[key]
            if written[0] == "k" and written[2] == name:
                return int(value)
        return 0

    def textual(self, part: int) -> bool:
        """Whether an expression may be a text."""
        if self.facts.expressions[part][0] in ("k", "t"):
            return True
        if self.facts.expressions[part][0] in ("f", "d"):
            return False
        return all(value[0] not in _THINGS for value in self.evaluator.values(self.file, part))

    def last_name(self, callee: int) -> str:
        """The last part of a callee as it is written."""
        row = self.facts.expressions[callee]
        if row[0] in ("a", "u", "V"):
            return str(row[2] if row[0] == "a" else row[1])
        return self.facts.bindings[row[1]].name if row[0] == "n" else ""

    def name_of(self, value: Value) -> str:
        """A class of the tree as if it were of a library: the stem of its file and its name."""
        return f"{self.stem(value[1])}.{self.evaluator.facts(value[1]).scopes[value[2]].qualified}"

    def dotted(self, file: int, qualified: str) -> str:
        """The dotted name of something by its file."""
        return ".".join([*self.evaluator.modules.path(file).rpartition(".")[0].split("/"), qualified])

    def stem(self, file: int) -> str:
        """A file's name without folder and ending."""
        return self.evaluator.modules.path(file).rpartition("/")[2].partition(".")[0]

    def symbol(self, scope: int) -> str:
        """The qualified name of the symbol a scope's calls belong to."""
        scopes = self.facts.scopes
        while scopes[scope].kind in UNNAMED or scopes[scope].kind == "class":
            scope = scopes[scope].parent
        return scopes[scope].qualified

    # --- handlers

    def decorated(self, call: int) -> list[Named]:
        """Functions and classes that a call decorates."""
        if self._decorating is None:
            self._decorating = {}
            for index, scope in enumerate(self.facts.scopes):
                for decorator in scope.decorators:
                    self._decorating.setdefault(decorator, []).append(index)
        return [(self.file, self.facts.scopes[index].qualified) for index in self._decorating.get(call, ())]

    def handlers(self, row: Any, key: Place | None) -> Iterator[tuple[str, Named]]:
        """(verb, symbol) of the last argument that is a function, a class, or verbs with functions of their own."""
        parts = [part for at, part in enumerate(row[2]) if at != key or not self.textual(part)]
        parts += [value for name, value in row[3] if name != key]
        for part in reversed(parts):
            found = list(self._handling(self._entry(part, "handler") or part, 0))
            if found:
                yield from found
                return

    def _handling(self, part: int, depth: int) -> Iterator[tuple[str, Named]]:
        row = self.facts.expressions[part]
        if not part or depth > _DEPTH or row[0] in ("k", "t", "d"):
            return
        if row[0] == "c" and (wrapped := list(self._called(row, depth))):
            yield from wrapped
            return
        found = [named for value in self.evaluator.values(self.file, part) for named in self._of(value)]
        if found or row[0] not in ("c", "l", "a", "i"):
            yield from found
            return
        if row[0] == "l":
            yield from self._listed(row, depth)

    def _listed(self, row: Any, depth: int) -> Iterator[tuple[str, Named]]:
        """A list of functions, or a class and the name of its method."""
        first, last = self.facts.expressions[row[2]], self.facts.expressions[row[-1]]
        if len(row) == 4 and last[0] == "k":
            named = first[1] if first[0] == "a" and first[2] == "class" else row[2]
            for value in self.evaluator.values(self.file, named):
                for member in self.evaluator.attribute(value, last[2]) if value[0] in ("C", "I") else ():
                    yield from self._of(member)
            return
        for item in reversed(row[2:]):
            found = list(self._handling(item, depth + 1))
            if found:
                yield from found
                return

    def _called(self, row: Any, depth: int) -> Iterator[tuple[str, Named]]:
        """`View.as_view()`, `wrap(handler)`, or `get(handler).post(other)`."""
        callee = self.facts.expressions[row[1]]
        inner = [item for part in (*row[2], *(v for _, v in row[3])) for item in self._handling(part, depth + 1)]
        verb = verb_in(self.last_name(row[1]))
        is_verb = verb in VERBS and self.last_name(row[1]).upper() == verb
        yield from ((verb if is_verb and not said else said, named) for said, named in inner)
        if callee[0] == "a" and (is_verb or not inner):
            yield from self._handling(callee[1], depth + 1)

    def _of(self, value: Value) -> Iterator[tuple[str, Named]]:
        if value[0] in ("F", "B"):
            yield "", self._named(value)
        elif value[0] in ("C", "I"):
            scopes = self.evaluator.facts(value[1]).scopes
            row = scopes[value[2]]
            told = False
            for name in row.members:
                verb = verb_in(name) if name.upper() in VERBS else _RESOURCE.get(name, "")
                if verb:
                    told = True
                    yield verb, (value[1], f"{row.qualified}.{name}")
            if not told and value[0] == "C":
                yield "", (value[1], row.qualified)

    def _named(self, value: Value) -> Named:
        return (value[1], self.evaluator.facts(value[1]).scopes[value[2]].qualified)
