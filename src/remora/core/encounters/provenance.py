"""The grounding walk: directed, down only, from a node to the observations and citations that carry it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from remora.core.encounters.schema import (
    ABOUT,
    CHALLENGES,
    CITATION,
    COMPONENT,
    CONCEPT,
    CONSULTED,
    ENCOUNTER,
    GROUNDS,
    HYPOTHESIS,
    INFORMS,
    OBSERVATION,
    OBSERVED_AT,
    QUESTION,
    RAISES,
    RECORDED,
    RESOLVES,
    SUPPORTS,
)
from remora.core.graph import Edge, Neighbourhood, Node

_INCOMING = {
    # A node stands on what points at it, from these types only: a Question that is ABOUT a Concept does not ground it.
    HYPOTHESIS: {SUPPORTS: (OBSERVATION,), CHALLENGES: (OBSERVATION,)},
    QUESTION: {RAISES: (OBSERVATION,), RESOLVES: (OBSERVATION,)},
    CONCEPT: {GROUNDS: (OBSERVATION,), ABOUT: (OBSERVATION,), INFORMS: (CONCEPT,)},
    COMPONENT: {ABOUT: (OBSERVATION,), INFORMS: (CONCEPT,)},
}
_OUTGOING = {OBSERVATION: (OBSERVED_AT,), ENCOUNTER: (RECORDED, CONSULTED)}
INCOMING_LABELS: tuple[str, ...] = tuple(sorted({label for steps in _INCOMING.values() for label in steps}))
OUTGOING_LABELS: tuple[str, ...] = tuple(sorted({label for labels in _OUTGOING.values() for label in labels}))

Expand = Callable[[Collection[str], bool], Neighbourhood]
"""(node ids, outgoing?) -> grounding relations around them, in that one direction."""


@dataclass(frozen=True, slots=True)
class Path:
    """Node ids from the start down, the relations taken, and how it ends.

    `end` is "citation", "ungrounded", "seen" (goes on where another path already went) or "depth" (cut by the caller's
    depth or a stated bound: more lies below).
    """

    nodes: tuple[str, ...]
    relations: tuple[str, ...]
    end: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything under one node: the nodes met, the paths, and whether a bound cut something off."""

    start: str
    nodes: dict[str, Node]
    paths: tuple[Path, ...]
    truncated: bool = False

    @property
    def grounded(self) -> bool:
        """Whether at least one path ends at a citation."""
        return any(path.end == "citation" for path in self.paths)


@dataclass(slots=True)
class _Walk:
    start: Node
    nodes_max: int
    nodes: dict[str, Node] = field(default_factory=dict)
    children: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    unexplored: set[str] = field(default_factory=set)
    truncated: bool = False


def trace(start: Node, expand: Expand, *, depth: int, nodes_max: int) -> Trace:
    """Walk down from `start`, `depth` relations at most, in rounds; every node is explored once."""
    walk = _Walk(start, nodes_max, {start.id: start})
    level: Sequence[Node] = (start,)
    for _ in range(depth):
        level = _round(walk, level, expand)
    walk.unexplored.update(node.id for node in level if node.label != CITATION)
    return Trace(start.id, walk.nodes, tuple(_paths(walk)), walk.truncated)


def _round(walk: _Walk, level: Sequence[Node], expand: Expand) -> list[Node]:
    """Explore one level; returns the nodes met for the first time."""
    ids = [node.id for node in level if node.label != CITATION]
    if not ids:
        return []
    met: list[Node] = []
    for outgoing in (True, False):
        found = expand(ids, outgoing)
        walk.truncated = walk.truncated or found.truncated
        known = {**walk.nodes, **{node.id: node for node in found.nodes}}
        for edge in sorted(found.edges, key=lambda edge: (edge.created, edge.id)):
            step = _step(edge, known, outgoing)
            if step is None or step[0] not in ids:
                continue
            if step[1] not in walk.nodes and len(walk.nodes) >= walk.nodes_max:
                walk.truncated = True
                walk.unexplored.add(step[0])
                continue
            if step[1] not in walk.nodes:
                walk.nodes[step[1]] = known[step[1]]
                met.append(known[step[1]])
            walk.children.setdefault(step[0], []).append((edge.label, step[1]))
    return met


def _step(edge: Edge, known: dict[str, Node], outgoing: bool) -> tuple[str, str] | None:
    """(upper id, lower id) when the relation goes down the grounding in this direction, else None."""
    source, target = known.get(edge.source), known.get(edge.target)
    if source is None or target is None:
        return None
    if outgoing:
        return (source.id, target.id) if edge.label in _OUTGOING.get(source.label, ()) else None
    allowed = _INCOMING.get(target.label, {}).get(edge.label, ())
    return (target.id, source.id) if source.label in allowed else None


def _paths(walk: _Walk) -> list[Path]:
    paths: list[Path] = []
    seen: set[str] = set()
    stack: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((walk.start.id,), ())]
    while stack:
        nodes, relations = stack.pop()
        here = nodes[-1]
        end = _end(walk, here, seen)
        seen.add(here)
        if end:
            paths.append(Path(nodes, relations, end))
            continue
        stack.extend(((*nodes, lower), (*relations, label)) for label, lower in reversed(walk.children.get(here, ())))
    return paths


def _end(walk: _Walk, here: str, seen: set[str]) -> str:
    if walk.nodes[here].label == CITATION:
        return "citation"
    if here in seen:
        return "seen"
    if here in walk.unexplored and not walk.children.get(here):
        return "depth"
    return "" if walk.children.get(here) else "ungrounded"
