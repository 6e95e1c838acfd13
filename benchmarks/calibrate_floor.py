"""Where the builtin model's floor lies: cosines of texts that have nothing to do with each other, and of pairs that do.

Run: `PYTHONPATH=tests python benchmarks/calibrate_floor.py`. Random pairs join questions of the open set's tuning half
with facts about other products; the pairs that belong together are its paraphrases with their facts.
"""

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("open_sets")))

import baseline

from remora.adapters.local_embedder.model import LocalEmbedder
from remora.core.cosine import cosine, floats
from remora.core.embedding import TextKind
from remora.core.policy import MINILM_FLOOR

PAIRS = 20_000


def main() -> None:
    embedder, dice = LocalEmbedder(), random.Random(3)
    facts = {row["id"]: row for row in baseline.read("facts/facts.json")}
    asked = [row for row in baseline.read("facts/questions.json") if row["half"] == "tune" and row["expected"]]
    texts = [str(row["text"]) for row in asked]
    questions = [floats(row) for row in embedder.embed(texts, TextKind.QUERY)]
    said = [baseline.fact_text(row) for row in facts.values()]
    passages = dict(zip(facts, map(floats, embedder.embed(said, TextKind.PASSAGE)), strict=True))
    chance: list[float] = []
    while len(chance) < PAIRS:
        at, other = dice.randrange(len(asked)), dice.choice(list(facts))
        if facts[other]["about"] != facts[asked[at]["expected"][0]]["about"]:
            chance.append(cosine(questions[at], passages[other]) or 0.0)
    pairs = [
        cosine(questions[at], passages[key]) or 0.0
        for at, row in enumerate(asked)
        if row["kind"] == "paraphrase"
        for key in row["expected"]
    ]
    chance.sort()
    pairs.sort()
    figures = {
        "random_mean": sum(chance) / PAIRS,
        "random_p95": chance[PAIRS * 95 // 100],
        "random_p99": chance[PAIRS * 99 // 100],
        "paraphrase_median": pairs[len(pairs) // 2],
        "paraphrases_above_floor": sum(score >= MINILM_FLOOR for score in pairs) / len(pairs),
        "random_above_floor": sum(score >= MINILM_FLOOR for score in chance) / PAIRS,
        "floor": MINILM_FLOOR,
    }
    for name, figure in figures.items():
        print(f"{name:28}{figure:8.3f}")
    print(json.dumps({"benchmark": "calibrate_floor", **{name: round(figure, 4) for name, figure in figures.items()}}))


if __name__ == "__main__":
    main()
