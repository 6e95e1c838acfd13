"""The values an expression can have, as small tuples; the first element says what kind of thing it is.

("F", file, scope) function, ("C", file, scope) class, ("I", file, scope) instance, ("M", file) module,
("B", file, scope, self) method bound to self, ("P", folder) package, ("L", file, expression) container literal,
("G", file, scope) what a generator or comprehension yields, ("Q", file, expression) container of a declared type,
("D", file, expression) several declared results,
("R", container, start) rest of a container, ("V", dict) its values, ("J", dict) its items, ("H", dict) one item,
("W", file, function) what mapping a function gives, ("K", container, method), ("Z", file, method) super,
("p", file, scope, position) a parameter not known yet, ("X", name) something external, ("Y", name) a result of it,
("T", type, text) a built-in value, ("A", file, expression) a text put together, ("?",) too many,
("O", alias, file, origin[, method]) an object of a library that is followed because of what is done with it.
"""

from typing import Any, TypeAlias

Value: TypeAlias = tuple[Any, ...]
Values: TypeAlias = dict[Value, int]
"""Value -> tier: 0 by scope and import alone, 1 through assignments and types."""
Key: TypeAlias = tuple[Any, ...]
"""A question: kind, file, expression or scope, whether it is asked from inside the file in focus, and more."""
Owner: TypeAlias = tuple[int, str]
"""A file and one of its top-level names ("" = the file's own calls, "*" = its stores)."""
Symbol: TypeAlias = tuple[int, int]
"""A file and one of its scopes."""

EMPTY: Values = {}
MANY: Value = ("?",)
FOUND: Value = ("-",)
"""Says that a name exists although nothing is known of its value."""
VAGUE = frozenset({"X", "Y", "T", "p", "?", "A", "O"})
"""Kinds that name nothing of this tree."""


def union(parts: Any, tier: int = 0) -> Values:
    """All values of some parts, each with its best tier, and none better than `tier`."""
    found: Values = {}
    for part in parts:
        for value, own in part.items():
            best = max(own, tier)
            if value not in found or found[value] > best:
                found[value] = best
    return found


def inferred(values: Values) -> Values:
    """The same values, all through inference."""
    for tier in values.values():
        if not tier:
            return dict.fromkeys(values, 1)
    return values


def known(values: Values) -> Values:
    """Those values that name something of this tree."""
    return {value: tier for value, tier in values.items() if value[0] not in VAGUE}
