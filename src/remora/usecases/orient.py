"""The instrument panel in one call: what is heavy, what is open, what hangs by a thread, and what moved."""

from dataclasses import dataclass

from remora.core.analytics.panel import Panel, Readings, baseline, compose, frontier_seeds
from remora.core.analytics.topology import project
from remora.core.encounters import spine
from remora.core.encounters.frontier import frontier
from remora.core.encounters.reentry import unsealed_cards
from remora.core.encounters.schema import SPINE_FAMILY
from remora.core.encounters.snapshot import Snapshot, refreshed
from remora.core.encounters.values import Scrub, scrubber
from remora.core.errors import InvalidInput
from remora.core.graph import Json, Node
from remora.core.policy import PANEL_LIMIT, PANEL_LIMIT_MAX
from remora.core.scope import REPOSITORY, SYSTEM, Grant
from remora.ports import AnalysisPorts, StoreRead


@dataclass(frozen=True, slots=True)
class Orientation:
    """The panel (see docs/reference.md for its parts), and the store sequence that it describes."""

    panel: Panel
    seq: int


@dataclass(frozen=True, slots=True)
class _Kept:
    snapshot: Snapshot
    panel: Panel


def orient(ports: AnalysisPorts, grant: Grant, *, result_limit: int = PANEL_LIMIT) -> Orientation:
    """Read the whole authored graph. Unchanged encounters are answered from this process's cache."""
    if not 1 <= result_limit <= PANEL_LIMIT_MAX:
        raise InvalidInput("result_limit", f"{result_limit} is out of range", allowed=f"1 to {PANEL_LIMIT_MAX}")
    key = ("orient", ports.repository.id, grant, result_limit)
    scrub = scrubber(ports.redact)
    with ports.store.read(grant) as view:
        kept = ports.cache.get(key)
        known = kept if isinstance(kept, _Kept) else None
        snapshot = refreshed(known.snapshot if known else _shared(ports, grant), view)
        if known is None or known.snapshot.changed != snapshot.changed:
            known = _Kept(snapshot, _panel(ports, snapshot, result_limit, scrub))
        ports.cache.put(key, _Kept(snapshot, known.panel))
        ports.cache.put(("snapshot", ports.repository.id, grant), snapshot)
        unsealed = _unsealed(view, result_limit, scrub)
        seq = view.seq
    return Orientation({**known.panel, "unsealed": unsealed}, seq)


def _shared(ports: AnalysisPorts, grant: Grant) -> Snapshot | None:
    found = ports.cache.get(("snapshot", ports.repository.id, grant))
    return found if isinstance(found, Snapshot) else None


def _panel(ports: AnalysisPorts, snapshot: Snapshot, limit: int, scrub: Scrub) -> Panel:
    graph, encounters = snapshot.graph, snapshot.encounters
    cuts = frontier(graph)
    seeds = frontier_seeds(cuts)
    projection = project(graph.nodes, graph.edges)
    topology, metrics = projection.topology, ports.metrics
    before = baseline(graph, encounters).graph
    earlier = project(before.nodes, before.edges)
    paths, fragile = metrics.betweenness(topology), metrics.fragility(topology)
    readings = Readings(
        mass=metrics.article_rank(topology),
        frontier_mass=metrics.pagerank(topology, {projection.index[item]: 1.0 for item in seeds.ids}),
        betweenness=paths.scores,
        pivots=paths.pivots,
        communities=metrics.communities(topology),
        components=metrics.components(topology),
        articulation_points=fragile.articulation_points,
        bridges=fragile.bridges,
        baseline=dict(zip(earlier.ids, metrics.article_rank(earlier.topology), strict=True)),
    )
    return compose(graph, encounters, cuts, projection, readings, limit, scrub)


def _unsealed(view: StoreRead, limit: int, scrub: Scrub) -> dict[str, Json]:
    page, more = view.scan(SPINE_FAMILY, spine.OPEN_LABEL, (SYSTEM,), limit=limit, newest_first=True)
    markers = [item for item in page if isinstance(item, Node)]
    encounters = view.get([str(marker.body.get("encounter", "")) for marker in markers], (REPOSITORY,))
    return {"encounters": unsealed_cards(markers, encounters, scrub), "more": bool(more)}
