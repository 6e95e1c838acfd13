"""Direct neighbours by what they are to a symbol: its callers, what it calls, everything that refers to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from remora.core.codegraph.answers import Relation
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import SymbolRow, UnresolvedRow
from remora.core.codegraph.view import CALLING, GraphView, relations, rows_of, uses, whole

RELATIONS = ("callers", "callees", "references")


@dataclass(frozen=True, slots=True)
class UnknownCall:
    """A call that could not be told: where it is, and the callee as written."""

    file: str
    line: int
    name: str


def related(
    view: GraphView, names: Names, subject: SymbolRow, relation: str, *, ambiguous: bool = False
) -> list[Relation]:
    """Symbols in one of `RELATIONS` to the subject; of a class or file, to anything declared inside it."""
    start = whole(view, subject)
    inside = set(start)
    if relation == "callees":
        edges = [edge for edge in uses(view.edges(sources=start), ambiguous=ambiguous) if edge.kind in CALLING]
        ends = [(edge, edge.target) for edge in edges if edge.target not in inside or edge.target == subject.id]
    else:
        edges = uses(view.edges(targets=start), ambiguous=ambiguous)
        wanted = [edge for edge in edges if relation == "references" or edge.kind in CALLING]
        ends = [(edge, edge.source) for edge in wanted if edge.source not in inside or edge.source == subject.id]
    ids = {end for _, end in ends} | {edge.source for edge, _ in ends}
    return relations(names, rows_of(view, ids), ends)


def unknown_calls(view: GraphView, names: Names, subject: SymbolRow, relation: str) -> list[UnknownCall]:
    """Calls that nobody could tell and that may belong here: the subject's own for callees, else those of its name."""
    rows: Sequence[UnresolvedRow]
    rows = view.unresolved(sources=whole(view, subject)) if relation == "callees" else named_unknown(view, [subject])
    callers = rows_of(view, {row.source for row in rows})
    return sorted(
        (UnknownCall(names.path(callers[row.source]), row.line, row.name) for row in rows),
        key=lambda call: (call.file, call.line, call.name),
    )


def named_unknown(view: GraphView, symbols: Sequence[SymbolRow]) -> list[UnresolvedRow]:
    """Calls that could not be told, whose callee has the last name of one of the symbols."""
    own = sorted({row.name for row in symbols if row.qualified and row.name})
    return [row for name in own for row in view.unresolved(name=name)]
