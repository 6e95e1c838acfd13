"""What questions about the code ask of a stored graph: one consistent view, and the few reads they all share."""

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from remora.core.codegraph.answers import Relation
from remora.core.codegraph.impact import with_members
from remora.core.codegraph.linked import AMBIGUOUS, KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import EdgeRow, FileRow, SymbolRow, UnresolvedRow
from remora.core.errors import Ambiguous, InvalidInput, NotFound
from remora.core.ids import digest

CONTAINS, CALLS = KINDS.index("contains"), KINDS.index("calls")
CROSSES, SERVES, COUPLES = (KINDS.index(kind) for kind in ("crosses", "serves", "couples"))
CALLING = frozenset({CALLS, COUPLES})
"""A call, or a request that ends in one."""
BASES = frozenset({KINDS.index("inherits"), KINDS.index("implements")})
CALLABLE = frozenset({"function", "method"})


class GraphView(Protocol):
    """One consistent view of a checkout's code graph."""

    def meta(self) -> dict[str, str]:
        """What the build noted."""
        ...

    def files(self) -> list[FileRow]:
        """Every file, by path."""
        ...

    def counts(self) -> dict[str, int]:
        """Numbers of files, symbols, edges and unresolved calls."""
        ...

    def symbols(self, *, files: Collection[int] = (), ids: Collection[int] = (), name: str = "") -> list[SymbolRow]:
        """Symbols of files, by ids or by bare name; all of them when nothing is asked for. By id."""
        ...

    def edges(self, *, sources: Collection[int] = (), targets: Collection[int] = ()) -> list[EdgeRow]:
        """Edges from or to symbols; all of them when nothing is asked for."""
        ...

    def unresolved(self, *, sources: Collection[int] = (), name: str = "") -> list[UnresolvedRow]:
        """Calls that could not be told: of some symbols, of callees with a last name, or all."""
        ...


def names_of(view: GraphView) -> Names:
    """Resolves names in the view."""
    return Names(view.files(), lambda name: view.symbols(name=name), lambda file: view.symbols(files=(file,)))


def rows_of(view: GraphView, ids: Collection[int]) -> dict[int, SymbolRow]:
    """Id -> symbol, of these symbols alone."""
    return {row.id: row for row in view.symbols(ids=ids)} if ids else {}


def members(view: GraphView, start: Iterable[int]) -> list[int]:
    """The symbols and everything declared inside."""
    return with_members(start, lambda front: view.edges(sources=front))


def whole(view: GraphView, subject: SymbolRow) -> list[int]:
    """What a question about the subject is about: a function alone, else all that is declared inside too."""
    return [subject.id] if subject.kind in CALLABLE else members(view, [subject.id])


def uses(edges: Iterable[EdgeRow], *, ambiguous: bool = False) -> list[EdgeRow]:
    """Edges that make one symbol depend on another, without guesses unless asked for."""
    return [edge for edge in edges if edge.kind != CONTAINS and (ambiguous or edge.tier < AMBIGUOUS)]


def relations(
    names: Names, rows: dict[int, SymbolRow], ends: Iterable[tuple[EdgeRow, int]], hops: int = 1
) -> list[Relation]:
    """(edge, which end to show) as answers write them, each symbol once per kind: surest first, then by id."""
    found: dict[tuple[str, str], Relation] = {}
    for edge, shown in ends:
        row = rows[shown]
        relation = Relation(
            names.id(row), KINDS[edge.kind], TIERS[edge.tier], names.path(rows.get(edge.source, row)), edge.line, hops,
            bool(row.test),
        )  # fmt: skip
        known = found.get((relation.id, relation.kind))
        if known is None or (TIERS.index(relation.tier), relation.line) < (TIERS.index(known.tier), known.line):
            found[relation.id, relation.kind] = relation
    return sorted(found.values(), key=lambda item: (TIERS.index(item.tier), item.id, item.kind))


def state_digest(files: Iterable[FileRow]) -> str:
    """Names the state of the graph: equal contents read by equal extraction give equal digests."""
    return digest("\0".join(f"{row.path}\1{row.digest}\1{row.version}" for row in files).encode("utf-8", "replace"))


def unique_symbol(read: Callable[[], AbstractContextManager[GraphView]], name: str) -> tuple[str, str] | None:
    """(node id, file) of the one symbol that a name means; None for none, for several, and where there is no graph."""
    try:
        with read() as view:
            names = names_of(view)
            symbol = names.one(name)
            return names.id(symbol), names.path(symbol)
    except (NotFound, Ambiguous, InvalidInput):
        return None
