"""Git ingest of a whole history, without symbols, beside `git log --name-status -M` on the same repository.

    PYTHONPATH=tests python benchmarks/bench_ingest.py [repository ...]

Without an argument a repository of 5,000 commits is made. CPU is user and system time of this process and its children.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from git_shapes import ENVIRON, History
from remora.bootstrap import open_ports
from remora.config import load
from remora.core.scope import operator_grant
from remora.usecases.ingest_git import IngestRequest, ingest_git


def cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def synthetic(place: Path, commits: int) -> Path:
    """A repository of small commits over a few hundred files, with renames."""
    history = History()
    names = [f"src/part{n % 40}/file{n}.py" for n in range(400)]
    for number in range(commits):
        file = names[number % len(names)]
        files = {file: f"def f{number}():\n    return {number}\n".encode()}
        history.commit(f"Change {file} for task {number}\n\nBecause of reason {number % 97}.", files)
    return history.write(place)


def measure(repository: Path) -> dict[str, object]:
    argv = ["git", "-C", str(repository), "log", "--name-status", "-M", "HEAD"]
    at = cpu()
    subprocess.run(argv, stdout=subprocess.DEVNULL, env=ENVIRON, check=True, timeout=300)
    yardstick = cpu() - at
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(repository), str(clone)], env=ENVIRON, check=True, timeout=300)
        ports = open_ports(replace(load(), data_dir=Path(folder) / "data"), clone)
        at = cpu()
        done = ingest_git(ports, operator_grant(), IngestRequest(history=True, anchors=0))
        first = cpu() - at
        at, wall = cpu(), time.perf_counter()
        again = ingest_git(ports, operator_grant(), IngestRequest(history=True, anchors=0))
        second, wall = cpu() - at, time.perf_counter() - wall
    assert again.recorded == 0, again
    return {
        "repository": repository.name, "commits": done.recorded, "cpu_seconds": round(first, 2),
        "commits_per_cpu_second": round(done.recorded / first), "git_log_cpu_seconds": round(yardstick, 2),
        "ratio_to_git_log": round(first / yardstick, 1), "second_ingest_cpu_seconds": round(second, 2),
    }  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(name) for name in sys.argv[1:]] or [synthetic(Path(folder) / "synthetic", 5_000)]
        for place in places:
            row = {"bench": "ingest", **measure(place)}
            print("  ".join(f"{key} {value}" for key, value in row.items() if key != "bench"))
            print(json.dumps(row))


if __name__ == "__main__":
    main()
