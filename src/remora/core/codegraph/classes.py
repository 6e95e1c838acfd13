"""Classes: members along the bases, methods bound to a receiver, values stored on objects outside of methods."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from remora.core import policy
from remora.core.codegraph.facts import EXTENDED
from remora.core.codegraph.fixpoint import Fixpoint
from remora.core.codegraph.values import EMPTY, FOUND, Symbol, Value, Values, union

_STORING = frozenset({"C", "I", "F", "L", "M"})


class Classes(Fixpoint):
    """The part of the evaluator that knows classes."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._grouped: dict[int, dict[tuple[Value, str], list[tuple[int, int]]]] = {}

    @abstractmethod
    def returned(self, value: Value, file: int, row: Any) -> Values:
        """Results of calling a function; `row` is the call in `file`, None when there is none written."""

    @abstractmethod
    def top_level(self, file: int, name: str) -> Values:
        """What a file binds to one of its top-level names."""

    # --- receivers

    def receiver(self, file: int, scope: int, place: int) -> Value | None:
        """What the first parameter of a method is; None for any other parameter."""
        row = self.facts(file).scopes[scope]
        if place != 0 or not self.rules.receiver or "method" not in row.flags or "static" in row.flags:
            return None
        if self.rules.receiver != "first" and row.parameters[place].name != self.rules.receiver:
            return None
        of_class = "classlevel" in row.flags or row.name in self.rules.class_methods
        owner = self.owner(file, scope)
        return ("C" if of_class else "I", *owner) if owner is not None else None

    def owner(self, file: int, scope: int) -> Symbol | None:
        """The class a method, an extension or a class scope is of."""
        row = self.facts(file).scopes[scope]
        if not row.owner:
            return (file, scope if row.kind == "class" else row.parent)
        for value in self.within(self.top(file, scope), lambda: self.values(file, row.owner)):
            if value[0] == "C" or (value[0] == "F" and self.rules.constructing_functions):
                return (value[1], value[2])
        return None

    def bind(self, members: Values, receiver: Value) -> Values:
        """Methods found on a class, as seen on `receiver`."""
        found: Values = {}
        for value, tier in members.items():
            flags = self.facts(value[1]).scopes[value[2]].flags if value[0] == "F" else ()
            if value[0] != "F":
                found[value] = max(tier, 1)
            elif "method" not in flags or "static" in flags:
                found[value] = tier
            elif "property" in flags and receiver[0] == "I":
                found = union((found, self.returned(("B", *value[1:], receiver), -1, None)), 1)
            elif receiver[0] == "C" and "classlevel" not in flags:
                found[value] = tier
            else:
                found[("B", *value[1:], receiver)] = 1 if receiver[0] == "I" else tier
        return found

    def methods(self, value: Value, names: Iterable[str]) -> Values:
        """The first of some methods that a class or instance has, bound to an instance."""
        receiver = ("I", *value[1:3])
        for name in names:
            members = self._declared_member(value[1], value[2], name)
            if members:
                return {("B", *item[1:3], receiver): 1 for item in members if item[0] in ("F", "B")}
        return EMPTY

    def fitting(self, values: Values, row: Any) -> Values:
        """Of functions that differ by their parameters alone, those that take as many as a call passes."""
        if not self.rules.overloads or len(values) < 2:
            return values
        found = {value: tier for value, tier in values.items() if self._takes(value, len(row[2]))}
        return found or values

    def _takes(self, value: Value, count: int) -> bool:
        if value[0] not in ("F", "B"):
            return True
        parameters = self.facts(value[1]).scopes[value[2]].parameters
        if value[0] == "B" or (self.rules.this and parameters and parameters[0].name == self.rules.this):
            parameters = parameters[1:]
        if any(parameter.kind in ("rest", "keywords") for parameter in parameters):
            return count >= sum(1 for item in parameters if item.kind == "positional" and not item.default)
        return sum(1 for item in parameters if not item.default) <= count <= len(parameters)

    # --- members and bases

    def lookup(self, file: int, scope: int, name: str, *, skip: bool = False) -> Values:
        """Members of a class by name along its bases; `skip` starts behind the class itself."""
        found = self._declared_member(file, scope, name, skip=skip)
        if found:
            return {value: tier for value, tier in found.items() if value != FOUND}
        return EMPTY if self.bases(file, scope)[1] else {("Y", f"?.{name}"): 1}

    def _declared_member(self, file: int, scope: int, name: str, *, skip: bool = False) -> Values:
        """The member of the first class along the bases that declares one, with `FOUND`."""
        order, _ = self.bases(file, scope)
        for owner in order[1:] if skip else order:
            self.depend(self.top(*owner))
            row = self.facts(owner[0]).scopes[owner[1]]
            if name in row.members or name in row.attributes:
                return union((self.ask(("a", owner[0], owner[1], False, name)), {FOUND: 0}))
            attached = self._attached(owner, name)
            if attached:
                return union((attached, {FOUND: 0}))
        return EMPTY

    def _attached(self, owner: Symbol, name: str) -> Values:
        """What other places attach to a class under a name."""
        if self.rules.module_style == "dotted":
            return EMPTY
        written = self.facts(owner[0]).scopes[owner[1]]
        full = f"{written.qualified.partition('~')[0] if self.rules.reopened else written.name}.{name}"
        self.depend((0, full))
        found: Values = {}
        if self.rules.reopened:
            homes = self.modules.attached(owner[0], full)
            return union([self.top_level(home, full) for home in homes])
        for file in self.modules.attached(owner[0], full) or (owner[0],):
            facts = self.facts(file)
            self.depend((file, full))
            for number in facts.scopes[0].members.get(full, ()):
                row = facts.expressions[facts.bindings[number].value]
                if row[0] == "f" and self.owner(file, row[1]) == owner:
                    found[("F", file, row[1])] = 0
        return found

    def _extensions(self, owner: Symbol) -> Iterator[tuple[int, int]]:
        """(file, scope) of the extensions of a class that name bases."""
        if self.rules.module_style == "dotted":
            return
        name = self.facts(owner[0]).scopes[owner[1]].name
        full = f"{name}.{EXTENDED}"
        self.depend((0, full))
        for file in dict.fromkeys((owner[0], *self.modules.attached(owner[0], full))):
            self.depend((file, name))
            for index, row in enumerate(self.facts(file).scopes):
                if row.kind == "extension" and row.name == name and row.bases and self.owner(file, index) == owner:
                    yield file, index

    def declares(self, file: int, scope: int, name: str) -> tuple[Values, bool]:
        """The member of a class or its bases, with `FOUND`, and whether every base is known."""
        return self._declared_member(file, scope, name), self.bases(file, scope)[1]

    def own_member(self, file: int, scope: int, name: str) -> Values:
        """A member a class declares or its methods set on the receiver."""
        facts = self.facts(file)
        row = facts.scopes[scope]
        values = [facts.bindings[number].value for number in row.members.get(name, ())] + row.attributes.get(name, [])
        return self.within(self.top(file, scope), lambda: union([self.values(file, value) for value in values]))

    def bases(self, file: int, scope: int) -> tuple[tuple[Symbol, ...], bool]:
        """Method resolution order of a class, and whether every base is known."""
        ((order, complete),) = self.ask(("b", file, scope, False))
        return order, complete

    def order(self, file: int, scope: int) -> Values:
        """The answer behind `bases`."""
        seen: list[Symbol] = []
        complete = self._linearise((file, scope), seen, ())
        last = {item: place for place, item in enumerate(seen)}
        return {(tuple(item for place, item in enumerate(seen) if last[item] == place), complete): 0}

    def _linearise(self, item: Symbol, seen: list[Symbol], above: tuple[Symbol, ...]) -> bool:
        """Depth first, left to right; of a class met twice the last place counts, as in the diamond of C3."""
        if item in above or len(seen) >= policy.BASES:
            return True
        seen.append(item)
        complete = True
        for base in self.direct_bases(*item):
            if base[0] == "C":
                complete &= self._linearise((base[1], base[2]), seen, (*above, item))
            elif base != ("X", self.rules.root_class):
                complete = False
        return complete

    def direct_bases(self, file: int, scope: int) -> list[Value]:
        """The classes (and external names) a class names as its bases."""
        found: list[Value] = []
        for home, index in ((file, scope), *self._extensions((file, scope))):
            facts = self.facts(home)
            for written in facts.scopes[index].bases:
                row = facts.expressions[written]
                base = row[1] if row[0] == "i" else written
                values = self.within(self.top(home, index), lambda at=base, of=home: self.values(of, at))  # type: ignore[misc]
                if self.rules.constructing_functions:
                    values = {("C", *value[1:]) if value[0] in ("F", "I") else value: 1 for value in values}
                found.extend(values or [("X", "?")])
        return found

    # --- stores outside of methods

    def stored(self, value: Value, name: str) -> Values:
        """What a file sets as an attribute of one of its own things."""
        if value[0] not in _STORING:
            return EMPTY
        stores = self._stores(value[1])
        rows = stores.get((_bare(value), name)) if stores else None
        return union([self.values(value[1], item) for _, item in rows], 1) if rows else EMPTY

    def stored_items(self, value: Value) -> list[tuple[int, int]]:
        """(key, value) expressions a file sets in one of its own containers."""
        return self._stores(value[1]).get((value, ""), []) if value[0] == "L" else []

    def _stores(self, file: int) -> dict[tuple[Value, str], list[tuple[int, int]]]:
        """(object, name) -> (key, value); found by asking, so that cycles through stores settle like all others."""
        # Also of a file that sets nothing: one day it may.
        self.depend((file, "*"))
        found = self._grouped.get(file)
        if found is not None:
            return found
        if not self.facts(file).stores:
            return self._grouped.setdefault(file, {})
        key = ("t", file, 0, False)
        found = {}
        for _, value, name, place, item in self.within((file, "*"), lambda: self.ask(key)):
            found.setdefault((value, name), []).append((place, item))
        if key in self._memo:
            self._grouped[file] = found
        return found

    def store_targets(self, file: int) -> Values:
        """The answer behind `_stores`: ("st", object, name, key, value) of each store."""
        found: Values = {}
        for store in self.facts(file).stores:
            for value in self.values(file, store.object):
                if value[0] in _STORING:
                    found[("st", _bare(value), store.name, store.key, store.value)] = 1
        return found


def _bare(value: Value) -> Value:
    """An instance shares what is stored with its class: which one it is cannot be told."""
    return ("C", *value[1:]) if value[0] == "I" else value
