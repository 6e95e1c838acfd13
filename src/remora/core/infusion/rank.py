"""One personalised PageRank over the coherence-only projection: where it restarts, and what its figures mean."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from remora.core.encounters.schema import COHERENCE_RELATIONS, CONCEPT
from remora.core.graph import Edge, Node
from remora.core.policy import FOCAL_BIAS

_COHERENCE = frozenset(COHERENCE_RELATIONS)


@dataclass(frozen=True, slots=True)
class Restart:
    """The seeds by class, and the restart weight of each node. Weights of a class sum to its bias."""

    mode: str
    focal: tuple[str, ...] = ()
    expansion: tuple[str, ...] = ()
    frontier: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)


def coherence(edges: Iterable[Edge]) -> list[Edge]:
    """The relations by which ideas bear on each other."""
    return [edge for edge in edges if edge.label in _COHERENCE]


def one_hop(focal: Collection[str], nodes: Mapping[str, Node], edges: Iterable[Edge]) -> tuple[str, ...]:
    """Nodes one coherence relation away from a focal Concept, that are not focal themselves, by id."""
    concepts = {item for item in focal if item in nodes and nodes[item].label == CONCEPT}
    ends = {
        other
        for edge in coherence(edges)
        for here, other in ((edge.source, edge.target), (edge.target, edge.source))
        if here in concepts and other not in focal and other in nodes
    }
    return tuple(sorted(ends))


def restart(
    focal: Iterable[str],
    expansion: Iterable[str],
    frontier: Iterable[str],
    *,
    frontier_bias: float,
    expansion_bias: float,
) -> Restart:
    """Spread each class's bias evenly over its nodes, so that a long frontier keeps a voice and never takes the floor.

    A node of several classes gets the share of each.
    """
    classes = {
        "focal": (tuple(dict.fromkeys(focal)), FOCAL_BIAS),
        "expansion": (tuple(dict.fromkeys(expansion)), expansion_bias),
        "frontier": (tuple(dict.fromkeys(frontier)), frontier_bias),
    }
    weights: dict[str, float] = {}
    for ids, bias in classes.values():
        for item in ids if bias > 0 else ():
            weights[item] = weights.get(item, 0.0) + bias / len(ids)
    has_focal, has_frontier = bool(classes["focal"][0]), bool(classes["frontier"][0]) and frontier_bias > 0
    mode = {
        (True, True): "blended",
        (True, False): "focal_only",
        (False, True): "frontier_only",
        (False, False): "none",
    }[has_focal, has_frontier]
    return Restart(mode, classes["focal"][0], classes["expansion"][0], classes["frontier"][0], weights)


def severity(ends: Iterable[str], rank: Mapping[str, float]) -> float:
    """Rank of the highest-placed end / the top rank of all: 1.0 touches what matters most now."""
    top = max(rank.values(), default=0.0)
    return max((rank.get(end, 0.0) for end in ends), default=0.0) / top if top > 0 else 0.0
