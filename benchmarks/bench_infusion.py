"""Does infusion find what bears on a decision, and keep silent otherwise? `python benchmarks/bench_infusion.py`.

Loads the open set into a real store. Options: `--embed` adds the builtin embedder, `--half tune|report` keeps one half,
`--show` lists misses and noise of the tune half. Beside the figures stands plain BM25 on the same cases, and the margin
over it with a 95 % bootstrap interval. CPU milliseconds are of one prompt.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "open_sets"))

import baseline

from bench_encounters import GRANT, Bag, WallClock
from remora.adapters.local_embedder.model import LocalEmbedder
from remora.adapters.sqlite.store import open_store
from remora.core.sessions import SessionRef
from remora.ports import Repository
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.close_encounter import CloseRequest, close_encounter
from remora.usecases.create_entities import create_entities
from remora.usecases.create_relations import create_relations
from remora.usecases.index_memory import IndexMemoryRequest, index_memory
from remora.usecases.infuse import InfuseRequest, infuse

REPOSITORY = Repository("infusion", "r_infusion")
DRAWS = 2_000


def build(path: Path, graph: dict[str, Any]) -> Bag:
    """The set as agents would have written it, encounter by encounter."""
    bag = Bag(open_store(path, REPOSITORY, WallClock()), WallClock(), path.parent, REPOSITORY)
    names = {node["id"]: f"{node['type']}:{node['name']}" for node in graph["nodes"]}
    for row in graph["encounters"]:
        ref = SessionRef(client="bench", session_id=row["session"])
        advance_encounter(bag, GRANT, AdvanceRequest(row["name"], ref))
        nodes = [node for node in graph["nodes"] if node["encounter"] == row["id"]]
        create_entities(bag, GRANT, [{k: node[k] for k in node if k not in ("id", "encounter")} for node in nodes], ref)
        close_encounter(bag, GRANT, CloseRequest(row["summary"], session=ref))
    rows = [row | {"source": names[row["source"]], "target": names[row["target"]]} for row in graph["relations"]]
    create_relations(bag, GRANT, rows)
    return bag


def scored(bag: Bag, cases: list[dict[str, Any]], names: dict[str, str], *, show: bool) -> list[dict[str, Any]]:
    """Per case: kind, whether ours and the yardstick's answers are right, and the CPU that ours took."""
    yardstick = baseline.Bm25(baseline.node_texts(baseline.read("infusion/graph.json")))
    rows = []
    for case in cases:
        began = time.process_time()
        found = infuse(bag, GRANT, InfuseRequest(case["prompt"], trajectory=case["trajectory"]))
        spent = time.process_time() - began
        told = [] if found.silence else list(found.surfaced[: baseline.FIRST])
        plain = yardstick.first(" ".join([*case["trajectory"], case["prompt"]]))
        silent = case["kind"] == "silence"
        ours = not told if silent else any(names[key] in told for key in case["expected"])
        theirs = not plain if silent else any(key in plain for key in case["expected"])
        row = {"kind": case["kind"], "shares": case.get("shares_words"), "ours": ours, "bm25": theirs, "cpu": spent}
        rows.append(row | {"half": case["half"]})
        if show and not ours and case["half"] == "tune":
            wanted = [names[key] for key in case["expected"]]
            print(case["id"], case["trajectory"], "|", case["prompt"], "|", found.reason, told[:8], "| wanted", wanted)
    return rows


def mean(values: list[bool]) -> float:
    return round(sum(values) / len(values), 3) if values else float("nan")


def margin(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """The 95 % interval of our margin over the yardstick, by bootstrap over the cases."""
    draw = random.Random(5)
    gains = [row["ours"] - row["bm25"] for row in rows]
    means = sorted(sum(draw.choices(gains, k=len(gains))) / len(gains) for _ in range(DRAWS))
    return round(means[DRAWS // 40], 3), round(means[-DRAWS // 40], 3)


def figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    decisions = [row for row in rows if row["kind"] == "decision"]
    silences = [row for row in rows if row["kind"] == "silence"]
    low, high = margin(decisions)
    return {
        "any@8": mean([row["ours"] for row in decisions]),
        "any@8, sharing a word": mean([row["ours"] for row in decisions if row["shares"]]),
        "any@8, meaning only": mean([row["ours"] for row in decisions if not row["shares"]]),
        "silence kept": mean([row["ours"] for row in silences]),
        "any@8 of BM25": mean([row["bm25"] for row in decisions]),
        "silence kept by BM25": mean([row["bm25"] for row in silences]),
        "margin over BM25, low": low,
        "margin over BM25, high": high,
        "CPU ms, median": round(1_000 * sorted(row["cpu"] for row in rows)[len(rows) // 2], 1),
    }


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--embed", action="store_true")
    options.add_argument("--half", choices=("tune", "report"), default="")
    options.add_argument("--show", action="store_true")
    given = options.parse_args()
    graph, cases = baseline.read("infusion/graph.json"), baseline.read("infusion/cases.json")
    names = {node["id"]: f"{node['type']}:{node['name']}" for node in graph["nodes"]}
    with tempfile.TemporaryDirectory() as folder:
        bag = build(Path(folder) / "store.sqlite3", graph)
        if given.embed:
            bag.embedder = LocalEmbedder()
            index_memory(bag, GRANT, IndexMemoryRequest())
        kept = [case for case in cases if given.half in ("", case["half"])]
        rows = scored(bag, kept, names, show=given.show)
        bag.store.close()
    halves = [given.half] if given.half else ["", "tune", "report"]
    report = {half or "all": figures([row for row in rows if half in ("", row["half"])]) for half in halves}
    print(f"{'':<26}" + "".join(f"{half:>9}" for half in report))
    for row in next(iter(report.values())):
        print(f"{row:<26}" + "".join(f"{found[row]:>9.3f}" for found in report.values()))
    print(json.dumps({"benchmark": "infusion", "embedder": given.embed, **report}))


if __name__ == "__main__":
    main()
