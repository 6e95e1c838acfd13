"""The story: a commit breaks a test, its outcome and a fact are kept, and who comes next meets the pitfall first."""

import asyncio
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

APP = '''\
"""Sessions."""


class Sessions:
    def __init__(self):
        self.tokens = {}

    def refresh_token(self, user):
        return self.tokens.setdefault(user, 0)


def login(sessions, user):
    return sessions.refresh_token(user)
'''
TEST = """\
from app import Sessions, login


def test_login_counts_from_zero():
    assert login(Sessions(), "ann") == 0
"""


@dataclass(frozen=True)
class Story:
    """The world of the story and the ids that every door must tell."""

    world: Any
    sha: str
    record: str
    fact: str


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Story:
    """A little repository whose last commit broke its test, with the outcome recorded and a fact kept."""
    world = make_world(tmp_path_factory.mktemp("story"))
    world.commit("Add sessions", app__py=APP, test_app__py=TEST)
    assert _tests_pass(world.repo)
    sha = world.commit("Start tokens at one", app__py=APP.replace("setdefault(user, 0)", "setdefault(user, 1)"))
    assert not _tests_pass(world.repo)
    assert world.remora("init").code == 0
    assert world.remora("index").code == 0
    assert world.remora("records", "ingest", "--history", "--anchors", "10").code == 0
    outcome = world.remora(
        "records", "record", "--json", "--idempotency-key", "run-17", "--title", "Starting tokens at one broke login",
        "--summary", "The first login must count from zero; setdefault(user, 1) broke test_login_counts_from_zero.",
        "--outcome", "regressed", "--source-uri", "ci://runs/17", "--commit", sha, "--symbol", "refresh_token",
        "--verification-status", "failed", "--verification-command", "pytest -q", "--scope", "repository",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err + outcome.out
    record = outcome.json["id"]
    fact = world.remora("remember", "--json", "Sessions.refresh_token", "starts at", "zero", "--cite", record)
    assert fact.code == 0, fact.err + fact.out
    return Story(world, sha, record, fact.json["outcomes"][0]["id"])


def _tests_pass(repo: Path) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "."]
    return subprocess.run(command, cwd=repo, capture_output=True, timeout=60, check=False).returncode == 0


def ask(world: Any, calls: list[tuple[str, dict[str, Any]]], mode: str = "auto") -> list[Any]:
    """Results of tool calls made by a real client to a real server process over stdio."""

    async def run() -> list[Any]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "remora", "mcp", "--profile", "all", "--repo", str(world.repo)],
            env=world.env,
        )
        async with Client(server, mode=mode) as client:
            return [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(run())


def test_an_impact_query_meets_the_pitfall_first_with_its_source(story: Story) -> None:
    told = story.world.remora("affected", "refresh_token", "--json").json
    reached = {row["id"] for row in told["affected"]}
    assert reached >= {"python:app.py#login", "python:test_app.py#test_login_counts_from_zero"}
    evidence = told["memory_evidence"]
    assert evidence["records"][0]["id"] == story.record
    assert evidence["pitfalls"] == 1
    assert "ci://runs/17" in str(evidence["records"][0])
    (answer,) = ask(story.world, [("affected", {"symbol": "refresh_token"})])
    assert answer.structured_content["memory_evidence"] == evidence
    assert "ci://runs/17" in answer.content[0].text


def test_a_change_in_the_making_meets_the_pitfall_first_whoever_asks(story: Story) -> None:
    path = story.world.repo / "app.py"
    text = path.read_text(encoding="utf-8")
    planned = story.world.remora("impact", "--files", "app.py", "--json").json
    path.write_text(text.replace("setdefault(user, 1)", "setdefault(user, 2)"), encoding="utf-8")
    try:
        working = story.world.remora("impact", "--json").json
        spoken = story.world.remora("impact").out
        by_tool = ask(story.world, [("working_changes_impact", {}), ("predict_impact", {"files": ["app.py"]})])
    finally:
        path.write_text(text, encoding="utf-8")
    assert [row["id"] for row in working["symbols"]] == ["python:app.py#Sessions.refresh_token"]
    assert "python:test_app.py#test_login_counts_from_zero" in {row["id"] for row in working["tests"]}
    for told, answer in ((working, by_tool[0]), (planned, by_tool[1])):
        first = told["memory_evidence"]["records"][0]
        assert first["id"] == story.record
        assert first["category"] == "pitfall"
        assert "ci://runs/17" in first["source"]
        assert "python:app.py#Sessions.refresh_token" in first["subjects"]
        assert any("pitfall" in reason for reason in told["risk"]["reasons"])
        assert answer.structured_content["memory_evidence"] == told["memory_evidence"]
        assert [row["id"] for row in answer.structured_content["affected"]] == [row["id"] for row in told["affected"]]
    pitfall = next(line for line in spoken.splitlines() if line.startswith("- ["))
    assert pitfall.startswith("- [pitfall]")
    assert "ci://runs/17" in pitfall


def test_what_an_edit_breaks_comes_with_the_same_pitfall(story: Story) -> None:
    (answer,) = ask(story.world, [("predict_edit", {"symbol": "refresh_token", "kind": "signature"})])
    told = answer.structured_content
    assert [row["id"] for row in told["breaks"]] == ["python:app.py#login"]
    assert [row["id"] for row in told["tests"]] == ["python:test_app.py#test_login_counts_from_zero"]
    assert told["memory_evidence"]["records"][0]["id"] == story.record


def test_the_parts_of_the_code_are_told_once(story: Story) -> None:
    assert story.world.remora("records", "refresh", "--json").json["parts"]["recorded"] == 1
    assert story.world.remora("records", "refresh", "--json").json["parts"]["recorded"] == 0
    found = story.world.remora("records", "search", "part of the code sessions", "--json").json["records"]
    assert any(row["sources"][0].startswith("graph:community/part_") for row in found)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_door_tells_the_same_story(story: Story, mode: str) -> None:
    pitfalls, history, recalled = ask(
        story.world,
        [
            ("known_pitfalls", {"subject": "refresh_token"}),
            ("explain_history", {"subject": "app.py"}),
            ("recall_context", {"query": "where do tokens start?", "memory_scope": "repository"}),
        ],
        mode,
    )
    assert [row["id"] for row in pitfalls.structured_content["records"]] == [story.record]
    ids = [row["id"] for row in history.structured_content["records"]]
    assert ids == [row["id"] for row in story.world.remora("records", "history", "app.py", "--json").json["records"]]
    assert story.sha in str(history.structured_content["records"])
    hits = recalled.structured_content["hits"]
    assert hits == story.world.remora("recall", "where do tokens start?", "--json").json["hits"]
    assert {story.fact, story.record} <= {hit["id"] for hit in hits}
    assert all(hit["source"] and hit["why"] and hit["family"] in {"facts", "records"} for hit in hits)


def test_the_commit_is_anchored_to_the_symbol_it_touched(story: Story) -> None:
    rows = story.world.remora("records", "history", "Sessions.refresh_token", "--json").json["records"]
    commits = [row for row in rows if row["kind"] == "change_episode"]
    assert commits[0]["commit"] == story.sha
    assert "python:app.py#Sessions.refresh_token" in commits[0]["symbols"]


def test_a_fact_keeps_the_record_it_cites(story: Story) -> None:
    (row,) = story.world.remora("facts", "list", "--json").json["facts"]
    assert row["id"] == story.fact
    assert row["citations"] == [story.record]
