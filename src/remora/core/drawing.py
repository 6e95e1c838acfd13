"""A drawing of a part of the graph: which nodes and lines, and where. The same data always gives the same drawing."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

from remora.core.analytics.topology import Topology, neighbours

Places = tuple[tuple[float, float], ...]
_GOLDEN = pi * (3.0 - sqrt(5.0))
_GAP = 1.6
"""Between parts that no line joins, in units of a node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One node: where it is, how many lines it has, and which part of the drawing it belongs to."""

    id: str
    name: str
    kind: str
    family: str
    x: float = 0.0
    y: float = 0.0
    degree: int = 0
    group: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One relation between two dots; `id` is the fact's or the relation's."""

    id: str
    source: str
    target: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Dots by id and lines by id. `truncated` when more is connected than is drawn; `focus` are the ids it is about."""

    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    focus: tuple[str, ...] = ()
    truncated: bool = False


def spiral(graph: Topology) -> Places:
    """A start for a layout: nodes on a spiral, in order of their distance from the best connected one."""
    adjacent = neighbours(graph)
    order = outward(adjacent)
    places: list[tuple[float, float]] = [(0.0, 0.0)] * graph.size
    for at, node in enumerate(order):
        radius = sqrt((at + 0.5) / graph.size)
        places[node] = (radius * cos(at * _GOLDEN), radius * sin(at * _GOLDEN))
    return tuple(places)


def outward(adjacent: Sequence[set[int]]) -> list[int]:
    """Every node, the best connected one first, then its neighbours, and so on; then the next part likewise."""
    starts = sorted(range(len(adjacent)), key=lambda node: (-len(adjacent[node]), node))
    seen: dict[int, None] = {}
    for start in starts:
        waiting = deque([start] if start not in seen else [])
        while waiting:
            node = waiting.popleft()
            if node in seen:
                continue
            seen[node] = None
            waiting.extend(sorted(adjacent[node] - seen.keys(), key=lambda other: (-len(adjacent[other]), other)))
    return list(seen)


def arranged(graph: Topology, components: Sequence[int], layout: Callable[[Topology], Places]) -> Places:
    """Every connected part laid out by itself, the largest in the middle and the others in rings around it."""
    parts: dict[int, list[int]] = {}
    for node, part in enumerate(components):
        parts.setdefault(part, []).append(node)
    edges: dict[int, list[tuple[int, int]]] = {part: [] for part in parts}
    place = {node: at for nodes in parts.values() for at, node in enumerate(nodes)}
    for a, b in graph.edges:
        edges[components[a]].append((place[a], place[b]))
    radii = {part: sqrt(len(nodes)) for part, nodes in parts.items()}
    centres = _rings(radii)
    found: list[tuple[float, float]] = [(0.0, 0.0)] * graph.size
    for part, nodes in parts.items():
        within = layout(Topology(len(nodes), tuple(sorted(edges[part]))))
        x, y = centres[part]
        for at, node in enumerate(nodes):
            found[node] = (round(x + within[at][0] * radii[part], 3), round(y + within[at][1] * radii[part], 3))
    return tuple(found)


def _rings(radii: Mapping[int, float]) -> dict[int, tuple[float, float]]:
    """Centres of discs of these radii, given largest first: one in the middle, then ring by ring, none overlapping."""
    parts = sorted(radii, key=lambda part: (-radii[part], part))
    centres = {parts[0]: (0.0, 0.0)} if parts else {}
    ring, at = parts[1:], 0
    inner = radii[parts[0]] + _GAP if parts else 0.0
    while at < len(ring):
        widest = radii[ring[at]]
        middle = inner + widest
        angle = 0.0
        while at < len(ring):
            turn = 2.0 * _half_angle(radii[ring[at]] + _GAP / 2, middle)
            if angle and angle + turn > 2.0 * pi:
                break
            centres[ring[at]] = (middle * cos(angle + turn / 2), middle * sin(angle + turn / 2))
            angle += turn
            at += 1
        inner = middle + widest + _GAP
    return centres


def _half_angle(radius: float, distance: float) -> float:
    """What a disc takes of a circle around the origin on which its centre lies, a little more than needed."""
    share = min(0.999, radius / distance)
    return share * (1.0 + share * share / 2.0)
