"""What the other two families put into an infusion: facts that answer the prompt, records of the files in play."""

from collections.abc import Iterable, Sequence

from remora.core import policy
from remora.core.emphasis import BURIED, PINNED
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.infusion.compose import Offer
from remora.core.recall.families import Hit
from remora.core.records.evidence import Evidence, EvidenceRow, source_of
from remora.core.records.indexed import Category
from remora.core.scope import Trust
from remora.core.text import parse_query

RECORDS = "records"
_SEVERITY = {Category.PITFALL: 1.0, Category.DECISION: 0.6}
"""Pitfalls first; plain history of a file is one call away and is not offered."""


def fact_offers(hits: Iterable[Hit]) -> tuple[Offer, ...]:
    """Facts in the order of recall. The budget drops a buried one first and a pinned one last."""
    return tuple(
        Offer(hit.id, FACTS, hit.title, hit.text, hit.source, _weight(hit), Trust[(hit.trust or "agent").upper()])
        for hit in hits
    )


def _weight(hit: Hit) -> float:
    if BURIED in hit.matched_by:
        return 0.0
    return hit.score + 1.0 if PINNED in hit.matched_by else hit.score


def subjects(text: str, files: Sequence[str]) -> tuple[str, ...]:
    """Files that the turn touches, then the paths that its text names; bounded."""
    named = (word for word in parse_query(text).symbols if "/" in word or "." in word.strip("."))
    return tuple(dict.fromkeys((*files, *named)))[: policy.INFUSE_SUBJECTS_MAX]


def record_offers(evidence: Evidence) -> tuple[Offer, ...]:
    """Pitfalls and decisions anchored to the subjects, the newest most severe within their category."""
    rows = [row for row in evidence.rows if row.category in _SEVERITY]
    return tuple(_offer(row, place / max(1, len(rows))) for place, row in enumerate(rows))


def _offer(row: EvidenceRow, later: float) -> Offer:
    record = row.record
    return Offer(
        key=record.id,
        family=RECORDS,
        title=f"{record.kind.value}: {record.title}",
        body=record.summary,
        source=source_of(record),
        severity=_SEVERITY[row.category] - 0.3 * later,
        trust=Trust.AGENT,  # records are shared by a commit to the repository or written by who may write it
        pitfall=True,
    )
