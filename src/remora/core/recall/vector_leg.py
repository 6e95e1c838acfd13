"""The vector leg of recall: what of an item is embedded, and items near a question in meaning."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from remora.core import policy
from remora.core.embedding import QueryVector
from remora.core.encounters.nodes import text
from remora.core.encounters.schema import CITATION, COMPONENT, ENCOUNTER, NODE_TYPES
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.facts.layout import FACT
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.graph import Edge, Item, Node
from remora.core.store_read import StoreRead

IDEAS: Final = tuple(name for name in NODE_TYPES if name not in (ENCOUNTER, COMPONENT, CITATION))
"""Nodes that say something; the others are names of code and sources, which words find."""
EMBEDDED: Final[Mapping[str, tuple[str, ...]]] = {FACTS: (FACT,), ENCOUNTERS: IDEAS}
"""Family -> labels whose items get a vector. An entity is found by the facts about it."""


def similar(
    view: StoreRead, families: Collection[str], scope: str, meaning: QueryVector | None
) -> list[tuple[Item, float]]:
    """Items above the model's floor, best first, with cosines stretched from the floor to 0.0 to 1.0."""
    if meaning is None:
        return []
    found = view.vector_candidates(
        families, (scope,), meaning.model, meaning.data, floor=meaning.floor, limit=policy.VECTOR_LIMIT
    )
    span = max(1e-9, 1.0 - meaning.floor)
    return [(item, (score - meaning.floor) / span) for item, score in found]


def nearest(
    view: StoreRead, families: Collection[str], scope: str, meaning: QueryVector | None, limit: int
) -> tuple[tuple[Item, float], ...]:
    """The items nearest to a question with their cosines, also below the model's floor."""
    if meaning is None:
        return ()
    return view.vector_candidates(families, (scope,), meaning.model, meaning.data, floor=0.0, limit=limit)


def fact_passage(subject: str, predicate: str, target: str) -> str:
    """A fact as the sentence that is embedded."""
    return f"{subject} {predicate.replace('_', ' ').lower()} {target}"


def ends_of(view: StoreRead, items: Iterable[Item], scope: str) -> dict[str, Node]:
    """The nodes at the ends of the edges among the items."""
    ends = {end for item in items if isinstance(item, Edge) for end in (item.source, item.target)}
    return {name: node for name, node in view.get(ends, (scope,)).items() if isinstance(node, Node)}


def passage(item: Item, nodes: Mapping[str, Node]) -> str:
    """What of an item is embedded; `nodes` hold the ends of facts. "" where there is nothing to say."""
    if isinstance(item, Edge):
        ends = [nodes[end].name for end in (item.source, item.target) if end in nodes]
        return fact_passage(ends[0], item.name, ends[1]) if len(ends) == 2 else ""
    return f"{item.name}. {text(item, 'description') or text(item, 'summary')}"
