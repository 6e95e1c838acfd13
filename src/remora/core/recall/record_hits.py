"""Records as hits of the one recall: found by the search over records, and kept silent by what they cover."""

from remora.core import policy
from remora.core.recall.families import Hit
from remora.core.records.evidence import line_text, source_of
from remora.core.records.search import RecordHit, RecordQuery, search
from remora.core.records.view import RecordView


def recall_records(view: RecordView, text: str, *, limit: int) -> tuple[Hit, ...]:
    """Records that answer a question, best first; none when the best of them covers too little of it."""
    if not text.strip():
        return ()
    found = search(view, RecordQuery(text=text[: policy.RECORD_QUERY_CHARS], limit=min(limit, policy.RECORD_HITS_MAX)))
    return tuple(_hit(hit) for hit in found.hits if hit.coverage >= policy.RECALL_RECORD_COVERAGE)


def _hit(hit: RecordHit) -> Hit:
    record = hit.record
    return Hit(
        family="records",
        id=record.id,
        title=line_text(record.title, policy.EVIDENCE_TITLE_CHARS),
        text=line_text(record.summary, policy.RECALL_SUMMARY_CHARS),
        source=source_of(record),
        score=hit.score,
        matched_by=hit.matched_by,
        updated=record.occurred_at * 1_000_000,
        detail={"kind": record.kind.value},
    )
