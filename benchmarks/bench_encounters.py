"""orient and infuse at 5,000 nodes / 20,000 relations: `python benchmarks/bench_encounters.py`, figures in CPU ms."""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from remora.adapters.derived_cache import DerivedCache
from remora.adapters.graph_metrics import RustworkxMetrics
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.sqlite.store import open_store
from remora.core.encounters.identity import node_id, relation_id
from remora.core.encounters.schema import AUTHORED_RELATIONS, FAMILY, RELATIONS
from remora.core.encounters.writing import node_tokens
from remora.core.graph import Changes, Edge, Item, Node
from remora.core.redaction import redact_text
from remora.core.scope import REPOSITORY, operator_grant
from remora.core.sessions import SessionRef
from remora.ports import Repository
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.infuse import InfuseRequest, infuse
from remora.usecases.orient import orient
from remora.usecases.stamp_delivery import stamp_delivery

NODES, EDGES, WORDS = 5_000, 20_000, 4_000
SHARES = {
    "Observation": 0.4,
    "Concept": 0.15,
    "Question": 0.12,
    "Hypothesis": 0.12,
    "Note": 0.09,
    "Component": 0.06,
    "Citation": 0.06,
}
GRANT = operator_grant()
REPO = Repository("bench", "r_bench")


class WallClock:
    """Real time; random enough."""

    def now(self) -> int:
        return time.time_ns() // 1_000

    def token(self, size_bytes: int) -> str:
        return random.randbytes(size_bytes).hex()


@dataclass
class Bag:
    """The ports that the verbs need."""

    store: object
    clock: WallClock
    folder: Path
    repository: Repository = REPO
    redact: Callable[[str], str] = redact_text
    embedder: object = None
    models: object = None

    def __post_init__(self) -> None:
        log = FileRecordLog(self.folder / ".remora")
        self.record_index = SqliteRecordIndex(self.folder / "cache" / "records.sqlite3", log)
        self.metrics, self.cache = RustworkxMetrics(), DerivedCache()


def vocabulary(draw: random.Random) -> list[str]:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return list(dict.fromkeys("".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in range(WORDS)))


WEIGHTS = [1 / (rank + 10) for rank in range(WORDS)]
"""Zipf-Mandelbrot, as content words are spread; function words are dropped from queries and are not modelled."""


def phrase(draw: random.Random, words: list[str], count: int) -> str:
    """A run of words."""
    return " ".join(draw.choices(words, WEIGHTS[: len(words)], k=count))


def _put(items: tuple[Item, ...], _view: object, _now: int) -> Changes:
    return Changes(put=items)


def build(path: Path) -> tuple[Bag, str, list[str]]:
    draw = random.Random(7)
    words = vocabulary(draw)
    bag = Bag(open_store(path, REPO, WallClock()), WallClock(), path.parent)
    handle = advance_encounter(bag, GRANT, AdvanceRequest("first")).session
    by_label: dict[str, list[str]] = {label: [] for label in SHARES}
    nodes = []
    for label, share in SHARES.items():
        for at in range(int(NODES * share)):
            name = f"{phrase(draw, words, 5)} {at}"
            values = {"name": name, "description": phrase(draw, words, 35)}
            item = node_id(label, name)
            by_label[label].append(item)
            body = {"properties": values, "tick": 1, "by": {"trust": 3}, "version": 1}
            nodes.append(
                Node(
                    id=item,
                    family=FAMILY,
                    label=label,
                    scope=REPOSITORY,
                    name=name,
                    body=body,
                    tokens=node_tokens(name, values),
                    created=at + 1,
                    updated=at + 1,
                )
            )
    edges: dict[str, Edge] = {}
    while len(edges) < EDGES:
        label = draw.choice(AUTHORED_RELATIONS)
        source_type, target_type = draw.choice(RELATIONS[label].pairs)
        pool = by_label[target_type]
        source, target = draw.choice(by_label[source_type]), pool[min(int(draw.paretovariate(0.7)) - 1, len(pool) - 1)]
        if source != target:
            item = relation_id(label, source, target)
            edges[item] = Edge(
                id=item,
                family=FAMILY,
                label=label,
                scope=REPOSITORY,
                source=source,
                target=target,
                body={"properties": {}, "by": {"trust": 3}},
                created=5,
                updated=5,
            )
    for batch in range(0, len(nodes), 1_000):
        bag.store.apply(GRANT, partial(_put, tuple(nodes[batch : batch + 1_000])))
    rows = list(edges.values())
    for batch in range(0, len(rows), 2_000):
        bag.store.apply(GRANT, partial(_put, tuple(rows[batch : batch + 2_000])))
    return bag, handle, words


def measured(run: Callable[[], object]) -> float:
    """CPU milliseconds."""
    began = time.process_time()
    run()
    return (time.process_time() - began) * 1_000


COLD = """
import sys, time
sys.path.insert(0, {here!r})
from bench_encounters import Bag, GRANT, REPO, InfuseRequest, WallClock, infuse, open_store
from pathlib import Path
bag = Bag(open_store(Path({path!r}), REPO, WallClock()), WallClock(), Path({path!r}).parent)
infuse(bag, GRANT, InfuseRequest({prompt!r}))
print(time.process_time() * 1000)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite3"
        bag, handle, words = build(path)
        figures = {"orient_cold_ms": round(measured(lambda: orient(bag, GRANT)), 1)}
        unchanged = sorted(measured(lambda: orient(bag, GRANT)) for _ in range(20))
        figures["orient_unchanged_p95_ms"] = round(unchanged[18], 2)
        draw = random.Random(9)
        ref = SessionRef(handle=handle)
        times, silent = [], 0
        for _ in range(100):
            request = InfuseRequest(
                phrase(draw, words, 12), session=ref, trajectory=[phrase(draw, words, 40) for _ in range(7)]
            )
            found = None
            began = time.process_time()
            found = infuse(bag, GRANT, request)
            stamp_delivery(bag, GRANT, ref, found.receipt.delivered, delta=False)
            times.append((time.process_time() - began) * 1_000)
            silent += found.silence
        times.sort()
        figures |= {"infuse_p50_ms": round(times[50], 1), "infuse_p95_ms": round(times[95], 1), "infuse_silent": silent}
        program = COLD.format(here=str(Path(__file__).parent), path=str(path), prompt=phrase(draw, words, 12))
        cold = [
            float(
                subprocess.run(
                    [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
                ).stdout
            )
            for _ in range(3)
        ]
        figures["infuse_cold_process_ms"] = round(min(cold), 1)
        bag.store.close()
    for name, value in figures.items():
        print(f"{name:28} {value}")
    print(json.dumps({"benchmark": "encounters", "nodes": NODES, "relations": EDGES, **figures}))


if __name__ == "__main__":
    main()
