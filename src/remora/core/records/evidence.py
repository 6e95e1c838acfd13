"""The evidence block: a few cited records that accompany an answer about code. Pitfalls, decisions, then history."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.graph import Json
from remora.core.records.indexed import Category, IndexedRecord, Narrowing
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
from remora.core.records.subject import Trail, anchored, parse_subject, trail
from remora.core.records.view import RecordView
from remora.core.text import clean


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One record as evidence, with the subjects it is about."""

    record: Record
    category: Category
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The block. The counts are of everything visible about the subjects; `rows` are the few that are shown."""

    subjects: tuple[str, ...]
    rows: tuple[EvidenceRow, ...] = ()
    counts: dict[Category, int] = field(default_factory=dict)
    skipped_subjects: int = 0

    @property
    def total(self) -> int:
        """How many records there are."""
        return sum(self.counts.values())

    @property
    def truncated(self) -> bool:
        """Whether more is known than is shown."""
        return self.total > len(self.rows) or self.skipped_subjects > 0

    def to_json(self) -> dict[str, Json]:
        """{subjects, total, decisions, pitfalls, history, truncated, records[]}."""
        subjects: list[Json] = [line_text(subject, policy.EVIDENCE_URI_CHARS) for subject in self.subjects]
        rows: list[Json] = [_row(row) for row in self.rows]
        return {
            "subjects": subjects,
            "total": self.total,
            "decisions": self.counts.get(Category.DECISION, 0),
            "pitfalls": self.counts.get(Category.PITFALL, 0),
            "history": self.counts.get(Category.HISTORY, 0),
            "truncated": self.truncated,
            "records": rows,
        }

    def lines(self) -> list[str]:
        """One line per row, the source on each."""
        return [f"- [{row.category.name.lower()}] {record_line(row.record)}" for row in self.rows]


def gather(view: RecordView, subjects: Sequence[str], *, rows: int = policy.EVIDENCE_ROWS) -> Evidence:
    """Evidence about a set of files or symbols: each category is fetched apart, so that none pushes another out."""
    asked = tuple(dict.fromkeys(subject for subject in subjects if subject.strip()))
    looked = asked[: policy.EVIDENCE_SUBJECTS_MAX]
    parsed = [parse_subject(subject) for subject in looked]
    way = trail(view, [subject for subject in parsed if not subject.within])
    apart = [subject for subject in parsed if subject.within]
    chosen: list[IndexedRecord] = []
    counts: dict[Category, int] = {}
    about: dict[str, set[str]] = {}
    for category in Category:
        narrowing = Narrowing(categories=frozenset({category}))
        found, total = view.anchored(way.keys, narrowing, limit=policy.EVIDENCE_LOOKED)
        records = {record.id: record for record in found}
        for subject in apart:
            for record in anchored(view, subject, narrowing, limit=policy.EVIDENCE_LOOKED)[0]:
                total += record.id not in records
                records[record.id] = record
                about.setdefault(record.id, set()).add(subject.text)
        current = _current(view, records.values())
        counts[category] = total - (len(records) - len(current))
        chosen += current[:rows]
    shown = tuple(_evidence_row(record, way, about.get(record.id, set())) for record in chosen[:rows])
    return Evidence(asked, shown, counts, len(asked) - len(looked))


def _current(view: RecordView, records: Collection[IndexedRecord]) -> list[IndexedRecord]:
    superseded = superseders(records, view.linking)
    current = [record for record in records if not hidden(record, superseded)]
    return sorted(current, key=lambda record: (-record.occurred_at, record.id))


def _evidence_row(record: IndexedRecord, way: Trail, apart: set[str]) -> EvidenceRow:
    reached = {subject for key in record.keys for subject in way.origins.get(key, ())}
    return EvidenceRow(record.record, record.category, tuple(sorted(reached | apart)))


# --- Rows -------------------------------------------------------------------------------------------------------------


def line_text(text: str, limit: int) -> str:
    """One safe line of at most `limit` characters: no control or bidi characters, an ellipsis where it was cut."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def source_of(record: Record) -> str:
    """The first source's locator as one line."""
    return line_text(record.sources[0].uri, policy.EVIDENCE_URI_CHARS)


def record_line(record: Record) -> str:
    """Kind, title, verification and source of a record on one line."""
    status = record.verification.status.value
    checked = "" if status == "unknown" else f", verification {status}"
    return f"{record.kind.value}: {line_text(record.title, policy.EVIDENCE_TITLE_CHARS)}{checked} ({source_of(record)})"


def record_row(record: Record) -> dict[str, Json]:
    """A record as a bounded row: what it is, when, how sure, and where it comes from."""
    return {
        "id": record.id,
        "kind": record.kind.value,
        "title": line_text(record.title, policy.EVIDENCE_TITLE_CHARS),
        "summary": line_text(record.summary, policy.EVIDENCE_SUMMARY_CHARS),
        "occurred_at": record.occurred_at,
        "source": source_of(record),
        "verification": record.verification.status.value,
        "confidence": record.confidence,
        "lifecycle": record.lifecycle.value,
    }


def _row(row: EvidenceRow) -> Json:
    subjects: list[Json] = [line_text(subject, policy.EVIDENCE_URI_CHARS) for subject in row.subjects[:10]]
    return record_row(row.record) | {"category": row.category.name.lower(), "subjects": subjects}


def hit_rows(records: Iterable[Record]) -> list[Json]:
    """Rows of several records."""
    return [record_row(record) for record in records]
