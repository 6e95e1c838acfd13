"""Which files does a fix touch? `python benchmarks/bench_locate.py PATH... [--cases=60]` prints a table and JSON.

The last fixes of each history are hidden and asked for by their subjects. Half of the cases tuned the weights; the
figures of the other half are reported beside those of all. Baselines see the same records and contents.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remora.adapters.git.checkout import discover
from remora.adapters.git.reader import GitReader
from remora.adapters.system import SystemClock
from remora.core.locate.cases import RANKINGS, Figures
from remora.core.scope import operator_grant
from remora.usecases.eval_from_git import EvalRequest, eval_from_git


@dataclass
class Bag:
    """The ports that the verb needs."""

    git: GitReader

    def redact(self, text: str) -> str:
        return text


def measure(source: Path, cases: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "clone"
        subprocess.run(["git", "clone", "-q", "--bare", str(source), str(folder)], timeout=600, check=True)
        git = GitReader(discover(folder, os.environ, SystemClock()), os.environ)
        start = time.process_time()
        done = eval_from_git(Bag(git), operator_grant(), EvalRequest(cases))
        cpu = time.process_time() - start
    sets = {"bare": done.bare, "written": done.written, "report_bare": done.report_bare,
            "report_written": done.report_written}  # fmt: skip
    return {
        "commits": done.commits,
        "cases": len(done.cases),
        "cpu_s": round(cpu, 1),
        **{name: _mrrs(found) for name, found in sets.items()},
    }


def _mrrs(found: Mapping[str, Figures]) -> dict[str, float]:
    return {name: round(row.mrr, 3) for name, row in found.items()}


def main() -> None:
    options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:] if argument.startswith("--"))
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("--")] or ["."]
    figures: dict[str, dict] = {}
    for name in paths:
        source = Path(name).resolve()
        title = source.parent.name if source.name == "repo" else source.name
        figures[title] = measure(source, int(options.get("cases", 60)))
    sets = ("bare", "written", "report_bare", "report_written")
    for part in sets:
        print(f"MRR, {part:20} " + " ".join(f"{ranking:>14}" for ranking in RANKINGS))
        rows = {title: row[part] for title, row in figures.items() if row[part]}
        for title, row in rows.items():
            print(f"  {title:23} " + " ".join(f"{row[ranking]:14.3f}" for ranking in RANKINGS))
        means = {ranking: sum(row[ranking] for row in rows.values()) / max(1, len(rows)) for ranking in RANKINGS}
        print(f"  {'mean':23} " + " ".join(f"{means[ranking]:14.3f}" for ranking in RANKINGS))
    print(json.dumps({"bench": "locate", **figures}))


if __name__ == "__main__":
    main()
