"""What records say about a subject: its history, its pitfalls, the decisions that govern it, and similar changes."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from remora.core import policy
from remora.core.recall.bm25 import bm25, coverage
from remora.core.records.indexed import Category, IndexedRecord, Lineage, Narrowing
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
from remora.core.records.search import WEIGHTS, RecordHit, RecordQuery, check_limit, search
from remora.core.records.subject import anchored, parse_subject
from remora.core.records.view import RecordView
from remora.core.records.vocabulary import RecordKind, Relation
from remora.core.text import parse_query


@dataclass(frozen=True, slots=True)
class LinkedRecord:
    """A record one hop away: `relation` as written by `source`; `outgoing` when a shown record holds the link."""

    relation: Relation
    source: str
    target: str
    record: Record
    outgoing: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Records about a subject. `total` counts all that the caller may see, shown or not; `followed` are the renames."""

    subject: str
    hits: tuple[RecordHit, ...]
    total: int
    truncated: bool
    followed: tuple[Lineage, ...] = ()
    linked: tuple[LinkedRecord, ...] = ()


SIMILAR_KINDS = frozenset(
    {
        RecordKind.CHANGE_EPISODE,
        RecordKind.PULL_REQUEST,
        RecordKind.FAILED_ATTEMPT,
        RecordKind.REGRESSION,
        RecordKind.AGENT_TASK,
        RecordKind.ISSUE,
        RecordKind.INCIDENT,
    }
)
"""Kinds that tell of a change, tried or made, and how it went."""


def explain_history(view: RecordView, subject: str, *, include_superseded: bool, limit: int) -> Explanation:
    """What happened around a symbol, file or topic, newest first, with the records they link to and from."""
    found = _about(view, subject, Narrowing(), include_superseded, check_limit(limit))
    return Explanation(
        found.subject, found.hits, found.total, found.truncated, found.followed, _linked(view, found.hits)
    )


def known_pitfalls(view: RecordView, subject: str, *, limit: int) -> Explanation:
    """What went wrong around a subject: anchored to it, or saying its words."""
    return _about(view, subject, Narrowing(categories=frozenset({Category.PITFALL})), False, check_limit(limit))


def explain_decision(view: RecordView, subject: str, *, include_superseded: bool, limit: int) -> Explanation:
    """The decisions, invariants, conventions and procedures that govern a subject."""
    narrowing = Narrowing(categories=frozenset({Category.DECISION}))
    return _about(view, subject, narrowing, include_superseded, check_limit(limit))


def find_similar_change(view: RecordView, description: str, *, symbol: str, limit: int) -> Explanation:
    """Earlier changes whose words are like the description's; those around the symbol come first."""
    check_limit(limit)
    found = search(view, RecordQuery(description, kinds=SIMILAR_KINDS, limit=policy.RECORD_HITS_MAX))
    hits = list(found.hits)
    if symbol.strip():
        around = search(view, RecordQuery(symbol=symbol, kinds=SIMILAR_KINDS, limit=policy.RECORD_HITS_MAX))
        ids = {hit.record.id for hit in around.hits}
        hits.sort(key=lambda hit: hit.record.id not in ids)  # a stable sort: within each group the ranking stays
        known = {hit.record.id for hit in hits}
        hits += [hit for hit in around.hits if hit.record.id not in known]
    return Explanation(description, tuple(hits[:limit]), len(hits), len(hits) > limit)


# --- Legs -------------------------------------------------------------------------------------------------------------


def _about(view: RecordView, subject: str, narrowing: Narrowing, everything: bool, limit: int) -> Explanation:
    """The union of what is anchored to the subject (newest first) and what says its words (best first)."""
    records, total, way = anchored(view, parse_subject(subject), narrowing, limit=policy.RECORD_HITS_MAX)
    at_hand = {record.id for record in records}
    spoken = [record for record in _spoken(view, subject, narrowing) if record.id not in at_hand]
    ordered = [*records, *spoken]
    superseded = superseders(ordered, view.linking)
    shown = [record for record in ordered if everything or not hidden(record, superseded)]
    hits = tuple(
        RecordHit(
            record.record,
            0.0,
            _reason(record, at_hand, way.own),
            superseded.get(record.id, ""),
            unreachable=record.unreachable,
        )
        for record in shown[:limit]
    )
    total += len(spoken) - (len(ordered) - len(shown))
    return Explanation(subject, hits, total, total > len(hits), way.steps)


def _reason(record: IndexedRecord, anchored_ids: Collection[str], own: Collection[str]) -> tuple[str, ...]:
    """Anchored to the subject itself, to what it was called before or after, or only speaking of it."""
    if record.id not in anchored_ids:
        return ("text",)
    return ("lineage",) if record.keys.isdisjoint(own) else ("symbol",)


def _spoken(view: RecordView, subject: str, narrowing: Narrowing) -> Iterable[IndexedRecord]:
    """Records that say enough of the subject's words, best first."""
    query = parse_query(subject)
    if query.empty or subject.strip().startswith("code:"):
        return ()
    named = bool(query.symbols) and len(subject.split()) == 1
    enough = policy.RECORD_NAME_COVERAGE if named else policy.RECORD_TOPIC_COVERAGE
    found = view.text(query.terms, query.prefixes, narrowing, limit=policy.RECORD_CANDIDATES)
    rated = [
        (bm25(record.tokens, query.terms, found.prefixes, found.stats, WEIGHTS), record)
        for record in found.items
        if coverage(record.tokens, query.groups, found.prefixes, found.stats) >= enough
    ]
    rated.sort(key=lambda pair: (-round(pair[0], 9), -pair[1].occurred_at, pair[1].id))
    return [record for score, record in rated if score > 0.0]


def _linked(view: RecordView, hits: tuple[RecordHit, ...]) -> tuple[LinkedRecord, ...]:
    """One hop from the shown records, both ways. Supersession is told by `superseded_by` instead."""
    shown = {hit.record.id: hit.record for hit in hits}
    names = {name: record.id for record in shown.values() for name in (record.id, *(s.uri for s in record.sources))}
    found = [
        LinkedRecord(relation, record.id, target, record.record, outgoing=False)
        for target, relation, record in view.linking(tuple(names))
        if relation is not Relation.SUPERSEDES and record.id not in shown
    ]
    found += _outgoing(view, shown.values(), lambda record_id: record_id not in shown)
    distinct = {(link.relation, link.source, link.record.id): link for link in found}
    return tuple(distinct.values())[: policy.HISTORY_LINKS_MAX]


def _outgoing(view: RecordView, records: Iterable[Record], wanted: Callable[[str], bool]) -> Iterable[LinkedRecord]:
    links = [
        (record.id, link) for record in records for link in record.links if link.relation is not Relation.SUPERSEDES
    ]
    targets = [link.target for _, link in links]
    by_id = view.get(targets)
    by_uri: dict[str, list[IndexedRecord]] = {}
    for found in view.by_source(targets) if targets else ():
        for source in found.record.sources:
            by_uri.setdefault(source.uri, []).append(found)
    for holder, link in links:
        reached = [by_id[link.target]] if link.target in by_id else by_uri.get(link.target, [])
        for target in reached:
            if wanted(target.id):
                yield LinkedRecord(link.relation, holder, link.target, target.record, outgoing=True)
