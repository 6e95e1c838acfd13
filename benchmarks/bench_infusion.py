"""Does infusion find what bears on a decision, and keep silent otherwise? `python benchmarks/bench_infusion.py`.

`--show` lists misses and noise. Even cases tune, odd cases report. The baseline is
plain BM25 over prompt and trajectory, always answering.
"""

import json
import sys
import tempfile
from pathlib import Path

from bench_encounters import GRANT, Bag, WallClock
from remora.adapters.sqlite.store import open_store
from remora.core.encounters.schema import FAMILY, NODE_TYPES
from remora.core.recall.bm25 import bm25
from remora.core.scope import REPOSITORY
from remora.core.sessions import SessionRef
from remora.core.text import parse_query
from remora.ports import Repository
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.create_entities import create_entities
from remora.usecases.create_relations import create_relations
from remora.usecases.infuse import InfuseRequest, infuse

SET = Path(__file__).with_name("infusion_set.json")
PLACES = 8


def build(path: Path, data: dict) -> Bag:
    bag = Bag(open_store(path, Repository("infusion", "r_infusion"), WallClock()), WallClock(), path.parent)
    ref = SessionRef(handle=advance_encounter(bag, GRANT, AdvanceRequest("first")).session)
    defaults = {"t_observed": "2026-03-01T00:00:00Z", "source_kind": "code", "source_key": "code:src"}
    rows = [
        {"type": label, "name": name, "description": text or name}
        | {key: value for key, value in defaults.items() if key in NODE_TYPES[label].required}
        for label, name, text in data["nodes"]
    ]
    create_entities(bag, GRANT, rows, ref)
    create_relations(bag, GRANT, [{"source": s, "type": t, "target": o} for s, t, o in data["relations"]])
    return bag


def baseline(bag: Bag, prompt: str, trajectory: list[str]) -> list[str]:
    query = parse_query(" ".join([*trajectory, prompt]))
    with bag.store.read(GRANT) as view:
        found = view.text_candidates((FAMILY,), (REPOSITORY,), query.terms, limit=400)
    scores = {item.name: bm25(item.tokens, query.terms, (), found.stats, {}) for item in found.items}
    return sorted(scores, key=lambda name: (-scores[name], name))[:PLACES]


def main() -> None:
    data = json.loads(SET.read_text(encoding="utf-8"))
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        bag = build(Path(folder) / "store.sqlite3", data)
        for half, start in (("tune", 0), ("report", 1)):
            cases, silent = data["cases"][start::2], data["silent"][start::2]
            hits = lexical = kept = lexical_kept = 0
            for case in cases:
                trajectory = case.get("trajectory", [])
                found = infuse(bag, GRANT, InfuseRequest(case["prompt"], trajectory=trajectory))
                names = [name.partition(":")[2] for name in found.surfaced][:PLACES]
                hit = not found.silence and bool(set(names) & set(case["targets"]))
                hits += hit
                lexical += bool(set(baseline(bag, case["prompt"], trajectory)) & set(case["targets"]))
                if "--show" in sys.argv and not hit:
                    print("MISS", case["prompt"][:70], "|", found.reason, names[:4])
            for prompt in silent:
                found = infuse(bag, GRANT, InfuseRequest(prompt))
                kept += found.silence
                lexical_kept += not baseline(bag, prompt, [])
                if "--show" in sys.argv and not found.silence:
                    print("NOISE", prompt, "|", found.surfaced[:3])
            figures[f"{half}_any_at_8"] = round(hits / len(cases), 3)
            figures[f"{half}_silence"] = round(kept / len(silent), 3)
            figures[f"{half}_bm25_any_at_8"] = round(lexical / len(cases), 3)
            figures[f"{half}_bm25_silence"] = round(lexical_kept / len(silent), 3)
        bag.store.close()
    for name, value in figures.items():
        print(f"{name:24} {value}")
    print(json.dumps({"benchmark": "infusion", **figures}))


if __name__ == "__main__":
    main()
