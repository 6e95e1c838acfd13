"""The graph that queries see: encounters by type with their relations, and facts between entities of memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from remora.core.encounters.nodes import number, properties, trust
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.encounters.times import shown
from remora.core.facts.layout import ENTITY, FACT, read_entity, read_fact
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.graph import Edge, Item, Json, Node

FAMILIES = (ENCOUNTERS, FACTS)
ENTITY_LABEL = "MemoryEntity"
FACT_LABEL = "FACT"


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by label and relations by (label, source label, target label); `properties` are scalars and text lists."""

    nodes: dict[str, list[dict[str, Json]]] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], list[dict[str, Json]]] = field(default_factory=dict)


def graph_of(items: Iterable[Item], scrub: Callable[[str], str]) -> Graph:
    """The queryable graph of a snapshot; secrets from before are masked, relations without both ends are left out."""
    kept = list(items)
    out = Graph()
    labels: dict[str, str] = {}
    for item in kept:
        if isinstance(item, Node) and (label := _label(item)):
            labels[item.id] = label
            row: dict[str, Json] = {"uid": item.id, "properties": dict(_clean(_node(item), scrub))}
            out.nodes.setdefault(label, []).append(row)
    for item in kept:
        if isinstance(item, Edge) and item.source in labels and item.target in labels and (label := _relation(item)):
            link: dict[str, Json] = {"s": item.source, "t": item.target, "properties": dict(_clean(_edge(item), scrub))}
            out.relations.setdefault((label, labels[item.source], labels[item.target]), []).append(link)
    return out


def _label(node: Node) -> str:
    if node.family == ENCOUNTERS:
        return node.label
    return ENTITY_LABEL if node.family == FACTS and node.label == ENTITY else ""


def _relation(edge: Edge) -> str:
    if edge.family == ENCOUNTERS:
        return edge.label
    return FACT_LABEL if edge.family == FACTS and edge.label == FACT else ""


def _node(node: Node) -> Mapping[str, Json]:
    if node.family == ENCOUNTERS:
        own: dict[str, Json] = {"tick": number(node, "tick"), "trust": trust(node).name.lower()}
        return {**properties(node), "uid": node.id, "name": node.name, "t_created": shown(node.created), **own}
    entity = read_entity(node)
    return {
        "uid": node.id,
        "name": entity.name,
        "aliases": list(entity.names[1:]),
        "entity_type": entity.type or None,
        "trust": entity.trust.name.lower(),
        "t_created": shown(node.created),
    }


def _edge(edge: Edge) -> Mapping[str, Json]:
    if edge.family == ENCOUNTERS:
        return {**properties(edge), "uid": edge.id, "t_created": shown(edge.created)}
    fact = read_fact(edge)
    start, end = fact.intervals[-1] if fact.intervals else (fact.created, None)
    return {
        "uid": edge.id,
        "t_created": shown(edge.created),
        "predicate": fact.predicate,
        "confidence": fact.confidence,
        "confirmations": fact.confirmations,
        "current": fact.current,
        "valid_from": shown(start),
        "valid_to": None if end is None else shown(end),
        "citations": list(fact.citations),
        "trust": fact.trust.name.lower(),
    }


def _clean(row: Mapping[str, Json], scrub: Callable[[str], str]) -> Iterator[tuple[str, Json]]:
    """Set properties only: an absent one is null in a query."""
    for key, found in row.items():
        if isinstance(found, str):
            yield key, found if key in ("uid", "t_created") else scrub(found)
        elif isinstance(found, list):
            if found:
                yield key, [scrub(str(item)) for item in found]
        elif found is not None:
            yield key, found
