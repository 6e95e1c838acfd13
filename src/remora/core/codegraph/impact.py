"""Who is reached when a symbol changes: reverse reachability over calls, uses and bases, by hops."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from remora.core.codegraph.linked import AMBIGUOUS, KINDS
from remora.core.codegraph.snapshot import EdgeRow

_CONTAINS, _IMPORTS = KINDS.index("contains"), KINDS.index("imports")
_CROSSES, _COUPLES, _HEEDS = (KINDS.index(kind) for kind in ("crosses", "couples", "heeds"))


@dataclass(frozen=True, slots=True)
class Reached:
    """One affected symbol: hops from the subject, the weakest tier on the best path, and the edge it came by."""

    symbol: int
    hops: int
    tier: int
    kind: int
    via: int
    line: int


def reached(
    start: Collection[int],
    incoming: Callable[[Collection[int]], Iterable[EdgeRow]],
    *,
    depth: int,
    ambiguous: bool = False,
    imports: bool = False,
) -> list[Reached]:
    """Symbols that depend on any of `start`, nearest first, then by tier and number.

    `imports` follows imports as well, which is right for a whole file. Guesses are followed only when asked for.
    """
    seen: dict[int, Reached] = {}
    begun = set(start)
    front: dict[int, int] = dict.fromkeys(begun, 0)
    for hop in range(1, depth + 1):
        step: dict[int, Reached] = {}
        for edge in incoming(front.keys()):
            if not _followed(edge, ambiguous, imports) or edge.source in begun or edge.source in seen:
                continue
            if edge.kind == _HEEDS and edge.target in seen and seen[edge.target].kind in (_CROSSES, _COUPLES):
                # Who sends to a changed receiver sends the same as before to all others.
                continue
            tier = max(front[edge.target], edge.tier)
            item = Reached(edge.source, hop, tier, edge.kind, edge.target, edge.line)
            known = step.get(edge.source)
            if known is None or (item.tier, item.kind, item.via) < (known.tier, known.kind, known.via):
                step[edge.source] = item
        if not step:
            break
        seen.update(step)
        front = {symbol: item.tier for symbol, item in step.items()}
    return sorted(seen.values(), key=lambda item: (item.hops, item.tier, item.symbol))


def _followed(edge: EdgeRow, ambiguous: bool, imports: bool) -> bool:
    if edge.kind == _CONTAINS or (edge.kind == _IMPORTS and not imports):
        return False
    return ambiguous or edge.tier < AMBIGUOUS


def with_members(start: Iterable[int], outgoing: Callable[[Collection[int]], Iterable[EdgeRow]]) -> list[int]:
    """`start` and everything declared inside."""
    found = dict.fromkeys(start)
    front = list(found)
    while front:
        inner = [edge.target for edge in outgoing(front) if edge.kind == _CONTAINS and edge.target not in found]
        found.update(dict.fromkeys(inner))
        front = inner
    return list(found)
