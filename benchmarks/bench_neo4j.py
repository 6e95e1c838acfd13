"""The server engine beside SQLite: batch upsert, recall over loopback, and recall as one database fills.

Run: `PYTHONPATH=tests python benchmarks/bench_neo4j.py [facts] [repositories]`. Starts a Neo4j of its own unless
REMORA_TEST_NEO4J names one. Times are wall (the wait for the server is the point); CPU is that of this process. The
round trip of `RETURN 1` in the same run tells how busy the machine is.
"""

import json
import os
import random
import secrets
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench_facts import Figures, ask, asked, corpus, point
from fakes.clock import FakeClock
from remora.adapters.neo4j.address import parse_address
from remora.adapters.neo4j.link import Link
from remora.adapters.neo4j.store import open_store as open_partition
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.sqlite.store import open_store
from remora.core.facts.batch import Triple
from remora.core.redaction import redact_text
from remora.core.scope import operator_grant
from remora.ports import Repository
from remora.usecases.copy_store import copy_store
from remora.usecases.remember import RememberRequest, remember
from servers.bolt_server import running

GRANT = operator_grant()
RUN = secrets.token_hex(4)
FIRST = Repository("example.org/bench", f"r_{RUN}_0000")
SETTINGS = {"server.memory.pagecache.size": "1g"}
COPIES = {
    "RemoraItem": "MATCH (n:RemoraItem) WHERE n.repo = $from AND n.born >= 0",
    "RemoraPosting": "MATCH (n:RemoraPosting) WHERE n.place IN $places AND n.term >= ''",
    "RemoraScope": "MATCH (n:RemoraScope) WHERE n.repo = $from AND n.scope > '' AND n.born >= 0",
}
CLONE = """
{match} CALL (n) {{
  WITH n, CASE WHEN n.place IS NULL THEN {{parts: replace(n.parts, $from, $to)}}
               ELSE {{place: replace(n.place, $from, $to)}} END AS moved
  CREATE (c:{label} {{repo: $to}}) SET c += n {{.*, repo: $to}}, c += moved
}} IN TRANSACTIONS OF 5000 ROWS
"""


def clone(link: Link, number: int) -> None:
    """One more repository with the same content, made inside the server."""
    to, source = f"r_{RUN}_{number:04}", FIRST.id
    head = (
        "MATCH (r:RemoraRepository {id: $from}) CREATE (:RemoraRepository {id: $to, identity: r.identity, seq: r.seq,"
        " time: r.time, next_key: r.next_key, next_part: r.next_part, horizon: 0, turn: ''})"
    )
    bound = {"from": source, "to": to, "places": [f"{source}:{part}" for part in range(1, 20)]}
    with link.session() as session:
        session.run(head, bound).consume()
        for label, match in COPIES.items():
            session.run(CLONE.format(match=match, label=label), bound).consume()


def timed(bag: Any, queries: list[str]) -> tuple[list[float], list[float]]:
    """(wall, CPU) milliseconds of each recall."""
    wall, cpu = [], []
    for query in queries:
        began, used = time.perf_counter(), time.process_time()
        ask(bag, query)
        wall.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - used) * 1000)
    return wall, cpu


def report(figures: Figures, label: str, bag: Any, queries: list[str]) -> float:
    timed(bag, queries[:20])
    wall, cpu = timed(bag, queries)
    figures.add(f"recall, {label}: p50 wall ms", point(wall, 0.5))
    figures.add(f"recall, {label}: p95 wall ms", point(wall, 0.95))
    figures.add(f"recall, {label}: p50 CPU ms", point(cpu, 0.5))
    return point(wall, 0.5)


def round_trip(link: Link) -> float:
    with link.reads() as fetch:
        times = []
        for _ in range(200):
            began = time.perf_counter()
            fetch("RETURN 1", {})
            times.append((time.perf_counter() - began) * 1000)
    return point(times, 0.5)


def plot(rows: list[tuple[int, float]]) -> None:
    """The growth as text: one bar per number of repositories."""
    most = max(value for _, value in rows)
    for count, value in rows:
        print(f"{count:>5} repositories |{'#' * max(1, round(40 * value / most)):40}| {value:.1f} ms")


def measure(url: str, facts: int, repositories: int) -> dict[str, float]:
    dice, figures, clock = random.Random(1), Figures({}), FakeClock()
    link = Link(parse_address(url), deadline_seconds=120)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = SqliteRecordIndex(folder / "records.sqlite3", FileRecordLog(folder / "home"))
        near = open_store(folder / "store.sqlite3", FIRST, clock)
        far = open_partition(link, FIRST, clock)
        said = corpus(dice, facts)
        bags = [
            SimpleNamespace(
                store=store, clock=clock, repository=FIRST, redact=redact_text, record_index=index, embedder=None
            )
            for store in (near, far)
        ]
        for at in range(0, facts, 50):
            triples = [Triple(subject=s, predicate=p, object=o) for s, p, o in said[at : at + 50]]
            remember(bags[0], GRANT, RememberRequest(triples=triples))
        upserting = [0.0]
        apply = far.apply

        def clocked(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return apply(*given, **named)
            finally:
                upserting[0] += time.perf_counter() - began

        far.apply = clocked  # type: ignore[method-assign]
        copied = copy_store(near, far, GRANT)
        far.apply = apply  # type: ignore[method-assign]
        figures.add(f"upsert of {facts} facts ({copied.items} items): wall s", upserting[0])
        queries = dice.sample(asked(dice, said), 200)
        same = all(ask(bags[0], query) == ask(bags[1], query) for query in queries[:60])
        figures.add("first 60 answers equal on both engines", float(same))
        report(figures, "SQLite", bags[0], queries)
        growth = []
        held = 1
        for wanted in [count for count in (1, 10, 30, 100) if count <= repositories]:
            began = time.perf_counter()
            while held < wanted:
                clone(link, held)
                held += 1
            figures.add(f"made {wanted} repositories: wall s", time.perf_counter() - began)
            figures.add("round trip of RETURN 1: p50 ms", round_trip(link))
            growth.append((wanted, report(figures, f"{wanted} in one database", bags[1], queries)))
        plot(growth)
        near.close()
        index.close()
    link.close()
    return figures.rows


def main() -> None:
    facts = int(sys.argv[1]) if len(sys.argv) > 1 else 9_900
    repositories = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    given = os.environ.get("REMORA_TEST_NEO4J", "")
    with nullcontext(SimpleNamespace(url=given)) if given else running(heap="1g", settings=SETTINGS) as server:
        rows = measure(server.url, facts, repositories)
    print(json.dumps({"benchmark": "neo4j", "facts": facts, "repositories": repositories, **rows}))


if __name__ == "__main__":
    main()
