"""What one prompt costs with a matcher, by size of the graph: `python benchmarks/bench_matcher.py`.

The model is a stand-in in this process that answers at once, so the figures are ours alone: calls, characters sent,
CPU milliseconds of a prompt with seven earlier turns.
"""

import json
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bench_encounters
from bench_encounters import GRANT, build, phrase
from remora.core.graph import Changes, Node
from remora.core.infusion.meanings import Meaning, compressible, content_state, meaning_node
from remora.core.models.wire import ChatRequest, Completion
from remora.core.scope import REPOSITORY
from remora.usecases.infuse import InfuseRequest, infuse

SIZES = (100, 1_000, 5_000)
PROMPTS = 40


@dataclass
class StandIn:
    """Chooses the first three meanings."""

    sent: list[int] = field(default_factory=list)
    name: str = "stand/in"
    timeout_seconds: float = 5.0

    def routed(self, _task: object) -> "StandIn":
        return self

    def chat(self, request: ChatRequest) -> Completion:
        self.sent.append(sum(len(message.content) for message in request.messages))
        return Completion('{"ids": ["m1", "m2", "m3"]}')


def measured(nodes: int, folder: Path) -> dict[str, Any]:
    bench_encounters.NODES, bench_encounters.EDGES = nodes, 4 * nodes
    folder.mkdir()
    bag, _, words = build(folder / "store.sqlite3")
    draw = random.Random(3)
    with bag.store.read(GRANT) as view:
        ideas = [item for item in view.snapshot(("encounters",), (REPOSITORY,)) if isinstance(item, Node)]
    made = [
        meaning_node(Meaning(node.id, content_state(node), f"Matters before {phrase(draw, words, 18)}", 1), 1)
        for node in ideas
        if compressible(node)
    ]
    for start in range(0, len(made), 1_000):
        batch = tuple(made[start : start + 1_000])
        bag.store.apply(GRANT, lambda _view, _now, batch=batch: Changes(put=batch))
    bag.models = model = StandIn()
    spent = []
    for _ in range(PROMPTS):
        request = InfuseRequest(phrase(draw, words, 12), trajectory=[phrase(draw, words, 40) for _ in range(7)])
        began = time.process_time()
        found = infuse(bag, GRANT, request)
        spent.append((time.process_time() - began) * 1_000)
        assert found.selection_channel == "meaning", found.fallback
    bag.store.close()
    return {
        "nodes": nodes,
        "calls_per_prompt": len(model.sent) / PROMPTS,
        "characters_per_prompt": round(sum(model.sent) / PROMPTS),
        "cpu_ms_p50": round(sorted(spent)[PROMPTS // 2], 1),
        "cpu_ms_p95": round(sorted(spent)[int(PROMPTS * 0.95)], 1),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(nodes, Path(folder) / str(nodes)) for nodes in SIZES]
    for name in rows[0]:
        print(f"{name:24}" + "".join(f"{row[name]:>10}" for row in rows))
    print(json.dumps({"benchmark": "matcher", "sizes": rows}))


if __name__ == "__main__":
    main()
