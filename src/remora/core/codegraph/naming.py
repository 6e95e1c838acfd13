"""What names mean across files: imports, modules, packages, and names seen without being imported."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

from abc import abstractmethod
from typing import Any

from remora.core.codegraph.containers import Containers
from remora.core.codegraph.facts import Binding, Import
from remora.core.codegraph.styles import PACKAGED
from remora.core.codegraph.values import EMPTY, FOUND, Value, Values, inferred, union

_DEFAULT, _WHOLE = "=default", "=*"
"""Names of a module's default export and of the one value it exports as a whole."""


class Naming(Containers):
    """The part of the evaluator that knows names."""

    @abstractmethod
    def attribute(self, value: Value, name: str) -> Values:
        """What `value.name` can be."""

    def name(self, file: int, row: Any, index: int) -> Values:
        """A name bound in this file."""
        bindings = self.facts(file).bindings
        if len(row) == 2:
            return self._bound(file, bindings[row[1]])
        return union([self._bound(file, bindings[number]) for number in row[1:]])

    def _bound(self, file: int, binding: Binding) -> Values:
        if binding.scope or self.inside(file):
            found = self.values(file, binding.value)
        else:
            # What another top-level name depends on is its own affair; this one depends on that name.
            found = self.within((file, binding.name), lambda: self.values(file, binding.value))
        return found if binding.kind in "di" else inferred(found)

    def free(self, file: int, row: Any, index: int) -> Values:
        """A name bound outside of this file, if anywhere."""
        held = self._in_spaces(file, row)
        return self._outside(file, row, index) if held is None else held

    def _outside(self, file: int, row: Any, index: int) -> Values:
        name = row[1]
        if name in self.rules.exports:
            return {("M", file): 0}
        if self.facts(file).stars and not self.rules.exports:
            found = self._provided(file, name)
            if found is not None and self.rules.module_style == "include" and all(item[0] == "M" for item in found):
                # A namespace may go on in any file; of it the names count that are seen from here.
                return {("M", file, *item[2:]): 0 for item in found}
            if found is not None:
                return found
        if self.rules.module_style in PACKAGED:
            self.depend((0, name))
            for package in self.modules.around(file):
                found = self._in_package(package, name)
                if found is not None:
                    return found
            module = self.modules.resolve(file, name)
            if module is not None:
                return {module: 0}
        if self.rules.global_case and name[:1].isupper():
            return self.elsewhere(file, row, index)
        return {("X", name): 0}

    def _in_spaces(self, file: int, row: Any) -> Values | None:
        """What a name means in the namespaces around it, the inner one first; None when nothing."""
        space = row[2] if len(row) > 2 else ""
        while space:
            found = self._provided(file, f"{space}.{row[1]}")
            if found is not None:
                return found
            space = space.rpartition(".")[0]
        return None

    def _in_package(self, package: Value, name: str) -> Values | None:
        """What a package's files declare under a name; None when none does."""
        self.depend((0, name))
        homes = self.modules.providers(str(package[1]), name)
        return union([self.top_level(home, name) for home in homes]) if homes else None

    def _provided(self, file: int, name: str) -> Values | None:
        """What a name means in a file: its own, or the first along its imports of everything; None when nothing."""
        todo: list[Value] = [("M", file)]
        seen = {("M", file)}
        while todo:
            home = todo.pop()
            if home[0] == "P":
                found = self._in_package(home, name)
                if found is not None:
                    return found
                continue
            if home[0] == "C":
                members, _ = self.declares(home[1], home[2], name)
                if members:
                    return self.bind({value: tier for value, tier in members.items() if value != FOUND}, home)
                continue
            self.depend((home[1], name))
            facts = self.facts(home[1])
            if name in facts.scopes[0].members:
                return self.top_level(home[1], name)
            stars = [self._star(home[1], facts.imports[star].module) for star in reversed(facts.stars)]
            fresh = [star for star in stars if star is not None and star not in seen]
            seen.update(fresh)
            todo.extend(fresh)
        return None

    def _star(self, file: int, module: str) -> Value | None:
        found = self.modules.resolve(file, module)
        if found is None and self.rules.module_style in PACKAGED:
            return next((value for value in self._path(file, module) if value[0] in ("M", "P", "C")), None)
        return found

    def _path(self, file: int, module: str) -> Values:
        """What a written path means whose head is a module and whose tail are names in it."""
        found = self.modules.resolve(file, module)
        if found is not None:
            return {found: 0}
        head, mark, name = module.rpartition(self.rules.separator)
        if not mark or not head:
            return EMPTY
        return union([self.attribute(value, name) for value in self._path(file, head) if value[0] in ("M", "P", "C")])

    def top_level(self, file: int, name: str) -> Values:
        """What a file binds to one of its top-level names."""
        facts = self.facts(file)
        bindings = [facts.bindings[number] for number in facts.scopes[0].members[name]]
        return self.within((file, name), lambda: union([self._bound(file, binding) for binding in bindings]))

    def import_(self, file: int, row: Any, index: int) -> Values:
        """What an import gives."""
        item = self.facts(file).imports[row[1]]
        if self.rules.module_style in PACKAGED:
            return self._imported(file, item.module, item.name)
        module = self.modules.resolve(file, item.module)
        if module is not None and self.rules.exports and item.name in ("", "default"):
            return self._whole(int(module[1]), item.name)
        if module is not None and not item.name:
            return {module: 0}
        if module is not None and self._has(module, item.name):
            return self.attribute(module, item.name)
        return {("X", f"{item.module}.{item.name}" if item.name else item.module): 0}

    def imported(self, file: int, item: Import) -> Values:
        """What an import of a name gives."""
        return self._imported(file, item.module, item.name)

    def _imported(self, file: int, module: str, name: str) -> Values:
        parts = self._path(file, module)
        found = union([self.attribute(value, name) for value in parts]) if name else parts
        return found or {("X", self.rules.separator.join(filter(None, (module, name)))): 0}

    def _whole(self, file: int, name: str) -> Values:
        """A module as it is imported: its default, the one value it exports, or itself."""
        for member in (_DEFAULT, _WHOLE) if name else (_WHOLE,):
            self.depend((file, member))
            if member in self.facts(file).scopes[0].members:
                found = self.top_level(file, member)
                return found if name else union((found, {("M", file): 0}))
        return {("M", file): 0}

    def _has(self, module: Value, name: str) -> bool:
        """Whether a module or package binds a name or holds a module of that name."""
        self.depend((0, name))
        if module[0] == "M" and self.rules.exports:
            return bool(self.of_module(module, name))
        if module[0] == "M" and self._provided(module[1], name) is not None:
            return True
        return self.modules.child((module[0], module[1]), name) is not None

    def elsewhere(self, file: int, row: Any, index: int) -> Values:
        """What is declared here and defined elsewhere."""
        # Of what is declared in a namespace also the name without it: the definition may stand where that is used.
        for name in row[1:] if row[0] == "E" else row[1:2]:
            self.depend((0, name))
            homes = self.modules.definitions(file, name)
            if homes:
                return union([self.top_level(home, name) for home in homes])
        return {("X", row[1]): 0}

    def whole_file(self, file: int, row: Any, index: int) -> Values:
        """A namespace: whatever the file sees, what it holds itself first."""
        return {("M", file, *row[1:]): 0}

    def of_module(self, value: Value, name: str) -> Values:
        """A name of a module."""
        if self.rules.exports:
            return self._exported(value[1], name)
        if len(value) > 2 and (held := self._provided(value[1], f"{value[2]}.{name}")):
            # A namespace in it goes on wherever this one does.
            return {("M", value[1], *item[2:]) if item[0] == "M" else item: tier for item, tier in held.items()}
        own = self._provided(value[1], name) or EMPTY
        return union((own, self.of_package(value, name)))

    def _exported(self, file: int, name: str) -> Values:
        found = self._provided(file, f"={name}")
        if found is not None:
            return found
        self.depend((file, _WHOLE))
        if _WHOLE in self.facts(file).scopes[0].members:
            parts = [self.attribute(value, name) for value in self.top_level(file, _WHOLE) if value != ("M", file)]
            return union(parts)
        return self._provided(file, name) or EMPTY

    def of_package(self, value: Value, name: str) -> Values:
        """A name of a package."""
        self.depend((0, name))
        found = self._in_package(value, name) if value[0] == "P" else None
        child = self.modules.child((value[0], value[1]), name)
        return union((found or EMPTY, {child: 0} if child is not None else EMPTY))
