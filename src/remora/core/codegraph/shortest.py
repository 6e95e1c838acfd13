"""The shortest chain of calls, uses and imports from one symbol to another."""

from collections.abc import Callable, Collection, Iterable

from remora.core import policy
from remora.core.codegraph.snapshot import EdgeRow
from remora.core.codegraph.view import uses


def shortest(
    start: Collection[int],
    goal: Collection[int],
    outgoing: Callable[[Collection[int]], Iterable[EdgeRow]],
    *,
    ambiguous: bool = False,
) -> tuple[list[EdgeRow], bool]:
    """Edges of the shortest chain, surest and lowest numbered first among equals; and whether the search gave up."""
    came: dict[int, EdgeRow | None] = dict.fromkeys(start)
    wanted = set(goal)
    front = sorted(came)
    while front:
        step: dict[int, EdgeRow] = {}
        for edge in sorted(uses(outgoing(front), ambiguous=ambiguous), key=_order):
            if edge.target not in came:
                step.setdefault(edge.target, edge)
        came.update(step)
        reached = min(wanted & step.keys(), default=None, key=lambda node: _order(step[node]))
        if reached is not None:
            return _back(reached, came), False
        if len(came) > policy.PATH_SYMBOLS_MAX:
            return [], True
        front = sorted(step)
    return [], False


def _order(edge: EdgeRow) -> tuple[int, int, int, int]:
    return edge.tier, edge.kind, edge.source, edge.target


def _back(node: int, came: dict[int, EdgeRow | None]) -> list[EdgeRow]:
    chain: list[EdgeRow] = []
    edge = came[node]
    while edge is not None:
        chain.append(edge)
        edge = came[edge.source]
    return chain[::-1]
