"""Focused graph analytics: a session's named projections, and one metric at a time over them."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remora.core.analytics.named import Definition, Shelf, shelf_id
from remora.core.analytics.ranking import ranked
from remora.core.analytics.topology import Projection
from remora.core.encounters.nodes import Authored, reference
from remora.core.encounters.snapshot import Snapshot, refreshed
from remora.core.encounters.values import Scrub, name_of, scrubber
from remora.core.errors import InvalidInput
from remora.core.graph import Changes, Json
from remora.core.policy import PANEL_LIMIT, PANEL_LIMIT_MAX
from remora.core.scope import SYSTEM, Grant
from remora.core.sessions import SessionRef, resolve
from remora.ports import AnalysisPorts, StoreRead

METRICS = ("pagerank", "articlerank", "betweenness", "leiden", "wcc")
_MEMBERS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ProjectionRequest:
    """What a projection holds; empty lists mean every authored type or relation."""

    name: str
    session: SessionRef
    node_types: Sequence[str] = ()
    rel_types: Sequence[str] = ()
    undirected: bool = False


@dataclass(frozen=True, slots=True)
class Projected:
    """A projection's name and how much of the graph it holds now; `pairs` counts several relations of a pair once."""

    name: str
    nodes: int
    pairs: int
    directed: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One metric: scores by node, best first, or groups, largest first; `total` counts them before the limit."""

    projection: str
    metric: str
    rows: tuple[Json, ...]
    total: int
    truncated: bool
    method: str = "exact"


def create_projection(ports: AnalysisPorts, grant: Grant, request: ProjectionRequest) -> Projected:
    """Keep a definition under a name of the session's own; the same name again replaces it.

    Raises `InvalidInput`, `NotFound` (no such session), `LimitReached`.
    """
    name = name_of(request.name, "name", scrubber(ports.redact))
    definition = Definition.checked(name, request.node_types, request.rel_types, undirected=request.undirected)
    _rewrite(ports, grant, request.session, lambda shelf: shelf.with_one(definition))
    with ports.store.read(grant) as view:
        projection = definition.applied(_graph(ports, grant, view))
    return Projected(name, len(projection.ids), len(projection.topology.edges), not definition.undirected)


def drop_projection(ports: AnalysisPorts, grant: Grant, projection: str, session: SessionRef) -> None:
    """Forget a definition. Raises `NotFound` for an unknown session or projection."""
    _rewrite(ports, grant, session, lambda shelf: shelf.without(projection))


def run_metric(
    ports: AnalysisPorts,
    grant: Grant,
    metric: str,
    projection: str,
    session: SessionRef,
    *,
    result_limit: int = PANEL_LIMIT,
) -> Reading:
    """One of `METRICS` over a projection of the session's, computed from the graph as it is now."""
    if metric not in METRICS:
        raise InvalidInput("metric", f"{metric[:40]!r} is unknown", allowed=", ".join(METRICS))
    if not 1 <= result_limit <= PANEL_LIMIT_MAX:
        raise InvalidInput("result_limit", f"{result_limit} is out of range", allowed=f"1 to {PANEL_LIMIT_MAX}")
    with ports.store.read(grant) as view:
        owner = resolve(view, grant, session, ports.clock.now()).id
        definition = Shelf.of(owner, view.get((shelf_id(owner),), (SYSTEM,))).find(projection)
        graph = _graph(ports, grant, view)
    projected = definition.applied(graph)
    scrub = scrubber(ports.redact)
    if metric in ("leiden", "wcc"):
        find = ports.metrics.communities if metric == "leiden" else ports.metrics.components
        rows, method = _groups(graph, projected, find(projected.topology), scrub), "exact"
    else:
        scores, method = _scores(ports, metric, projected)
        rows = _scored(graph, projected, scores, scrub)
    kept = tuple(rows[:result_limit])
    return Reading(definition.name, metric, kept, len(rows), len(kept) < len(rows), method)


def _rewrite(ports: AnalysisPorts, grant: Grant, ref: SessionRef, change: Callable[[Shelf], Shelf]) -> None:
    def decide(view: StoreRead, now: int) -> Changes:
        session = resolve(view, grant, ref, now).id
        shelf = Shelf.of(session, view.get((shelf_id(session),), (SYSTEM,)))
        return Changes(put=(change(shelf).node(now),))

    ports.store.apply(grant, decide)


def _graph(ports: AnalysisPorts, grant: Grant, view: StoreRead) -> Authored:
    key = ("snapshot", ports.repository.id, grant)
    kept = ports.cache.get(key)
    snapshot = refreshed(kept if isinstance(kept, Snapshot) else None, view)
    ports.cache.put(key, snapshot)
    return snapshot.graph


def _scores(ports: AnalysisPorts, metric: str, projected: Projection) -> tuple[Sequence[float], str]:
    if metric == "pagerank":
        return ports.metrics.pagerank(projected.topology), "exact"
    if metric == "articlerank":
        return ports.metrics.article_rank(projected.topology), "exact"
    found = ports.metrics.betweenness(projected.topology)
    return found.scores, f"estimated from {found.pivots} pivots" if found.pivots else "exact"


def _scored(graph: Authored, projected: Projection, scores: Sequence[float], scrub: Scrub) -> list[Json]:
    by_id = dict(zip(projected.ids, scores, strict=True))
    return [{"node": scrub(reference(graph.nodes[item])), "score": round(by_id[item], 6)} for item in ranked(by_id)]


def _groups(graph: Authored, projected: Projection, numbers: Sequence[int], scrub: Scrub) -> list[Json]:
    members: dict[int, list[str]] = defaultdict(list)
    for item, number in zip(projected.ids, numbers, strict=True):
        members[number].append(scrub(reference(graph.nodes[item])))
    return [
        {
            "group": number,
            "size": len(members[number]),
            "members": [*sorted(members[number])[:_MEMBERS_SHOWN]],
            "more": max(0, len(members[number]) - _MEMBERS_SHOWN),
        }
        for number in sorted(members)
    ]
