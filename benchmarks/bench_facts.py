"""Facts: saving one at a time, recall beside a bare FTS5 query, and what recall finds of the check set.

Run: `PYTHONPATH=tests python benchmarks/bench_facts.py [facts]`. CPU times: this process; a seed makes the corpus.
"""

import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw

import recall_check as check
from fakes.clock import FakeClock
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.sqlite.store import open_store
from remora.core.facts.batch import Triple
from remora.core.policy import FACTS_PER_REPOSITORY
from remora.core.redaction import redact_text
from remora.core.scope import operator_grant
from remora.core.text import tokens
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.remember import RememberRequest, remember
from store_shapes import REPO

_WORDS = """
billing auth ledger invoice payment search index cache queue worker gateway user order cart catalog stock price mail
notify report export import sync batch stream event audit metric log trace config deploy build test lint format parse
render route
"""
_PREDICATES = "USES DEPENDS_ON OWNED_BY CALLS RUNS_ON STORES_IN PUBLISHES_TO TESTED_BY DEPLOYED_ON WRITTEN_IN"
WORDS, PREDICATES = _WORDS.split(), _PREDICATES.split()
KINDS = ["service", "job", "table", "module", "team", "topic", "endpoint", "library"]
FTS = "SELECT rowid, bm25(t) FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10"
GRANT = operator_grant()
Fact = tuple[str, str, str]


@dataclass
class Figures:
    """What is reported."""

    rows: dict[str, float]

    def add(self, label: str, value: float) -> None:
        self.rows[label] = round(value, 3)
        print(f"{label:44} {value:10.2f}")


def corpus(dice: random.Random, count: int) -> list[Fact]:
    """Facts among half as many entities; a tenth of them point to one hub."""
    names = [
        f"{one} {other} {kind}" if dice.random() < 0.5 else f"{one.title()}{other.title()}{kind.title()}"
        for one in WORDS
        for other in WORDS
        for kind in KINDS
        if one != other
    ]
    names = dice.sample(names, min(len(names), max(10, count * 48 // 100)))
    found: dict[Fact, None] = {}
    while len(found) < count:
        target = names[0] if dice.random() < 0.1 else dice.choice(names)
        found[dice.choice(names), dice.choice(PREDICATES), target] = None
    return list(found)


def bare(folder: Path, facts: list[Fact]) -> apsw.Connection:
    """The yardstick: the same words in a plain FTS5 table."""
    con = apsw.Connection(str(folder / "fts.sqlite3"))
    con.execute("CREATE VIRTUAL TABLE t USING fts5(words, prefix='3')")
    rows = [name for fact in facts for name in (fact[0], fact[2])]
    with con:
        for text in (*dict.fromkeys(rows), *(" ".join(fact) for fact in facts)):
            con.execute("INSERT INTO t VALUES (?)", (" ".join(tokens(text)),))
    return con


def asked(dice: random.Random, facts: list[Fact]) -> list[str]:
    queries = []
    for subject, predicate, target in dice.sample(facts, min(200, len(facts))):
        said = predicate.lower().replace("_", " ")
        queries += [f"what does {subject} {said}?", subject, f"{target.split()[0]} and {said}", f"{subject[:-2]}x"]
    return queries


def milliseconds(run: Any) -> float:
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1_000


def point(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 9_900
    dice, figures = random.Random(1), Figures({})
    with tempfile.TemporaryDirectory() as name:
        folder, clock = Path(name), FakeClock()
        index = SqliteRecordIndex(folder / "records.sqlite3", FileRecordLog(folder / "home"))
        store = open_store(folder / "store.sqlite3", REPO, clock)
        bag: Any = SimpleNamespace(
            store=store, clock=clock, repository=REPO, redact=redact_text, record_index=index, embedder=None
        )
        facts = corpus(dice, count)
        wall = time.perf_counter()
        saved = [milliseconds(lambda fact=fact: save(bag, fact)) for fact in facts]
        figures.add("save one at a time, all: wall s", time.perf_counter() - wall)
        tenth = max(1, count // 10)
        figures.add("save one, first tenth: mean CPU ms", sum(saved[:tenth]) / tenth)
        figures.add("save one, last tenth: mean CPU ms", sum(saved[-tenth:]) / tenth)
        con = bare(folder, facts)
        ours, yardstick = [], []
        for query in asked(dice, facts):
            match = " OR ".join(f'"{token}"' for token in tokens(query))
            yardstick.append(milliseconds(lambda match=match: con.execute(FTS, (match,)).fetchall()))
            ours.append(milliseconds(lambda query=query: ask(bag, query)))
        figures.add("recall p50 CPU ms", point(ours, 0.5))
        figures.add("recall p95 CPU ms", point(ours, 0.95))
        figures.add("bare FTS5 p50 CPU ms", point(yardstick, 0.5))
        figures.add("ratio of p50", point(ours, 0.5) / point(yardstick, 0.5))
        quality(bag, figures)
        store.close()
        index.close()
    print(json.dumps({"benchmark": "facts", "facts": count, **figures.rows}))


def save(bag: Any, fact: Fact) -> None:
    subject, predicate, target = fact
    remember(bag, GRANT, RememberRequest(triples=[Triple(subject=subject, predicate=predicate, object=target)]))


def ask(bag: Any, query: str) -> list[str]:
    result = recall(bag, GRANT, RecallRequest(query=query, memory_scope="repository"))
    return [hit.title for hit in result.hits]


def quality(bag: Any, figures: Figures) -> None:
    """The hand-written check set, stored among the corpus."""
    with bag.store.read(GRANT) as view:
        stored = view.counts(("repository",)).get(("facts", "FACT", "repository"), 0)
    if stored + len(check.lines(check.FACTS)) > FACTS_PER_REPOSITORY:
        print("check set left out: the repository's fact limit leaves no room for it")
        return
    for line in check.lines(check.FACTS) + check.lines(check.ALIASES):
        save(bag, check.triple(line))
    for name, pairs in check.questions().items():
        figures.add(f"recall@8, {name}", sum(fact in ask(bag, query) for query, fact in pairs) / len(pairs))
    silent = check.lines(check.UNANSWERABLE)
    figures.add("unanswerable answered", sum(bool(ask(bag, query)) for query in silent) / len(silent))


if __name__ == "__main__":
    main()
