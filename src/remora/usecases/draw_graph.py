"""Draw a part of memory's graph: entities with their current facts, and encounter nodes with their relations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.analytics.topology import neighbours, project
from remora.core.drawing import Dot, Drawing, Line, arranged, outward
from remora.core.encounters.identity import candidate_ids
from remora.core.encounters.schema import ENCOUNTER, RELATIONS
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidInput, NotFound
from remora.core.facts.decide import entities_named
from remora.core.facts.layout import ENTITY, FACT, edge_holds
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.graph import Edge, Item, Node
from remora.core.scope import REPOSITORY, Grant
from remora.ports import AnalysisPorts, StoreRead

_HERE = (REPOSITORY,)
_LABELS = (FACT, *RELATIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRequest:
    """`focus` is the id of an entity, a fact or a node, `name` a name of one; without either a hub of late is drawn."""

    focus: str = ""
    name: str = ""
    nodes: int = policy.GRAPH_NODES


def draw_graph(ports: AnalysisPorts, grant: Grant, request: DrawRequest) -> Drawing:
    """The nodes nearest to the focus, or around the best connected ones, laid out. Unchanged ones come from the cache.

    Raises `NotFound` for a focus that is not there.
    """
    if not 1 <= request.nodes <= policy.GRAPH_NODES_MAX:
        raise InvalidInput("nodes", f"is {request.nodes}", allowed=f"1 to {policy.GRAPH_NODES_MAX}")
    with ports.store.read(grant) as view:
        key = ("drawing", ports.repository.id, grant, request)
        kept = ports.cache.get(key)
        if isinstance(kept, _Kept) and kept.seq == view.seq:
            return kept.drawing
        focus = _focus(view, request)
        if focus:
            nodes, edges, truncated = _around(view, focus, request.nodes)
        else:
            nodes, edges, truncated = _newest(view, request.nodes)
        seq = view.seq
    drawing = replace(_laid_out(ports, nodes, edges), focus=tuple(focus), truncated=truncated)
    ports.cache.put(key, _Kept(seq, drawing))
    return drawing


@dataclass(frozen=True, slots=True)
class _Kept:
    seq: int
    drawing: Drawing


def _focus(view: StoreRead, request: DrawRequest) -> list[str]:
    if request.name:
        found = list(entities_named(view, REPOSITORY, (request.name,)).values())
        found += list(view.get(candidate_ids(request.name), _HERE))
        if not found:
            raise NotFound("nothing here has this name", advice="search the list for it")
        return found
    if not request.focus:
        return []
    item = view.get((request.focus,), _HERE).get(request.focus)
    if isinstance(item, Edge) and item.label == FACT:
        return [item.source, item.target]
    if isinstance(item, Node) and _drawn(item):
        return [item.id]
    raise NotFound("nothing that is drawn has this id", advice="search the list for it")


def _drawn(item: Item) -> bool:
    return item.label == ENTITY or item.family == ENCOUNTERS


def _tells(edge: Edge) -> bool:
    return edge.label != FACT or edge_holds(edge, None)


def _around(view: StoreRead, focus: Sequence[str], size: int) -> tuple[dict[str, Node], dict[str, Edge], bool]:
    """Ring by ring from the focus, until there are enough nodes or no more."""
    found = {item.id: item for item in view.get(focus, _HERE).values() if isinstance(item, Node)}
    edges: dict[str, Edge] = {}
    rim: list[str] = sorted(found)
    truncated = False
    while rim:
        near = view.expand(
            rim, _HERE, labels=_LABELS, per_node=policy.GRAPH_EDGES_PER_NODE, limit=policy.GRAPH_EDGES_PER_NODE * size
        )
        truncated = truncated or near.truncated
        fresh = {node.id: node for node in near.nodes if node.id not in found and _drawn(node)}
        held = [edge for edge in near.edges if _tells(edge)]
        met = {end for edge in held for end in (edge.source, edge.target)}
        rim = sorted(item for item in fresh if item in met)
        if len(found) + len(rim) > size:
            rim, truncated = rim[: size - len(found)], True
        found |= {item: fresh[item] for item in rim}
        edges |= {edge.id: edge for edge in held}
    return found, {item: e for item, e in edges.items() if e.source in found and e.target in found}, truncated


def _newest(view: StoreRead, size: int) -> tuple[dict[str, Node], dict[str, Edge], bool]:
    """The best connected ends of the newest facts and relations, and, of a small drawing, what is around them."""
    edges: list[Edge] = []
    more = False
    for family, label in ((FACTS, FACT), *((ENCOUNTERS, label) for label in RELATIONS)):
        after, held = "", 0
        while held < size:
            items, after = view.scan(family, label, _HERE, after=after, limit=policy.LIST_LIMIT_MAX, newest_first=True)
            kept = [item for item in items if isinstance(item, Edge) and _tells(item)]
            held += len(kept)
            edges += kept
            if not after:
                break
        more = more or bool(after)
    projection = project((end for edge in edges for end in (edge.source, edge.target)), edges)
    order = outward(neighbours(projection.topology))
    ids = [projection.ids[node] for node in order]
    nodes: dict[str, Node] = {}
    around: dict[str, Edge] = {}
    for _ in range(policy.GRAPH_STARTS if more and size <= policy.GRAPH_NODES else 0):
        start = next((item for item in ids if item not in nodes), "")
        if not start or len(nodes) >= size:
            break
        ring, lines, cut = _around(view, [start], size - len(nodes))
        nodes, around, more = nodes | ring, around | lines, more or cut
    rest = view.get([item for item in ids if item not in nodes][: size - len(nodes)], _HERE)
    nodes |= {item.id: item for item in rest.values() if isinstance(item, Node)}
    more = more or any(item not in nodes for item in ids)
    told = around | {edge.id: edge for edge in edges}
    return nodes, {item: e for item, e in told.items() if e.source in nodes and e.target in nodes}, more


def _laid_out(ports: AnalysisPorts, nodes: dict[str, Node], edges: dict[str, Edge]) -> Drawing:
    scrub = scrubber(ports.redact)
    projection = project(nodes, edges.values())
    components = ports.metrics.components(projection.topology)
    places = arranged(projection.topology, components, ports.metrics.layout)
    degrees = [0] * len(projection.ids)
    for a, b in projection.topology.edges:
        degrees[a] += 1
        degrees[b] += 1
    dots = [
        Dot(
            id=item, name=scrub(nodes[item].name), kind=_kind(nodes[item]), family=nodes[item].family,
            x=places[at][0], y=places[at][1], degree=degrees[at], group=components[at],
        )
        for at, item in enumerate(projection.ids)
    ]  # fmt: skip
    return Drawing(dots=tuple(dots), lines=tuple(_lines(edges.values())))


def _kind(node: Node) -> str:
    if node.label != ENTITY:
        return "encounter" if node.label == ENCOUNTER else node.label.lower()
    return "entity"


def _lines(edges: Iterable[Edge]) -> list[Line]:
    named = [Line(id=e.id, source=e.source, target=e.target, name=e.name or e.label) for e in edges]
    return sorted(named, key=lambda line: line.id)
