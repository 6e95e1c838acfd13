"""What records promise, and the faults that cannot happen: each has its row of capabilities, and so its test."""

import re
from collections.abc import Mapping
from pathlib import Path

ROWS = re.compile(r"^\| (.+) \| `(tests/[^`]+)` \|$", re.MULTILINE)
CAPABILITIES = Path(__file__).resolve().parents[2] / "docs/capabilities.md"

PROMISES: Mapping[str, tuple[str, ...]] = {
    "the record model": ("Versioned record with sources, lifecycle, links, confidence, verification and scope",),
    "durable files and retries": (
        "Files are written once, atomically; retries are idempotent",
        "A kill at any moment loses nothing that was acknowledged",
    ),
    "retrieval by words and symbols": (
        "Search is deterministic, with both rankings, and says why",
        "Supersession stays within repository, kind and audience",
    ),
    "commits": ("Every commit is recorded with its files, rename and copy lineage",),
    "lineage of files": ("History follows files through renames, both ways",),
    "lineage of symbols": (
        "History follows symbols through renames, both ways",
        "A rename is told by the line that declares, the body that stays and the names",
    ),
    "git hooks": (
        "Git hooks record commits, merges, picks, rebases and worktrees in the background",
        "A fast-forward of many commits loses none",
    ),
    "the command line": (
        "Records are retracted, corrected, promoted, linked and brought back from the command line",
        "The schema of every format is printed",
    ),
    "tools": (
        "Every door tells the same story with the same ids",
        "The outcome writer is offered only when the operator allows it",
    ),
    "grounding in the code graph": (
        "Names become anchors where they mean one symbol, and stay raw where not",
        "Symbols of recorded commits are looked up afterwards",
    ),
    "access": ("Every read, write, count and export obeys one table of principals",),
    "artifacts of other systems": (
        "Issues, reviews, CI runs, incidents and the rest are imported once, versions supersede",
        "Exports of forges, JUnit and SARIF are read",
    ),
    "documents": ("Documents become decisions and procedures; changed ones supersede",),
    "summaries": ("Each part of the code has one summary, which cites it and supersedes the one before",),
    "evidence in impact": (
        "An impact answer meets the pitfall first, with its source",
        "Memory on a whole change comes once, pitfalls first",
    ),
    "index, compaction, peers, sync": (
        "The index changes speed, never answers",
        "A compaction among writers loses nothing",
        "Peers are read with ours; what differs is withheld, both stores named",
        "Bundles carry records between stores, also in the public layout",
    ),
    "servers": ("Stores push to a server and pull from it what either lacks, as their keys allow",),
    "evaluation": (
        "Retrieval is judged by a manifest whose bars are a gate",
        "Retrieval is judged by the repository's own fixes, each hidden from what is asked",
    ),
    "first generation": ("Stores, bundles, envelopes and benchmarks of the first generation are read",),
}

FAULTS = (
    "One repository with two identities",
    "Pitfalls that need both an anchor and a word",
    "Evidence cut before pitfalls are sorted first",
    "Names in camelCase never found, `a.py` matching `data.py`",
    "Content that returns to an earlier state hidden for ever",
    "A re-import of an unchanged artifact that stops midway",
    "Supersession across repositories or kinds",
    "Imported private records that nobody owns",
    "Rejected review findings hidden",
    "Unknown kinds dropped",
    "A conflict lost when one file is renamed over another",
    "Commits anchored against a stale graph and never enriched",
    "Deleted documents staying active",
    "Renumbered parts of the code staying active",
    "A backfill whose cost grows with the square",
    "No way to retract or correct",
    "One principal for a whole process",
    "The index built anew on each append",
    "Topics that return nothing",
    "Hooks that hand their git environment to a background process",
    "One bad peer that stops all reads",
)


def missing(text: str) -> list[str]:
    """The promises and faults without a row."""
    rows = {row for row, _ in ROWS.findall(text)}
    wanted = {f"{promise}: {row}": row for promise, titles in PROMISES.items() for row in titles}
    return [name for name, row in (wanted | {f"fault: {row}": row for row in FAULTS}).items() if row not in rows]


def test_every_promise_of_records_and_every_fault_has_its_row() -> None:
    assert missing(CAPABILITIES.read_text(encoding="utf-8")) == []


def test_a_row_that_is_gone_is_named() -> None:
    text = CAPABILITIES.read_text(encoding="utf-8")
    gone = next(line for line in text.splitlines() if line.startswith("| Topics that return nothing |"))
    assert missing(text.replace(gone, "")) == ["fault: Topics that return nothing"]
