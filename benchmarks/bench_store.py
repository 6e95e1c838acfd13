"""The embedded store: bulk and single writes, candidates, lookups, expansion, vectors, forgetting.

Run: `PYTHONPATH=tests python benchmarks/bench_store.py`. CPU times are of this process; a seed makes the corpus.
"""

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from remora.core.graph import Edge, Node
from store_shapes import OPERATOR, REPO, SHARED, edge, floats, node, plan, vector

VOCABULARY, TOKENS, NODES, EDGES, DIMENSIONS = 6_000, 8, 10_000, 10_000, 384


def corpus(rng: random.Random) -> tuple[list[Node], list[Edge]]:
    """Nodes and edges whose words fall in frequency like those of text, stop words left out."""
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(4, 10))) for _ in range(VOCABULARY)]
    weights = [1 / (rank + 20) for rank in range(VOCABULARY)]

    def text() -> str:
        return " ".join(rng.choices(words, weights, k=TOKENS))

    nodes = [node(f"ent_{rng.getrandbits(96):024x}", text(), updated=index) for index in range(NODES)]
    edges: dict[str, Edge] = {}
    while len(edges) < EDGES:
        made = edge(rng.choice(nodes).id, rng.choice(nodes).id, words=text(), updated=len(edges), confidence=1.0)
        edges[made.id] = made
    return nodes, list(edges.values())


def report(label: str, run: Callable[[], object], rounds: int = 1) -> None:
    if rounds > 1:
        run()
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(rounds):
        run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"{label:44} {cpu / rounds * 1000:9.3f} ms CPU {wall / rounds * 1000:9.3f} ms wall")


def main() -> None:
    rng = random.Random(7)
    nodes, edges = corpus(rng)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "store.sqlite3", REPO, FakeClock())
        report(f"bulk write of {NODES} nodes and {EDGES} edges", lambda: store.apply(OPERATOR, plan(*nodes, *edges)))
        counter = iter(range(10**9))

        def small() -> None:
            name = f"new{next(counter)}"
            store.apply(OPERATOR, plan(node(name, "a few words"), edge(name, nodes[5].id, words="and some more")))

        report("one write: a node and an edge", small, 200)
        again = (node(nodes[7].id, " ".join(nodes[7].tokens["text"]), count=n) for n in range(10**9))
        report("one write: an item confirmed", lambda: store.apply(OPERATOR, plan(next(again))), 200)
        queries = iter([[rng.choice(rng.choice(edges).tokens["text"]) for _ in range(3)] for _ in range(500)])
        ids = [item.id for item in nodes]
        with store.read(OPERATOR) as view:
            report("text: 3 terms, limit 400",
                   lambda: view.text_candidates(["facts"], SHARED, next(queries), limit=400), 100)  # fmt: skip
            report("text: 2 terms and a prefix, limit 400",
                   lambda: view.text_candidates(["facts"], SHARED, (q := next(queries))[:2], [q[2][:3]], limit=400),
                   100)  # fmt: skip
            report("get of 1", lambda: view.get(ids[:1], SHARED), 500)
            report("get of 100", lambda: view.get(ids[:100], SHARED), 50)
            report("expand 8 nodes, 1 hop",
                   lambda: view.expand(ids[:8], SHARED, labels=["fact"], per_node=16, limit=160), 100)  # fmt: skip
            report("expand 8 nodes, 2 hops",
                   lambda: view.expand(ids[:8], SHARED, labels=["fact"], hops=2, per_node=16, limit=160),
                   50)  # fmt: skip
            report("counts", lambda: view.counts(SHARED), 500)
            report("newest 100", lambda: view.scan("facts", "fact", SHARED, limit=100, newest_first=True), 50)
            report("snapshot of all", lambda: view.snapshot(["facts"], SHARED))

        def opened() -> None:
            with store.read(OPERATOR) as view:
                assert view.seq

        report("open a view", opened, 500)
        some = [vector(name, *(rng.gauss(0, 1) for _ in range(DIMENSIONS))) for name in ids[:5_000]]
        report("write of 5000 vectors of 384", lambda: store.apply(OPERATOR, plan(vectors=some)))
        query = floats(*(rng.gauss(0, 1) for _ in range(DIMENSIONS)))
        with store.read(OPERATOR) as view:
            report("vectors: best 10 of 5000",
                   lambda: view.vector_candidates(["facts"], SHARED, "m", query, floor=0.0, limit=10), 3)  # fmt: skip
        report("verify", store.verify)
        report("drop a scope of 20,000 and scrub", lambda: store.drop_scope(OPERATOR, "repository"))
        store.close()


if __name__ == "__main__":
    main()
