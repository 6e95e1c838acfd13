"""Commands that find files, and that measure how well finding works."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.entrypoints.cli.frame import Frame, command, progress
from remora.entrypoints.cli.records import records

if TYPE_CHECKING:
    from remora.core.locate.cases import Figures


def register(app: typer.Typer) -> None:
    """Add the top-level command, and `eval` to the group of records."""
    command(app, "locate")(locate)
    command(records, "eval")(evaluate)


def locate(
    frame: Frame,
    query: Annotated[str, typer.Argument(help="The bug or change in words.")],
    limit: Annotated[int, typer.Option(help="How many files.")] = policy.LOCATE_LIMIT,
) -> None:
    """Which files a fix or change so described will most likely touch, and why."""
    frame.answer("locate", query=query, limit=limit)


def evaluate(
    frame: Frame,
    manifest: Annotated[Path | None, typer.Option(help="A benchmark file of cases.")] = None,
    from_git: Annotated[int | None, typer.Option(help="Hide this many last fixes and look for their files.")] = None,
    revision: Annotated[str, typer.Option(help="Whose history, with --from-git.")] = "HEAD",
    ranking: Annotated[str, typer.Option(help="default or v1, with --manifest.")] = "default",
    min_recall_at_5: Annotated[float | None, typer.Option("--min-recall-at-5", help="Fail below it.")] = None,
    min_mrr: Annotated[float | None, typer.Option(help="Fail below it.")] = None,
    max_candidate_fraction: Annotated[float | None, typer.Option(help="Fail above it.")] = None,
) -> None:
    """Measure finding: cases of a manifest, or fixes of the repository's own history. The exit code is the gate."""
    if (manifest is None) == (from_git is None):
        raise InvalidInput("--manifest", "or --from-git must be given, and not both")
    bars = {"min_recall_at_5": min_recall_at_5, "min_mrr": min_mrr, "max_candidate_fraction": max_candidate_fraction}
    data, lines = _of_manifest(frame, manifest, ranking, bars) if manifest else _of_git(frame, from_git, revision, bars)
    lines += [f"bar not met: {gate}" for gate in data["failed_gates"]]
    frame.emit(data, "\n".join(lines))
    if data["failed_gates"]:
        raise typer.Exit(1)


def _of_manifest(
    frame: Frame, manifest: Path, ranking: str, bars: Mapping[str, float | None]
) -> tuple[dict[str, Any], list[str]]:
    from remora.core.records.evaluation import Gates
    from remora.core.records.outcome import one_of
    from remora.core.records.search import Ranking
    from remora.usecases.evaluate_records import evaluate_records

    try:
        content = manifest.read_bytes()
    except OSError as error:
        raise InvalidInput("--manifest", f"{manifest} cannot be read: {error.strerror}") from error
    kind = one_of(Ranking, "ranking", ranking)
    done = evaluate_records(frame.ports(), frame.grant, content, gates=Gates(**bars), ranking=kind)
    lines = [(f"{done.cases} cases: recall@1 {done.recall_at_1:.3f}, recall@5 {done.recall_at_5:.3f}, "
              f"MRR {done.mrr:.3f}, candidates {done.candidate_fraction:.3f}")]  # fmt: skip
    return asdict(done), lines + [f"missed: {name}" for name in done.misses]


def _of_git(
    frame: Frame, cases: int | None, revision: str, bars: Mapping[str, float | None]
) -> tuple[dict[str, Any], list[str]]:
    from remora.usecases.eval_from_git import EvalRequest, eval_from_git

    request = EvalRequest(policy.EVAL_CASES if cases is None else cases, revision)
    done = eval_from_git(frame.ports(), frame.grant, request, progress("evaluating"))
    data = asdict(done)
    lines = [f"{len(done.cases)} fixes of {done.commits} commits; history and contents cut before each"]
    lines += [f"passed over {count}: {reason}" for reason, count in done.skipped.items()]
    for title, found in (
        ("subjects without file names", done.bare),
        ("subjects as written", done.written),
        ("half that reports, without file names", done.report_bare),
        ("half that reports, as written", done.report_written),
    ):
        lines += _table(title, found)
    data["failed_gates"] = _failed(done.bare.get("locate"), bars)
    return data, lines


def _table(title: str, found: "Mapping[str, Figures]") -> list[str]:
    lines = [f"{title:40} cases  r@1    r@5    r@10   MRR    95 %"]
    for name, row in found.items():
        shares = "  ".join(f"{share:.3f}" for share in (row.recall_at_1, row.recall_at_5, row.recall_at_10, row.mrr))
        lines.append(f"  {name:38} {row.cases:5}  {shares}  {row.low:.3f} to {row.high:.3f}")
    return lines


def _failed(found: "Figures | None", bars: Mapping[str, float | None]) -> list[str]:
    """Bars that locating does not meet on subjects without file names."""
    if bars["max_candidate_fraction"] is not None:
        raise InvalidInput("--max-candidate-fraction", "goes with --manifest")
    reached = {"min_recall_at_5": found.recall_at_5, "min_mrr": found.mrr} if found else {}
    return [
        f"{name}: {reached.get(name, 0.0):.4f} against {bar:.4f}"
        for name, bar in bars.items()
        if bar is not None and reached.get(name, 0.0) < bar
    ]
