"""Search over records: exact scoring of what an index narrowed, then lifecycle and supersession."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import log

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.graph import TermStats
from remora.core.recall.bm25 import bm25, coverage, idf
from remora.core.records.indexed import IndexedRecord, IndexState, Narrowing, RecordCandidates
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
from remora.core.records.subject import anchored, parse_subject
from remora.core.records.view import RecordView
from remora.core.records.vocabulary import RecordKind, VerificationStatus
from remora.core.text import Query, has_phrase, parse_query, tokens


class Ranking(StrEnum):
    """How hits are scored: `default`, or `v1`, the first generation's rule, kept to compare with."""

    DEFAULT = "default"
    V1 = "v1"


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """What to search for. With neither text nor symbol, the newest records answer."""

    text: str = ""
    symbol: str = ""
    kinds: frozenset[RecordKind] = frozenset()
    include_superseded: bool = False
    limit: int = policy.RECORD_HITS
    ranking: Ranking = Ranking.DEFAULT


@dataclass(frozen=True, slots=True)
class RecordHit:
    """A record with its score and why it came; `superseded_by` names a record that hides it from ordinary reads."""

    record: Record
    score: float
    matched_by: tuple[str, ...]
    superseded_by: str = ""
    subjects: tuple[str, ...] = ()
    unreachable: bool = False
    """Whether it tells of a commit that no branch or tag holds any more."""
    coverage: float = 1.0
    """Share of the query's rarity that the record holds; what recall keeps silent by."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, and how they were found: visible records, candidates scored, and what the index was."""

    hits: tuple[RecordHit, ...]
    total: int
    candidates: int
    index: IndexState


@dataclass(frozen=True, slots=True)
class _Scored:
    record: IndexedRecord
    score: float
    matched_by: tuple[str, ...]


@dataclass(slots=True)
class _Found:
    """Candidates of one search, by leg."""

    text: RecordCandidates | None = None
    symbol: dict[str, IndexedRecord] = field(default_factory=dict)
    named: dict[str, float] = field(default_factory=dict)
    """Record id -> weight of the identifiers and paths in the text that the record is anchored to."""
    by_id: dict[str, IndexedRecord] = field(default_factory=dict)


def check_limit(limit: int) -> int:
    """A limit within its bounds; raises `InvalidInput` otherwise."""
    if not 1 <= limit <= policy.RECORD_HITS_MAX:
        raise InvalidInput("limit", f"{limit} is out of range", allowed=f"1 to {policy.RECORD_HITS_MAX}")
    return limit


def search(view: RecordView, query: RecordQuery) -> SearchResult:
    """Find records; deterministic. A symbol restricts the hits to it, also under its former and later names."""
    limit = check_limit(query.limit)
    if not query.text.strip() and not query.symbol.strip():
        return _newest(view, query, limit)
    parsed = parse_query(query.text)
    found = _gather(view, query, parsed)
    score = _v1(query) if query.ranking == Ranking.V1 else _default(query, parsed, found)
    scored = [hit for hit in map(score, found.by_id.values()) if hit is not None]
    return _result(view, query, scored, limit, lambda record: _coverage(record, parsed, found))


def _coverage(record: IndexedRecord, parsed: Query, found: _Found) -> float:
    """How much of the query the record covers; one that is anchored to what the query names covers it."""
    if found.text is None or record.id in found.named:
        return 1.0
    return coverage(record.tokens, parsed.groups, found.text.prefixes, found.text.stats)


def _newest(view: RecordView, query: RecordQuery, limit: int) -> SearchResult:
    narrowing = Narrowing(query.kinds)
    size = limit
    while True:  # superseded records leave gaps: look further until the page is full or all was seen
        records, total = view.newest(narrowing, limit=size)
        result = _result(view, query, [_Scored(record, 1.0, ("recent",)) for record in records], limit)
        if len(result.hits) == limit or size >= total:
            return result
        size *= 4


def _gather(view: RecordView, query: RecordQuery, parsed: Query) -> _Found:
    narrowing, found = Narrowing(query.kinds), _Found()
    exact = query.ranking == Ranking.V1
    limit = max(1, view.total) if exact else policy.RECORD_CANDIDATES
    if query.symbol.strip():
        records, _, _ = anchored(view, parse_subject(query.symbol), narrowing, limit=limit)
        words = tokens(query.symbol)
        partly = view.text(words, words[-1:], narrowing, limit=limit).items
        found.symbol = {record.id: record for record in partly if _names(record, words)}
        found.symbol |= {record.id: record for record in records}
    if not parsed.empty:
        terms = tuple(dict.fromkeys(tokens(query.text))) if exact else parsed.terms
        found.text = view.text(terms, () if exact else parsed.prefixes, narrowing, limit=limit)
    found.by_id = {record.id: record for record in found.text.items} if found.text else {}
    if not exact:
        _gather_named(view, parsed, narrowing, found)
    if query.symbol.strip():
        found.by_id = found.symbol if not exact or not query.text.strip() else _both(found)
    return found


def _both(found: _Found) -> dict[str, IndexedRecord]:
    return {record_id: record for record_id, record in found.by_id.items() if record_id in found.symbol}


def _names(record: IndexedRecord, words: Iterable[str]) -> bool:
    """Whether the record's symbols or paths hold all the words, so that `refresh` finds `refreshToken`."""
    held = {*record.tokens.get("symbol", ()), *record.tokens.get("path", ())}
    words = tuple(words)
    return bool(words) and all(word in held for word in words)


def _gather_named(view: RecordView, parsed: Query, narrowing: Narrowing, found: _Found) -> None:
    """Records anchored to an identifier or path that the text names, the rarer the weightier."""
    for symbol in parsed.symbols[: policy.RECORD_NAMED_SUBJECTS]:
        records, total, _ = anchored(view, parse_subject(symbol), narrowing, limit=policy.RECORD_NAMED_ANCHORS)
        if not records:
            continue
        weight = log(1.0 + (max(view.total, total) - total + 0.5) / (total + 0.5))
        for record in records:
            found.named[record.id] = found.named.get(record.id, 0.0) + weight
            found.by_id.setdefault(record.id, record)


# --- Scores -----------------------------------------------------------------------------------------------------------

WEIGHTS: Mapping[str, float] = {"title": 2.0, "summary": 1.0, "symbol": 1.0, "path": 1.0, "source": 0.4}
"""A title says most; sources are mostly hashes and hosts."""

_VERIFIED = {
    VerificationStatus.PASSED: 0.5,
    VerificationStatus.FAILED: 0.5,
    VerificationStatus.PARTIAL: 0.25,
    VerificationStatus.UNKNOWN: 0.0,
}
_Score = Callable[[IndexedRecord], _Scored | None]


def _v1(query: RecordQuery) -> _Score:
    """The first generation's score: symbol +4; per word title 2, summary 1, source 0.4; confidence; verification."""
    terms = tuple(dict.fromkeys(tokens(query.text)))

    def score(record: IndexedRecord) -> _Scored | None:
        total, why = 0.0, []
        if query.symbol.strip():
            total += 4.0
            why.append("symbol")
        if query.text.strip():
            fields = (("title", 2.0), ("summary", 1.0), ("source", 0.4))
            worth = sum(weight * sum(term in record.tokens.get(name, ()) for term in terms) for name, weight in fields)
            if worth == 0.0:
                return None
            total += worth
            why.append("text")
        return _Scored(record, total + record.confidence + _VERIFIED[record.verification], tuple(why))

    return score


def _default(query: RecordQuery, parsed: Query, found: _Found) -> _Score:
    stats = found.text.stats if found.text else TermStats(0, {}, {})
    prefixes = found.text.prefixes if found.text else ()

    def score(record: IndexedRecord) -> _Scored | None:
        words = bm25(record.tokens, parsed.terms, prefixes, stats, WEIGHTS)
        phrases = _phrase_bonus(record, parsed, stats)
        named = policy.RECORD_ANCHOR_WEIGHT * found.named.get(record.id, 0.0)
        total = (words + phrases + named) * (1.0 - policy.RECORD_DOUBT_WEIGHT * (1.0 - record.confidence))
        asked = bool(query.symbol.strip())
        if total <= 0.0 and not asked:
            return None
        reasons = (("symbol", asked or named), ("phrase", phrases), ("text", words))
        return _Scored(record, total + asked, tuple(name for name, holds in reasons if holds))

    return score


def _phrase_bonus(record: IndexedRecord, parsed: Query, stats: TermStats) -> float:
    """As much as the words of each phrase could be worth at most, so that a record with the phrase comes first."""
    bonus = 0.0
    for phrase in parsed.phrases:
        if any(has_phrase(found, phrase) for found in record.tokens.values()):
            bonus += (policy.BM25_K1 + 1.0) * sum(idf(term, stats) for term in phrase)
    return bonus


# --- Results ----------------------------------------------------------------------------------------------------------


def _result(
    view: RecordView,
    query: RecordQuery,
    scored: list[_Scored],
    limit: int,
    covered: Callable[[IndexedRecord], float] = lambda _: 1.0,
) -> SearchResult:
    scored.sort(key=lambda hit: (-round(hit.score, 9), -hit.record.occurred_at, hit.record.id))
    superseded = superseders([hit.record for hit in scored], view.linking)
    shown = [hit for hit in scored if query.include_superseded or not hidden(hit.record, superseded)]
    hits = tuple(
        RecordHit(
            hit.record.record,
            round(hit.score, 6),
            hit.matched_by,
            superseded.get(hit.record.id, ""),
            unreachable=hit.record.unreachable,
            coverage=covered(hit.record),
        )
        for hit in shown[:limit]
    )
    return SearchResult(hits, view.total, len(scored), view.state)
