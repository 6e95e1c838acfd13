"""The page at 10,000 facts and 50,000 records: what each view costs the server, the very first one included.

Run: `PYTHONPATH=tests python benchmarks/bench_page.py [facts] [records]`. CPU times: of the server's process.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2

from conftest import World
from http_server import Server, running
from page_browser import Browser
from remora.bootstrap import open_ports
from remora.config import load
from remora.core.facts.batch import Triple
from remora.core.records.model import SHARED, PathChange, Record, SourceArtifact
from remora.core.records.vocabulary import PathChangeKind, RecordKind
from remora.core.scope import operator_grant
from remora.usecases.remember import RememberRequest, remember

VIEWS = {
    "list": "", "next page": "", "facts alone": "?family=facts", "search": "?q=which+service+uses+postgres",
    "facet that few pass": "?source=nobody", "timeline": "/timeline", "graph of 300": "/graph",
    "graph of 5,000": "/graph?size=large", "orient": "/orient",
}  # fmt: skip
WORDS = (
    "billing ledger invoice payment search index cache queue worker gateway order cart stock price mail report".split()
)


def fill(world: World, facts: int, records: int) -> None:
    """Facts among half as many entities, and records over five years, written past the doors to save time."""
    dice = random.Random(7)
    ports = open_ports(load(world.env), world.repo)
    grant = operator_grant()
    names = [f"{dice.choice(WORDS)} {dice.choice(WORDS)} {n}" for n in range(facts // 2 - 10)]
    try:
        for start in range(0, facts, 1_000):
            triples = [
                Triple(subject=dice.choice(names), predicate=dice.choice(("USES", "CALLS", "OWNED_BY")),
                       object=dice.choice(names))
                for _ in range(min(1_000, facts - start))
            ]  # fmt: skip
            remember(ports, grant, RememberRequest(triples=triples))
        now = int(time.time())
        ports.records.append_many(grant, (made(dice, ports.repository.identity, n, now) for n in range(records)))
        with ports.record_index.view(grant) as view:
            print(f"{facts:,} facts, {view.total:,} records")
    finally:
        ports.store_admin.close()
        ports.record_index.close()


def made(dice: random.Random, repository: str, number: int, now: int) -> Record:
    """One record of a long history."""
    words = " ".join(dice.choice(WORDS) for _ in range(6))
    return Record.create(
        idempotency_key=f"bench-{number}", kind=RecordKind.CHANGE_EPISODE if number % 9 else RecordKind.REGRESSION,
        title=f"Change {number}: {words}", summary=" ".join(dice.choice(WORDS) for _ in range(30)),
        repository=repository, occurred_at=now - number * 3_000, access_scope=SHARED, owner="operator",
        sources=[SourceArtifact("git", f"git:{number:040x}")],
        path_changes=[PathChange(PathChangeKind.MODIFIED, f"src/{dice.choice(WORDS)}.py", "")],
    )  # fmt: skip


def spent(pid: int) -> float:
    """CPU milliseconds of a process so far, all its threads."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def asked(server: Server, me: Browser, path: str) -> tuple[float, float, httpx2.Response]:
    """CPU and wall milliseconds of one request."""
    cpu, wall = spent(server.process.pid), time.perf_counter()
    answer = me.get(path)
    assert answer.status_code == 200, answer.text[:300]
    return spent(server.process.pid) - cpu, (time.perf_counter() - wall) * 1000, answer


def main() -> None:
    """Fill, serve, ask."""
    facts, records = (int(word) for word in (*sys.argv[1:], "10000", "50000")[:2])
    rows: dict[str, Any] = {"facts": facts, "records": records}
    with tempfile.TemporaryDirectory() as place:
        world = World(Path(place) / "world")
        assert world.remora("init").code == 0
        fill(world, facts, records)
        with running(world) as server:
            me = Browser(server).signed_in(server.token)  # signing in ends on the list: the very first view
            first, _, answer = asked(server, me, me.base)
            rows["list, again at once"] = round(first, 1)
            more = answer.text.partition("cursor=")[2].partition('"')[0]
            print(f"{'view':24} {'CPU p50':>9} {'CPU max':>9} {'wall p50':>9}  ms")
            for name, path in VIEWS.items():
                where = me.base + (f"?cursor={more}" if name == "next page" else path)
                times = [asked(server, me, where)[:2] for _ in range(3 if "5,000" in name else 8)]
                cpu, wall = [one for one, _ in times], [one for _, one in times]
                rows[name] = round(statistics.median(cpu), 1)
                print(f"{name:24} {statistics.median(cpu):9.1f} {max(cpu):9.1f} {statistics.median(wall):9.1f}")
            me.client.close()
        with running(world) as server:  # a fresh process, a repository that nobody has opened yet
            me = Browser(server)
            me.client.post("/sign-in", data={"key": server.token}, headers={"origin": me.origin})
            cpu, wall, _ = asked(server, me, f"/r/{server.repository}")
            rows["very first view"] = round(cpu, 1)
            print(f"{'very first view':24} {cpu:9.1f} {'':9} {wall:9.1f}")
            me.client.close()
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
