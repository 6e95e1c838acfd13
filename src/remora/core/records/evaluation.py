"""Evaluation of record search: cases of a manifest, and recall, reciprocal rank and selectivity over them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from remora.core.errors import InvalidInput
from remora.core.graph import Json
from remora.core.records import codec
from remora.core.records.model import Record
from remora.core.records.outcome import one_of
from remora.core.records.schema import BENCHMARK_SCHEMA, CASES_MAX, PUBLIC_BENCHMARK_SCHEMA
from remora.core.records.vocabulary import RecordKind

DEPTH = 20
"""Hits looked at per case; a source found deeper counts as missed."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question and the sources of which at least one must be found."""

    name: str
    query: str
    expected_sources: tuple[str, ...]
    symbol: str = ""
    kinds: frozenset[RecordKind] = frozenset()


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """Rank (from 1) of the first expected source, 0 when missed, and the share of records that were candidates."""

    name: str
    rank: int
    candidate_fraction: float


@dataclass(frozen=True, slots=True)
class Gates:
    """Bars of a report; None is no bar."""

    min_recall_at_5: float | None = None
    min_mrr: float | None = None
    max_candidate_fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Figures over all cases, the names of missed ones, and the bars that were not met."""

    cases: int
    recall_at_1: float
    recall_at_5: float
    mrr: float
    candidate_fraction: float
    misses: tuple[str, ...]
    failed_gates: tuple[str, ...] = ()


def parse_manifest(data: bytes) -> tuple[Case, ...]:
    """Read a benchmark of ours or of the public layout; raises `InvalidInput` naming the case."""
    body = codec.load_object(data)
    if body.get("schema") not in (BENCHMARK_SCHEMA, PUBLIC_BENCHMARK_SCHEMA):
        raise InvalidInput("schema", "is not a benchmark's", allowed=f"{BENCHMARK_SCHEMA}, {PUBLIC_BENCHMARK_SCHEMA}")
    rows = body.get("cases")
    if not isinstance(rows, list) or not rows:
        raise InvalidInput("cases", "is not a list with at least one case")
    if len(rows) > CASES_MAX:
        raise InvalidInput("cases", f"are too many ({len(rows)})", allowed=f"at most {CASES_MAX}")
    return tuple(_case(number, row) for number, row in enumerate(rows))


def _case(number: int, row: object) -> Case:
    place = f"cases[{number}]"
    if not isinstance(row, dict):
        raise InvalidInput(place, "is not an object")
    sources = row.get("expected_sources")
    if not isinstance(sources, list) or not sources or not all(isinstance(uri, str) for uri in sources):
        raise InvalidInput(f"{place}.expected_sources", "is not a list with at least one source")
    kinds = row.get("kinds") or []
    if not isinstance(kinds, list):
        raise InvalidInput(f"{place}.kinds", "is not a list")
    return Case(
        _text(row, place, "name"),
        _text(row, place, "query"),
        tuple(sources),
        _text(row, place, "symbol", ""),
        frozenset(one_of(RecordKind, f"{place}.kinds", str(kind)) for kind in kinds),
    )


def _text(row: Mapping[str, object], place: str, name: str, default: str | None = None) -> str:
    value = row.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise InvalidInput(f"{place}.{name}", "is not a string")
    return value


def judge(case: Case, found: Sequence[Record], candidates: int, total: int) -> CaseOutcome:
    """Where the first expected source stands among the hits."""
    expected = set(case.expected_sources)
    ranks = (rank for rank, record in enumerate(found, start=1) if any(s.uri in expected for s in record.sources))
    return CaseOutcome(case.name, next(ranks, 0), candidates / total if total else 0.0)


def evaluate(outcomes: Iterable[CaseOutcome], gates: Gates) -> Evaluation:
    """The report over all outcomes, with the bars that were not met."""
    found = tuple(outcomes)
    count = max(1, len(found))
    report = Evaluation(
        cases=len(found),
        recall_at_1=sum(outcome.rank == 1 for outcome in found) / count,
        recall_at_5=sum(1 <= outcome.rank <= 5 for outcome in found) / count,
        mrr=sum(1 / outcome.rank for outcome in found if outcome.rank) / count,
        candidate_fraction=sum(outcome.candidate_fraction for outcome in found) / count,
        misses=tuple(outcome.name for outcome in found if not outcome.rank),
    )
    bars = (
        ("min_recall_at_5", gates.min_recall_at_5, report.recall_at_5, 1),
        ("min_mrr", gates.min_mrr, report.mrr, 1),
        ("max_candidate_fraction", gates.max_candidate_fraction, report.candidate_fraction, -1),
    )
    failed = tuple(
        f"{name}: {value:.4f} against {bar:.4f}" for name, bar, value, sign in bars
        if bar is not None and sign * value < sign * bar
    )  # fmt: skip
    return replace(report, failed_gates=failed)


_FIGURES = ("cases", "recall_at_1", "recall_at_5", "mrr", "candidate_fraction", "misses")


def to_json(report: Evaluation) -> dict[str, Json]:
    """The report as JSON."""
    body: dict[str, Json] = {name: getattr(report, name) for name in _FIGURES[:-1]}
    misses: list[Json] = list(report.misses)
    failed: list[Json] = list(report.failed_gates)
    return body | {"misses": misses, "failed_gates": failed}
