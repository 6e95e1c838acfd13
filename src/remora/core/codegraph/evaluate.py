"""What an expression can be: a bounded, demand-driven evaluation with least fixpoints, so that order never matters.

Values: ("F", file, scope) function, ("C", file, scope) class, ("I", file, scope) instance, ("B", file, scope, self)
bound method, ("M", file) module, ("P", folder) package, ("L", file, expression) container literal, ("G", file, scope)
what a generator or comprehension yields, ("Q", file, expression) container of a declared element type,
("R", container, start) rest of a container, ("V", dict) its values, ("J", dict) its items, ("H", dict) one item,
("K", container, method), ("S", file, class, self) super, ("p", file, scope, position) a parameter not known yet,
("X", name) something external, ("Y", name) a result of it, ("T", type) a built-in value, ("?",) too many to say.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from remora.core import policy
from remora.core.codegraph.facts import Binding, FileFacts, Scope
from remora.core.codegraph.modules import DottedModules
from remora.core.codegraph.rules import Rules

Value: TypeAlias = tuple[Any, ...]
Values: TypeAlias = dict[Value, int]
"""Value -> tier: 0 by scope and import alone, 1 through assignments and types."""
Key: TypeAlias = tuple[Any, ...]
Owner: TypeAlias = tuple[int, str]
"""A file and one of its top-level names ("" = the file's own calls)."""

_EMPTY: Values = {}
_MANY: Value = ("?",)
_FAR = 1 << 30
_OUTSIDE = ("X", "Y", "T", "K")
_UNWRAP = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Self"})
_CLASS_OF = frozenset({"Type", "type"})


class Evaluator:
    """Evaluates expressions of a set of files. `load` gives a file's facts, `consulted` learns of dependencies."""

    def __init__(
        self,
        rules: Rules,
        modules: DottedModules,
        load: Callable[[int], FileFacts],
        consulted: Callable[[Owner, Owner], None],
    ) -> None:
        self.rules = rules
        self.modules = modules
        self.load = load
        self._consulted = consulted
        self._memo: dict[Key, Values] = {}
        self._own: dict[Key, Values] = {}
        self._partial: dict[Key, Values] = {}
        self._assumed: dict[Key, Values] = {}
        self._active: dict[Key, int] = {}
        self._low = _FAR
        self._changed = False
        self._owner: Owner = (-1, "")
        self._focus = -1
        self._inflow: dict[tuple[int, int], Values] = {}
        self._here = FileFacts("")
        self._flowing: set[Key] = set()
        self.flowed = False
        """Whether what was evaluated since this was last set to False depends on what callers pass."""
        self._grouped: dict[int, dict[tuple[Value, str], list[tuple[int, int]]]] = {}

    def focus(self, file: int, inflow: dict[tuple[int, int], Values]) -> None:
        """Look from inside `file`: its parameters hold what `inflow` says its callers pass."""
        if file == self._focus:
            for key in self._flowing:
                del self._own[key]
        else:
            self._own = {}
        self._flowing.clear()
        self._focus, self._inflow, self._here = file, inflow, self.load(file)
        self._owner = (file, "")
        self.flowed = False

    # --- the fixpoint

    def values(self, file: int, expression: int) -> Values:
        """What an expression can be, from inside when the file is in focus."""
        inside = file == self._focus and not self._owner[1]
        key = ("e", file, expression, inside)
        found = (self._own if inside else self._memo).get(key)
        if found is not None:
            if inside and key in self._flowing:
                self.flowed = True
            return found
        return self._get(key, file)

    def _get(self, key: Key, file: int) -> Values:
        inside = key[3] is True
        memo = self._own if inside else self._memo
        found = memo.get(key)
        if found is None:
            found = self._partial.get(key)
        if found is not None:
            if inside and key in self._flowing:
                self.flowed = True
            return found
        place = self._active.get(key)
        if place is not None:
            if place < self._low:
                self._low = place
            return self._assumed.setdefault(key, self._start(key))
        if len(self._active) >= policy.EVALUATION_HOPS:
            return self._start(key) or {_MANY: 1}
        place = self._active[key] = len(self._active)
        outer, self._low = self._low, _FAR
        flowed, self.flowed = self.flowed, False
        result = self._compute(key)
        if key in self._assumed and self._assumed[key] != result:
            self._assumed[key], self._changed = result, True
        if self._low == place:
            result = self._settle(key, result)
        del self._active[key]
        if self._low < place:
            self._partial[key] = result
            if outer < self._low:
                self._low = outer
        else:
            memo[key] = result
            self._low = outer
        if not self.flowed:
            self.flowed = flowed
        elif inside:
            self._flowing.add(key)
        return result

    def _start(self, key: Key) -> Values:
        """What a question asked inside of its own answer begins with."""
        return {(((key[1], key[2]),), False): 0} if key[0] == "b" else _EMPTY

    def _settle(self, key: Key, result: Values) -> Values:
        """`key` heads a cycle: go round until nothing changes, then everything met on the way is final."""
        for _ in range(policy.EVALUATION_ROUNDS):
            if not self._changed:
                break
            self._changed = False
            self._partial.clear()
            result = self._compute(key)
            if self._assumed.get(key) != result:
                self._assumed[key], self._changed = result, True
        for inner, values in self._partial.items():
            (self._own if inner[3] is True else self._memo)[inner] = values
        if self.flowed:
            # What was met inside of the cycle rests on its head, so on the callers as well.
            self._flowing.update(inner for inner in self._partial if inner[3] is True)
        self._partial.clear()
        self._assumed.clear()
        self._changed = False
        self._low = _FAR
        return result

    def _compute(self, key: Key) -> Values:
        kind, file = key[0], key[1]
        if kind == "e":
            row = (self._here if file == self._focus else self.load(file)).expressions[key[2]]
            return self._bounded(_OPERATIONS[row[0]](self, file, row, key[2]))
        if kind == "r":
            return self._bounded(self._result(file, key[2]))
        if kind == "b":
            return self._order(file, key[2])
        if kind == "t":
            return self._resolve_stores(file)
        return self._bounded(self._lookup(file, key[2], key[4]))

    def _bounded(self, values: Values) -> Values:
        return values if len(values) <= policy.EVALUATION_VALUES else {_MANY: 1}

    def _union(self, parts: Iterable[Values], tier: int = 0) -> Values:
        found: Values = {}
        for part in parts:
            for value, own in part.items():
                if tier > own:
                    own = tier
                if value not in found or found[value] > own:
                    found[value] = own
        return found

    # --- crossing into other files

    def _within(self, owner: Owner, work: Callable[[], Values]) -> Values:
        """Do `work` on behalf of another top-level name, and note that the present one depends on it."""
        before = self._owner
        self._depend(owner)
        self._owner = owner
        try:
            return work()
        finally:
            self._owner = before

    def _depend(self, on: Owner) -> None:
        if self._owner != on:
            self._consulted(self._owner, on)

    def _top(self, facts: FileFacts, scope: int) -> str:
        while facts.scopes[scope].parent > 0:
            scope = facts.scopes[scope].parent
        return facts.scopes[scope].name

    # --- operations

    def _unknown(self, file: int, row: Any, index: int) -> Values:
        return _EMPTY

    def _name(self, file: int, row: Any, index: int) -> Values:
        bindings = (self._here if file == self._focus else self.load(file)).bindings
        if len(row) == 2:
            return self._binding(file, bindings[row[1]])
        return self._union([self._binding(file, bindings[number]) for number in row[1:]])

    def _binding(self, file: int, binding: Binding) -> Values:
        found = self.values(file, binding.value)
        return found if binding.kind in "di" else self._inferred(found)

    def _inferred(self, values: Values) -> Values:
        for tier in values.values():
            if not tier:
                return dict.fromkeys(values, 1)
        return values

    def _free(self, file: int, row: Any, index: int) -> Values:
        name = row[1]
        facts = self.load(file)
        for star in facts.stars:
            module = self.modules.resolve(file, facts.imports[star].module)
            if module is not None and module[0] == "M" and module[1] != file:
                found = self._module_name(int(module[1]), name)
                if found is not None:
                    return found
        return {("X", name): 0}

    def _attribute(self, file: int, row: Any, index: int) -> Values:
        parts = []
        for value, tier in self.values(file, row[1]).items():
            found = self.attribute(value, row[2])
            parts.append(self._inferred(found) if tier else found)
        return parts[0] if len(parts) == 1 else self._union(parts)

    def _call(self, file: int, row: Any, index: int) -> Values:
        parts = [self._apply(value, file, row) for value in self.values(file, row[1])]
        return self._inferred(parts[0]) if len(parts) == 1 else self._union(parts, 1)

    def _item(self, file: int, row: Any, index: int) -> Values:
        return self._union((self._element(value, self._key(file, row[2])) for value in self.values(file, row[1])), 1)

    def _constant(self, file: int, row: Any, index: int) -> Values:
        return {("T", row[1]): 1}

    def _container(self, file: int, row: Any, index: int) -> Values:
        return {("L", file, index): 1}

    def _scope(self, file: int, row: Any, index: int) -> Values:
        kind = self.load(file).scopes[row[1]].kind
        return {("C" if kind == "class" else "F", file, row[1]): 0}

    def _generated(self, file: int, row: Any, index: int) -> Values:
        return {("G", file, row[1]): 1}

    def _any(self, file: int, row: Any, index: int) -> Values:
        return self._union((self.values(file, part) for part in row[1:]), 1)

    def _first(self, file: int, row: Any, index: int) -> Values:
        found = self.values(file, row[1])
        known = {value: tier for value, tier in found.items() if value[0] not in ("X", "Y", "T", "p", "?")}
        return known or self._union((found, self.values(file, row[2])))

    def _decorated(self, file: int, row: Any, index: int) -> Values:
        found = self.values(file, row[1])
        known = {value: tier for value, tier in found.items() if value[0] not in ("X", "Y", "T", "p", "?")}
        return known or self.values(file, row[2])

    def _each(self, file: int, row: Any, index: int) -> Values:
        return self._union((self._element(value, None) for value in self.values(file, row[1])), 1)

    def _entered(self, file: int, row: Any, index: int) -> Values:
        parts = []
        for value in self.values(file, row[1]):
            methods = self.methods(value, self.rules.enter) if value[0] == "I" else _EMPTY
            parts.append(
                self._union(self._returned(method, file, None) for method in methods) if methods else {value: 1}
            )
        return self._union(parts, 1)

    def _part(self, file: int, row: Any, index: int) -> Values:
        return self._union((self._element(value, row[2]) for value in self.values(file, row[1])), 1)

    def _rest(self, file: int, row: Any, index: int) -> Values:
        return {("R", value, row[2]): 1 for value in self.values(file, row[1]) if value[0] in ("L", "R")}

    def _parameter(self, file: int, row: Any, index: int) -> Values:
        scope, place = row[1], row[2]
        facts = self.load(file)
        parameter = facts.scopes[scope].parameters[place]
        inside = file == self._focus and not self._owner[1]
        receiver = self._receiver(file, facts, scope, place)
        if receiver is not None:
            return {receiver: 1} if inside else {("p", file, scope, place): 1}
        self.flowed = self.flowed or inside
        parts = [self.values(file, parameter.default), self._typed(file, parameter.type)]
        parts.append(self._inflow.get((scope, place), _EMPTY) if inside else {("p", file, scope, place): 1})
        return self._union(parts, 1)

    def _receiver(self, file: int, facts: FileFacts, scope: int, place: int) -> Value | None:
        row = facts.scopes[scope]
        if place != 0 or self.rules.receiver != "first" or "method" not in row.flags or "static" in row.flags:
            return None
        class_method = "classlevel" in row.flags or row.name in ("__new__", "__init_subclass__", "__class_getitem__")
        return ("C" if class_method else "I", file, row.parent)

    def _import(self, file: int, row: Any, index: int) -> Values:
        item = self.load(file).imports[row[1]]
        module = self.modules.resolve(file, item.module)
        if module is None:
            return {("X", f"{item.module}.{item.name}" if item.name else item.module): 0}
        if not item.name:
            return {module: 0}
        found = self.attribute(module, item.name)
        return found or {("X", f"{item.module}.{item.name}"): 0}

    def _spread(self, file: int, row: Any, index: int) -> Values:
        return self.values(file, row[1])

    def _exception(self, file: int, row: Any, index: int) -> Values:
        found: Values = {}
        for value in self.values(file, row[1]):
            for inner in self._element(value, None) if value[0] == "L" else (value,):
                if inner[0] == "C":
                    found[("I", *inner[1:])] = 1
        return found

    def _super(self, file: int, row: Any, index: int) -> Values:
        facts = self.load(file)
        if row[1] <= 0 or facts.scopes[facts.scopes[row[1]].parent].kind != "class":
            return _EMPTY
        return {("Z", file, row[1]): 1}

    def _declared(self, file: int, row: Any, index: int) -> Values:
        return self._typed(file, row[1])

    # --- types

    def _typed(self, file: int, expression: int) -> Values:
        """Instances of a declared type."""
        if not expression:
            return _EMPTY
        row = self.load(file).expressions[expression]
        if row[0] == "|":
            return self._union((self._typed(file, part) for part in row[1:]), 1)
        if row[0] == "l":
            return self._union((self._typed(file, part) for part in row[2:]), 1)
        if row[0] == "i":
            return self._generic(file, row)
        found: Values = {}
        for value in self.values(file, expression):
            if value[0] == "C":
                found[("I", *value[1:])] = 1
            elif value[0] == "X":
                found[("Y", value[1])] = 1
        return found

    def _generic(self, file: int, row: Any) -> Values:
        parts = []
        for value in self.values(file, row[1]):
            last = str(value[1]).rpartition(".")[2] if value[0] == "X" else ""
            if last in _UNWRAP:
                parts.append(self._typed(file, row[2]))
            elif last in _CLASS_OF:
                parts.append({item: 1 for item in self.values(file, row[2]) if item[0] == "C"})
            elif value[0] == "C":
                parts.append({("I", *value[1:]): 1})
            else:
                parts.append({("Q", file, row[2]): 1})
        return self._union(parts, 1)

    # --- attributes

    def attribute(self, value: Value, name: str) -> Values:
        """What `value.name` can be."""
        reader = _ATTRIBUTES.get(value[0])
        found = reader(self, value, name) if reader else _EMPTY
        stored = self._stored(value, name)
        return self._union((found, stored)) if stored else found

    def _of_module(self, value: Value, name: str) -> Values:
        found = self._module_name(value[1], name)
        if found is None:
            child = self.modules.child(value, name)
            return {child: 0} if child is not None else _EMPTY
        return found

    def _of_package(self, value: Value, name: str) -> Values:
        self._depend((0, name))
        child = self.modules.child(value, name)
        return {child: 0} if child is not None else _EMPTY

    def _module_name(self, file: int, name: str) -> Values | None:
        facts = self.load(file)
        bindings = facts.scopes[0].members.get(name)
        if bindings is None:
            return self._starred(file, facts, name)
        table = facts.bindings

        found = self._within((file, name), lambda: self._union([self._binding(file, table[n]) for n in bindings]))
        child = self.modules.child(("M", file), name)
        return self._union((found, {child: 0})) if child is not None and not found else found

    def _starred(self, file: int, facts: FileFacts, name: str) -> Values | None:
        self._consulted(self._owner, (file, name))
        if not facts.stars or name.startswith("_") or ("s", file, name) in self._active:
            return None
        self._active[("s", file, name)] = _FAR
        try:
            for star in facts.stars:
                module = self.modules.resolve(file, facts.imports[star].module)
                if module is not None and module[0] == "M":
                    found = self._within((file, name), lambda to=int(module[1]): self._module_name(to, name) or _EMPTY)
                    if found:
                        return found
        finally:
            del self._active[("s", file, name)]
        return None

    def _of_class(self, value: Value, name: str) -> Values:
        return self._bind(self.lookup(value[1], value[2], name), value)

    def _of_instance(self, value: Value, name: str) -> Values:
        return self._bind(self.lookup(value[1], value[2], name), value)

    def _of_parameter(self, value: Value, name: str) -> Values:
        receiver = self._receiver(value[1], self.load(value[1]), value[2], value[3])
        return self.attribute(receiver, name) if receiver is not None else _EMPTY

    def _of_super(self, value: Value, name: str) -> Values:
        file, method = value[1], value[2]
        facts = self.load(file)
        receiver = self._receiver(file, facts, method, 0) or ("I", file, facts.scopes[method].parent)
        return self._bind(self.lookup(file, facts.scopes[method].parent, name, skip=True), receiver)

    def _of_container(self, value: Value, name: str) -> Values:
        return {("K", value, name): 1}

    def _of_external(self, value: Value, name: str) -> Values:
        return {(value[0], f"{value[1]}.{name}"): 0}

    def _of_builtin(self, value: Value, name: str) -> Values:
        return {("Y", f"{value[1]}.{name}"): 1}

    def _bind(self, members: Values, receiver: Value) -> Values:
        """Methods found on a class, as seen on `receiver`."""
        found: Values = {}
        for value, tier in members.items():
            if value[0] != "F":
                found[value] = max(tier, 1)
                continue
            row = self.load(value[1]).scopes[value[2]]
            if "method" not in row.flags or "static" in row.flags:
                found[value] = tier
            elif "property" in row.flags and receiver[0] == "I":
                found = self._union((found, self._returned(("B", *value[1:], receiver), -1, None)), 1)
            elif receiver[0] == "C" and "classlevel" not in row.flags:
                found[value] = tier
            else:
                found[("B", *value[1:], receiver)] = 1 if receiver[0] == "I" else tier
        return found

    # --- classes

    def lookup(self, file: int, scope: int, name: str, *, skip: bool = False) -> Values:
        """Members of a class by name along its bases; `skip` starts behind the class itself."""
        order, complete = self.bases(file, scope)
        for owner in order[1:] if skip else order:
            facts = self.load(owner[0])
            self._depend((owner[0], self._top(facts, owner[1])))
            found = self._get(("a", owner[0], owner[1], False, name), owner[0])
            if found is not _EMPTY and found:
                return {} if found == {("-",): 0} else {key: tier for key, tier in found.items() if key != ("-",)}
        return _EMPTY if complete else {("Y", f"?.{name}"): 1}

    def _lookup(self, file: int, scope: int, name: str) -> Values:
        facts = self.load(file)
        row = facts.scopes[scope]
        bindings = row.members.get(name, ())
        values = [facts.bindings[number].value for number in bindings] + row.attributes.get(name, [])
        if not values:
            return _EMPTY
        top = self._top(facts, scope)
        found = self._within((file, top), lambda: self._union(self.values(file, value) for value in values))
        return self._union((found, {("-",): 0}))

    def bases(self, file: int, scope: int) -> tuple[tuple[tuple[int, int], ...], bool]:
        """Method resolution order of a class, and whether every base is known."""
        ((order, complete),) = self._get(("b", file, scope, False), file)
        return order, complete

    def _order(self, file: int, scope: int) -> Values:
        seen: list[tuple[int, int]] = []
        complete = self._linearise((file, scope), seen, ())
        last = {item: place for place, item in enumerate(seen)}
        return {(tuple(item for place, item in enumerate(seen) if last[item] == place), complete): 0}

    def _linearise(
        self, item: tuple[int, int], seen: list[tuple[int, int]], above: tuple[tuple[int, int], ...]
    ) -> bool:
        """Depth first, left to right; of a class met twice the last place counts, as in the diamond of C3."""
        if item in above or len(seen) >= policy.BASES:
            return True
        seen.append(item)
        complete = True
        for base in self.direct_bases(*item):
            if base[0] == "C":
                complete &= self._linearise((base[1], base[2]), seen, (*above, item))
            elif base != ("X", "object"):
                complete = False
        return complete

    def direct_bases(self, file: int, scope: int) -> list[Value]:
        """The classes (and external names) a class names as its bases."""
        facts = self.load(file)
        row = facts.scopes[scope]
        found: list[Value] = []
        for base in row.bases:
            source = facts.expressions[base]
            base = source[1] if source[0] == "i" else base
            values = self._within((file, self._top(facts, scope)), lambda at=base: self.values(file, at))
            found.extend(values or [("X", "?")])
        return found

    def methods(self, value: Value, names: Iterable[str]) -> Values:
        """The first of some methods that a class or instance has, bound."""
        for name in names:
            found = {
                ("B", *item[1:3], ("I", *value[1:3])): 1
                for item in self.lookup(value[1], value[2], name)
                if item[0] in ("F", "B")
            }
            if found:
                return found
        return _EMPTY

    # --- calls

    def _apply(self, value: Value, file: int, row: Any) -> Values:
        kind = value[0]
        if kind in ("F", "B"):
            return self._returned(value, file, row)
        if kind == "C":
            return {("I", *value[1:]): 1}
        if kind == "I":
            return self._union(self._returned(method, file, row) for method in self.methods(value, self.rules.call))
        if kind == "K":
            return self._container_call(value, file, row)
        if kind == "Z":
            return {value: 1}
        if kind == "X":
            return self._external_call(value, file, row)
        return {value: 1} if kind == "Y" else _EMPTY

    def _returned(self, value: Value, file: int, row: Any) -> Values:
        """Results of a function, its own parameters replaced by the arguments of this call."""
        facts = self.load(value[1])
        top = self._top(facts, value[2])
        found = self._within((value[1], top), lambda: self._get(("r", value[1], value[2], False), value[1]))
        if all(item[0] != "p" for item in found):
            return found
        parts: list[Values] = []
        for item, tier in found.items():
            if item[0] != "p":
                parts.append({item: tier})
            elif item[1:3] == value[1:3]:
                parts.append(self._argument(value, file, row, item[3]))
        return self._union(parts, 1)

    def _argument(self, value: Value, file: int, row: Any, place: int) -> Values:
        scope = self.load(value[1]).scopes[value[2]]
        if value[0] == "B" and place == 0:
            return {value[3]: 1}
        if row is None:
            return _EMPTY
        expression = argument(scope, row, place, bound=value[0] == "B")
        return self.values(file, expression) if expression else _EMPTY

    def _result(self, file: int, scope: int) -> Values:
        row = self.load(file).scopes[scope]
        if row.yields:
            return {("G", file, scope): 1}
        found = self._union((self.values(file, value) for value in row.returns), 1)
        known = any(value[0] not in ("X", "Y", "T", "?") for value in found)
        return found if known or not row.result else self._union((found, self._typed(file, row.result)), 1)

    def _container_call(self, value: Value, file: int, row: Any) -> Values:
        container, name = value[1], value[2]
        if name in self.rules.element:
            return self._element(container, self._key(file, row[2][0]) if row[2] else None)
        if name in self.rules.elements:
            return {("V", container): 1}
        if name == "items":
            return {("J", container): 1}
        return {container: 1} if name == "copy" else {("Y", name): 1}

    def _external_call(self, value: Value, file: int, row: Any) -> Values:
        name = value[1].rpartition(".")[2]
        if row[2] and name in self.rules.passthrough:
            found = {item: 1 for item in self.values(file, row[2][0]) if item[0] not in ("T", "X", "Y")}
            return found or {("Y", value[1]): 1}
        if row[2] and value[1] in self.rules.element:
            return self._union((self._element(item, None) for item in self.values(file, row[2][0])), 1)
        place = self.rules.callbacks.get(value[1])
        if place == "*":
            return self._mapped(file, row)
        return {("Y", value[1]): 1}

    def _mapped(self, file: int, row: Any) -> Values:
        return {("W", file, part): 1 for part in row[2] if part}

    # --- containers

    def _key(self, file: int, expression: int) -> Any:
        """A constant key, or None."""
        row = self.load(file).expressions[expression]
        if row[0] == "k":
            return (row[1], row[2])
        if row[0] == "n" and len(row) == 2:
            binding = self.load(file).bindings[row[1]]
            if binding.kind == "a":
                return self._key(file, binding.value)
        return None

    def _element(self, value: Value, key: Any) -> Values:
        reader = _ELEMENTS.get(value[0])
        found = reader(self, value, key) if reader else _EMPTY
        stored = self._stored_items(value, key)
        return self._union((found, stored)) if stored else found

    def _of_literal(self, value: Value, key: Any) -> Values:
        file = value[1]
        row = self.load(file).expressions[value[2]]
        if row[0] == "d":
            pairs = [pair for pair in row[2:] if key is None or self._key(file, pair[0]) in (None, key)]
            exact = [pair for pair in pairs if key is not None and self._key(file, pair[0]) == key]
            return self._union((self.values(file, pair[1]) for pair in exact or pairs), 1)
        parts = row[2:]
        place = int(key[1]) if isinstance(key, tuple) and key[0] == "int" and key[1].isdigit() else key
        plain = not any(self.load(file).expressions[part][0] == "*" for part in parts)
        if isinstance(place, int) and plain and -len(parts) <= place < len(parts):
            return self.values(file, parts[place])
        spread = self.load(file).expressions
        return self._union(
            (
                self._union(self._element(inner, None) for inner in self.values(file, part))
                if spread[part][0] == "*"
                else self.values(file, part)
                for part in parts
            ),
            1,
        )

    def _of_generated(self, value: Value, key: Any) -> Values:
        file, scope = value[1], value[2]
        facts = self.load(file)
        return self._within(
            (file, self._top(facts, scope)),
            lambda: self._union((self.values(file, item) for item in facts.scopes[scope].yields), 1),
        )

    def _of_typed(self, value: Value, key: Any) -> Values:
        return self._typed(value[1], value[2])

    def _of_rest(self, value: Value, key: Any) -> Values:
        if isinstance(key, tuple) and key[0] == "int" and key[1].isdigit():
            key = int(key[1])
        if isinstance(key, int) and key >= 0:
            return self._element(value[1], key + value[2])
        row = self.load(value[1][1]).expressions[value[1][2]] if value[1][0] == "L" else ("l", "")
        count = len(row) - 2 if row[0] == "l" else 0
        return self._union((self._element(value[1], place) for place in range(value[2], count)), 1)

    def _of_values(self, value: Value, key: Any) -> Values:
        return self._element(value[1], None)

    def _of_items(self, value: Value, key: Any) -> Values:
        return {("H", value[1]): 1}

    def _of_pair(self, value: Value, key: Any) -> Values:
        return self._element(value[1], None) if key == 1 else _EMPTY

    def _of_mapped(self, value: Value, key: Any) -> Values:
        file, part = value[1], value[2]
        found = []
        for item in self.values(file, part):
            if item[0] in ("F", "B"):
                found.append(self._returned(item, file, None))
        return self._union(found, 1)

    def _of_iterable(self, value: Value, key: Any) -> Values:
        if key is not None and not isinstance(key, int):
            return self._union((self._returned(m, -1, None) for m in self.methods(value, self.rules.item)), 1)
        found: list[Values] = []
        for method in self.methods(value, self.rules.iterate[:1]):
            for item in self._returned(method, -1, None):
                if item[0] == "I":
                    found.extend(self._returned(m, -1, None) for m in self.methods(item, self.rules.iterate[1:]))
                else:
                    found.append(self._element(item, None))
        return self._union(found, 1)

    # --- stores outside of methods

    def _file_stores(self, file: int) -> dict[tuple[Value, str], list[tuple[int, int]]]:
        """(object, name) -> (key, value) of the file's stores outside of methods; part of the fixpoint like all else."""
        found = self._grouped.get(file)
        if found is not None:
            if found:
                self._depend((file, "*"))
            return found
        if not self.load(file).stores:
            return self._grouped.setdefault(file, {})
        key = ("t", file, 0, False)
        found = {}
        for _, value, name, place, item in self._within((file, "*"), lambda: self._get(key, file)):
            found.setdefault((value, name), []).append((place, item))
        if key in self._memo:
            self._grouped[file] = found
        return found

    def _resolve_stores(self, file: int) -> Values:
        found: Values = {}
        for store in self.load(file).stores:
            for value in self.values(file, store.object):
                if value[0] in ("C", "I", "F", "L", "M"):
                    key = ("C", *value[1:]) if value[0] == "I" else value
                    found[("st", key, store.name, store.key, store.value)] = 1
        return found

    def _stored(self, value: Value, name: str) -> Values:
        if value[0] not in ("C", "I", "F", "M"):
            return _EMPTY
        stores = self._file_stores(value[1])
        rows = stores.get((("C", *value[1:]) if value[0] == "I" else value, name)) if stores else None
        return self._union([self.values(value[1], item) for _, item in rows], 1) if rows else _EMPTY

    def _stored_items(self, value: Value, key: Any) -> Values:
        if value[0] != "L":
            return _EMPTY
        file = value[1]
        parts = []
        for place, item in self._file_stores(file).get((value, ""), ()):
            known = self._key(file, place)
            if key is None or known is None or known == key:
                parts.append(self.values(file, item))
        return self._union(parts, 1)


def argument(scope: Scope, row: Any, place: int, *, bound: bool) -> int:
    """The expression passed for parameter `place` by a call row; 0 when none is."""
    parameter = scope.parameters[place]
    for name, value in row[3]:
        if name == parameter.name:
            return int(value)
    if parameter.kind != "positional":
        return 0
    position = place - 1 if bound else place
    return int(row[2][position]) if 0 <= position < len(row[2]) else 0


_OPERATIONS: dict[str, Callable[[Evaluator, int, Any, int], Values]] = {
    "?": Evaluator._unknown,
    "n": Evaluator._name,
    "u": Evaluator._free,
    "a": Evaluator._attribute,
    "c": Evaluator._call,
    "i": Evaluator._item,
    "k": Evaluator._constant,
    "l": Evaluator._container,
    "d": Evaluator._container,
    "f": Evaluator._scope,
    "g": Evaluator._generated,
    "|": Evaluator._any,
    "o": Evaluator._first,
    "D": Evaluator._decorated,
    "e": Evaluator._each,
    "w": Evaluator._entered,
    "b": Evaluator._part,
    "r": Evaluator._rest,
    "p": Evaluator._parameter,
    "m": Evaluator._import,
    "*": Evaluator._spread,
    "x": Evaluator._exception,
    "S": Evaluator._super,
    "T": Evaluator._declared,
}
_ATTRIBUTES: dict[str, Callable[[Evaluator, Value, str], Values]] = {
    "M": Evaluator._of_module,
    "P": Evaluator._of_package,
    "C": Evaluator._of_class,
    "I": Evaluator._of_instance,
    "p": Evaluator._of_parameter,
    "Z": Evaluator._of_super,
    "X": Evaluator._of_external,
    "Y": Evaluator._of_external,
    "T": Evaluator._of_builtin,
    **dict.fromkeys(("L", "G", "Q", "R", "V", "J", "W"), Evaluator._of_container),
}
_ELEMENTS: dict[str, Callable[[Evaluator, Value, Any], Values]] = {
    "L": Evaluator._of_literal,
    "G": Evaluator._of_generated,
    "Q": Evaluator._of_typed,
    "R": Evaluator._of_rest,
    "V": Evaluator._of_values,
    "J": Evaluator._of_items,
    "H": Evaluator._of_pair,
    "W": Evaluator._of_mapped,
    "I": Evaluator._of_iterable,
}
