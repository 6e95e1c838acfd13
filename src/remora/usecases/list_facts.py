"""Page through facts, newest first; names, predicates and time narrow the list."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.facts.decide import EVERYTHING, entities_named
from remora.core.facts.layout import FACT, FAMILY, read_fact
from remora.core.facts.place import ScopeName, place_of
from remora.core.facts.rows import FactRow, fact_row, names_of
from remora.core.facts.words import predicate_name
from remora.core.graph import Edge, Json
from remora.core.recall.notice import NOTICE
from remora.core.scope import Grant
from remora.core.sessions import SessionRef
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFactsRequest:
    """Which facts. `entity` is a name; `as_of` is microseconds UTC; `cursor` is a former result's `next_cursor`."""

    entity: str = ""
    predicate: str = ""
    history: bool = False
    as_of: int | None = None
    limit: int = policy.LIST_LIMIT
    cursor: str = ""
    memory_scope: str = ScopeName.REPOSITORY
    session: SessionRef = field(default_factory=SessionRef)
    max_chars: int = policy.REPLY_MAX_CHARS


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFactsResult:
    """One page. `total` counts all facts of the scope, closed ones included, before any filter."""

    facts: tuple[FactRow, ...]
    next_cursor: str
    total: int
    history: bool
    as_of: int | None

    def to_json(self) -> dict[str, Json]:
        """The page with its notice."""
        return {
            "facts": [row.to_json(history=self.history) for row in self.facts],
            "total": self.total,
            "truncated": bool(self.next_cursor),
            "next_cursor": self.next_cursor,
            "notice": NOTICE,
        }


def list_facts(ports: FactPorts, grant: Grant, request: ListFactsRequest) -> ListFactsResult:
    """Facts newest first. A page ends at `limit` facts or `max_chars` of JSON, whichever comes first, never empty."""
    if not 1 <= request.limit <= policy.LIST_LIMIT_MAX:
        raise InvalidInput("limit", f"is {request.limit}", allowed=f"1 to {policy.LIST_LIMIT_MAX}")
    predicate = predicate_name("predicate", request.predicate, ports.redact) if request.predicate else ""
    scope = ScopeName.parse(request.memory_scope)
    with ports.store.read(grant) as view:
        place = place_of(view, grant, scope, request.session, ports.clock.now())
        total = view.counts((place.scope,)).get((FAMILY, FACT, place.scope), 0)
        edges, last = (
            _around(view, place.scope, request) if request.entity else _scanned(view, place.scope, request, predicate)
        )
        wanted = [edge for edge in edges if _wanted(edge, request, predicate)]
        names = names_of(
            view.get({end for edge in wanted for end in (edge.source, edge.target)}, (place.scope,)).values()
        )
    rows = [fact_row(read_fact(edge), names, ports.redact) for edge in wanted]
    page = _page(rows, request)
    following = last if len(page) == len(rows) else _cursor(page[-1].fact.updated, page[-1].fact.id)
    return ListFactsResult(facts=page, next_cursor=following, total=total, history=request.history, as_of=request.as_of)


def _wanted(edge: Edge, request: ListFactsRequest, predicate: str) -> bool:
    if predicate and edge.name != predicate:
        return False
    return request.history or read_fact(edge).holds(request.as_of)


def _scanned(view: StoreRead, scope: str, request: ListFactsRequest, predicate: str) -> tuple[list[Edge], str]:
    """Read on until enough facts pass the filter; one page of the store at a time."""
    edges: list[Edge] = []
    found, after = 0, request.cursor
    while True:
        items, after = view.scan(FAMILY, FACT, (scope,), after=after, limit=policy.LIST_LIMIT_MAX, newest_first=True)
        for item in items:
            assert isinstance(item, Edge)
            edges.append(item)
            found += _wanted(item, request, predicate)
            if found == request.limit:
                return edges, _cursor(item.updated, item.id) if after or item.id != items[-1].id else ""
        if not after:
            return edges, ""


def _around(view: StoreRead, scope: str, request: ListFactsRequest) -> tuple[list[Edge], str]:
    """All facts of one entity, newest first, from the cursor on."""
    known: Mapping[str, str] = entities_named(view, scope, (request.entity,))
    near = view.expand(known.values(), (scope,), labels=(FACT,), per_node=EVERYTHING, limit=EVERYTHING)
    edges: Sequence[Edge] = sorted(near.edges, key=lambda edge: (-edge.updated, edge.id))
    if request.cursor:
        time, _, last = request.cursor.partition(":")
        if not time.isdecimal():
            raise InvalidInput("cursor", "is not a cursor of this list", allowed="a former result's next_cursor")
        edges = [edge for edge in edges if (-edge.updated, edge.id) > (-int(time), last)]
    return list(edges), ""


def _page(rows: Sequence[FactRow], request: ListFactsRequest) -> tuple[FactRow, ...]:
    kept: list[FactRow] = []
    room = request.max_chars
    for row in rows[: request.limit]:
        room -= len(json.dumps(row.to_json(history=request.history), ensure_ascii=False)) + 2
        if room < 0 and kept:
            break
        kept.append(row)
    return tuple(kept)


def _cursor(updated: int, item: str) -> str:
    return f"{updated}:{item}"
