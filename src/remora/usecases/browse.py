"""Leaf through everything a caller may see, newest first, or what holds the words of a query, best first."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.browse.facets import Facets
from remora.core.browse.matching import (
    Matched,
    gone_nodes,
    matching_facts,
    matching_nodes,
    matching_records,
)
from remora.core.browse.paging import Page, Position, paged
from remora.core.browse.rows import CHAT, RECORDS, Row, fact_item, node_item, record_item, shown
from remora.core.emphasis import Emphases, emphases
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.encounters.schema import NODE_TYPES
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidInput
from remora.core.facts.layout import FACT, read_fact
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.facts.rows import names_of
from remora.core.graph import Edge, Node
from remora.core.recall.bm25 import fuse
from remora.core.records.indexed import Narrowing
from remora.core.records.lifecycle import superseders
from remora.core.records.view import RecordView
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import REPOSITORY, Grant
from remora.core.sessions import own_open
from remora.core.text import clean, parse_query
from remora.ports import RecallPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowseRequest:
    """`text` asks for what holds its words; without it the newest come first. `cursor` is a former page's."""

    text: str = ""
    facets: Facets = field(default_factory=Facets)
    cursor: str = ""
    limit: int = policy.BROWSE_LIMIT
    newest_of: Sequence[str] = ()
    """Kinds of encounter nodes to list, all when empty."""
    without: Sequence[str] = ()
    """Families to leave out."""


def browse(ports: RecallPorts, grant: Grant, request: BrowseRequest) -> Page:
    """One page. Raises `InvalidInput` for a facet or cursor that no list has."""
    facets = request.facets.checked()
    families = [family for family in facets.families if family not in request.without]
    if not 1 <= request.limit <= policy.LIST_LIMIT_MAX:
        raise InvalidInput("limit", f"is {request.limit}", allowed=f"1 to {policy.LIST_LIMIT_MAX}")
    text = clean(request.text).strip()
    with ExitStack() as stack:
        view = stack.enter_context(ports.store.read(grant))
        held = emphases(view)
        records = stack.enter_context(ports.record_index.view(grant)) if RECORDS in families else None
        scopes: tuple[str, ...] = (REPOSITORY,)
        if facets.scope == CHAT:
            scopes = tuple(session.scope for session in own_open(view, grant, ports.clock.now()))
        if text:
            page = _matching(view, records, scopes, text, request, families, held)
        else:
            page = _newest(view, records, scopes, request, families)
    scrub = scrubber(ports.redact)
    return replace(page, rows=tuple(shown(row, scrub, held.of(row.id)) for row in page.rows))


# --- Newest first -----------------------------------------------------------------------------------------------------


def _newest(
    view: StoreRead,
    records: RecordView | None,
    scopes: Sequence[str],
    request: BrowseRequest,
    families: Sequence[str],
) -> Page:
    facets = request.facets
    begin = Position.parse(request.cursor)
    if begin is None and facets.until is not None:
        begin = Position(facets.until, 0, "")
    size = request.limit + 1
    lists: list[Iterator[Row]] = []
    if FACTS in families:
        lists += [_facts(view, scope, begin, size) for scope in scopes]
    if records is not None:
        lists.append(_records(records, facets, begin, size))
    if ENCOUNTERS in families:
        kinds = [facets.kind] if facets.kind else list(request.newest_of or NODE_TYPES)
        lists += [_nodes(view, kind, begin, size) for kind in kinds]
    return paged(lists, facets, request.limit)


def _facts(view: StoreRead, scope: str, begin: Position | None, size: int) -> Iterator[Row]:
    for items in _scanned(view, FACTS, FACT, scope, begin, size):
        edges = [item for item in items if isinstance(item, Edge)]
        names = names_of(view.get({end for edge in edges for end in (edge.source, edge.target)}, (scope,)).values())
        yield from (fact_item(read_fact(edge), names) for edge in edges)


def _nodes(view: StoreRead, label: str, begin: Position | None, size: int) -> Iterator[Row]:
    for items in _scanned(view, ENCOUNTERS, label, REPOSITORY, begin, size):
        nodes = [item for item in items if isinstance(item, Node)]
        gone = gone_nodes(view, [node.id for node in nodes])
        yield from (node_item(node, displaced=node.id in gone) for node in nodes)


def _scanned(
    view: StoreRead, family: str, label: str, scope: str, begin: Position | None, size: int
) -> Iterator[Sequence[Edge | Node]]:
    after = "{}:{}".format(*begin.within(family)) if begin is not None else ""
    while True:
        items, after = view.scan(family, label, (scope,), after=after, limit=size, newest_first=True)
        yield items
        if not after:
            return
        size = min(policy.LIST_LIMIT_MAX, size * 2)


def _records(view: RecordView, facets: Facets, begin: Position | None, size: int) -> Iterator[Row]:
    narrowing = Narrowing(frozenset({RecordKind(facets.kind)})) if facets.kind else Narrowing()
    after: tuple[int, str] | None = None
    if begin is not None:
        at, last = begin.within(RECORDS)
        after = (at // 1_000_000, last)  # records keep seconds; of a fraction's second everything is behind
    while True:
        found, _ = view.newest(narrowing, limit=size, after=after)
        hidden = superseders(found, view.linking)
        yield from (record_item(record, hidden.get(record.id, "")) for record in found)
        if len(found) < size:
            return
        after = (found[-1].occurred_at, found[-1].id)
        size = min(policy.LIST_LIMIT_MAX, size * 2)


# --- Best first -------------------------------------------------------------------------------------------------------


def _matching(
    view: StoreRead,
    records: RecordView | None,
    scopes: Sequence[str],
    text: str,
    request: BrowseRequest,
    families: Sequence[str],
    held: Emphases,
) -> Page:
    facets, query = request.facets, parse_query(text)
    found: list[list[Matched]] = []
    if FACTS in families and not query.empty:
        found += [matching_facts(view, scope, query) for scope in scopes]
    if records is not None:
        found.append(matching_records(records, text, past=facets.past))
    if ENCOUNTERS in families and not query.empty:
        found.append(matching_nodes(view, query))
    rows = [row for row in _fused(found, held.of) if facets.admits(row)]
    start = _offset(request.cursor)
    page = rows[start : start + request.limit]
    more = start + len(page)
    return Page(
        rows=tuple(page), next_cursor=f"r{more}" if more < len(rows) else "", looked=len(rows), ranked=True,
        total=len(rows),
    )  # fmt: skip


def _fused(families: Sequence[Sequence[Matched]], emphasis: Callable[[str], str]) -> list[Row]:
    """One ranking of all families; pinned items first and buried ones last."""
    rows = {row.id: replace(row, why=why, emphasis=emphasis(row.id)) for family in families for row, why in family}
    fused = fuse([[row.id for row, _ in family] for family in families], policy.FUSION_K)
    places = {"pin": 0, "": 1, "bury": 2}
    return [
        rows[item]
        for item, score in sorted(
            fused, key=lambda found: (places[rows[found[0]].emphasis], -found[1], -rows[found[0]].at, found[0])
        )
    ]


def _offset(cursor: str) -> int:
    if not cursor:
        return 0
    digits = cursor.removeprefix("r")
    if not (cursor.startswith("r") and digits.isascii() and digits.isdecimal() and len(digits) < 7):
        raise InvalidInput("cursor", "is not a cursor of this list", allowed="a former page's next_cursor")
    return int(digits)
