"""Find entities by their names, aliases and types."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.facts.layout import FACT, read_entity, read_fact
from remora.core.facts.place import ScopeName, place_of
from remora.core.facts.rows import EntityRow, entity_row
from remora.core.graph import Json, Node
from remora.core.recall.notice import NOTICE
from remora.core.recall.pipeline import narrow
from remora.core.scope import Grant
from remora.core.sessions import SessionRef
from remora.core.text import parse_query
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNodesRequest:
    """A query, and optionally the types that entities must have (case does not matter)."""

    query: str
    types: Sequence[str] = ()
    limit: int = policy.RECALL_LIMIT
    history: bool = False
    memory_scope: str = ScopeName.REPOSITORY
    session: SessionRef = field(default_factory=SessionRef)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNode:
    """An entity, its score, and how many facts it has (`more_facts` when counting stopped)."""

    row: EntityRow
    score: float
    facts: int
    more_facts: bool

    def to_json(self) -> dict[str, Json]:
        """The entity with its figures."""
        row = {**self.row.to_json(), "score": round(self.score, 3), "facts": self.facts}
        return {**row, "more_facts": True} if self.more_facts else row


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNodesResult:
    """Entities best first; `total` counts those that matched."""

    nodes: tuple[FoundNode, ...]
    total: int

    def to_json(self) -> dict[str, Json]:
        """The entities with their notice."""
        return {
            "nodes": [node.to_json() for node in self.nodes],
            "total": self.total,
            "truncated": self.total > len(self.nodes),
            "notice": NOTICE,
        }


def search_nodes(ports: FactPorts, grant: Grant, request: SearchNodesRequest) -> SearchNodesResult:
    """Entities that match the query, best first. An empty query finds nothing."""
    if not 1 <= request.limit <= policy.RECALL_LIMIT_MAX:
        raise InvalidInput("limit", f"is {request.limit}", allowed=f"1 to {policy.RECALL_LIMIT_MAX}")
    query = parse_query(request.query)
    types = {name.casefold() for name in request.types}
    scope = ScopeName.parse(request.memory_scope)
    with ports.store.read(grant) as view:
        place = place_of(view, grant, scope, request.session, ports.clock.now())
        if query.empty:
            return SearchNodesResult(nodes=(), total=0)
        found = [
            scored
            for scored in narrow(view, place.scope, query).entities
            if not types or str(scored.item.body.get("type", "")).casefold() in types
        ]
        nodes = tuple(
            _found(view, place.scope, scored.item, scored.score, ports, history=request.history)
            for scored in found[: request.limit]
            if isinstance(scored.item, Node)
        )
    return SearchNodesResult(nodes=nodes, total=len(found))


def _found(view: StoreRead, scope: str, node: Node, score: float, ports: FactPorts, *, history: bool) -> FoundNode:
    cap = policy.FACT_COUNT_CAP
    near = view.expand((node.id,), (scope,), labels=(FACT,), per_node=cap, limit=cap)
    facts = sum(history or read_fact(edge).current for edge in near.edges)
    return FoundNode(
        row=entity_row(read_entity(node), ports.redact), score=score, facts=facts, more_facts=near.truncated
    )
