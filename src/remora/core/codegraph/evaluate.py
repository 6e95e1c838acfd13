"""What an expression can be: names, attributes, calls, types. See `values` for the kinds of values."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

from collections.abc import Callable
from typing import Any, ClassVar

from remora.core.codegraph.containers import Containers
from remora.core.codegraph.facts import Scope
from remora.core.codegraph.naming import Naming
from remora.core.codegraph.tracked import Tracked
from remora.core.codegraph.values import EMPTY, FOUND, Key, Value, Values, inferred, known, union


class Evaluator(Tracked):
    """Evaluates expressions of a set of files, bounded and on demand."""

    def compute(self, key: Key) -> Values:
        """Answer one question: (e)xpression, (r)esult, (a) member, (b)ases, (s)pread, or s(t)ores."""
        kind, file, number = key[0], key[1], key[2]
        if kind == "e":
            row = self.facts(file).expressions[number]
            return self._OPERATIONS[row[0]](self, file, row, number)
        if kind == "r":
            return self._result(file, number)
        if kind == "b":
            return self.order(file, number)
        if kind == "s":
            return self.spread(file, number)
        if kind == "t":
            return self.store_targets(file)
        return self.own_member(file, number, key[4])

    def plain(self, file: int, row: Any, expression: int) -> Values:
        """The value of a row that asks nothing."""
        return self._OPERATIONS[row[0]](self, file, row, expression)

    # --- names

    def _unknown(self, file: int, row: Any, index: int) -> Values:
        return EMPTY

    def _parameter(self, file: int, row: Any, index: int) -> Values:
        scope, place = row[1], row[2]
        parameter = self.facts(file).scopes[scope].parameters[place]
        inside = self.inside(file)
        unknown: Values = {("p", file, scope, place): 1}
        receiver = self.receiver(file, scope, place)
        if receiver is not None:
            return {receiver: 1} if inside else unknown
        self.flowed = self.flowed or inside
        parts = [self.values(file, parameter.default), self.typed(file, parameter.type)]
        parts.append(self.inflow.get((scope, place), EMPTY) if inside else unknown)
        return union(parts, 1)

    # --- plain values

    def _constant(self, file: int, row: Any, index: int) -> Values:
        return {("T", row[1], row[2]): 1}

    def _text(self, file: int, row: Any, index: int) -> Values:
        return {("A", file, index): 1}

    def _container(self, file: int, row: Any, index: int) -> Values:
        return {("L", file, index): 1}

    def _scope(self, file: int, row: Any, index: int) -> Values:
        kind = self.facts(file).scopes[row[1]].kind
        return {("C" if kind == "class" else "F", file, row[1]): 0}

    def _yielded(self, file: int, row: Any, index: int) -> Values:
        return {("G", file, row[1]): 1}

    def _any(self, file: int, row: Any, index: int) -> Values:
        return union([self.values(file, part) for part in row[1:]], 1)

    def _first(self, file: int, row: Any, index: int) -> Values:
        """The value when it is known, else what is declared."""
        declared = self.values(file, row[2])
        written = self.facts(file).expressions[row[1]]
        if written[0] in ("l", "d") and len(written) == 2:
            # An empty container says nothing of what it will hold.
            return union((self.values(file, row[1]), declared))
        if not known(declared):
            return union((self.values(file, row[1]), declared))
        return known(self.guarded(lambda: self.values(file, row[1])) or EMPTY) or declared

    def _decorated(self, file: int, row: Any, index: int) -> Values:
        """What the decorator returns when that is known, else the function itself."""
        return known(self.guarded(lambda: self.values(file, row[1])) or EMPTY) or self.values(file, row[2])

    def _same(self, file: int, row: Any, index: int) -> Values:
        return self.values(file, row[1])

    # --- parts of values

    def _item(self, file: int, row: Any, index: int) -> Values:
        objects = self.values(file, row[1])
        key = self.key(file, row[2]) if objects else None
        # A class with type arguments is that class.
        return union([{value: 1} if value[0] == "C" else self.element(value, key) for value in objects], 1)

    def _each(self, file: int, row: Any, index: int) -> Values:
        return union([self.element(value, None) for value in self.values(file, row[1])], 1)

    def _part(self, file: int, row: Any, index: int) -> Values:
        return union([self.element(value, row[2]) for value in self.values(file, row[1])], 1)

    def _remainder(self, file: int, row: Any, index: int) -> Values:
        return {("R", value, row[2]): 1 for value in self.values(file, row[1]) if value[0] in ("L", "R")}

    def _entered(self, file: int, row: Any, index: int) -> Values:
        parts = []
        for value in self.values(file, row[1]):
            methods = self.methods(value, self.rules.enter) if value[0] == "I" else EMPTY
            parts.append(union([self.returned(method, file, None) for method in methods]) if methods else {value: 1})
        return union(parts, 1)

    def _exception(self, file: int, row: Any, index: int) -> Values:
        found: Values = {}
        for value in self.values(file, row[1]):
            for inner in self.element(value, None) if value[0] == "L" else (value,):
                if inner[0] == "C":
                    found[("I", *inner[1:])] = 1
        return found

    def _seen_bare(self, file: int, row: Any, index: int) -> Values:
        """A member of an enclosing class or its bases, else what the name means around the classes."""
        vague = False
        for scope in row[2]:
            owner = self.owner(file, scope)
            if owner is None:
                continue
            members, complete = self.declares(*owner, row[1])
            if members:
                return self.bind({value: tier for value, tier in members.items() if value != FOUND}, ("I", *owner))
            vague = vague or not complete
        found = self.values(file, row[3])
        return {("Y", f"?.{row[1]}"): 1} if vague and all(value[0] == "X" for value in found) else found

    def _own_class(self, file: int, row: Any, index: int) -> Values:
        owner = self.owner(file, row[1]) if row[1] > 0 else None
        return {("C", *owner): 0} if owner is not None else EMPTY

    def _constructed(self, file: int, row: Any, index: int) -> Values:
        return {("I", *value[1:]): 1 for value in self.values(file, row[1]) if value[0] == "C"}

    def _as_class(self, file: int, row: Any, index: int) -> Values:
        """What `new` makes an object of: a class, or a function that serves as one."""
        return {("C", *v[1:]) if v[0] == "F" else v: tier for v, tier in self.values(file, row[1]).items()}

    def _super(self, file: int, row: Any, index: int) -> Values:
        if row[1] <= 0 or self.owner(file, row[1]) is None:
            return EMPTY
        return {("Z", file, row[1]): 1}

    # --- types

    def _declared(self, file: int, row: Any, index: int) -> Values:
        return self.typed(file, row[1])

    def typed(self, file: int, expression: int) -> Values:
        """Instances of a declared type."""
        if not expression:
            return EMPTY
        row = self.facts(file).expressions[expression]
        if row[0] == "l" and row[1] == "results":
            return {("D", file, expression): 1}
        if row[0] in ("|", "l"):
            return union([self.typed(file, part) for part in row[1 if row[0] == "|" else 2 :]], 1)
        if row[0] == "i":
            return union([self._generic(value, file, row) for value in self.values(file, row[1])], 1)
        found: Values = {}
        for value in self.values(file, expression):
            if value[0] == "C":
                found[("I", *value[1:])] = 1
            elif value[0] == "X":
                found[("Y", value[1])] = 1
        return found

    def _generic(self, value: Value, file: int, row: Any) -> Values:
        last = str(value[1]).rpartition(".")[2] if value[0] == "X" else ""
        if last in self.rules.unwrap:
            return self.typed(file, row[2])
        if last in self.rules.class_of:
            return {item: 1 for item in self.values(file, row[2]) if item[0] == "C"}
        if value[0] == "C":
            return {("I", *value[1:]): 1}
        # Of several declared types (a mapping's key and value) the last is what a lookup gives.
        key = self.facts(file).expressions[row[2]]
        found: Values = {("Q", file, key[-1] if key[0] == "l" and len(key) > 2 else row[2]): 1}
        return found | {("Y", value[1]): 1} if value[0] == "X" and self.rules.boundaries.objects else found

    # --- attributes

    def _attribute(self, file: int, row: Any, index: int) -> Values:
        parts = []
        for value, tier in self.values(file, row[1]).items():
            found = self.attribute(value, row[2])
            parts.append(inferred(found) if tier else found)
        return parts[0] if len(parts) == 1 else union(parts)

    def attribute(self, value: Value, name: str) -> Values:
        """What `value.name` can be."""
        reader = self._ATTRIBUTES.get(value[0])
        found = reader(self, value, name) if reader else EMPTY
        stored = self.stored(value, name)
        return union((found, stored)) if stored else found

    def _of_object(self, value: Value, name: str) -> Values:
        if name == self.rules.prototype and name and value[0] == "C":
            return {("I", *value[1:]): 1}
        if name == self.rules.new and value[0] == "C" and not self.declares(value[1], value[2], name)[0]:
            return {value: 0}
        found = self.bind(self.lookup(value[1], value[2], name), value)
        if value[0] == "I" and name in self.rules.passthrough and not known(found):
            # What only wraps an object is not told apart from it, so neither are the wrapper's own methods.
            return {("K", value, name): 1}
        return found

    def _of_parameter(self, value: Value, name: str) -> Values:
        receiver = self.receiver(*value[1:])
        return self.attribute(receiver, name) if receiver is not None else EMPTY

    def _of_super(self, value: Value, name: str) -> Values:
        file, method = value[1], value[2]
        owner = self.owner(file, method)
        if owner is None:
            return EMPTY
        receiver = self.receiver(file, method, 0) or ("I", *owner)
        return self.bind(self.lookup(*owner, name, skip=True), receiver)

    def _of_container(self, value: Value, name: str) -> Values:
        if self.rules.attribute_items and value[0] == "L" and self.facts(value[1]).expressions[value[2]][0] == "d":
            found = self.element(value, ("str", name))
            if found:
                return found
        return {("K", value, name): 1}

    def _of_external(self, value: Value, name: str) -> Values:
        return {(value[0], f"{value[1]}.{name}"): 0}

    def _of_builtin(self, value: Value, name: str) -> Values:
        return {("Y", f"{value[1]}.{name}"): 1}

    # --- calls

    def _call(self, file: int, row: Any, index: int) -> Values:
        values = self.fitting(self.values(file, row[1]), row)
        parts = [self._apply(value, file, row) for value in values]
        if self.rules.boundaries.objects and (made := self.made(values, file, index)):
            parts.append(made)
        return inferred(parts[0]) if len(parts) == 1 else union(parts, 1)

    def _apply(self, value: Value, file: int, row: Any) -> Values:
        caller = self._CALLS.get(value[0])
        return caller(self, value, file, row) if caller else EMPTY

    def _instance(self, value: Value, file: int, row: Any) -> Values:
        return {("I", *value[1:]): 1}

    def _called_object(self, value: Value, file: int, row: Any) -> Values:
        if self.rules.fields_called and not row[2]:
            return {value: 1}
        return union([self.returned(method, file, row) for method in self.methods(value, self.rules.call)])

    def _itself(self, value: Value, file: int, row: Any) -> Values:
        return {value: 1}

    def _external(self, value: Value, file: int, row: Any) -> Values:
        name = value[1].rpartition(".")[2]
        unknown: Values = {("Y", value[1]): 1}
        if not row[2]:
            return unknown
        if value[1] in self.rules.merges:
            return union([known(self.values(file, part)) for part in row[2]], 1) or unknown
        if name in self.rules.passthrough:
            return union((known(self.values(file, row[2][0])), unknown), 1)
        if value[1] in self.rules.second and len(row[2]) > 1:
            return self.values(file, row[2][1])
        if value[1] in self.rules.makers:
            return self.typed(file, row[2][0])
        if value[1] in self.rules.element:
            return union([self.element(item, None) for item in self.values(file, row[2][0])], 1)
        if self.rules.callbacks.get(value[1]) == "*":
            return {("W", file, part): 1 for part in row[2] if part}
        return unknown

    def returned(self, value: Value, file: int, row: Any) -> Values:
        """Results of a function, its own parameters replaced by the arguments of this call."""
        key = ("r", value[1], value[2], False)
        found = self.within(self.top(value[1], value[2]), lambda: self.ask(key))
        if all(item[0] != "p" for item in found):
            return found
        parts: list[Values] = []
        for item, tier in found.items():
            if item[0] != "p":
                parts.append({item: tier})
            elif item[1:3] == value[1:3]:
                parts.append(self._passed(value, file, row, item[3]))
        return union(parts, 1)

    def _passed(self, value: Value, file: int, row: Any, place: int) -> Values:
        bound = value[0] == "B"
        if bound and place == 0:
            return {value[3]: 1}
        if row is None:
            return EMPTY
        scope = self.facts(value[1]).scopes[value[2]]
        expression = argument(scope, row, place, bound=bound)
        return self.values(file, expression) if expression else EMPTY

    def _result(self, file: int, scope: int) -> Values:
        row = self.facts(file).scopes[scope]
        if row.yields:
            return {("G", file, scope): 1}
        declared = self.typed(file, row.result)
        if not known(declared):
            return union([declared, *(self.values(file, value) for value in row.returns)], 1)
        found = self.guarded(lambda: union([self.values(file, value) for value in row.returns], 1)) or EMPTY
        told = any(value[0] not in ("X", "Y", "T", "?") and not self._is_empty(value) for value in found)
        return found if told else declared

    def _is_empty(self, value: Value) -> bool:
        """Whether a value is a literal without elements, which says nothing of what it will hold."""
        return value[0] == "L" and len(self.facts(value[1]).expressions[value[2]]) == 2

    _OPERATIONS: ClassVar[dict[str, Callable[["Evaluator", int, Any, int], Values]]] = {
        "?": _unknown,
        "n": Naming.name,
        "u": Naming.free,
        "a": _attribute,
        "c": _call,
        "i": _item,
        "k": _constant,
        "l": _container,
        "d": _container,
        "f": _scope,
        "g": _yielded,
        "|": _any,
        "o": _first,
        "D": _decorated,
        "e": _each,
        "w": _entered,
        "b": _part,
        "r": _remainder,
        "p": _parameter,
        "m": Naming.import_,
        "*": _same,
        "x": _exception,
        "S": _super,
        "T": _declared,
        "V": _seen_bare,
        "s": _own_class,
        "E": Naming.elsewhere,
        "N": _constructed,
        "C": _as_class,
        "M": Naming.whole_file,
        "t": _text,
    }
    _ATTRIBUTES: ClassVar[dict[str, Callable[["Evaluator", Value, str], Values]]] = {
        "M": Naming.of_module,
        "P": Naming.of_package,
        "C": _of_object,
        "I": _of_object,
        "p": _of_parameter,
        "F": Tracked.of_function,
        "B": Tracked.of_function,
        "Z": _of_super,
        "X": _of_external,
        "Y": _of_external,
        "T": _of_builtin,
        "A": Tracked.of_text,
        "O": Tracked.of_tracked,
        **dict.fromkeys(("L", "G", "Q", "R", "V", "J", "W"), _of_container),
    }
    _CALLS: ClassVar[dict[str, Callable[["Evaluator", Value, int, Any], Values]]] = {
        "F": returned,
        "B": returned,
        "C": _instance,
        "I": _called_object,
        "K": Containers.container_call,
        "Z": _itself,
        "X": _external,
        "Y": _itself,
    }


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
