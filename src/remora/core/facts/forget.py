"""Forgetting for good: a fact, or an entity with its names and facts. Ids stay as tombstones, text does not."""

from collections.abc import Collection, Iterable

from remora.core.errors import Denied, NotFound
from remora.core.facts.decide import EVERYTHING, entities_of, facts_of, total_counts
from remora.core.facts.draft import Draft, Found
from remora.core.facts.layout import ENTITY, FACT, Fact
from remora.core.facts.words import is_user_key
from remora.core.graph import Changes, Item, Json
from remora.core.scope import Trust
from remora.core.store_read import StoreRead


def forget(
    view: StoreRead, scope: str, *, facts: Collection[str], entities: Collection[str], trust: Trust, now: int
) -> Changes:
    """Drop facts and entities (by id) with all facts of these, and ends that nothing else mentions.

    Raises `NotFound` when an id is no fact or entity of the scope, and `Denied` when anything to go was saved with
    higher trust than the caller's.
    """
    draft = Draft(scope, _look_up(view, scope, facts, entities), now)
    doomed = {item: draft.facts[item] for item in facts}
    for entity in entities:
        doomed |= {fact.id: fact for fact in draft.around(entity)}
    above = sum(fact.trust > trust for fact in doomed.values())
    above += sum(draft.entities[entity].trust > trust for entity in entities)
    if above:
        raise Denied(
            f"{above} of these were saved with higher trust than this caller's ({trust.name.lower()})",
            advice="ask whoever saved them, or an administrator, to forget them",
        )
    for fact in doomed.values():
        draft.drop_fact(fact)
    orphans = _orphans(draft, doomed.values(), entities)
    for entity in (*entities, *orphans):
        draft.drop_entity(draft.entities[entity])
    result: dict[str, Json] = {
        "facts": [*sorted(doomed)],
        "entities": [*sorted((*entities, *orphans))],
        "totals": draft.totals(),
    }
    return draft.changes(result)


def _look_up(view: StoreRead, scope: str, facts: Collection[str], entities: Collection[str]) -> Found:
    wanted = view.get((*facts, *entities), (scope,))
    missing = [item for item in facts if item not in wanted or wanted[item].label != FACT]
    missing += [item for item in entities if item not in wanted or wanted[item].label != ENTITY]
    if missing:
        raise NotFound(f"{len(missing)} of these are not known here", advice="search for them first")
    near = view.expand(entities, (scope,), labels=(FACT,), per_node=EVERYTHING, limit=EVERYTHING)
    doomed = facts_of((*wanted.values(), *near.edges))
    ends = {end for fact in doomed.values() for end in (fact.subject, fact.object)}.difference(entities)
    # One more than can go at each end: enough to see whether something stays.
    rest = view.expand(ends, (scope,), labels=(FACT,), per_node=len(doomed) + 1, limit=EVERYTHING)
    items: tuple[Item, ...] = (*wanted.values(), *near.nodes, *rest.nodes)
    known = entities_of(items)
    entity_count, fact_count = total_counts(view, scope)
    return Found(
        aliases={key: entity.id for entity in known.values() for key in entity.keys},
        entities=known,
        facts=doomed | facts_of(rest.edges),
        entity_count=entity_count,
        fact_count=fact_count,
    )


def _orphans(draft: Draft, gone: Iterable[Fact], named: Collection[str]) -> list[str]:
    """Ends that no fact mentions any more. A person or an entity with several names is known for its own sake."""
    ends = dict.fromkeys(end for fact in gone for end in (fact.subject, fact.object))
    return [
        end
        for end in ends
        if end not in named
        and not draft.around(end)
        and len(draft.entities[end].names) == 1
        and not is_user_key(draft.entities[end].keys[0])
    ]
