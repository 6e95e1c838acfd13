"""How one symbol reaches another: the shortest chain of calls, uses and imports."""

from dataclasses import dataclass

from remora.core.codegraph.answers import Freshness
from remora.core.codegraph.linked import KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.shortest import shortest
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow
from remora.core.codegraph.view import members, names_of, rows_of
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class PathRequest:
    """Both ends as for `affected`."""

    source: str
    target: str
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class PathStep:
    """One edge of the chain; `file` and `line` are where it is written."""

    source: str
    kind: str
    target: str
    tier: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class PathAnswer:
    """`direction` is forward when the source reaches the target, backward when only the target reaches the source, and
    "" when neither does. `unresolved_calls` are the source's own. `truncated`: the search gave up.
    """

    source: str
    target: str
    direction: str
    steps: tuple[PathStep, ...]
    truncated: bool
    unresolved_calls: int
    freshness: Freshness


def shortest_path(ports: CodeGraphPorts, grant: Grant, request: PathRequest) -> PathAnswer:
    """The shortest chain in either direction; a file or class stands for everything declared inside it."""
    grant.require(ports.repository.identity, Right.READ)
    freshness = ports.freshness()
    with ports.code_graph.read() as view:
        names = names_of(view)
        ends = names.one(request.source), names.one(request.target)
        start, goal = (members(view, [end.id]) for end in ends)
        forward, gave_up = shortest(start, goal, lambda front: view.edges(sources=front), ambiguous=request.ambiguous)
        chain, direction = forward, "forward"
        if not forward:
            chain, cut = shortest(goal, start, lambda front: view.edges(sources=front), ambiguous=request.ambiguous)
            gave_up, direction = gave_up or cut, "backward" if chain else ""
        rows = rows_of(view, {end for edge in chain for end in (edge.source, edge.target)})
        unresolved = len(view.unresolved(sources=start))
    steps = [_step(edge, rows, names) for edge in chain]
    shown = (names.id(ends[0]), names.id(ends[1]))
    return PathAnswer(*shown, direction, tuple(steps), gave_up and not chain, unresolved, freshness)


def _step(edge: EdgeRow, rows: dict[int, SymbolRow], names: Names) -> PathStep:
    source, target = rows[edge.source], rows[edge.target]
    return PathStep(
        names.id(source), KINDS[edge.kind], names.id(target), TIERS[edge.tier], names.path(source), edge.line
    )
