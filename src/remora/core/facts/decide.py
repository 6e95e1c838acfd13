"""Planning against a store's view: look up what a batch needs, then plan. Runs inside the write transaction."""

from collections.abc import Collection, Iterable, Mapping

from remora.core import policy
from remora.core.facts.batch import Batch, Needs
from remora.core.facts.draft import Found, Writer
from remora.core.facts.layout import (
    ENTITY,
    FACT,
    FAMILY,
    TOMBSTONE,
    Entity,
    Fact,
    alias_id,
    alias_target,
    read_entity,
    read_fact,
)
from remora.core.facts.plan import Plan, plan
from remora.core.graph import Edge, Item
from remora.core.store_read import StoreRead
from remora.core.text import name_key

EVERYTHING = policy.FACTS_PER_REPOSITORY + policy.FACTS_PER_SESSION
"""More edges than any scope may hold: a read bounded by it is whole."""


def decide(view: StoreRead, batch: Batch, writer: Writer, now: int) -> Plan:
    """Look up and plan a batch. Raises `InvalidBatch` or `LimitReached`, unless the batch was extracted."""
    aliases = known_names(view, batch.scope, batch.alias_ids())
    found = look_up(view, batch.scope, batch.needs(aliases), aliases)
    return plan(batch, found, writer, now)


def known_names(view: StoreRead, scope: str, alias_ids: Mapping[str, str]) -> dict[str, str]:
    """Name key -> entity id, for the names (alias node id -> key) that exist."""
    return {alias_ids[item]: alias_target(node) for item, node in view.get(alias_ids, (scope,)).items()}


def entities_named(view: StoreRead, scope: str, names: Iterable[str]) -> dict[str, str]:
    """Name as given -> entity id, for the names that exist."""
    keys = {name: name_key(name) for name in names}
    known = known_names(view, scope, {alias_id(scope, key): key for key in keys.values() if key})
    return {name: known[key] for name, key in keys.items() if key in known}


def look_up(view: StoreRead, scope: str, needs: Needs, aliases: Mapping[str, str]) -> Found:
    """Read everything that a plan needs, in at most four reads."""
    items = view.get((*needs.facts, *needs.tombstones, *set(aliases.values())), (scope,))
    if needs.subjects:
        items |= _edges(view, needs.subjects, scope, needs.predicates, incoming=False)
    if needs.around:
        items |= _edges(view, needs.around, scope, (), incoming=True)
    entity_count, fact_count = total_counts(view, scope)
    return Found(
        aliases=aliases,
        entities=entities_of(items.values()),
        facts=facts_of(items.values()),
        tombstones=frozenset(str(item.body.get("item")) for item in items.values() if item.label == TOMBSTONE),
        entity_count=entity_count,
        fact_count=fact_count,
    )


def total_counts(view: StoreRead, scope: str) -> tuple[int, int]:
    """How many entities and facts the scope holds, closed ones included."""
    counts = view.counts((scope,))
    return counts.get((FAMILY, ENTITY, scope), 0), counts.get((FAMILY, FACT, scope), 0)


def _edges(
    view: StoreRead, ids: Collection[str], scope: str, names: Collection[str], *, incoming: bool
) -> dict[str, Item]:
    near = view.expand(
        ids, (scope,), labels=(FACT,), names=names, incoming=incoming, per_node=EVERYTHING, limit=EVERYTHING
    )
    items: dict[str, Item] = {node.id: node for node in near.nodes}
    return items | {edge.id: edge for edge in near.edges}


def entities_of(items: Iterable[Item]) -> dict[str, Entity]:
    """The entities among the items, by id."""
    return {item.id: read_entity(item) for item in items if item.label == ENTITY}


def facts_of(items: Iterable[Item]) -> dict[str, Fact]:
    """The facts among the items, by id."""
    return {item.id: read_fact(item) for item in items if isinstance(item, Edge) and item.label == FACT}
