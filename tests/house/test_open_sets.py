"""The open sets stay what they were when they were measured: their hashes, their shape, and the yardstick's figures."""

import hashlib
import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest
from blake3 import blake3

from facts_shelf import Shelf
from remora.core.facts.batch import Triple
from remora.core.redaction import redact_text

ROOT = Path(__file__).resolve().parents[2]
SETS = ROOT / "benchmarks/open_sets"
NAMES = ("facts",)

_spec = importlib.util.spec_from_file_location("open_sets_baseline", SETS / "baseline.py")
baseline = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(baseline)

FACTS = baseline.read("facts/facts.json")
QUESTIONS = baseline.read("facts/questions.json")
ANSWERABLE = {"exact": 50, "paraphrase": 50, "pieces": 26, "typo": 26, "prefix": 20, "alias": 22, "two-hop": 28}
UNANSWERABLE = {"no-answer": 30, "small-talk": 23}


@pytest.mark.parametrize("name", NAMES)
def test_a_set_is_the_one_whose_hashes_are_recorded(name: str) -> None:
    sums = dict(reversed(line.split()) for line in (SETS / name / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {path.name for path in (SETS / name).glob("*.json")}
    recorded = (ROOT / "docs/measurements.md").read_text()
    for file, sha256 in sums.items():
        assert hashlib.sha256((SETS / name / file).read_bytes()).hexdigest() == sha256
        assert f"`{name}/{file}` `{sha256}`" in recorded


def halves_are_right(cases: list[dict]) -> bool:
    return all(case["half"] == ("report" if blake3(case["id"].encode()).digest()[0] % 2 else "tune") for case in cases)


def unique(values: list) -> bool:
    return len(values) == len(set(values))


def test_questions_have_their_kinds_their_halves_and_facts_that_exist() -> None:
    assert unique([fact["id"] for fact in FACTS])
    facts = {fact["id"] for fact in FACTS if fact["predicate"] != "SAME_AS"}
    assert unique([question["id"] for question in QUESTIONS])
    assert unique([question["text"].casefold() for question in QUESTIONS])
    assert Counter(question["kind"] for question in QUESTIONS) == ANSWERABLE | UNANSWERABLE
    assert halves_are_right(QUESTIONS)
    for question in QUESTIONS:
        assert bool(question["expected"]) == (question["kind"] in ANSWERABLE), question["id"]
        assert ("via" in question) == (question["kind"] == "two-hop"), question["id"]
        assert set(question["expected"]) | set(question.get("via", ())) <= facts, question["id"]


def test_every_fact_of_the_set_can_be_saved_as_it_stands_and_only_once() -> None:
    shelf = Shelf()
    for fact in FACTS:
        stated = {name: value for name, value in fact.items() if name not in ("id", "about")}
        assert all(redact_text(value) == value for value in stated.values())
        assert shelf.outcomes(Triple(**stated))[0] in ("created", "merged"), fact
    assert len(FACTS) == 469


def test_plain_bm25_finds_about_half_of_the_facts_in_each_half() -> None:
    for half in ("", "tune", "report"):
        assert 0.45 <= baseline.facts_figures(half)["answerable"] <= 0.65


def test_every_readme_of_a_set_counts_its_cases() -> None:
    for name in NAMES:
        text = (SETS / name / "README.md").read_text()
        rows = dict(re.findall(r"^\| ([\w-]+) \| (\d+) \|", text, re.MULTILINE))
        assert {kind: int(count) for kind, count in rows.items()} == ANSWERABLE | UNANSWERABLE
