"""Recall over the open set of facts, by words alone and with the builtin embedder, beside plain BM25 in the same run.

Run: `PYTHONPATH=tests python benchmarks/bench_recall_open.py [--words] [--show]`. `--words` leaves the embedder out;
`--show` lists the misses of the tuning half, and of that half alone. Margins over BM25 carry 95 % bootstrap intervals.
"""

import json
import random
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).with_name("open_sets")))

import baseline

from fakes.clock import FakeClock
from remora.adapters.local_embedder.model import LocalEmbedder, installed
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.sqlite.store import open_store
from remora.core.facts.batch import Triple
from remora.core.policy import BOOTSTRAP_ROUNDS
from remora.core.redaction import redact_text
from remora.core.scope import operator_grant
from remora.usecases.index_memory import IndexMemoryRequest, index_memory
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.remember import RememberRequest, remember
from store_shapes import REPO

GRANT = operator_grant()
SILENT = baseline.UNANSWERABLE


def load(bag: Any) -> dict[str, str]:
    """Stored fact id -> id in the set. One write per row, so that an alias merges as it would in life."""
    known: dict[str, str] = {}
    for row in baseline.read("facts/facts.json"):
        names = {
            key: row[key] for key in ("subject", "predicate", "object", "subject_type", "object_type") if key in row
        }
        done = remember(bag, GRANT, RememberRequest(triples=[Triple(**names)]))
        known[done.saved[0].id] = str(row["id"])
    return known


def ask(bag: Any, known: dict[str, str], text: str) -> list[str]:
    """Ids in the set of what recall answers, best first; what is no fact of the set counts as an answer."""
    found = recall(bag, GRANT, RecallRequest(query=text, memory_scope="repository"))
    return [known.get(hit.id, hit.id) for hit in found.hits][: baseline.FIRST]


def value(question: Any, answers: list[str]) -> float:
    """Recall at eight; for what has no answer, whether there was one."""
    return baseline.recall(question["expected"], answers)


def interval(margins: list[float]) -> tuple[float, float, float]:
    """Mean and the ends of its 95 % bootstrap interval."""
    dice = random.Random(7)
    means = sorted(sum(dice.choices(margins, k=len(margins))) / len(margins) for _ in range(BOOTSTRAP_ROUNDS))
    mean = sum(margins) / len(margins)
    return round(mean, 3), round(means[len(means) // 40], 3), round(means[-len(means) // 40], 3)


def report(name: str, questions: list[Any], answers: dict[str, list[str]], plain: dict[str, list[str]]) -> Any:
    """Figures per half, and the margin over BM25."""
    told: dict[str, Any] = {}
    for half in ("tune", "report"):
        rows = [question for question in questions if question["half"] == half]
        kinds: dict[str, list[float]] = {}
        for question in rows:
            kinds.setdefault(question["kind"], []).append(value(question, answers[question["id"]]))
        asked = [question for question in rows if question["kind"] not in SILENT]
        figures = {"answerable": sum(value(q, answers[q["id"]]) for q in asked) / len(asked)}
        figures |= {kind: sum(found) / len(found) for kind, found in kinds.items()}
        margins = [value(q, answers[q["id"]]) - value(q, plain[q["id"]]) for q in asked]
        told[half] = {key: round(figure, 3) for key, figure in figures.items()} | {"margin": interval(margins)}
    print(f"\n{name:<24}{'tune':>8}{'report':>8}")
    for key in told["tune"]:
        if key != "margin":
            print(f"{key:<24}{told['tune'][key]:>8.3f}{told['report'].get(key, float('nan')):>8.3f}")
    for half in told:
        print("margin over BM25, {}: {:+.3f} ({:+.3f} to {:+.3f})".format(half, *told[half]["margin"]))
    return told


def show(name: str, questions: list[Any], answers: dict[str, list[str]]) -> None:
    """Misses and false answers of the tuning half."""
    facts = {str(row["id"]): baseline.fact_text(row) for row in baseline.read("facts/facts.json")}
    for question in questions:
        got = answers[question["id"]]
        wrong = bool(got) if question["kind"] in SILENT else value(question, got) < 1
        if question["half"] == "tune" and wrong:
            print(f"\n{name} {question['id']} [{question['kind']}] {question['text']}")
            print("   wanted:", "; ".join(facts[key] for key in question["expected"]) or "silence")
            print("   got:   ", "; ".join(facts.get(key, key) for key in got[:4]) or "silence")


def main() -> None:
    questions: list[Any] = list(baseline.read("facts/questions.json"))
    index = baseline.Bm25({str(row["id"]): baseline.fact_text(row) for row in baseline.read("facts/facts.json")})
    plain = {question["id"]: index.first(str(question["text"])) for question in questions}
    figures = {"bm25": report("plain BM25", questions, plain, plain)}
    with tempfile.TemporaryDirectory() as folder:
        clock = FakeClock()
        records = SqliteRecordIndex(Path(folder, "records.sqlite3"), FileRecordLog(Path(folder, "home")))
        store = open_store(Path(folder, "store.sqlite3"), REPO, clock)
        bag: Any = SimpleNamespace(
            store=store, clock=clock, repository=REPO, redact=redact_text, record_index=records, embedder=None
        )
        known = load(bag)
        legs = ["lexical"] + ["hybrid"] * (installed() and "--words" not in sys.argv)
        for leg in legs:
            if leg == "hybrid":
                bag.embedder = LocalEmbedder()
                index_memory(bag, GRANT, IndexMemoryRequest())
            answers = {question["id"]: ask(bag, known, str(question["text"])) for question in questions}
            figures[leg] = report(leg, questions, answers, plain)
            if "--show" in sys.argv:
                show(leg, questions, answers)
        store.close()
        records.close()
    print(json.dumps({"benchmark": "recall_open", **figures}))


if __name__ == "__main__":
    main()
