"""Everything that holds words of a query, ranked, never silenced: who looks through memory is not who is answered."""

from collections.abc import Mapping

from remora.core import policy
from remora.core.browse.rows import Row, fact_item, node_item, record_item
from remora.core.encounters.frontier import displaced
from remora.core.encounters.schema import REBINDS, SUPERSEDES
from remora.core.encounters.search import find_nodes
from remora.core.facts.layout import FACT, read_fact
from remora.core.facts.rows import names_of
from remora.core.graph import Edge, Node
from remora.core.recall.pipeline import narrow
from remora.core.recall.rank import Pool, rank_facts
from remora.core.records.lifecycle import superseders
from remora.core.records.search import RecordQuery, search
from remora.core.records.view import RecordView
from remora.core.scope import REPOSITORY
from remora.core.store_read import StoreRead
from remora.core.text import Query

Matched = tuple[Row, tuple[str, ...]]
"""A row and why it matched."""


def matching_facts(view: StoreRead, scope: str, query: Query) -> list[Matched]:
    """Facts that hold a word of the query, or whose subject or object is named by it."""
    found = narrow(view, scope, query)
    entries = [scored.item.id for scored in found.entities[: policy.ENTRY_ENTITIES]]
    near = view.expand(entries, (scope,), labels=(FACT,), per_node=policy.EXPAND_PER_NODE, limit=policy.EXPAND_LIMIT)
    edges = {**found.edges, **{edge.id: edge for edge in near.edges}}
    nodes = {**found.nodes, **{node.id: node for node in near.nodes}}
    scored, _ = rank_facts(found.matcher, Pool(edges=edges, nodes=found.nodes if found.whole else nodes), found.told)
    best = [row for row in scored[: policy.BROWSE_MATCHES_MAX] if isinstance(row.item, Edge)]
    ends = {end for row in best if isinstance(row.item, Edge) for end in (row.item.source, row.item.target)}
    names = names_of((*(nodes[end] for end in ends if end in nodes), *view.get(ends - nodes.keys(), (scope,)).values()))
    return [(fact_item(read_fact(row.item), names), row.why) for row in best]


def matching_nodes(view: StoreRead, query: Query) -> list[Matched]:
    """Encounter nodes that hold a word of the query."""
    scored, _, _ = find_nodes(view, query)
    best = [row for row in scored[: policy.BROWSE_MATCHES_MAX] if isinstance(row.item, Node)]
    gone = gone_nodes(view, [row.item.id for row in best])
    return [(node_item(row.item, displaced=row.item.id in gone), row.why) for row in best if isinstance(row.item, Node)]


def gone_nodes(view: StoreRead, ids: list[str]) -> frozenset[str]:
    """Which of these nodes were superseded or rebound."""
    if not ids:
        return frozenset()
    around = view.expand(ids, (REPOSITORY,), labels=(SUPERSEDES, REBINDS), outgoing=False, per_node=1, limit=len(ids))
    return frozenset(displaced(around.edges))


def matching_records(view: RecordView, text: str, *, past: bool) -> list[Matched]:
    """Records that hold a word of the query or are anchored to what it names."""
    asked = RecordQuery(text=text[: policy.RECORD_QUERY_CHARS], include_superseded=past, limit=policy.RECORD_HITS_MAX)
    hits = search(view, asked).hits
    indexed = view.get([hit.record.id for hit in hits])
    hidden: Mapping[str, str] = superseders(list(indexed.values()), view.linking) if past else {}
    return [
        (record_item(indexed[hit.record.id], hidden.get(hit.record.id, "")), hit.matched_by)
        for hit in hits
        if hit.record.id in indexed
    ]
