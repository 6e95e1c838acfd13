"""Read the facts around named entities, one or two hops out."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.facts.decide import entities_named
from remora.core.facts.layout import FACT, read_entity, read_fact
from remora.core.facts.place import ScopeName, place_of
from remora.core.facts.rows import EntityRow, FactRow, entity_row, fact_row
from remora.core.facts.words import predicate_name
from remora.core.graph import Json
from remora.core.recall.notice import NOTICE
from remora.core.scope import Grant
from remora.core.sessions import SessionRef
from remora.ports import FactPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySubgraphRequest:
    """Names to start from (aliases count), how far to go, and which predicates to follow. `as_of` is microseconds."""

    entities: Sequence[str]
    hops: int = 1
    predicates: Sequence[str] = ()
    limit: int = policy.SUBGRAPH_LIMIT
    history: bool = False
    as_of: int | None = None
    memory_scope: str = ScopeName.REPOSITORY
    session: SessionRef = field(default_factory=SessionRef)
    max_chars: int = policy.REPLY_MAX_CHARS


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgraph:
    """Entities and facts; `unknown` are asked names that lead to nothing."""

    nodes: tuple[EntityRow, ...]
    facts: tuple[FactRow, ...]
    unknown: tuple[str, ...]
    truncated: bool
    history: bool
    as_of: int | None

    def to_json(self) -> dict[str, Json]:
        """The subgraph with its notice, and how `as_of` was read."""
        row: dict[str, Json] = {
            "nodes": [node.to_json() for node in self.nodes],
            "facts": [fact.to_json(history=self.history) for fact in self.facts],
            "unknown": list(self.unknown),
            "truncated": self.truncated,
            "notice": NOTICE,
        }
        if self.as_of is not None:
            row["as_of_note"] = "facts by their validity at that time, under today's names"
        return row


def query_subgraph(ports: FactPorts, grant: Grant, request: QuerySubgraphRequest) -> Subgraph:
    """Facts around the entities, newest first, in at most `limit` facts and `max_chars` of JSON."""
    if request.hops not in (1, 2):
        raise InvalidInput("hops", f"is {request.hops}", allowed="1 or 2")
    if not 1 <= request.limit <= policy.SUBGRAPH_LIMIT_MAX:
        raise InvalidInput("limit", f"is {request.limit}", allowed=f"1 to {policy.SUBGRAPH_LIMIT_MAX}")
    if not 1 <= len(request.entities) <= policy.SUBGRAPH_ENTITIES_MAX:
        allowed = f"1 to {policy.SUBGRAPH_ENTITIES_MAX} names"
        raise InvalidInput("entities", f"has {len(request.entities)} names", allowed=allowed)
    predicates = [predicate_name("predicates", name, ports.redact) for name in request.predicates]
    scope = ScopeName.parse(request.memory_scope)
    with ports.store.read(grant) as view:
        place = place_of(view, grant, scope, request.session, ports.clock.now())
        known = entities_named(view, place.scope, request.entities)
        near = view.expand(
            set(known.values()),
            (place.scope,),
            labels=(FACT,),
            names=predicates,
            hops=request.hops,
            per_node=policy.SUBGRAPH_LIMIT_MAX,
            limit=policy.SUBGRAPH_LIMIT_MAX * request.hops,
        )
        starts = view.get(known.values(), (place.scope,)).values()
    entities = {node.id: read_entity(node) for node in (*starts, *near.nodes)}
    facts = [fact for fact in map(read_fact, near.edges) if request.history or fact.holds(request.as_of)]
    first = set(known.values())
    facts.sort(key=lambda fact: (not {fact.subject, fact.object} & first, -fact.updated, fact.id))
    names = {item: entity.name for item, entity in entities.items()}
    rows = [fact_row(fact, names, ports.redact) for fact in facts[: request.limit]]
    kept = _fitting(rows, request)
    ends = first | {end for row in kept for end in (row.fact.subject, row.fact.object)}
    return Subgraph(
        nodes=tuple(entity_row(entities[item], ports.redact) for item in sorted(ends) if item in entities),
        facts=kept,
        unknown=tuple(ports.redact(name) for name in request.entities if name not in known),
        truncated=near.truncated or len(kept) < len(facts),
        history=request.history,
        as_of=request.as_of,
    )


def _fitting(rows: Sequence[FactRow], request: QuerySubgraphRequest) -> tuple[FactRow, ...]:
    kept: list[FactRow] = []
    room = request.max_chars * 3 // 4  # the rest is for the entities at the facts' ends
    for row in rows:
        room -= len(json.dumps(row.to_json(history=request.history), ensure_ascii=False)) + 2
        if room < 0 and kept:
            break
        kept.append(row)
    return tuple(kept)
