"""Which files does a fix touch? `python benchmarks/bench_locate.py PATH... [--cases=60] [--set]` prints tables.

The last fixes of each history are hidden and asked for by their subjects. Half of the cases tuned the weights; the
figures of the other half are reported beside those of all. Baselines see the same records and contents. The margin over
plain BM25 is the mean difference of reciprocal ranks, case by case, with its 95 % interval from resampled cases.

`--set` asks the cases of the open set (`open_sets/locate/cases.json`, commit ids alone) of those repositories whose
clones are given; `--make` prints such a set of the last fixes instead.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from remora.adapters.git.checkout import discover
from remora.adapters.git.reader import GitReader
from remora.adapters.system import SystemClock
from remora.core.locate.cases import RANKINGS, Figures, figures
from remora.core.scope import operator_grant
from remora.core.scoring import bootstrap_interval, mean, reciprocal_rank
from remora.usecases.eval_from_git import CaseRanks, EvalRequest, eval_from_git

SET = Path(__file__).resolve().parent / "open_sets/locate/cases.json"
BASELINES = ("bm25_contents", "bm25_messages")
BAND = (0.45, 0.65)
"""Where plain BM25 scores outside of it, a history is too easy or too hard to tell rankings apart."""


@dataclass
class Bag:
    """The ports that the verb needs."""

    git: GitReader

    def redact(self, text: str) -> str:
        return text


def measure(source: Path, request: EvalRequest, chosen: frozenset[str] = frozenset()) -> dict[str, object]:
    """Figures over the last fixes, or over the chosen ones among them."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "clone"
        subprocess.run(["git", "clone", "-q", "--bare", str(source), str(folder)], timeout=600, check=True)
        git = GitReader(discover(folder, os.environ, SystemClock()), os.environ)
        start = time.process_time()
        done = eval_from_git(Bag(git), operator_grant(), request)
        cpu = time.process_time() - start
    rows = [row for row in done.cases if not chosen or row.commit in chosen]
    half = [row for row in rows if row.reports]
    return {
        "commits": done.commits, "cases": len(rows), "reporting": len(half), "cpu_s": round(cpu, 1), "rows": rows,
        "bare": _mrrs([row.bare_ranks for row in rows]), "written": _mrrs([row.ranks for row in rows]),
        "report_bare": _mrrs([row.bare_ranks for row in half]), "report_written": _mrrs([row.ranks for row in half]),
    }  # fmt: skip


def _mrrs(rows: Sequence[Mapping[str, int]]) -> dict[str, float]:
    found: dict[str, Figures] = {name: figures([row[name] for row in rows]) for name in RANKINGS} if rows else {}
    return {name: round(row.mrr, 3) for name, row in found.items()}


def margins(rows: Sequence[CaseRanks]) -> dict[str, tuple[float, float, float]]:
    """Baseline -> (mean difference, low, high), of what is asked without file names."""
    found = {}
    for name in BASELINES:
        gains = [reciprocal_rank(r.bare_ranks["locate"]) - reciprocal_rank(r.bare_ranks[name]) for r in rows]
        found[name] = tuple(round(value, 3) for value in (mean(gains), *bootstrap_interval(gains)))
    return found


def _told(name: str, rows: Sequence[CaseRanks]) -> None:
    for baseline, (gain, low, high) in margins(rows).items():
        print(f"margin over {baseline:14} {name:22} {gain:+.3f} [{low:+.3f}, {high:+.3f}] of {len(rows)} cases")


def ask_set(paths: Sequence[str]) -> None:
    """The open set, of the repositories that are there; a history outside of the band is told and does not count."""
    rows: list[CaseRanks] = []
    shown: dict[str, object] = {}
    for repository in json.loads(SET.read_text())["repositories"]:
        tip, cases = repository["tip"], [case["commit"] for case in repository["cases"]]
        source = next((path for path in paths if _holds(path, tip)), None)
        if source is None:
            print(f"{repository['name']:24} is not among the clones given")
            continue
        done = measure(Path(source), EvalRequest(repository["looked_at"], tip), frozenset(cases))
        plain = max(done["bare"].get(name, 0.0) for name in BASELINES)
        counts = BAND[0] <= plain <= BAND[1] and done["cases"] == len(cases)
        print(f"{repository['name']:24} {done['cases']:3} of {len(cases)} cases, plain BM25 {plain:.3f}, "
              f"locate {done['bare'].get('locate', 0.0):.3f}" + ("" if counts else "  (does not count)"))  # fmt: skip
        rows += done["rows"] if counts else []
        shown[repository["name"]] = {name: done[name] for name in ("cases", "bare", "report_bare")}
    half = [row for row in rows if row.reports]
    for name, part in (("all", rows), ("reporting half", half)):
        print(
            f"{name:15} "
            + " ".join(f"{ranking} {value}" for ranking, value in _mrrs([r.bare_ranks for r in part]).items())
        )
        _told(name, part)
    print(json.dumps({"bench": "locate-set", "margins": margins(half), **shown}))


def _holds(path: str, commit: str) -> bool:
    return (
        subprocess.run(
            ["git", "-C", path, "cat-file", "-e", commit], capture_output=True, timeout=60, check=False
        ).returncode
        == 0
    )


def make_set(paths: Sequence[str], cases: int) -> None:
    """Commit ids of the last fixes of each history, with the half that each is in."""
    made = []
    for path in paths:
        source = Path(path).resolve()
        title = (source.parent.name if source.name == "repo" else source.name).replace("+", "/")
        tip = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=source, capture_output=True, text=True, check=True, timeout=60
        )
        done = measure(source, EvalRequest(cases, tip.stdout.strip()))
        plain = max(done["bare"][name] for name in BASELINES)
        print(
            f"{title:24} {done['cases']} cases, plain BM25 {plain:.3f}, {done['cpu_s']} CPU s",
            file=sys.stderr,
            flush=True,
        )
        if BAND[0] <= plain <= BAND[1]:
            rows = [{"commit": row.commit, "half": "report" if row.reports else "tune"} for row in done["rows"]]
            made.append({"name": title, "tip": tip.stdout.strip(), "looked_at": cases, "cases": rows})
    print(json.dumps({"repositories": made}, indent=1))


def main() -> None:
    options = {
        name: value
        for argument in sys.argv[1:]
        if argument.startswith("--")
        for name, _, value in [argument[2:].partition("=")]
    }
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("--")] or ["."]
    if "set" in options:
        return ask_set(paths)
    if "make" in options:
        return make_set(paths, int(options.get("cases", 60)))
    measured: dict[str, dict] = {}
    for name in paths:
        source = Path(name).resolve()
        title = source.parent.name if source.name == "repo" else source.name
        measured[title] = measure(source, EvalRequest(int(options.get("cases", 60))))
    sets = ("bare", "written", "report_bare", "report_written")
    for part in sets:
        print(f"MRR, {part:20} " + " ".join(f"{ranking:>14}" for ranking in RANKINGS))
        rows = {title: row[part] for title, row in measured.items() if row[part]}
        for title, row in rows.items():
            print(f"  {title:23} " + " ".join(f"{row[ranking]:14.3f}" for ranking in RANKINGS))
        means = {ranking: sum(row[ranking] for row in rows.values()) / max(1, len(rows)) for ranking in RANKINGS}
        print(f"  {'mean':23} " + " ".join(f"{means[ranking]:14.3f}" for ranking in RANKINGS))
    every = [row for done in measured.values() for row in done.pop("rows")]
    _told("all", every)
    _told("reporting half", [row for row in every if row.reports])
    print(json.dumps({"bench": "locate", **measured}))
    return None


if __name__ == "__main__":
    main()
