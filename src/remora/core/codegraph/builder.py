"""Collects what a parser sees, in source order, and binds every name to the assignments that can reach it."""

from dataclasses import dataclass

from remora.core.codegraph.facts import Binding, Expression, FileFacts, Import, Parameter, Scope, Site, Store
from remora.core.codegraph.rules import Rules

_LATE = 1 << 60
"""Position of an assignment made from another scope: after all others, and it hides none of them."""
_NO_BLOCK = -1
_NONE: dict[int, int] = {}


@dataclass(frozen=True, slots=True)
class _Block:
    parent: int
    scope: int
    end: int
    loop: bool
    depth: int


@dataclass(frozen=True, slots=True)
class _Use:
    expression: int
    name: str
    scope: int
    block: int
    position: int
    space: str = ""
    """The namespace it stands in."""
    path: bool = False
    """Whether it is the head of a path, where variables do not count."""


class FactsBuilder:
    """Feed it scopes, blocks, bindings and calls by rising start position; `finish` resolves the names of the file."""

    def __init__(self, rules: Rules, lines: int, size_bytes: int) -> None:
        self.facts = FileFacts(rules.name, expressions=[("?",)], lines=lines)
        self._rules = rules
        self._blocks: list[_Block] = []
        self._stack: list[int] = []
        self._uses: list[_Use] = []
        self._places: list[tuple[int, int]] = []
        self._outer: set[tuple[int, str]] = set()
        self._set: set[int] = set()
        self._taken: dict[str, int] = {}
        self._closures: dict[int, int] = {}
        self._roots: list[int] = []
        self._pending: list[tuple[str, int, int]] = []
        self._shared: dict[Expression, int] = {}
        self._bound: dict[str, int] = {}
        self._recent: dict[str, dict[int, int]] = {}
        self.lifted: int | None = None
        """The scope names are looked up from, when it is not the one they stand in: bases of a class."""
        self.scope_at: dict[int, int] = {}
        self._spaces: list[tuple[int, str]] = []
        self.open("module", "", 0, size_bytes + 1, 1, max(lines, 1))

    # --- structure

    @property
    def scope(self) -> int:
        """The scope at the current position."""
        return self._blocks[self._stack[-1]].scope

    def advance(self, position: int) -> None:
        """Leave every scope and block that ended before `position`."""
        while len(self._stack) > 1 and self._blocks[self._stack[-1]].end <= position:
            self._stack.pop()
        while self._spaces and self._spaces[-1][0] <= position:
            self._spaces.pop()

    @property
    def space(self) -> str:
        """The namespace at the current position, dotted; it is no scope, since it may go on in any file."""
        return self._spaces[-1][1] if self._spaces else ""

    def enter_space(self, name: str, end: int) -> None:
        """Enter a namespace."""
        self._spaces.append((end, f"{self.space}.{name}" if self.space else name))

    def block(self, end: int, *, loop: bool) -> None:
        """Enter a branch or a loop body of the current scope."""
        self._push(self.scope, end, loop)

    def _push(self, scope: int, end: int, loop: bool) -> None:
        parent = self._stack[-1] if self._stack else _NO_BLOCK
        depth = len(self._stack)
        self._stack.append(len(self._blocks))
        self._blocks.append(_Block(parent, scope, end, loop, depth))

    def open(self, kind: str, name: str, start: int, end: int, line: int, end_line: int) -> int:
        """Enter a new scope; returns its index. Closures get a numbered name, repeated names a numbered suffix."""
        parent = self.scope if self._stack else -1
        if kind == "closure" and not name:
            self._closures[parent] = self._closures.get(parent, 0) + 1
            name = f"<lambda{self._closures[parent]}>"
        above = self.facts.scopes[parent].qualified if parent >= 0 else ""
        qualified = f"{above}.{name}" if above and name else name or above
        if name and kind != "extension":
            self._taken[qualified] = count = self._taken.get(qualified, 0) + 1
            qualified = f"{qualified}~{count}" if count > 1 else qualified
        index = len(self.facts.scopes)
        self.facts.scopes.append(Scope(kind, name, qualified, parent, line, end_line))
        self.scope_at[start] = index
        self._roots.append(len(self._blocks))
        self._push(index, end, False)
        return index

    # --- expressions

    def expression(self, *row: object) -> int:
        """Add a row to the table; returns its index."""
        self.facts.expressions.append(row)
        return len(self.facts.expressions) - 1

    def shared(self, *row: object) -> int:
        """Like `expression`, and equal rows are one: for rows that mean the same wherever they stand."""
        found = self._shared.get(row)
        if found is None:
            found = self._shared[row] = self.expression(*row)
        return found

    def use(self, name: str, position: int, *, path: bool = False) -> int:
        """A name in value position, bound later. Uses in one block with no assignment between them are one row."""
        block = self._stack[-1]
        if self.lifted is not None or path:
            index = self.expression("u", name)
            scope = self.scope if self.lifted is None else self.lifted
            self._uses.append(_Use(index, name, scope, block, position, self.space, path))
            return index
        # Namespaces share the block of their file.
        settled = (self.scope or not self._spaces) and position >= self._bound.get(name, -1)
        if settled and (found := self._recent.get(name, _NONE).get(block)) is not None:
            return found
        index = self.expression("u", name)
        self._uses.append(_Use(index, name, self._blocks[block].scope, block, position, self.space))
        if settled:
            self._recent.setdefault(name, {})[block] = index
        return index

    def scope_value(self, op: str, start: int) -> int:
        """The value of a closure or comprehension whose scope will be opened at `start`."""
        index = self.expression(op, -1)
        self._pending.append((op, index, start))
        return index

    # --- statements

    def bind(self, name: str, value: int, position: int, line: int, kind: str, scope: int | None = None) -> None:
        """`name` has `value` from `position` on."""
        self.facts.bindings.append(Binding(name, value, self.scope if scope is None else scope, line, kind))
        if self._bound.get(name, -1) < position:
            self._bound[name] = position
        self._recent.pop(name, None)
        self._places.append((position, self._stack[-1]))

    def set_again(self, first: int) -> None:
        """The bindings from `first` on declare nothing: they set what a scope around declares, if one does."""
        self._set.update(range(first, len(self.facts.bindings)))

    def place(self, position: int) -> None:
        """Give the binding just added from outside its place, ahead of every block."""
        self._places.append((position, _NO_BLOCK))

    def declare_outer(self, name: str) -> None:
        """Assignments of `name` in this scope belong to an enclosing one."""
        self._outer.add((self.scope, name))

    def parameter(self, scope: int, parameter: Parameter, position: int) -> int:
        """Add a parameter to a scope that was just opened; returns its value."""
        row = self.facts.scopes[scope]
        value = self.expression("p", scope, len(row.parameters))
        row.parameters.append(parameter)
        self.bind(parameter.name, value, position, row.line, "p")
        return value

    def load(self, item: Import) -> int:
        """Record an import; returns the imported value."""
        self.facts.imports.append(item)
        return self.expression("m", len(self.facts.imports) - 1)

    def site(self, value: int, line: int, kind: str = "call", scope: int | None = None) -> None:
        """A call or a use in the current scope."""
        self.facts.sites.append(Site(self.scope if scope is None else scope, value, line, kind))

    def store(self, target: int, name: str, key: int, value: int) -> None:
        """An attribute or element of an object is set."""
        self.facts.stores.append(Store(target, name, key, value))

    # --- binding of names

    def finish(self) -> FileFacts:
        """Resolve every name lexically and return the facts."""
        self._place_pending()
        table = self._table()
        rows: list[Expression] = self.facts.expressions
        for use in self._uses:
            found = self._reaching(table, use)
            free: Expression = ("u", use.name, use.space) if use.space else ("u", use.name)
            row: Expression = ("n", *found) if found else free
            if not found and use.name == self._rules.super:
                row = ("S", self._method_of(use.scope))
            elif not found and use.name in self._rules.self_types:
                row = ("s", self._class_of(use.scope))
            elif not found and use.name == self._rules.this and self._rules.constructing_functions:
                row = self._object_of(use.scope)
            elif self._rules.implicit_members and (classes := self._classes_between(use.scope, found)):
                row = ("V", use.name, classes, self.shared(*row))
            rows[use.expression] = row
        self._members(table)
        self._attributes()
        if self._rules.module_style != "dotted":
            bindings = self.facts.bindings
            members = self.facts.scopes[0].members.items()
            own = (name for name, held in members if bindings[held[-1]].kind in "dacs" and not self._hidden(held[-1]))
            self.facts.names = sorted(own)
        return self.facts

    def _object_of(self, scope: int) -> Expression:
        """What a function that serves as a class makes: `this` in it."""
        scopes = self.facts.scopes
        while scope > 0 and scopes[scope].kind != "function":
            scope = scopes[scope].parent
        if scope <= 0:
            return ("u", self._rules.this)
        return ("N", self.shared("C", self.shared("f", scope)))

    def _place_pending(self) -> None:
        for op, index, start in self._pending:
            scope = self.scope_at.get(start)
            self.facts.expressions[index] = ("?",) if scope is None else (op, scope)

    def _table(self) -> dict[tuple[int, str], list[int]]:
        table: dict[tuple[int, str], list[int]] = {}
        moved: list[int] = []
        bindings = self.facts.bindings
        own = {(item.scope, item.name) for at, item in enumerate(bindings) if at not in self._set} if self._set else ()
        for index, binding in enumerate(bindings):
            if (index in self._set and binding.scope and (binding.scope, binding.name) not in own) or (
                binding.scope,
                binding.name,
            ) in self._outer:
                moved.append(index)
            else:
                table.setdefault((binding.scope, binding.name), []).append(index)
        for index in moved:
            binding = self.facts.bindings[index]
            scope = self._home(table, self.facts.scopes[binding.scope].parent, binding.name)
            if index in self._set and (scope, binding.name) not in table:
                table.setdefault((binding.scope, binding.name), []).append(index)
                continue
            kind = "s" if binding.kind in "ac" else binding.kind
            self.facts.bindings[index] = binding._replace(scope=scope, kind=kind)
            self._places[index] = (_LATE, _NO_BLOCK)
            table.setdefault((scope, binding.name), []).append(index)
        for indexes in table.values():
            indexes.sort(key=lambda item: (self._places[item][0], item))
        return table

    def _home(self, table: dict[tuple[int, str], list[int]], scope: int, name: str) -> int:
        while scope > 0:
            if self.facts.scopes[scope].kind != "class" and (scope, name) in table:
                return scope
            scope = self.facts.scopes[scope].parent
        return 0

    def _method_of(self, scope: int) -> int:
        while scope > 0 and self.facts.scopes[self.facts.scopes[scope].parent].kind != "class":
            scope = self.facts.scopes[scope].parent
        return scope

    def _hidden(self, binding: int) -> bool:
        """Whether a top-level function is for its own file alone."""
        row = self.facts.expressions[self.facts.bindings[binding].value]
        if row[0] == "E":
            return True
        if self._rules.module_style != "include" or row[0] != "f":
            return False
        scope = self.facts.scopes[row[1]]
        return "static" in scope.flags and not scope.owner

    def _class_of(self, scope: int) -> int:
        while scope > 0 and self.facts.scopes[scope].kind not in ("class", "extension"):
            scope = self.facts.scopes[scope].parent
        return scope

    def _classes_between(self, scope: int, found: list[int]) -> list[int]:
        """Classes around a use that come before the scope its name was found in, inner first."""
        home = self.facts.bindings[found[0]].scope if found else 0
        classes: list[int] = []
        while scope > 0:
            row = self.facts.scopes[scope]
            held = row.kind in ("class", "extension") and row.label != "namespace"
            if held or row.owner:
                classes.append(scope)
            if scope == home:
                return classes
            scope = row.parent
        return classes

    def _reaching(self, table: dict[tuple[int, str], list[int]], use: _Use) -> list[int]:
        scope = use.scope
        while scope >= 0:
            row = self.facts.scopes[scope]
            bindings = (not scope and use.space and self._in_space(table, use)) or table.get((scope, use.name))
            if bindings and use.path:
                bindings = [index for index in bindings if self.facts.bindings[index].kind in "dic"]
            if row.kind == "class" and not self._rules.members_bare:
                bindings = None
            if bindings and (scope == use.scope or row.kind != "class" or self._rules.class_visible):
                if len(bindings) == 1 or self._overloaded(bindings):
                    return bindings
                if scope == use.scope:
                    return self._before(bindings, use.block, use.position) or bindings
                return self._before(bindings, self._roots[scope], _LATE + 1)
            scope = row.parent
        return []

    def _in_space(self, table: dict[tuple[int, str], list[int]], use: _Use) -> list[int] | None:
        """What a name is bound to in the namespace around its use, the inner one first."""
        space = use.space
        while space:
            found = table.get((0, f"{space}.{use.name}"))
            if found:
                return found
            space = space.rpartition(".")[0]
        return None

    def _overloaded(self, bindings: list[int]) -> bool:
        return self._rules.overloads and all(self.facts.bindings[index].kind == "d" for index in bindings)

    def _before(self, bindings: list[int], block: int, position: int) -> list[int]:
        """Bindings that can still hold at a place: back to the one that always ran, and on around enclosing loops."""
        found: list[int] = []
        loops = self._loops(block)
        for index in reversed(bindings):
            place, home = self._places[index]
            if place > position:
                if home != _NO_BLOCK and any(self._inside(home, loop) for loop in loops):
                    found.append(index)
                continue
            found.append(index)
            if home != _NO_BLOCK and self._inside(block, home):
                break
        return found[::-1]

    def _loops(self, block: int) -> list[int]:
        found = []
        scope = self._blocks[block].scope
        while block >= 0 and self._blocks[block].scope == scope:
            if self._blocks[block].loop:
                found.append(block)
            block = self._blocks[block].parent
        return found

    def _inside(self, block: int, outer: int) -> bool:
        depth = self._blocks[outer].depth
        while block >= 0 and self._blocks[block].depth > depth:
            block = self._blocks[block].parent
        return block == outer

    def _members(self, table: dict[tuple[int, str], list[int]]) -> None:
        for (scope, name), bindings in table.items():
            row = self.facts.scopes[scope]
            if row.kind in ("module", "class"):
                whole = self._overloaded(bindings)
                row.members[name] = bindings if whole else self._before(bindings, self._roots[scope], _LATE + 1)

    def _attributes(self) -> None:
        """Stores on a method's receiver become attributes of the class."""
        kept: list[Store] = []
        rows = self.facts.expressions
        for store in self.facts.stores:
            target = rows[store.object]
            owner = -1
            if store.name and target[0] == "n" and len(target) == 2:
                owner = self._receiver_class(rows[self.facts.bindings[target[1]].value])
            if owner < 0:
                kept.append(store)
            else:
                self.facts.scopes[owner].attributes.setdefault(store.name, []).append(store.value)
        self.facts.stores = kept

    def _receiver_class(self, value: Expression) -> int:
        if value[0] != "p" or value[2] != 0 or not self._rules.receiver:
            return -1
        method = self.facts.scopes[value[1]]
        if method.kind != "function" or "static" in method.flags:
            return -1
        return method.parent if self.facts.scopes[method.parent].kind == "class" else -1
