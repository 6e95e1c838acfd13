"""Plain BM25 over the open sets: `python benchmarks/open_sets/baseline.py [facts] [infusion]` prints a table and JSON.

The yardstick that a ranking must beat. Okapi BM25 (k1 = 1.2, b = 0.75) over lower-case word tokens: no stems, no pieces
of words, no aliases, no stop list. It knows nothing of the product and must stay that way.
"""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
K1 = 1.2
B = 0.75
FIRST = 8
"""Answers that count: the first eight, as both tasks are scored."""

UNANSWERABLE = ("no-answer", "small-talk")

Row = dict[str, object]


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class Bm25:
    """Okapi BM25 over (id, text); ties keep the order of the documents."""

    def __init__(self, documents: Mapping[str, str]) -> None:
        self.bags = {key: Counter(tokens(text)) for key, text in documents.items()}
        self.lengths = {key: bag.total() for key, bag in self.bags.items()}
        self.mean = sum(self.lengths.values()) / len(self.lengths)
        self.holders = Counter(word for bag in self.bags.values() for word in bag)

    def idf(self, word: str) -> float:
        holders = self.holders[word]
        return math.log(1 + (len(self.bags) - holders + 0.5) / (holders + 0.5))

    def first(self, query: str, limit: int = FIRST) -> list[str]:
        """The best ids, best first; a document that shares no word is never one of them."""
        scores = {key: self._score(key, set(tokens(query))) for key in self.bags}
        found = sorted((key for key in scores if scores[key] > 0), key=lambda key: -scores[key])
        return found[:limit]

    def _score(self, key: str, words: set[str]) -> float:
        bag, damp = self.bags[key], K1 * (1 - B + B * self.lengths[key] / self.mean)
        return sum(self.idf(word) * bag[word] * (K1 + 1) / (bag[word] + damp) for word in words if word in bag)


def read(name: str) -> Any:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def fact_text(fact: Row) -> str:
    return f"{fact['subject']} {str(fact['predicate']).replace('_', ' ')} {fact['object']}"


def facts_figures(half: str = "") -> dict[str, float]:
    """Recall@8 by kind and over all answerable questions; of the others, the share that got any answer."""
    index = Bm25({str(fact["id"]): fact_text(fact) for fact in read("facts/facts.json")})
    found: dict[str, list[float]] = {}
    for question in read("facts/questions.json"):
        if half in ("", question["half"]):
            answers = index.first(str(question["text"]))
            found.setdefault(str(question["kind"]), []).append(recall(question["expected"], answers))
    hits = [value for kind, values in found.items() if kind not in UNANSWERABLE for value in values]
    return {"answerable": _mean(hits), **{kind: _mean(values) for kind, values in found.items()}}


def node_texts(graph: dict[str, list[Row]]) -> dict[str, str]:
    """Every node that can be delivered, encounters too, by what it says."""
    spine = {str(row["id"]): f"{row['name']} {row['summary']}" for row in graph["encounters"]}
    return spine | {str(row["id"]): f"{row['name']} {row['description']}" for row in graph["nodes"]}


def infusion_figures(half: str = "") -> dict[str, float]:
    """Any@8 of the decision points, also without those that share a word, and the share of silences that are kept."""
    index = Bm25(node_texts(read("infusion/graph.json")))
    hits: dict[str, list[float]] = {}
    for case in read("infusion/cases.json"):
        if half in ("", case["half"]):
            answers = index.first(" ".join([*case["trajectory"], case["prompt"]]))
            if case["kind"] == "silence":
                hits.setdefault("silence kept", []).append(float(not answers))
                continue
            hit = float(any(key in answers for key in case["expected"]))
            for row in ("any@8", "sharing a word" if case["shares_words"] else "meaning only"):
                hits.setdefault(row, []).append(hit)
    return {row: _mean(values) for row, values in hits.items()}


def recall(expected: Sequence[str], answers: Sequence[str]) -> float:
    if not expected:
        return float(bool(answers))
    return sum(key in answers for key in expected) / len(expected)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3)


FIGURES = {"facts": facts_figures, "infusion": infusion_figures}


def main() -> None:
    report = {}
    for name in sys.argv[1:] or FIGURES:
        report[name] = {half or "all": FIGURES[name](half) for half in ("", "tune", "report")}
        print(f"{name:<24}" + "".join(f"{half:>8}" for half in report[name]))
        for row in report[name]["all"]:
            print(f"{row:<24}" + "".join(f"{found.get(row, math.nan):>8.3f}" for found in report[name].values()))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
