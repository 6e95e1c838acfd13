"""Links one file: its calls, imports, bases and uses become edges, and what it passes to parameters flows on."""

from collections.abc import Iterable, Mapping
from typing import Any

from remora.core import policy
from remora.core.codegraph.boundaries.calls import concerns, passes
from remora.core.codegraph.boundaries.collect import collected
from remora.core.codegraph.evaluate import Evaluator, argument
from remora.core.codegraph.facts import FileFacts, Import, Site
from remora.core.codegraph.linked import EXTRACTED, INFERRED, Linked
from remora.core.codegraph.modules import components
from remora.core.codegraph.styles import PACKAGED
from remora.core.codegraph.symbols import is_test_file
from remora.core.codegraph.values import Value, Values, union

_CONTRACTS = frozenset({"interface", "trait", "protocol"})
_OUTSIDE = frozenset("XYO")
_NAMING = frozenset("nuaDf")
_FLOWING = frozenset("FBCILGMWO")


class Linker:
    """Links files one after the other with one evaluator."""

    def __init__(self, evaluator: Evaluator, paths: Mapping[int, str], *, native: bool) -> None:
        """`native`: modules of other languages may be called."""
        self._native = native and evaluator.rules.boundaries.foreign
        self._evaluator = evaluator
        self._paths = paths
        self._linked = Linked()
        self._facts: FileFacts = FileFacts("")
        self._file = -1
        self._fixed: dict[int, tuple[Linked, list[Site]]] = {}

    def link(self, file: int, inflow: dict[tuple[int, int], Values]) -> Linked:
        """All edges of one file, given what others pass to its parameters."""
        self._file, self._facts = file, self._evaluator.facts(file)
        found: Linked | None = None
        if file not in self._fixed:
            self._evaluator.focus(file, inflow)
            fixed, sites, found = self._first()
            self._fixed[file] = fixed, sites
        fixed, sites = self._fixed[file]
        flows = dict(inflow)
        for _ in range(policy.FLOW_ROUNDS):
            self._linked = found or self._flowing(fixed, sites, flows)
            found = None
            grown = self._grown(inflow)
            if grown == flows:
                break
            flows = grown
        path = self._paths[file]
        in_tests = is_test_file(path, self._evaluator.rules)
        found_calls = (self._linked.outside, self._linked.passing)
        self._linked.endpoints = collected(self._evaluator, file, path, in_tests, *found_calls, native=self._native)
        return self._linked

    def _flowing(self, fixed: Linked, sites: list[Site], flows: dict[tuple[int, int], Values]) -> Linked:
        """All links of the present file, given what flows to its parameters."""
        linked = self._linked = fixed.copy() if sites else fixed
        self._evaluator.focus(self._file, flows)
        for site in sites:
            self._site(site)
        return linked

    def _first(self) -> tuple[Linked, list[Site], Linked]:
        """The part of a file's links that no caller can change, the sites where one can, and all links at present."""
        fixed = self._linked = Linked()
        fixed.modules = self._modules()
        self._imports()
        self._classes()
        flowing: list[Site] = []
        moving = Linked()
        evaluator, one = self._evaluator, Linked()
        for site in self._facts.sites:
            self._linked, evaluator.flowed = one, False
            self._site(site)
            if evaluator.flowed:
                flowing.append(site)
                moving.add(one)
            else:
                fixed.add(one)
            one.clear()
        present = fixed
        if flowing:
            present = fixed.copy()
            present.add(moving)
        return fixed, flowing, present

    def _grown(self, inflow: dict[tuple[int, int], Values]) -> dict[tuple[int, int], Values]:
        found = {key: dict(values) for key, values in inflow.items()}
        for (file, scope, place), values in self._linked.flows.items():
            if file == self._file:
                found.setdefault((scope, place), {}).update(values)
        return {key: values for key, values in found.items() if len(values) <= policy.FLOW_VALUES}

    # --- calls and uses

    def _site(self, site: Site) -> None:
        row = self._facts.expressions[site.value]
        if site.kind == "call":
            self._call(site, row)
        elif site.kind == "protocol":
            self._protocol(site, row)
        else:
            self._use(site)

    def _call(self, site: Site, row: Any) -> None:
        linked = self._linked
        linked.calls += 1
        values = self._evaluator.fitting(self._evaluator.values(self._file, row[1]), row)
        scope = self._caller(site.scope)
        known = outside = False
        boundaries = self._evaluator.rules.boundaries
        if boundaries.lasts and self._concerned(row, values):
            linked.outside.append((site, values))
        for value, tier in values.items():
            if value[0] in ("X", "Y", "T", "K", "O"):
                outside = True
                self._callbacks(scope, site, row, value)
            else:
                known |= self._target(scope, site, row, value, tier)
        if known and boundaries.lasts and passes(self._facts, row):
            linked.passing.append((site, values))
        if not known and outside:
            linked.external += 1
        elif not known:
            linked.unresolved.append((scope, site.line, self._written(row[1])))
        if not known and self._visits(row):
            self._visited(scope, site, row)
        self._arguments(scope, site, row)

    def _visits(self, row: Any) -> bool:
        """Whether a call hands what it is a method of to a function."""
        rules = self._evaluator.rules
        callee = self._facts.expressions[row[1]]
        return callee[0] == "a" and (callee[2] in rules.visits or callee[2] in rules.continues)

    def _concerned(self, row: Any, values: Values) -> bool:
        """Whether a call may be about a boundary."""
        boundaries = self._evaluator.rules.boundaries
        if not values:
            callee = self._facts.expressions[row[1]]
            return callee[0] == "a" and callee[2] in boundaries.methods
        return any(value[0] in _OUTSIDE and (self._native or concerns(boundaries, value)) for value in values)

    def _target(self, scope: int, site: Site, row: Any, value: Value, tier: int) -> bool:
        kind = value[0]
        if kind in ("F", "B"):
            self._edge(scope, "calls", value[1:3], tier, site.line)
            self._flow(value, self._shifted(row))
            return True
        if kind == "C":
            return self._class_called(scope, site, row, value, tier)
        if kind == "I":
            return self._object_called(scope, site, row, value)
        return kind == "Z" and self._super_called(scope, site, row, value)

    def _shifted(self, row: Any) -> Any:
        """The call as the function sees it that is called with another object first (`f.call(this, x)`)."""
        rules = self._evaluator.rules
        callee = self._facts.expressions[row[1]]
        if not rules.invoking or callee[0] != "a" or callee[2] not in rules.invoking:
            return row
        return ("c", row[1], row[2][1:] if callee[2] == "call" else (), ())

    def _class_called(self, scope: int, site: Site, row: Any, value: Value, tier: int) -> bool:
        if self._evaluator.facts(value[1]).scopes[value[2]].kind != "class":
            self._edge(scope, "calls", value[1:3], tier, site.line)
            return True
        self._edge(scope, "references", value[1:3], tier, site.line)
        self._construct(scope, site, row, value, tier)
        return True

    def _object_called(self, scope: int, site: Site, row: Any, value: Value) -> bool:
        rules = self._evaluator.rules
        methods = self._evaluator.methods(value, rules.call)
        for method in methods:
            self._edge(scope, "calls", method[1:3], INFERRED, site.line)
            self._flow(method, row)
        if not methods and rules.super_constructs and self._written(row[1]) == rules.this:
            # `this(...)` is another constructor of the same class.
            self._construct(scope, site, row, value, INFERRED)
            return True
        return bool(methods)

    def _super_called(self, scope: int, site: Site, row: Any, value: Value) -> bool:
        evaluator = self._evaluator
        if evaluator.rules.super_constructs:
            owner = evaluator.owner(value[1], value[2])
            for base in evaluator.direct_bases(*owner) if owner is not None else ():
                if base[0] == "C":
                    self._construct(scope, site, row, base, INFERRED)
        if evaluator.rules.super_same:
            name = evaluator.facts(value[1]).scopes[value[2]].name
            for method in evaluator.attribute(value, name):
                if method[0] in ("F", "B"):
                    self._edge(scope, "calls", method[1:3], INFERRED, site.line)
        return True

    def _construct(self, scope: int, site: Site, row: Any, value: Value, tier: int) -> None:
        """A class is constructed: its constructors are called."""
        methods = self._evaluator.methods(value, self._evaluator.rules.constructor)
        for method in self._evaluator.fitting(methods, row):
            self._edge(scope, "calls", method[1:3], tier, site.line)
            self._flow(method, row)

    def _callbacks(self, scope: int, site: Site, row: Any, value: Value) -> None:
        """A built-in that is known to call an argument calls it here."""
        if value[0] == "O":
            self._handed(site, row, value)
            return
        place = self._evaluator.rules.callbacks.get(str(value[1])) if value[0] == "X" else None
        if place is None:
            return
        parts = list(row[2]) if place == "*" else [part for name, part in row[3] if name == place]
        for part in parts:
            for item in self._evaluator.values(self._file, part):
                if item[0] in ("F", "B"):
                    self._edge(scope, "calls", item[1:3], INFERRED, site.line)

    def _visited(self, scope: int, site: Site, row: Any) -> None:
        """A container calls a function with its elements, a promise with what it holds."""
        evaluator = self._evaluator
        callee = self._facts.expressions[row[1]]
        each = callee[2] in evaluator.rules.visits
        held = evaluator.values(self._file, callee[1])
        given = union([evaluator.element(value, None) for value in held]) if each else held
        passed = {item: INFERRED for item in given if item[0] in _FLOWING}
        for part in row[2][:1]:
            for item in evaluator.values(self._file, part):
                if item[0] not in ("F", "B"):
                    continue
                if each:
                    self._edge(scope, "calls", item[1:3], INFERRED, site.line)
                place = int(item[0] == "B")
                if passed and len(evaluator.facts(item[1]).scopes[item[2]].parameters) > place:
                    self._linked.flows.setdefault((item[1], item[2], place), {}).update(passed)

    def _handed(self, site: Site, row: Any, value: Value) -> None:
        """A method of a followed object calls a function with an object of its own making."""
        rule = self._evaluator.rules.boundaries.objects[value[1]]
        method = value[4] if len(value) > 4 else ""
        if method in rule.groups and (origin := self._evaluator.origin(self._file, site.value)):
            given: Value = ("O", value[1], self._file, origin)
        elif method in rule.callbacks:
            given = ("O", rule.callbacks[method], *value[2:4])
        else:
            return
        for part in (*row[2], *(item for _, item in row[3])):
            for item in self._evaluator.values(self._file, part):
                if item[0] in ("F", "B") and self._evaluator.facts(item[1]).scopes[item[2]].parameters:
                    place = (item[1], item[2], int(item[0] == "B"))
                    self._linked.flows.setdefault(place, {})[given] = INFERRED

    def _protocol(self, site: Site, row: Any) -> None:
        rules = self._evaluator.rules
        scope = self._caller(site.scope)
        for value in self._evaluator.values(self._file, row[1]):
            if value[0] != "I":
                continue
            if row[0] == "w":
                for method in self._evaluator.methods(value, rules.enter):
                    self._edge(scope, "calls", method[1:3], INFERRED, site.line)
                continue
            for method in self._evaluator.methods(value, rules.iterate[:1]):
                self._edge(scope, "calls", method[1:3], INFERRED, site.line)
                for item in self._evaluator.returned(method, -1, None):
                    if item[0] == "I":
                        for step in self._evaluator.methods(item, rules.iterate[1:]):
                            self._edge(scope, "calls", step[1:3], INFERRED, site.line)

    def _use(self, site: Site) -> None:
        scope = self._caller(site.scope)
        for value, tier in self._evaluator.values(self._file, site.value).items():
            if value[0] in ("F", "B", "C"):
                self._edge(scope, "references", value[1:3], tier, site.line)
            if value[0] == "C" and site.kind == "raise":
                for method in self._evaluator.methods(value, self._evaluator.rules.constructor):
                    self._edge(scope, "calls", method[1:3], tier, site.line)

    def _arguments(self, scope: int, site: Site, row: Any) -> None:
        expressions = self._facts.expressions
        for part in (*row[2], *(value for _, value in row[3])):
            if expressions[part][0] in _NAMING:
                for value, tier in self._evaluator.values(self._file, part).items():
                    if value[0] in ("F", "B", "C"):
                        self._edge(scope, "references", value[1:3], tier, site.line)

    def _flow(self, value: Value, row: Any) -> None:
        """Note what a call passes to each parameter of a known function."""
        if not (row[2] or row[3]):
            return
        target = self._evaluator.facts(value[1]).scopes[value[2]]
        bound = value[0] == "B"
        places = range(len(target.parameters) if row[3] else min(len(target.parameters), len(row[2]) + bound))
        for place in places:
            expression = argument(target, row, place, bound=bound)
            if not expression or target.parameters[place].kind in ("rest", "keywords"):
                continue
            values = self._evaluator.values(self._file, expression)
            passed = {item: INFERRED for item in values if item[0] in _FLOWING}
            if passed and len(passed) <= policy.FLOW_VALUES:
                self._linked.flows.setdefault((value[1], value[2], place), {}).update(passed)

    # --- what a file names of others

    def _modules(self) -> frozenset[str]:
        parts = components(item.module for item in self._facts.imports)
        return (parts | {item.name for item in self._facts.imports}) - {"", "*"}

    def _imports(self) -> None:
        modules = self._evaluator.modules
        for item in self._facts.imports:
            module = modules.resolve(self._file, item.module)
            if module is None or module[0] != "M" or module[1] == self._file:
                self._packaged(item)
                continue
            self._edge(0, "imports", (int(module[1]), 0), EXTRACTED, item.line)
            if item.name in ("", "*"):
                continue
            for value in self._evaluator.attribute(module, item.name):
                if value[0] in ("F", "C"):
                    self._edge(0, "imports", value[1:3], EXTRACTED, item.line)
                elif value[0] == "M" and value[1] != self._file:
                    self._edge(0, "imports", (value[1], 0), EXTRACTED, item.line)

    def _packaged(self, item: Import) -> None:
        """An import of a name of a package."""
        if self._evaluator.rules.module_style not in PACKAGED:
            return None
        if not item.name:
            return self._used(item)
        for value in self._evaluator.imported(self._file, item):
            if value[0] in ("F", "C", "M", "B") and value[1] != self._file:
                self._edge(0, "imports", (value[1], 0), EXTRACTED, item.line)
                if value[0] != "M":
                    self._edge(0, "imports", value[1:3], EXTRACTED, item.line)
        return None

    def _used(self, item: Import) -> None:
        """Of a package imported as a whole, the files whose names are used here."""
        facts = self._facts
        own = {
            place
            for place, binding in enumerate(facts.bindings)
            if binding.kind == "i"
            and facts.expressions[binding.value][0] == "m"
            and facts.imports[facts.expressions[binding.value][1]] == item
        }
        for row in facts.expressions:
            if row[0] != "a":
                continue
            named = facts.expressions[row[1]]
            if named[0] == "n" and own.intersection(named[1:]):
                for value in self._evaluator.imported(self._file, item._replace(name=row[2])):
                    if value[0] in ("F", "C") and value[1] != self._file:
                        self._edge(0, "imports", (value[1], 0), EXTRACTED, item.line)

    def _classes(self) -> None:
        for index, row in enumerate(self._facts.scopes):
            if row.kind != "class":
                continue
            for base in self._evaluator.direct_bases(self._file, index):
                if base[0] == "C" and base[1:3] != (self._file, index):
                    label = self._evaluator.facts(base[1]).scopes[base[2]].label
                    kind = "implements" if label in _CONTRACTS and row.label not in _CONTRACTS else "inherits"
                    self._edge(index, kind, base[1:3], EXTRACTED, row.line)

    # --- odds and ends

    def _caller(self, scope: int) -> int:
        """The symbol a scope's calls belong to: class bodies run in their module, comprehensions where they stand."""
        scopes = self._facts.scopes
        while scopes[scope].kind in ("comprehension", "class", "extension"):
            scope = scopes[scope].parent
        return scope

    def _edge(self, source: int, kind: str, target: Iterable[int], tier: int, line: int) -> None:
        file, scope = target
        if kind == "references" and (file, scope) == (self._file, source):
            return
        self._linked.edge((source, kind, (file, scope)), tier, line)

    def _written(self, expression: int) -> str:
        parts: list[str] = []
        rows = self._facts.expressions
        row = rows[expression]
        while row[0] == "a" and len(parts) < 6:
            parts.append(row[2])
            row = rows[row[1]]
        if row[0] == "u":
            parts.append(row[1])
        elif row[0] == "n":
            parts.append(self._facts.bindings[row[1]].name)
        elif row[0] == "c":
            parts.append("()")
        return ".".join(reversed(parts))
