"""What one edit of one symbol breaks, what must be looked at, and which tests tell."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import Relation
from remora.core.codegraph.impact import reached
from remora.core.codegraph.linked import KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow
from remora.core.codegraph.view import (
    BASES,
    CALLABLE,
    CALLS,
    COUPLES,
    CROSSES,
    SERVES,
    GraphView,
    members,
    relations,
    rows_of,
    uses,
    whole,
)

EDITS = ("body", "signature", "rename", "delete", "move")


@dataclass(frozen=True, slots=True)
class EditEffect:
    """`breaks` stops working as it stands; `look_at` may behave otherwise; `tests` reach the symbol, nearest first."""

    breaks: tuple[Relation, ...]
    look_at: tuple[Relation, ...]
    tests: tuple[Relation, ...]


def effect_of(view: GraphView, names: Names, subject: SymbolRow, edit: str) -> EditEffect:
    """The effect of an edit of one of the kinds `EDITS`.

    A new body breaks nobody by itself; a new signature breaks calls and what overrides; a new name or none breaks
    every use; a new place breaks uses from other files.
    """
    start = whole(view, subject)
    inside = set(members(view, start))
    edges = [edge for edge in uses(view.edges(targets=start)) if edge.source not in inside]
    related = overrides(view, subject)
    rows = rows_of(view, {edge.source for edge in edges} | set(related))
    broken = [edge for edge in edges if _breaks(edge, edit, rows[edge.source].file != subject.file)]
    calm = [edge for edge in edges if edge not in set(broken)]
    breaks = relations(names, rows, ((edge, edge.source) for edge in broken))
    look_at = relations(names, rows, ((edge, edge.source) for edge in calm))
    kin = [_kin(names, rows[key]) for key in sorted(related)]
    if edit in ("signature", "rename"):
        breaks += kin
    else:
        look_at += kin
    known = {relation.id for relation in breaks}
    ordered = tuple(relation for relation in look_at if relation.id not in known)
    return EditEffect(tuple(breaks), ordered, tuple(tests_for(view, names, start)))


def _breaks(edge: EdgeRow, edit: str, elsewhere: bool) -> bool:
    if edge.kind in (CROSSES, SERVES, COUPLES):
        # Who reaches for a boundary knows its route or topic, and neither the name nor the place of what handles it.
        return edit == "delete"
    if edit == "signature":
        return edge.kind == CALLS
    return edit in ("rename", "delete") or (edit == "move" and elsewhere)


def _kin(names: Names, row: SymbolRow) -> Relation:
    return Relation(names.id(row), "overrides", TIERS[1], names.path(row), row.line, test=bool(row.test))


def overrides(view: GraphView, subject: SymbolRow) -> set[int]:
    """Methods of the same name in the bases and derived classes of a method's class."""
    if subject.kind not in CALLABLE or not subject.parent:
        return set()
    family: set[int] = set()
    for up in (True, False):
        front: Collection[int] = {subject.parent}
        while front and len(family) < policy.EDIT_FAMILY_MAX:
            found = view.edges(sources=front) if up else view.edges(targets=front)
            ends = {edge.target if up else edge.source for edge in found if edge.kind in BASES}
            front = ends - family - {subject.parent}
            family |= front
    return {row.id for row in view.symbols(name=subject.name) if row.parent in family} if family else set()


def tests_for(view: GraphView, names: Names, start: Iterable[int]) -> list[Relation]:
    """Tests that reach any of the symbols, nearest first."""
    found = reached(
        list(start), lambda front: view.edges(targets=front), depth=policy.AFFECTED_DEPTH_MAX
    )  # a test may reach a symbol through many layers
    rows = rows_of(view, [item.symbol for item in found])
    tests = []
    for item in found:
        row = rows[item.symbol]
        if row.test and row.qualified:
            place = (names.path(row), item.line, item.hops)
            tests.append(Relation(names.id(row), KINDS[item.kind], TIERS[item.tier], *place, test=True))
    return tests
