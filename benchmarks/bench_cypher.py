"""Cypher over a snapshot of 5,000 nodes and 20,000 relations: the first query, which loads it, and later ones.

python benchmarks/bench_cypher.py
"""

import json
import resource
import time

from remora.adapters.kglite_snapshot import KgliteSnapshots
from remora.core.cypher.rows import Graph

NODES, RELATIONS, QUERIES = 5_000, 20_000, 3_000
TIME = "2026-03-01T08:00:00Z"
QUERY = "MATCH (n:Concept {uid: $uid})-[:INFORMS*1..3]->(x) RETURN count(DISTINCT x) AS n"


def graph() -> Graph:
    nodes = [
        {
            "uid": f"enc_{i}",
            "properties": {"uid": f"enc_{i}", "name": f"concept {i}", "description": "x " * 60, "tick": i},
        }
        for i in range(NODES)
    ]
    relations = [
        {
            "s": f"enc_{i % NODES}",
            "t": f"enc_{(i * 7 + 1) % NODES}",
            "properties": {"uid": f"rel_{i}", "t_created": TIME},
        }
        for i in range(RELATIONS)
    ]
    return Graph({"Concept": nodes}, {("INFORMS", "Concept", "Concept"): relations})


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    made = graph()
    before, own = children(), time.process_time()
    loaded = KgliteSnapshots()
    loaded.run("bench", 1, lambda: made, QUERY, {"uid": "enc_1"})
    loaded.close()
    cold = children() - before + time.process_time() - own
    before, own = children(), time.process_time()
    asked = KgliteSnapshots()
    for number in range(QUERIES + 1):
        asked.run("bench", 1, lambda: made, QUERY, {"uid": f"enc_{number}"})
    asked.close()
    warm = (children() - before + time.process_time() - own - cold) / QUERIES * 1_000
    figures = {"first_query_cpu_seconds": round(cold, 2), "later_query_cpu_ms": round(warm, 2)}
    for name, value in figures.items():
        print(f"{name:28} {value}")
    print(json.dumps({"benchmark": "cypher", "nodes": NODES, "relations": RELATIONS, **figures}))


if __name__ == "__main__":
    main()
