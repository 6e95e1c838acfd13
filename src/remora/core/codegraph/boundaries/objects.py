"""Objects that routes hang on or requests go out by: what makes them, their prefixes, and how they hang together."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from remora.core.codegraph.boundaries.endpoints import Endpoint, Made, Mount, Ref
from remora.core.codegraph.boundaries.handlers import Handlers
from remora.core.codegraph.boundaries.rules import BoundaryRules, Place
from remora.core.codegraph.facts import Site
from remora.core.codegraph.tracked import Tracked

FILE = "<file>"
"""The origin of a file that is itself what routes hang on."""


class Callee(NamedTuple):
    """What a call calls: a name patterns are held against, and the object it is a method of."""

    name: str
    alias: str
    refs: list[Ref]


class Objects(Handlers):
    """The objects of one file."""

    def __init__(self, evaluator: Tracked, file: int, path: str, in_tests: bool) -> None:
        super().__init__(evaluator, file)
        self.path = path
        self.in_tests = in_tests
        self.rules: BoundaryRules = evaluator.rules.boundaries
        self.modules = [item.module for item in self.facts.imports]
        self.rooted = False
        self.later: dict[int, int] | None = None
        self._blocks = self._prefixed_blocks()

    # --- objects

    def object(self, site: Site, row: Any, callee: Callee) -> Iterator[Endpoint]:
        rule = self.rules.objects.get(callee.alias)
        maker = self.rules.maker(callee.name)
        if rule is not None and maker is None:
            method = callee.name.removeprefix(f"{callee.alias}.")
            if method in rule.groups:
                yield self._made(site.value, row, rule.groups[method], callee.refs or self.around(site.scope))
            elif method in rule.mounts:
                mounting = rule.mounts[method]
                children = self.children(self.argument(row, mounting.child))
                if children:
                    prefixes = self._prefixes(row, mounting.prefix)
                    yield Mount(callee.refs or self.around(site.scope), prefixes, children, mounting.overrides)
            return
        for shapes, places, suffix in self.rules.groups:
            if shapes.match(callee.name) is not None:
                made = self._made(site.value, row, places, self.around(site.scope))
                yield made._replace(prefixes=[f"{prefix}{suffix}" for prefix in made.prefixes])
        if maker is not None:
            yield self._made(site.value, row, maker.prefix, self.around(site.scope) if maker.hung else [])

    def _made(self, call: int, row: Any, places: tuple[Place, ...], parents: list[Ref]) -> Made:
        return Made(self.evaluator.origin(self.file, call), self._prefixes(row, places), parents)

    def _prefixes(self, row: Any, places: tuple[Place, ...]) -> list[str]:
        parts = (self.argument(row, place) for place in places)
        return next((self.texts.of(self.file, part) for part in parts if part and self.textual(part)), [""])

    def children(self, part: int) -> list[Ref]:
        found: list[Ref] = []
        if not part:
            return found
        row = self.facts.expressions[part]
        for value in self.evaluator.values(self.file, part):
            if value[0] == "O":
                found.append((value[2], value[3]))
            elif value[0] == "M":
                found.append((value[1], FILE))
        if not found and row[0] == "k":
            module = self.evaluator.modules.resolve(self.file, row[2])
            return [(int(module[1]), FILE)] if module is not None and module[0] == "M" else []
        if not found and row[0] in ("c", "a"):
            inner = [row[1]] if row[0] == "a" else row[2]
            return next((refs for item in inner if (refs := self.children(item))), [])
        if not found and row[0] == "l":
            return [ref for item in row[2:] for ref in self.children(item)]
        return found

    # --- blocks that give what is inside of them a prefix

    def _prefixed_blocks(self) -> dict[int, tuple[Site, Any, tuple[Place, ...]]]:
        found: dict[int, tuple[Site, Any, tuple[Place, ...]]] = {}
        names = {method for rule in self.rules.objects.values() for method in rule.groups}
        names |= {last for shapes, _, _ in self.rules.groups for last in shapes.lasts()}
        if not names:
            return found
        for site in self.facts.sites:
            row = self.facts.expressions[site.value]
            if site.kind != "call" or row[0] != "c" or self.last_name(row[1]) not in names:
                continue
            for part in (*row[2], *(value for _, value in row[3])):
                inner = self.facts.expressions[part]
                if inner[0] == "f":
                    found[inner[1]] = (site, row, ())
        return found

    def around(self, scope: int) -> list[Ref]:
        """What the block around a scope hangs its content on."""
        while scope > 0:
            block = self._blocks.get(scope)
            if block is not None:
                origin = self.evaluator.origin(self.file, block[0].value)
                return [(self.file, origin)] if origin else []
            scope = self.facts.scopes[scope].parent
        return [(self.file, FILE)]
