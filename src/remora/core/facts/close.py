"""Ending a fact: it holds no longer, and its history stays."""

from dataclasses import replace

from remora.core.errors import Conflict, Denied, NotFound
from remora.core.facts.intervals import closed
from remora.core.facts.layout import ENTITY, FACT, Fact, fact_edge, read_fact
from remora.core.graph import Edge
from remora.core.scope import Trust
from remora.core.store_read import StoreRead


def closing(view: StoreRead, scope: str, fact_id: str, trust: Trust, now: int) -> tuple[Fact, Edge]:
    """The fact as it is, and as an edge that ends now.

    Raises `NotFound`, `Conflict` for one that is closed already, and `Denied` for one of higher trust.
    """
    item = view.get((fact_id,), (scope,)).get(fact_id)
    if item is None or item.label != FACT:
        raise NotFound("no fact has this id", advice="look for it in the list")
    fact = read_fact(item)
    if not fact.current:
        raise Conflict("this fact is closed already", advice="its history shows since when")
    if fact.trust > trust:
        raise Denied(
            f"this was saved with higher trust than this caller's ({trust.name.lower()})",
            advice="ask whoever saved it, or an administrator",
        )
    ends = view.get((fact.subject, fact.object), (scope,))
    names = {end: ends[end].name if end in ends and ends[end].label == ENTITY else end for end in ends}
    ended = replace(fact, intervals=closed(fact.intervals, now), updated=now)
    return fact, fact_edge(ended, names.get(fact.subject, ""), names.get(fact.object, ""))
