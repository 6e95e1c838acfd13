"""History through real renames, both ways: `python benchmarks/bench_lineage.py PATH...` prints a table and JSON.

A case is whole when the old name finds a later change, the new name an earlier one, and both find the rename itself.
The truth comes from git alone: renames it reports, and lines of source files where one declared identifier took
another's place. Cases whose commit ends in an even digit tuned the rules of symbol renames; the others report.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from remora.bootstrap import open_ports
from remora.config import load
from remora.core import policy
from remora.core.scope import operator_grant
from remora.ports import Ports
from remora.usecases.explain_history import explain_history
from remora.usecases.ingest_git import IngestRequest, ingest_git

GRANT = operator_grant()
CASES = 60
ATTRIBUTES = (
    "*.py diff=python\n*.go diff=golang\n*.rs diff=rust\n*.java diff=java\n*.c diff=cpp\n*.h diff=cpp\n"
    "*.rb diff=ruby\n*.php diff=php\n"
)
SOURCES = tuple(f"*.{end}" for end in ("py", "go", "rs", "java", "js", "ts", "rb", "php", "c", "h"))
"""Elsewhere a line that declares something is an example."""
DECLARED = re.compile(
    r"\b(?:def|class|func|fn|struct|enum|trait|type|function|interface)\s+(?:\([^)]*\)\s*|self\.)?(\w+)"
    r"|^\s+(?:(?:public|private|protected|static|final|abstract|synchronized)\s+)+(?:<[^>]*>\s*)?"
    r"[\w<>\[\],.? ]+?\s(\w+)\s*\("
    r"|(?:^|[\s.])(\w+)\s*=\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*=>)"
)


@dataclass
class Case:
    """A rename with commits that tell of its subject before and after."""

    old: str
    new: str
    commit: str
    earlier: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, capture_output=True, timeout=600, check=True)
    return done.stdout.decode("utf-8", "replace")


def file_cases(folder: Path) -> list[Case]:
    """Renames whose old name has a change before and whose new name has one after."""
    text = git(folder, "log", "--no-merges", "--topo-order", "--reverse", "-M", "--name-status", "--format=%x01%H")
    touched: defaultdict[str, list[str]] = defaultdict(list)
    open_cases: defaultdict[str, list[Case]] = defaultdict(list)
    found = []
    for block in text.split("\x01")[1:]:
        sha, *lines = block.splitlines()
        for line in filter(None, lines):
            status, *paths = line.split("\t")
            if status[0] == "R":
                case = Case(paths[0], paths[1], sha, set(touched[paths[0]]))
                found.append(case)
                open_cases[paths[1]].append(case)
            elif status[0] == "M":
                for case in open_cases[paths[0]]:
                    case.later.add(sha)
            touched[paths[-1]].append(sha)
    return [case for case in found if case.earlier and case.later and case.old != case.new]


@dataclass
class Hunk:
    """The changed lines of one place in a file, and the function that git says they are in."""

    path: str
    context: str
    gone: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)


def hunks(folder: Path) -> list[tuple[str, list[Hunk]]]:
    with tempfile.NamedTemporaryFile("w", suffix=".attributes") as attributes:
        attributes.write(ATTRIBUTES)
        attributes.flush()
        text = git(folder, "-c", f"core.attributesFile={attributes.name}", "log", "--no-merges", "--topo-order",
                   "--reverse", "-p", "-U0", "-M", "--format=%x01%H", "--", *SOURCES)  # fmt: skip
    commits = []
    for block in text.split("\x01")[1:]:
        sha, _, body = block.partition("\n")
        found: list[Hunk] = []
        path = ""
        for line in body.split("\n"):
            if line.startswith("+++ "):
                path = line[6:]
            elif line.startswith("@@ "):
                found.append(Hunk(path, line.split("@@", 2)[2]))
            elif found and line.startswith("-") and not line.startswith("--- "):
                found[-1].gone.append(line[1:])
            elif found and line.startswith("+"):
                found[-1].added.append(line[1:])
        commits.append((sha, found))
    return commits


def declared_in(line: str) -> tuple[str, int, int] | None:
    """(name, start, end) of what a line declares."""
    match = DECLARED.search(line)
    return (match[match.lastindex], *match.span(match.lastindex)) if match and match.lastindex else None


def renamed(hunk: Hunk) -> tuple[str, str] | None:
    """The one identifier that took another's place in a declaration, when that is all that changed in the line."""
    for gone in hunk.gone:
        old = declared_in(gone)
        for added in hunk.added:
            new = declared_in(added)
            if old and new and old[0] != new[0] and gone[: old[1]] + new[0] + gone[old[2] :] == added:
                return old[0], new[0]
    return None


def declared_by(lines: list[str]) -> set[str]:
    return {found[0] for line in lines if (found := declared_in(line))}


def inside(hunk: Hunk) -> str:
    """The declaration that git names in a hunk's head, when the first changed line is indented as what it holds is."""
    context = declared_in(hunk.context[1:])
    first = next((line for line in (*hunk.gone, *hunk.added) if line.strip()), "")
    deeper = len(first) - len(first.lstrip()) > len(hunk.context[1:]) - len(hunk.context[1:].lstrip())
    return context[0] if context and deeper else ""


def symbol_cases(folder: Path) -> list[Case]:
    """One-identifier renames of declarations that were declared or touched before and touched after.

    What the same commit declares again under the old name was not renamed: git only laid the lines beside each other.
    """
    told: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    declared: set[tuple[str, str]] = set()
    open_cases: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    found = []
    for sha, changed in hunks(folder):
        fresh = []
        for hunk in changed:
            fresh_names = declared_by(hunk.added)
            names = fresh_names | {inside(hunk)} - {""}
            pair = renamed(hunk)
            again = pair and any(each.path == hunk.path and pair[0] in declared_by(each.added) for each in changed)
            if pair and not again and (hunk.path, pair[1]) not in declared and told[hunk.path, pair[0]]:
                fresh.append((hunk.path, Case(*pair, sha, set(told[hunk.path, pair[0]]))))
            for name in names:
                told[hunk.path, name].append(sha)
                for case in open_cases[hunk.path, name]:
                    case.later.add(sha)
            declared |= {(hunk.path, name) for name in fresh_names}
        for path, case in fresh:
            found.append(case)
            open_cases[path, case.new].append(case)
    return [case for case in found if case.earlier - {case.commit} and case.later - {case.commit}]


def judge(ports: Ports, cases: list[Case]) -> dict[str, float]:
    counts = dict.fromkeys(("forward", "backward", "itself", "whole"), 0)
    for case in cases:
        by_old, by_new = (commits_of(ports, name) for name in (case.old, case.new))
        forward = bool(by_old & (case.later - {case.commit}))
        backward = bool(by_new & (case.earlier - {case.commit}))
        itself = case.commit in by_old and case.commit in by_new
        for name, holds in (("forward", forward), ("backward", backward), ("itself", itself)):
            counts[name] += holds
        counts["whole"] += forward and backward and itself
        if "--show" in sys.argv and not (forward and backward and itself):
            print("MISS", case.commit[:10], case.old, "->", case.new, forward, backward, itself)
    return {"cases": len(cases)} | {name: round(count / max(1, len(cases)), 3) for name, count in counts.items()}


def commits_of(ports: Ports, subject: str) -> set[str]:
    found = explain_history(ports, GRANT, subject, limit=policy.RECORD_HITS_MAX)
    return {hit.record.commit for hit in found.hits}


def spread(cases: list[Case]) -> list[Case]:
    """At most CASES of them, evenly over the history."""
    step = max(1, len(cases) // CASES)
    return cases[::step][:CASES]


def measure(source: Path, place: Path) -> dict[str, object]:
    folder = place / "clone"
    subprocess.run(["git", "clone", "-q", "--no-checkout", str(source), str(folder)], timeout=600, check=True)
    ports = open_ports(load(), folder)
    start = time.process_time()
    ingest_git(ports, GRANT, IngestRequest(history=True, anchors=1_000_000))
    cpu = time.process_time() - start
    files, symbols = file_cases(folder), symbol_cases(folder)
    tuned, report = ([case for case in symbols if (int(case.commit[-1], 16) % 2 == 1) is odd] for odd in (False, True))
    return {"files": judge(ports, spread(files)), "symbols_tuned": judge(ports, spread(tuned)),
            "symbols": judge(ports, spread(report)), "ingest_cpu_s": round(cpu, 1)}  # fmt: skip


def main() -> None:
    figures: dict[str, object] = {}
    for name in [argument for argument in sys.argv[1:] if not argument.startswith("--")] or ["."]:
        with tempfile.TemporaryDirectory() as place:
            os.environ["REMORA_DATA_DIR"] = str(Path(place) / "data")
            source = Path(name).resolve()
            title = source.parent.name if source.name == "repo" else source.name
            figures[title] = measure(source, Path(place))
            print(f"{title:24} {figures[title]}", flush=True)
    print(json.dumps({"bench": "lineage", **figures}))


if __name__ == "__main__":
    main()
