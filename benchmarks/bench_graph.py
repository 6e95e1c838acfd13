"""Time the code graph beside public peers: `python benchmarks/bench_graph.py [TREE...] [--copies 1,2,4] [--no-peers]`.

Without a TREE three real ones are fetched: Django 5.2 (Python), RxJS (TypeScript) and Hugo (Go). Each is copied, made a
git repository, and indexed by the command line: cold, with nothing changed, and after a function was added to one file.
Measured are CPU seconds and peak memory of all processes, and the size of what is left on disk. `--copies` builds that
many copies of each tree side by side instead, and shows CPU seconds per call site.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import trees
from remora.adapters.code_graph_file import CodeGraphFile

TIMEOUT_SECONDS = 1_800
ADDED = {
    ".py": "\n\ndef added_by_the_benchmark():\n    return None\n",
    ".ts": "\nexport function addedByTheBenchmark() {\n  return null;\n}\n",
    ".go": "\nfunc addedByTheBenchmark() int {\n\treturn 0\n}\n",
}
"""What touching a file adds to it, by its ending."""


@dataclass
class Cost:
    """Of one run with all its processes."""

    cpu_seconds: float
    peak_mb: int


@dataclass
class Tool:
    """One indexer by its command line; {tree} stands for the folder."""

    name: str
    cold: list[str]
    again: list[str]
    leaves: str
    env: dict[str, str]


REMORA = Tool(
    "remora",
    [str(Path(sys.executable).with_name("remora")), "index", "--repo", "{tree}"],
    [str(Path(sys.executable).with_name("remora")), "index", "--repo", "{tree}"],
    ".remora",
    {},
)


def peers() -> list[Tool]:
    """Public code graph tools, installed in folders of their own beside the trees."""
    tools = trees.python_environment(trees.CACHE / "code-review-graph", "code-review-graph")
    review = str(tools / "code-review-graph")
    found = [
        Tool(
            "code-review-graph",
            [review, "build", "-q", "--repo", "{tree}"],
            [review, "update", "--repo", "{tree}"],
            ".code-review-graph",
            {},
        )
    ]
    if shutil.which("npm"):
        folder = trees.CACHE / "codegraph"
        folder.mkdir(parents=True, exist_ok=True)
        trees.run(["npm", "install", "--silent", "--prefix", str(folder), "@colbymchenry/codegraph"], folder)
        graph = str(folder / "node_modules" / ".bin" / "codegraph")
        quiet = {"CODEGRAPH_TELEMETRY": "0", "DO_NOT_TRACK": "1"}
        found.append(Tool("codegraph (npm)", [graph, "init", "{tree}"], [graph, "sync", "{tree}"], ".codegraph", quiet))
    return found


def measured(argv: list[str], tool: Tool, tree: Path) -> Cost:
    """Run one command; a watcher adds up what its processes hold."""
    command = [part.replace("{tree}", str(tree)) for part in argv]
    environment = {**os.environ, **tool.env, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        peak = Peak(process.pid)
        peak.start()
        timer = threading.Timer(TIMEOUT_SECONDS, process.kill)
        timer.start()
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        peak.done.set()
        peak.join()
    if process.returncode:
        raise SystemExit(f"{tool.name} failed: {said.decode(errors='replace')[-500:]}")
    highest = max(peak.bytes >> 20, usage.ru_maxrss >> 10)
    return Cost(round(usage.ru_utime + usage.ru_stime, 2), highest)


class Peak(threading.Thread):
    """Adds up the memory of a process and all below it, twenty times a second (where /proc tells)."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root = root
        self.bytes = 0
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(0.05):
            self.bytes = max(self.bytes, sum(map(self._held, self._below(self.root))))

    def _below(self, pid: int) -> list[int]:
        found = [pid]
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                children = task.read_text().split()
            except OSError:
                continue
            found += [inner for child in children for inner in self._below(int(child))]
        return found

    def _held(self, pid: int) -> int:
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) << 10
        except OSError:
            pass
        return 0


def yardstick() -> float:
    """CPU seconds of a fixed piece of work, to compare machines and moments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "x = 0\nfor i in range(20_000_000): x += i"], check=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime - before.ru_utime, 2)


def checkout(source: Path, folder: Path, copies: int) -> Path:
    """A git repository that holds copies of a tree, nothing else in it."""
    root = folder / f"{source.name}-{copies}"
    for copy in range(copies):
        place = root / f"copy{copy}" if copies > 1 else root
        shutil.copytree(source, place, ignore=shutil.ignore_patterns(".remora", ".git", "node_modules"), symlinks=True)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as published"]):
        trees.run([*git, *arguments], root)
    return root


def touch(root: Path) -> None:
    """Add a function to the largest source file."""
    files = [path for path in root.rglob("*") if path.suffix in ADDED and path.is_file() and ".d.ts" not in path.name]
    target = max(sorted(files), key=lambda path: min(path.stat().st_size, 500_000))
    target.chmod(0o644)
    target.write_bytes(target.read_bytes() + ADDED[target.suffix].encode())


def on_disk(folder: Path) -> int:
    """Megabytes under a folder."""
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6)


def compared(tool: Tool, source: Path, folder: Path) -> dict[str, object]:
    """Cold, nothing changed, one file touched; memory of the first, and what is left on disk."""
    root = checkout(source, folder, 1)
    cold = measured(tool.cold, tool, root)
    time.sleep(2.5)  # stamps as young as the build prove nothing
    measured(tool.again, tool, root)
    unchanged = measured(tool.again, tool, root)
    touch(root)
    touched = measured(tool.again, tool, root)
    row: dict[str, object] = {
        "tool": tool.name,
        "cold": cold.cpu_seconds,
        "nothing changed": unchanged.cpu_seconds,
        "one file": touched.cpu_seconds,
        "peak MB": cold.peak_mb,
        "disk MB": on_disk(root / tool.leaves),
    }
    shutil.rmtree(root)
    return row


def grown(source: Path, folder: Path, copies: list[int]) -> list[dict[str, object]]:
    """How a cold build grows with the number of copies of a tree."""
    rows: list[dict[str, object]] = []
    for count in copies:
        root = checkout(source, folder, count)
        cost = measured(REMORA.cold, REMORA, root)
        with CodeGraphFile(root / ".remora" / "cache").read() as reader:
            files = reader.files()
        calls = sum(row.calls for row in files)
        rows.append({"copies": count, "files": len(files), "calls": calls, **asdict(cost)})
        rows[-1]["CPU us per call"] = round(cost.cpu_seconds * 1e6 / max(calls, 1), 1)
        shutil.rmtree(root)
    return rows


def table(rows: list[dict[str, object]]) -> None:
    for row in [dict(zip(rows[0], rows[0], strict=True)), *rows]:
        print("  ".join(f"{value!s:>18}" for value in row.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", nargs="*", type=Path)
    parser.add_argument("--copies", default="")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    sources = {path.name: path for path in options.tree} or trees.fetched()
    tools = [REMORA] if options.no_peers or options.copies else [REMORA, *peers()]
    results: dict[str, object] = {"benchmark": "graph", "yardstick_cpu_seconds": yardstick()}
    for name, source in sources.items():
        print(f"== {name}")
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if options.copies:
                rows = grown(source, folder, [int(count) for count in options.copies.split(",")])
            else:
                rows = [compared(tool, source, folder) for tool in tools]
        table(rows)
        results[name] = rows
    print(json.dumps(results))


if __name__ == "__main__":
    main()
