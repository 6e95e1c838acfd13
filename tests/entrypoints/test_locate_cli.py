"""Locating and evaluating from the command line, in real processes on a real repository."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Any:
    """A little history: a parser that was moved and fixed, and files that have nothing to do with it."""
    world = make_world(tmp_path_factory.mktemp("locate"))
    body = "def parse_cookie(value):\n    return value\n"
    world.commit("Add cookies and pages", cookies__py=body, pages__py="def render(page):\n    return page\n")
    world.commit("Fix quoting of cookie values", cookies__py="def parse_cookie(value):\n    return value.strip()\n")
    (world.repo / "lib").mkdir()
    world.git("mv", "cookies.py", "lib/cookies.py")
    world.git("commit", "-qm", "Move cookies to the library")
    cookies = "def parse_cookie(value, age):\n    return value\n"
    world.commit("Fix expiry of session cookies", **{"lib/cookies.py": cookies})
    assert world.remora("records", "ingest", "--all").code == 0
    return world


def test_files_come_with_reasons_also_through_a_rename(project: Any) -> None:
    done = project.remora("locate", "quoting of cookie values is wrong", "--json")
    assert done.code == 0, done.err
    first = done.json["files"][0]
    assert first["path"] == "lib/cookies.py"
    legs = {reason["leg"] for reason in first["reasons"]}
    assert {"lineage", "text", "path"} <= legs
    assert all(reason["source"] for reason in first["reasons"] if reason["leg"] in ("record", "lineage"))
    assert "lib/cookies.py" in project.remora("locate", "cookie").out


def test_a_query_without_words_is_refused(project: Any) -> None:
    done = project.remora("locate", "...")
    assert (done.code, done.out) == (2, "")
    assert "query" in done.err


def test_words_that_nothing_holds_find_nothing(project: Any) -> None:
    assert project.remora("locate", "zeppelin", "--json").json["files"] == []


def test_an_evaluation_from_history_prints_figures_and_gates(project: Any) -> None:
    done = project.remora("records", "eval", "--from-git", "5", "--json")
    assert done.code == 0, done.err
    assert done.json["bare"]["locate"]["cases"] == 2
    assert project.remora("records", "eval", "--from-git", "5", "--min-mrr", "1.01").code == 1


def test_an_evaluation_of_a_manifest_is_a_gate(project: Any, tmp_path: Path) -> None:
    sha = project.git("rev-parse", "HEAD")
    case = {"name": "expiry", "query": "expiry of cookies", "kinds": [], "expected_sources": [f"git:{sha}"]}
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"schema": "remora.memory-benchmark/v1", "cases": [case]}), encoding="utf-8")
    done = project.remora("records", "eval", "--manifest", str(path), "--min-recall-at-5", "1", "--json")
    assert done.code == 0, done.out + done.err
    assert done.json["recall_at_1"] == 1.0
    assert project.remora("records", "eval", "--manifest", str(path), "--max-candidate-fraction", "0").code == 1


@pytest.mark.parametrize(
    "args", [(), ("--manifest", "x.json", "--from-git", "3"), ("--manifest", "absent.json"), ("--from-git", "0")]
)
def test_wrong_options_are_refused_in_one_line(project: Any, args: tuple[str, ...]) -> None:
    done = project.remora("records", "eval", *args)
    assert done.code == 2
    assert "Traceback" not in done.err
