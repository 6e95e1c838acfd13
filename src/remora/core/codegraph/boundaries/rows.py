"""Boundaries as rows of the graph: a node for each thing exposed, edges to its handler and from who reaches for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from remora.core.codegraph.boundaries.endpoints import Endpoint, Named, Open
from remora.core.codegraph.boundaries.foreign import Exports
from remora.core.codegraph.boundaries.match import Coupling, Matched, matched
from remora.core.codegraph.linked import EXTRACTED, INFERRED, KINDS
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow

CONTAINS, CROSSES, SERVES, COUPLES, HEEDS = (
    KINDS.index(kind) for kind in ("contains", "crosses", "serves", "couples", "heeds")
)
NODE_KINDS = {"http": "route", "grpc": "rpc", "ffi": "export", "module": "export", "jni": "export"}
"""Kind of the node of a channel; any other channel carries messages, and its nodes are topics."""
QUIET = frozenset({"ffi", "module", "modname"})
"""Channels whose exports are no nodes until something reaches for them."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """Symbols of the graph: by file and qualified name, by bare name, and the path and language of a file."""

    find: Callable[[Named], SymbolRow | None]
    named: Callable[[str], Sequence[SymbolRow]]
    paths: Mapping[int, str]
    language: Callable[[int], str]
    crates: Mapping[str, Sequence[str]]
    """Folder of a native module -> its names."""


@dataclass(slots=True)
class BoundaryRows:
    """Nodes have negative numbers, so that they never meet those of declarations."""

    nodes: list[SymbolRow] = field(default_factory=list)
    edges: list[EdgeRow] = field(default_factory=list)
    unmatched: int = 0


def boundary_rows(endpoints: Mapping[int, Sequence[Endpoint]], symbols: Symbols) -> BoundaryRows:
    """All boundaries of a tree."""
    exports = Exports(endpoints, symbols.paths, symbols.named, symbols.language, symbols.crates)
    return _Rows(matched(endpoints, symbols.paths, exports), symbols).rows()


class _Rows:
    def __init__(self, found: Matched, symbols: Symbols) -> None:
        self._found = found
        self._symbols = symbols
        self._edges: dict[tuple[int, int, int], tuple[int, int]] = {}

    def rows(self) -> BoundaryRows:
        used = {item.open for item in self._found.couplings}
        shown = [item for item in self._found.opened if item.channel not in QUIET or item in used]
        shown += sorted(used - set(shown), key=self._order)
        places: dict[tuple[str, str], list[Open]] = {}
        for item in sorted(shown, key=self._order):
            places.setdefault((self._symbols.paths[item.file], _label(item)), []).append(item)
        nodes = []
        numbers: dict[tuple[str, str], int] = {}
        for number, (place, items) in enumerate(sorted(places.items()), 1):
            module = self._symbols.find((items[0].file, ""))
            if module is None:
                continue
            numbers[place] = -number
            nodes.append(_node(-number, module, place[1], items[0]))
            self._add(module.id, CONTAINS, -number, EXTRACTED, items[0].line)
            for item in items:
                for target in self._targets(item):
                    self._add(-number, SERVES, target.id, EXTRACTED if item.target else INFERRED, item.line)
        for coupling in self._found.couplings:
            self._couple(coupling, numbers)
        edges = [EdgeRow(*key, *rest) for key, rest in sorted(self._edges.items())]
        return BoundaryRows(nodes, edges, self._found.unmatched)

    def _order(self, item: Open) -> tuple[str, int, str, str, str]:
        return self._symbols.paths[item.file], item.line, item.channel, item.verb, item.key

    def _couple(self, coupling: Coupling, numbers: Mapping[tuple[str, str], int]) -> None:
        item, used = coupling.open, coupling.used
        source = self._symbols.find((coupling.file, used.scope))
        node = numbers.get((self._symbols.paths[item.file], _label(item)))
        if source is None or node is None:
            return
        self._add(source.id, CROSSES, node, coupling.tier, used.line)
        for target in self._targets(item):
            if target.id == source.id:
                continue
            self._add(source.id, COUPLES, target.id, coupling.tier, used.line)
            if item.channel not in NODE_KINDS:
                # Who gets a message depends on what is sent.
                self._add(target.id, HEEDS, source.id, coupling.tier, item.line)

    def _targets(self, item: Open) -> list[SymbolRow]:
        if item.target is not None:
            found = self._symbols.find((item.target[0], item.target[1]))
            return [found] if found is not None else []
        return self._acting(item.action) if item.action else []

    def _acting(self, action: str) -> list[SymbolRow]:
        """The method that `users#show` names."""
        path, _, method = action.partition("#")
        words = path.replace("/", "_").split("_")
        name = "".join(word[:1].upper() + word[1:] for word in path.rpartition("/")[2].split("_")) + "Controller"
        rows = [row for row in self._symbols.named(method) if row.qualified.split(".")[-2:-1] == [name]]
        if len(rows) > 1:
            rows = [row for row in rows if all(word in self._symbols.paths[row.file] for word in words)] or rows
        return rows if len(rows) == 1 else []

    def _add(self, source: int, kind: int, target: int, tier: int, line: int) -> None:
        key = (source, kind, target)
        known = self._edges.get(key)
        self._edges[key] = (tier, line) if known is None else min(known, (tier, line))


def _label(item: Open) -> str:
    if item.channel == "http":
        return f"{item.verb.replace('*', 'ANY')} {item.key}"
    return f"{item.channel} {item.key}"


def _node(number: int, module: SymbolRow, label: str, item: Open) -> SymbolRow:
    kind = NODE_KINDS.get(item.channel, "topic")
    place = (item.line, item.line)
    doc = f"{item.channel} boundary, by {item.evidence}"
    return SymbolRow(number, module.file, -1, module.id, label, label, kind, *place, 1, module.test, label, doc, "")
