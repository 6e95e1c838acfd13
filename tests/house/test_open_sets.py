"""The open sets stay what they were when they were measured: their hashes, their shape, and the yardstick's figures."""

import hashlib
import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest
from blake3 import blake3

from encounter_desk import Desk
from facts_shelf import Shelf
from remora.core.facts.batch import Triple
from remora.core.redaction import redact_text

ROOT = Path(__file__).resolve().parents[2]
SETS = ROOT / "benchmarks/open_sets"
NAMES = ("facts", "infusion", "locate")

_spec = importlib.util.spec_from_file_location("open_sets_baseline", SETS / "baseline.py")
baseline = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(baseline)

FACTS = baseline.read("facts/facts.json")
QUESTIONS = baseline.read("facts/questions.json")
ANSWERABLE = {"exact": 50, "paraphrase": 50, "pieces": 26, "typo": 26, "prefix": 20, "alias": 22, "two-hop": 28}
UNANSWERABLE = {"no-answer": 30, "small-talk": 23}
GRAPH = baseline.read("infusion/graph.json")
CASES = baseline.read("infusion/cases.json")
MOMENTS = {"decision": 56, "silence": 28}
FIXES = baseline.read("locate/cases.json")["repositories"]
COUNTS = {
    "facts": ANSWERABLE | UNANSWERABLE, "infusion": MOMENTS,
    "locate": {repository["name"].partition("/")[2]: len(repository["cases"]) for repository in FIXES},
}  # fmt: skip
FILLERS = frozenset("a and are as at from get had in is no of on over so the to up was where which".split())
"""All that a prompt by meaning only may have in common with a node that matters."""


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


def test_decision_points_have_nodes_that_exist_and_silences_have_none() -> None:
    nodes = {node["id"] for node in GRAPH["nodes"]}
    assert unique([row["id"] for row in [*GRAPH["encounters"], *GRAPH["nodes"]]])
    assert unique([(node["type"], node["name"]) for node in GRAPH["nodes"]])
    assert unique([case["id"] for case in CASES])
    assert unique([case["prompt"].casefold() for case in CASES])
    assert Counter(case["kind"] for case in CASES) == MOMENTS
    assert halves_are_right(CASES)
    for case in CASES:
        assert len(case["expected"]) in (range(1, 5) if case["kind"] == "decision" else (0,)), case["id"]
        assert unique(case["expected"]), case["id"]
        assert set(case["expected"]) <= nodes, case["id"]


def test_most_decision_points_share_no_word_with_what_matters() -> None:
    texts = baseline.node_texts(GRAPH)
    silent = [case for case in CASES if case.get("shares_words") is False]
    assert len(silent) == 34
    for case in silent:
        said = set(baseline.tokens(" ".join([*case["trajectory"], case["prompt"]])))
        for node in case["expected"]:
            assert said & set(baseline.tokens(texts[node])) <= FILLERS, (case["id"], node)


def test_the_graph_can_be_written_as_it_stands() -> None:
    desk = Desk()
    names = {node["id"]: f"{node['type']}:{node['name']}" for node in GRAPH["nodes"]}
    for encounter in GRAPH["encounters"]:
        desk.advance(encounter["name"], "", session_id=encounter["session"], client="c")
        written = [node for node in GRAPH["nodes"] if node["encounter"] == encounter["id"]]
        desk.write(*({key: node[key] for key in node if key not in ("id", "encounter")} for node in written))
        desk.close(encounter["summary"])
    desk.advance("relations", "", session_id="last", client="c")
    rows = [row | {"source": names[row["source"]], "target": names[row["target"]]} for row in GRAPH["relations"]]
    desk.relate(*rows, session=desk.handle)
    assert len(rows) == 145
    assert sum(len(desk.edges(label)) for label in {row["type"] for row in rows}) == len(rows)
    assert len(names) + len(GRAPH["encounters"]) == 159


def test_plain_bm25_finds_a_third_of_what_matters_and_never_keeps_silent() -> None:
    figures = baseline.infusion_figures()
    assert 0.25 <= figures["any@8"] <= 0.35
    assert figures["silence kept"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_of_a_set_counts_its_cases(name: str) -> None:
    rows = re.findall(r"^\| ([\w-]+) \| (\d+) \|", (SETS / name / "README.md").read_text(), re.MULTILINE)
    assert {kind: int(count) for kind, count in rows} == COUNTS[name]


def test_fixes_are_commit_ids_in_two_halves_and_nothing_else() -> None:
    assert len(FIXES) >= 4
    every = [case for repository in FIXES for case in repository["cases"]]
    assert unique([case["commit"] for case in every])
    for repository in FIXES:
        assert set(repository) == {"name", "tip", "looked_at", "cases"}
        assert re.fullmatch("[0-9a-f]{40}", repository["tip"])
        assert len(repository["cases"]) <= repository["looked_at"]
    for case in every:
        assert set(case) == {"commit", "half"}
        assert re.fullmatch("[0-9a-f]{40}", case["commit"])
        assert case["half"] == ("report" if int(case["commit"][-1], 16) % 2 else "tune")
