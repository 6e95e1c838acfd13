"""Time the code graph on a source tree: `python benchmarks/bench_graph.py TREE [--copies 1,2,4]` (a copy is measured).

Measured are CPU seconds of all processes and the peak memory of: a cold build, a build with nothing changed, and one
after a function was added to one file; each in a process of its own. `--copies 1,2,4` shows how the cold build grows.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHILD = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from bench_pycg import Bench
from remora.core.scope import operator_grant
from remora.usecases.index_repository import IndexRequest, index_repository
root = Path(sys.argv[2])
bench = Bench(root, root / ".remora" / "cache")
result = index_repository(bench, operator_grant(), IndexRequest())
with bench.code_graph.read() as reader:
    counts = reader.counts()
size = bench.code_graph.path.stat().st_size
print(json.dumps({"mode": result.mode, "relinked": result.relinked, "bytes": size, **counts}))
"""


def run(root: Path) -> dict[str, object]:
    """One index run in a fresh process, with its CPU seconds (its workers included) and peak memory."""
    argv = [sys.executable, "-c", CHILD, str(Path(__file__).parent), str(root)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(process.returncode)
    cpu = usage.ru_utime + usage.ru_stime
    return {**json.loads(output), "cpu_seconds": round(cpu, 2), "peak_mb": round(usage.ru_maxrss / 1024)}


def yardstick() -> float:
    """CPU seconds of a fixed piece of work, to compare machines and moments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "x = 0\nfor i in range(20_000_000): x += i"], check=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime - before.ru_utime, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--copies", default="1")
    options = parser.parse_args()
    results: dict[str, object] = {"benchmark": "graph", "yardstick_cpu_seconds": yardstick()}
    for copies in map(int, options.copies.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            for copy in range(copies):
                shutil.copytree(options.tree, Path(folder) / f"copy{copy}", ignore=shutil.ignore_patterns(".remora"))
            root = Path(folder)
            results[f"cold x{copies}"] = run(root)
            if copies == 1:
                results["no-op"] = run(root)
                target = max(sorted(root.rglob("*.py")), key=lambda path: path.stat().st_size)
                target.write_bytes(target.read_bytes() + b"\n\ndef added_by_the_benchmark():\n    return None\n")
                results["touch one"] = run(root)
    for name, row in results.items():
        print(f"{name:<24}{row}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
