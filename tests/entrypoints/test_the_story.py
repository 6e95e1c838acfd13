"""The story: a commit breaks a test, its outcome and a fact are kept, and who comes next meets the pitfall first."""

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

import server_engine
from hook_processes import run_hook
from http_server import running
from page_browser import Browser

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


@pytest.fixture(scope="module")
def understood(story: Story) -> dict[str, Any]:
    """What an agent wrote down over MCP: a hypothesis that stands on an observation that cites record and fact."""
    steps = [
        ("advance_encounter", {"name": "Why does login fail?"}),
        ("create_entities", {"entities": [
            {"type": "Hypothesis", "name": "The default is one", "description": "setdefault(user, 1) starts too high.",
             "properties": {"confidence": "high", "status": "proposed"}},
            {"type": "Observation", "name": "Login answers one", "description": "The first token is 1, not 0.",
             "t_observed": "2026-03-01T09:30:00+01:00"},
            {"type": "Citation", "name": "The outcome of run 17", "kind": "record", "uri": story.record},
            {"type": "Citation", "name": "Tokens start at zero", "kind": "fact", "uri": story.fact},
            {"type": "Component", "name": "refresh_token", "source_kind": "code",
             "source_key": f"code:app.py#Sessions.refresh_token@{story.sha}"},
        ]}),
        ("create_relations", {"relations": [
            {"source": "Login answers one", "target": "The default is one", "type": "SUPPORTS"},
            {"source": "Login answers one", "target": "The outcome of run 17", "type": "OBSERVED_AT"},
            {"source": "Login answers one", "target": "Tokens start at zero", "type": "OBSERVED_AT"},
            {"source": "The default is one", "target": "refresh_token", "type": "ABOUT"},
        ]}),
    ]  # fmt: skip
    opened, entities, relations = ask(story.world, steps)
    for answer in (opened, entities, relations):
        assert not answer.is_error, answer.content
    return {
        "session": opened.structured_content["session"],
        "entities": {row["name"]: row["id"] for row in entities.structured_content["entities"]},
        "relations": relations.structured_content["relations"],
    }


def test_a_hypothesis_ends_at_the_record_and_the_fact_it_cites(story: Story, understood: dict[str, Any]) -> None:
    (told,) = ask(story.world, [("trace_provenance", {"name": "The default is one"})])
    data = told.structured_content
    assert data["grounded"]
    assert {path["ends"] for path in data["paths"]} == {"citation"}
    assert {node["uri"] for node in data["nodes"] if node["type"] == "Citation"} == {story.record, story.fact}
    assert story.world.remora("encounters", "trace", "The default is one", "--json").json == data


def test_ids_of_what_was_understood_are_the_same_at_every_door(story: Story, understood: dict[str, Any]) -> None:
    world = story.world
    found, queried = ask(
        world,
        [
            ("find_by_name", {"names": ["The default is one"]}),
            ("read_cypher", {"query": "MATCH (h:Hypothesis)<-[:SUPPORTS]-(o)-[:OBSERVED_AT]->(c) "
             "RETURN h.uid AS h, o.uid AS o, c.uri AS uri ORDER BY uri"}),
        ],
    )  # fmt: skip
    (entity,) = found.structured_content["entities"]
    assert understood["entities"]["Hypothesis:The default is one"] == entity["id"]
    assert world.remora("encounters", "show", "The default is one", "--json").json["entities"] == [entity]
    rows = queried.structured_content["rows"]
    assert [row["uri"] for row in rows] == sorted([story.record, story.fact])
    assert {row["h"] for row in rows} == {entity["id"]}
    again = world.remora("encounters", "query", "MATCH ()-[f:FACT]->() RETURN f.uid AS uid", "--json").json
    assert again["rows"] == [{"uid": story.fact}]


def test_an_infusion_that_names_the_file_meets_the_pitfall_first(story: Story, understood: dict[str, Any]) -> None:
    prompt = "I am about to change how app.py hands out the first token of a login"
    (told,) = ask(story.world, [("infuse", {"text": prompt, "session": understood["session"]})])
    data = told.structured_content
    assert not data["silence"]
    sections = [line for line in data["payload"].splitlines() if line.startswith("## ")]
    assert sections[0].startswith("## Records of files in play")
    pitfall = next(line for line in data["payload"].splitlines() if line.startswith("- "))
    assert story.record in pitfall or "ci://runs/17" in pitfall
    assert "The default is one" in data["payload"]
    printed = story.world.remora("infuse", prompt)
    assert "ci://runs/17" in printed.out
    (again,) = ask(story.world, [("infuse", {"text": prompt, "session": understood["session"]})])
    assert "Starting tokens at one broke login" in again.structured_content["payload"]
    assert again.structured_content["renewal"]["fresh"] < data["renewal"]["fresh"]


def test_a_prompt_that_names_nothing_meets_what_an_earlier_turn_named(
    story: Story, understood: dict[str, Any], tmp_path: Path
) -> None:
    """The hook reads the chat's last turns: an agent names what it works on once and goes on without."""
    world, transcript = story.world, tmp_path / "chat.jsonl"
    turn = {"type": "user", "message": {"role": "user", "content": "I am in refresh_token now."}}
    transcript.write_text(json.dumps(turn) + "\n", encoding="utf-8")
    said = {"session_id": "story-chat", "cwd": str(world.repo), "prompt": "Shall I begin where the others begin?"}
    arguments = ("--client", "claude-code", "--event", "UserPromptSubmit", "--timeout", "25")
    alone = run_hook(world.repo, arguments, json.dumps(said).encode(), environ=world.env)
    assert b"The default is one" not in alone.out
    event = json.dumps(said | {"transcript_path": str(transcript)}).encode()
    told = run_hook(world.repo, arguments, event, environ=world.env)
    context = json.loads(told.out)["hookSpecificOutput"]["additionalContext"]
    assert "Component:refresh_token" in context
    assert "Hypothesis:The default is one" in context
    by_tool, _ = ask(
        world,
        [
            ("infuse", {"text": said["prompt"], "trajectory": ["I am in refresh_token now."]}),
            ("infuse", {"text": said["prompt"]}),
        ],
    )
    assert "Hypothesis:The default is one" in by_tool.structured_content["surfaced"]


def test_nothing_is_printed_when_nothing_bears_on_a_prompt(story: Story, understood: dict[str, Any]) -> None:
    done = story.world.remora("infuse", "thanks, that was all")
    assert (done.code, done.out) == (0, "")


def test_a_bad_batch_lists_every_error_and_writes_nothing_at_any_door(story: Story, understood: dict[str, Any]) -> None:
    bad = [
        {"type": "Hypothesis", "name": "h", "description": "d", "confidence": "certain"},
        {"type": "Observation", "name": "o", "description": "d", "t_observed": "2026-03-01T09:30:00"},
        {"type": "Thing", "name": "t"},
        {"type": "Concept", "name": 7, "zip": 1},
        {"type": "Note", "name": "fine", "description": "but not alone"},
    ]
    handle = understood["session"]
    told, absent = ask(
        story.world,
        [
            ("create_entities", {"entities": bad, "session": handle}),
            ("find_by_name", {"names": ["fine", "h", "o"]}),
        ],
    )
    assert told.is_error
    text = told.content[0].text
    for part in ("entities[0]", "low | medium | high", "entities[1]", "offset", "entities[2]", "Observation, Question",
                 "entities[3]", "'zip'", "is a int"):  # fmt: skip
        assert part in text, part
    assert absent.structured_content["entities"] == []
    raw = json.dumps(bad).encode()
    done = story.world.remora("encounters", "create", "-", "--session", handle, "--json", stdin=raw)
    assert done.code == 2
    assert done.json["error"]["message"] in text


def test_a_handle_of_another_session_writes_nothing(story: Story, understood: dict[str, Any]) -> None:
    other = understood["session"][:-4] + "0000"
    note = {"entities": [{"type": "Note", "name": "lost", "description": "d"}], "session": other}
    told, closed = ask(
        story.world, [("create_entities", note), ("close_encounter", {"summary": "s", "report": "", "session": other})]
    )
    assert "not_found" in told.content[0].text
    assert "not_found" in closed.content[0].text


def test_a_chat_named_by_the_environment_needs_no_handle(story: Story) -> None:
    env = {"REMORA_SESSION_ID": "chat-7", "REMORA_CLIENT": "tester"}
    world = story.world
    assert world.remora("encounters", "advance", "By environment", **env).code == 0
    assert world.remora("encounters", "note", "kept", "without a handle", **env).code == 0
    assert world.remora("encounters", "close", "done", **env).code == 0
    found = world.remora("encounters", "search", "kept", "--json").json["entities"]
    assert [row["name"] for row in found] == ["kept"]
    assert world.remora("encounters", "note", "late", "after the seal", **env).code == 2


def test_a_rehearsed_infusion_prints_and_remembers_nothing_and_logs_counts_only(
    story: Story, understood: dict[str, Any]
) -> None:
    log = story.world.place / "observed.log"
    prompt = "what do we know about the default of refresh_token in app.py?"
    world, handle = story.world, world_session(story, "rehearsal")
    done = world.remora("infuse", prompt, "--session", handle, "--shadow", "--observe-log", str(log))
    assert (done.code, done.out) == (0, "")
    first = world.remora("infuse", prompt, "--session", handle, "--observe-log", str(log), "--json").json
    assert first["renewal"]["standing"] == 0
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["shadow"] for row in rows] == [True, False]
    assert rows[0]["renewal"] == rows[1]["renewal"]
    assert "refresh_token" not in log.read_text()


def world_session(story: Story, name: str) -> str:
    return str(story.world.remora("encounters", "advance", name, "--json").json["session"])


def test_a_bookmark_says_where_its_code_is_now(story: Story, understood: dict[str, Any]) -> None:
    (row,) = story.world.remora("encounters", "show", "refresh_token", "--json").json["entities"]
    assert row["anchor"] == {"state": "present", "node": "python:app.py#Sessions.refresh_token"}


def test_the_page_shows_the_pitfall_its_source_and_what_stands_on_it(story: Story, understood: dict[str, Any]) -> None:
    """The same ids in the page's list, in the drawers of all three families, and in why recall brings the pitfall."""
    with running(story.world) as server:
        me = Browser(server).signed_in(server.token)
        try:
            assert story.record in me.items("?q=starting+tokens+at+one+broke+login")
            assert me.items("?q=starting+tokens+at+one+broke+login&kind=regression") == [story.record]
            record = me.get(f"{me.base}/items/{story.record}").text
            for said in ("ci://runs/17", "pitfall", "refresh_token", "in place", "pytest -q", story.sha[:12]):
                assert said in record, said
            why = me.get(f"{me.base}/items/{story.record}/why?why=what+broke+login").text
            assert "Matched by" in why
            fact = me.get(f"{me.base}/items/{story.fact}").text
            assert f"/items/{story.record}" in fact  # what it cites leads to the pitfall
            nodes = understood["entities"]
            assert set(nodes.values()) <= set(me.items("?family=encounters"))
            hypothesis = me.get(f"{me.base}/items/{nodes['Hypothesis:The default is one']}").text
            assert f"/items/{nodes['Observation:Login answers one']}" in hypothesis
            assert f"/items/{story.record}" in me.get(f"{me.base}/items/{nodes['Citation:The outcome of run 17']}").text
            assert f"/items/{story.fact}" in me.get(f"{me.base}/items/{nodes['Citation:Tokens start at zero']}").text
        finally:
            me.client.close()


@pytest.mark.neo4j
def test_the_story_is_the_same_on_the_server_engine(story: Story) -> None:
    world, url = story.world, server_engine.URL
    moved = world.remora("store", "copy", "--from", world.env.get("REMORA_STORE", "embedded"), "--to", url, "--json")
    assert moved.code == 0, moved.err
    here = world.remora("affected", "refresh_token", "--json").json["memory_evidence"]
    there = world.remora("affected", "refresh_token", "--json", REMORA_STORE=url)
    assert there.code == 0, there.err
    assert there.json["memory_evidence"] == here
    assert here["records"][0]["id"] == story.record
    hits = world.remora("recall", "where does refresh_token start?", "--json", REMORA_STORE=url).json["hits"]
    assert story.fact in [hit["id"] for hit in hits]
    query = "MATCH (e:MemoryEntity)-[f:FACT {uid: $fact}]->(o) RETURN f.citations AS cites, o.name AS at"
    told = world.remora("store", "cypher", query, "--param", f"fact={story.fact}", "--json", REMORA_STORE=url)
    assert told.code == 0, told.err
    assert told.json["rows"][0]["at"] == "zero"
    assert story.record in str(told.json["rows"][0]["cites"])
