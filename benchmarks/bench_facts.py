"""Facts: storing ten thousand one at a time, and recall over them beside a bare FTS5 query in the same process.

python benchmarks/bench_facts.py [facts]
"""

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import apsw

from remora.adapters.sqlite.store import open_store
from remora.adapters.system import SystemClock
from remora.core.facts.batch import Triple
from remora.core.redaction import redact_text
from remora.core.scope import operator_grant
from remora.ports import Repository
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.remember import RememberRequest, remember

ADJECTIVES = "fast slow blue shared legacy public internal global remote cached signed nightly".split()
NOUNS = "billing session token cache router parser ledger queue worker index mirror gateway report invoice".split()
PREDICATES = ["USES", "DEPENDS_ON", "OWNED_BY", "WRITES_TO", "READS_FROM", "STARTS_AT"]


def name(rng: random.Random, top: int) -> str:
    return f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.randrange(top)}"


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main(total: int) -> None:
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository("bench", "r_bench")
        clock = SystemClock()
        store = open_store(Path(folder) / "s.sqlite3", repository, clock)
        from remora.adapters.record_files.log import FileRecordLog
        from remora.adapters.sqlite.record_index import SqliteRecordIndex

        log = FileRecordLog(Path(folder) / "home")
        index = SqliteRecordIndex(Path(folder) / "records.sqlite3", log)
        ports = type("P", (), {})()
        ports.store, ports.repository, ports.clock, ports.redact = store, repository, clock, redact_text
        ports.record_index = index
        grant = operator_grant()
        names = [f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {n}" for n in range(total // 2)]
        fts = apsw.Connection(str(Path(folder) / "fts.sqlite3"))
        fts.execute("CREATE VIRTUAL TABLE t USING fts5(b)")
        marks: list[tuple[int, float]] = []
        cpu, wall, saved = time.process_time(), time.perf_counter(), 0
        while saved < total:
            subject, target = rng.choice(names), rng.choice(names)
            triple = Triple(subject=subject, predicate=rng.choice(PREDICATES), object=target)
            done = remember(ports, grant, RememberRequest(triples=[triple]))
            saved += done.saved[0].outcome == "created"
            fts.execute("INSERT INTO t VALUES (?)", (f"{subject} {triple.predicate} {target}",))
            if saved % (total // 10) == 0 and (not marks or marks[-1][0] != saved):
                marks.append((saved, time.process_time() - cpu))
        store_cpu, store_wall = time.process_time() - cpu, time.perf_counter() - wall
        bare, ours = [], []
        for n in range(300):
            query = f"what does {rng.choice(names)} depend on"
            at = time.perf_counter()
            words = " OR ".join(f'"{w}"' for w in query.split())
            list(fts.execute("SELECT b FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 8", (words,)))
            bare.append(time.perf_counter() - at)
            at = time.perf_counter()
            recall(ports, grant, RecallRequest(query=query, memory_scope="repository"))
            ours.append(time.perf_counter() - at)
        row = {
            "bench": "facts", "facts": total,
            "store_cpu_ms_per_fact": round(store_cpu / saved * 1e3, 3), "store_wall_seconds": round(store_wall, 1),
            "first_tenth_cpu_ms": round(marks[0][1] / marks[0][0] * 1e3, 3),
            "last_tenth_cpu_ms": round((marks[-1][1] - marks[-2][1]) / (marks[-1][0] - marks[-2][0]) * 1e3, 3),
            "recall_p50_ms": round(statistics.median(ours) * 1e3, 2),
            "recall_p95_ms": round(percentile(ours, 0.95) * 1e3, 2),
            "bare_fts5_p50_ms": round(statistics.median(bare) * 1e3, 2),
            "recall_p50_ratio": round(statistics.median(ours) / statistics.median(bare), 2),
        }  # fmt: skip
        for key, value in row.items():
            print(f"{key:28} {value}")
        print(json.dumps(row))
        store.close()
        index.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
