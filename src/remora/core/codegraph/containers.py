"""What is inside of containers: literals, generators, declared element types, and their methods."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from remora.core.codegraph.classes import Classes
from remora.core.codegraph.values import EMPTY, Value, Values, union


class Containers(Classes):
    """The part of the evaluator that knows containers. A key is (type, text), a position, or None for any element."""

    @abstractmethod
    def attribute(self, value: Value, name: str) -> Values:
        """What `value.name` can be."""

    @abstractmethod
    def typed(self, file: int, expression: int) -> Values:
        """Instances of a declared type."""

    def key(self, file: int, expression: int) -> Any:
        """The constant an expression is known to be, or None."""
        found = self.values(file, expression)
        if len(found) != 1:
            return None
        (value,) = found
        return (value[1], value[2]) if value[0] == "T" and value[2] else None

    def element(self, value: Value, key: Any) -> Values:
        """What `value[key]` can be."""
        if self.rules.attribute_items and value[0] in ("I", "C", "M") and isinstance(key, tuple) and key[0] == "str":
            return self.attribute(value, key[1])
        reader = self._READERS.get(value[0])
        found = reader(self, value, key) if reader else EMPTY
        stores = self.stored_items(value)
        return union((found, self._set(value[1], stores, key)), 1) if stores else found

    def _set(self, file: int, stores: list[tuple[int, int]], key: Any) -> Values:
        parts = []
        for place, item in stores:
            known = self.key(file, place) if place and key is not None else None
            if known is None or known == key:
                parts.append(self.values(file, item))
        return union(parts, 1)

    def _literal(self, value: Value, key: Any) -> Values:
        file = value[1]
        rows = self.facts(file).expressions
        row = rows[value[2]]
        if row[0] == "d":
            return self._map(file, row, key)
        parts = row[2:]
        place = _position(key)
        if place is not None and not any(rows[part][0] == "*" for part in parts):
            return self.values(file, parts[place]) if -len(parts) <= place < len(parts) else EMPTY
        return union(
            [self._spread(file, part) if rows[part][0] == "*" else self.values(file, part) for part in parts], 1
        )

    def _map(self, file: int, row: Any, key: Any) -> Values:
        if key is None:
            return union([self.values(file, pair[1]) for pair in row[2:]], 1)
        keys = [self.key(file, pair[0]) for pair in row[2:]]
        exact = [pair for pair, known in zip(row[2:], keys, strict=True) if known == key]
        if exact:
            return union([self.values(file, pair[1]) for pair in exact], 1)
        vague = [pair[1] for pair, known in zip(row[2:], keys, strict=True) if known is None]
        rows = self.facts(file).expressions
        return union(
            [self._member(file, part, key) if rows[part][0] == "*" else self.values(file, part) for part in vague], 1
        )

    def _member(self, file: int, part: int, key: Any) -> Values:
        """What a map has under a key because another one was spread in it."""
        return union([self.element(value, key) for value in self.values(file, part)], 1)

    def _spread(self, file: int, part: int) -> Values:
        # A question of its own: a list may hold what it was spread from (`items = [*items, one]`).
        return self.ask(("s", file, part, self.inside(file)))

    def spread(self, file: int, part: int) -> Values:
        """What the elements of a spread expression can be."""
        return union([self.element(inner, None) for inner in self.values(file, part)], 1)

    def _generated(self, value: Value, key: Any) -> Values:
        file, scope = value[1], value[2]
        yields = self.facts(file).scopes[scope].yields
        return self.within(self.top(file, scope), lambda: union([self.values(file, item) for item in yields], 1))

    def _typed(self, value: Value, key: Any) -> Values:
        return self.typed(value[1], value[2])

    def _results(self, value: Value, key: Any) -> Values:
        parts = self.facts(value[1]).expressions[value[2]][2:]
        place = _position(key)
        if place is None or not -len(parts) <= place < len(parts):
            return EMPTY
        return self.typed(value[1], parts[place])

    def _rest(self, value: Value, key: Any) -> Values:
        place = _position(key)
        if place is not None and place >= 0:
            return self.element(value[1], place + value[2])
        inner = value[1]
        row = self.facts(inner[1]).expressions[inner[2]] if inner[0] == "L" else ("l", "")
        count = len(row) - 2 if row[0] == "l" else 0
        return union([self.element(inner, at) for at in range(value[2], count)], 1)

    def _values(self, value: Value, key: Any) -> Values:
        return self.element(value[1], None)

    def _items(self, value: Value, key: Any) -> Values:
        return {("H", value[1]): 1}

    def _pair(self, value: Value, key: Any) -> Values:
        return self.element(value[1], None) if key == 1 else EMPTY

    def _mapped(self, value: Value, key: Any) -> Values:
        file, part = value[1], value[2]
        functions = [item for item in self.values(file, part) if item[0] in ("F", "B")]
        return union([self.returned(item, file, None) for item in functions], 1)

    def _iterated(self, value: Value, key: Any) -> Values:
        if key is not None and not isinstance(key, int):
            return union([self.returned(method, -1, None) for method in self.methods(value, self.rules.item)], 1)
        found: list[Values] = []
        for method in self.methods(value, self.rules.iterate[:1]):
            for item in self.returned(method, -1, None):
                if item[0] == "I":
                    steps = self.methods(item, self.rules.iterate[1:])
                    found.extend(self.returned(step, -1, None) for step in steps)
                else:
                    found.append(self.element(item, None))
        return union(found, 1)

    _READERS: ClassVar[dict[str, Callable[["Containers", Value, Any], Values]]] = {
        "L": _literal,
        "G": _generated,
        "Q": _typed,
        "R": _rest,
        "D": _results,
        "V": _values,
        "J": _items,
        "H": _pair,
        "W": _mapped,
        "I": _iterated,
    }

    def container_call(self, value: Value, file: int, row: Any) -> Values:
        """Result of calling a container's own method."""
        container, name = value[1], value[2]
        if name in self.rules.element:
            return self.element(container, self.key(file, row[2][0]) if row[2] else None)
        if name in self.rules.elements:
            return {("V", container): 1}
        if name in self.rules.pairs:
            return {("J", container): 1}
        return {container: 1} if name in self.rules.passthrough or name in self.rules.binding else {("Y", name): 1}


def _position(key: Any) -> int | None:
    """A key as a position in a sequence."""
    if isinstance(key, int):
        return key
    if key is None or key[0] != "int":
        return None
    text = key[1].removeprefix("-")
    return int(key[1]) if text.isdecimal() else None
