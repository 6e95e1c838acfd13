"""The instrument panel of `orient`: metric readings put side by side, so that accumulation cannot pass for meaning."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from remora.core.analytics.ranking import divergence, drift, ranked
from remora.core.analytics.topology import Projection, clustering, neighbours
from remora.core.encounters.frontier import Frontier
from remora.core.encounters.nodes import Authored, number, reference
from remora.core.encounters.values import Scrub
from remora.core.graph import Json, Node
from remora.core.policy import WEAVE_DEGREE_MIN

Panel = dict[str, Json]
_MEMBERS_SHOWN = 5
"""Members named per community or component: enough to recognise it."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where frontier mass restarts: `mode` is "open work", "all cuts" (no open work) or "none"."""

    mode: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Readings:
    """What the metrics say, by node number of the projection; the baseline by id."""

    mass: Sequence[float]
    frontier_mass: Sequence[float]
    betweenness: Sequence[float]
    pivots: int
    communities: Sequence[int]
    components: Sequence[int]
    articulation_points: Sequence[int]
    bridges: Sequence[tuple[int, int]]
    baseline: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Baseline:
    """The graph as it was before the newest first-of-session encounter ("" when there is none)."""

    encounter: str
    graph: Authored


def frontier_seeds(frontier: Frontier) -> Seeds:
    """Unanswered questions and untested hypotheses; without any, all five cuts."""
    if frontier.open_work:
        return Seeds("open work", frontier.open_work)
    return Seeds("all cuts", frontier.all) if frontier.all else Seeds("none")


def baseline(graph: Authored, encounters: Iterable[Node]) -> Baseline:
    """Nodes and relations written before the newest encounter that was its session's first."""
    firsts = [node for node in encounters if node.body.get("first") is True]
    if not firsts:
        return Baseline("", Authored({}, ()))
    newest = max(firsts, key=lambda node: (number(node, "tick"), node.id))
    nodes = {item: node for item, node in graph.nodes.items() if node.created < newest.created}
    edges = tuple(
        edge for edge in graph.edges if edge.created < newest.created and edge.source in nodes and edge.target in nodes
    )
    return Baseline(reference(newest), Authored(nodes, edges))


def compose(
    graph: Authored,
    encounters: Sequence[Node],
    frontier: Frontier,
    projection: Projection,
    readings: Readings,
    limit: int,
    scrub: Scrub,
) -> Panel:
    """The panel but for the unsealed set; each list holds at most `limit` entries beside its total."""
    names = _Names(graph.nodes, scrub)
    mass = dict(zip(projection.ids, readings.mass, strict=True))
    reached = {item: score for item, score in zip(projection.ids, readings.frontier_mass, strict=True) if score > 0}
    seeds = frontier_seeds(frontier)
    return {
        "frontier": {cut.name: names.list(getattr(frontier, cut.name), limit) for cut in fields(frontier)},
        "mass": names.scores(mass, limit),
        "frontier_mass": {"seed_mode": seeds.mode, "seeds": len(seeds.ids), **names.scores(reached, limit)},
        "divergence": _divergence(mass, reached, names, limit),
        "betweenness": {
            "method": f"estimated from {readings.pivots} pivots" if readings.pivots else "exact",
            **names.scores(_positive(projection, readings.betweenness), limit),
        },
        "communities": _groups(projection, readings.communities, mass, names, limit),
        "components": _groups(projection, readings.components, mass, names, limit),
        "fragility": {
            "articulation_points": names.list(_by_mass(projection, readings.articulation_points, mass), limit),
            "bridges": names.pairs(projection.pairs(readings.bridges), limit),
        },
        "weave_audit": weave_audit(projection, names, limit),
        "drift": _drift(readings.baseline, mass, scrub(baseline(graph, encounters).encounter), names, limit),
        "projection": {
            "nodes": len(projection.ids),
            "relations": len(graph.edges),
            "pairs": len(projection.topology.edges),
            "encounters_left_out": len(encounters),
        },
    }


class _Names:
    """Turns ids into typed names, in bounded lists that say how many there are in all."""

    def __init__(self, nodes: Mapping[str, Node], scrub: Scrub) -> None:
        self._nodes = nodes
        self._scrub = scrub

    def __call__(self, item: str) -> str:
        return self._scrub(reference(self._nodes[item]))

    def list(self, ids: Sequence[str], limit: int) -> dict[str, Json]:
        return {"total": len(ids), "nodes": [self(item) for item in ids[:limit]]}

    def pairs(self, pairs: Sequence[tuple[str, str]], limit: int) -> dict[str, Json]:
        return {"total": len(pairs), "pairs": [[self(a), self(b)] for a, b in pairs[:limit]]}

    def scores(self, scores: Mapping[str, float], limit: int) -> dict[str, Json]:
        top: list[Json] = [{"node": self(item), "score": round(scores[item], 6)} for item in ranked(scores)[:limit]]
        return {"total": len(scores), "top": top}

    def moved(self, moved: Sequence[tuple[str, float]], key: str, limit: int) -> dict[str, Json]:
        return {"total": len(moved), "top": [{"node": self(item), key: by} for item, by in moved[:limit]]}


def weave_audit(projection: Projection, names: _Names, limit: int) -> dict[str, Json]:
    """Stars that no cross-links hold: degree x (1 - local clustering) of nodes with three neighbours or more."""
    adjacent = neighbours(projection.topology)
    local = clustering(adjacent)
    rows = {
        item: len(adjacent[at]) * (1.0 - local[at])
        for at, item in enumerate(projection.ids)
        if len(adjacent[at]) >= WEAVE_DEGREE_MIN
    }
    top: list[Json] = [
        {
            "node": names(item),
            "degree": len(adjacent[projection.index[item]]),
            "clustering": round(local[projection.index[item]], 4),
            "score": round(rows[item], 4),
        }
        for item in ranked(rows)[:limit]
    ]
    return {"total": len(rows), "top": top}


def _positive(projection: Projection, scores: Sequence[float]) -> dict[str, float]:
    return {item: score for item, score in zip(projection.ids, scores, strict=True) if score > 0}


def _divergence(
    mass: Mapping[str, float], frontier_mass: Mapping[str, float], names: _Names, limit: int
) -> dict[str, Json]:
    found = divergence(mass, frontier_mass)
    heavy = sorted(((item, by) for item, by in found.items() if by > 0), key=lambda pair: (-pair[1], pair[0]))
    lifted = sorted(((item, by) for item, by in found.items() if by < 0), key=lambda pair: (pair[1], pair[0]))
    return {
        "compared": len(found),
        "prominent_only_by_accumulation": names.moved(heavy, "divergence", limit),
        "lifted_by_open_work": names.moved(lifted, "divergence", limit),
    }


def _groups(
    projection: Projection, numbers: Sequence[int], mass: Mapping[str, float], names: _Names, limit: int
) -> dict[str, Json]:
    members: dict[int, dict[str, float]] = defaultdict(dict)
    for item, number_of in zip(projection.ids, numbers, strict=True):
        members[number_of][item] = mass[item]
    rows: list[Json] = [
        {"size": len(members[group]), "heaviest": [names(item) for item in ranked(members[group])[:_MEMBERS_SHOWN]]}
        for group in sorted(members)[:limit]
    ]
    return {"total": len(members), "groups": rows}


def _by_mass(projection: Projection, nodes: Iterable[int], mass: Mapping[str, float]) -> list[str]:
    return ranked({projection.ids[node]: mass[projection.ids[node]] for node in nodes})


def _drift(
    before: Mapping[str, float], mass: Mapping[str, float], encounter: str, names: _Names, limit: int
) -> dict[str, Json]:
    moved = drift(before, mass)
    return {
        "since": encounter,
        "baseline_nodes": len(before),
        "risers": names.moved(moved.risers, "shift", limit),
        "fallers": names.moved(moved.fallers, "shift", limit),
        "new": names.list(moved.new, limit),
    }
