"""A conversation as a client runs it: hooks, queue, a scripted chat server, recall in that chat alone, promotion."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from chat_server import chat_server, says
from hook_processes import Ran, run_hook
from http_server import Server, running
from local_model import local_model

SECRETS = ("AKIAIOSFODNN7TRAP42X", "ghp_0123456789abcdefghijABCDEFGHIJ456789", "s3cr3t-Pa55w0rd-Zq")
RAW = "the walrus sings at midnight beneath the copper bridge"
"""A sentence that no fact is made of: wherever it is found, a turn was written down."""


def fact(subject: str, predicate: str, target: str, confidence: float = 0.9) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": target, "confidence": confidence}


GOOD = json.dumps({"facts": [fact("billing", "USES", "Stripe"), fact("billing", "USES", "PayPal", 0.95)]})
"""The second was never said."""


class Chat:
    """One chat of one client, with its transcript."""

    def __init__(self, world: Any, session: str, client: str = "claude-code") -> None:
        self.world, self.session, self.client = world, session, client
        self.transcript = Path(world.env["HOME"]) / f"{session}.jsonl"

    def hook(self, event: str, **payload: Any) -> Ran:
        body = {"session_id": self.session, "cwd": str(self.world.repo), "hook_event_name": event, **payload}
        arguments = ("--client", self.client, "--event", event, "--timeout", "25")
        ran = run_hook(self.world.repo, arguments, json.dumps(body).encode(), environ=self.world.env)
        assert (ran.status, ran.err) == (0, b"")
        return ran

    def start(self, source: str = "startup") -> str:
        out = self.hook("SessionStart", source=source).out
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"])

    def compact(self, **payload: Any) -> None:
        assert self.hook("PreCompact", trigger="auto", transcript_path=str(self.transcript), **payload).out == b""

    def say(self, *turns: str, until: int = 12) -> None:
        """Write the transcript: these exchanges, then others until there are `until` new ones."""
        rows = [row for turn in turns for row in (_line("user", turn), _line("assistant", "Noted."))]
        for number in range(until - len(turns)):
            rows += [_line("user", f"please look at step {number}"), _line("assistant", "Done.")]
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write("".join(rows))


def _line(role: str, text: str) -> str:
    row = {"type": role, "message": {"role": role, "content": text}, "uuid": f"u{time.monotonic_ns()}"}
    return json.dumps(row) + "\n"


def route(world: Any, url: str, *, timeout: float = 20) -> None:
    """Route task memory to a chat server."""
    path = Path(world.env["HOME"]) / "llm.yaml"
    path.write_text(
        f"providers:\n  stub:\n    kind: openai-compatible\n    base_url: {url}\n    model: m\n    local: true\n"
        f"    timeout: {timeout}\ntasks:\n  memory: stub\n"
    )
    path.chmod(0o600)
    world.env["REMORA_LLM_CONFIG"] = str(path)


@pytest.fixture
def world(tmp_path: Path, make_world: Any) -> Any:
    made = make_world(tmp_path / "world")
    made.commit("Add", **{"src/billing.py": "def charge():\n    return 1\n"})
    made.remora("init")
    assert made.remora("remember", "Ledger", "USES", "Postgres").code == 0
    return made


@pytest.fixture(params=["server", "cold"])
def place(request: pytest.FixtureRequest, world: Any) -> Iterator[Any]:
    """The world with a chat server routed, with a resident server and without one."""
    with chat_server(says(GOOD)) as chat:
        route(world, chat.url)
        world.chat = chat
        if request.param == "cold":
            yield world
        else:
            with running(world, "--profile", "facts") as server:
                world.server = server
                yield world


def jobs(world: Any, *, wait: float = 90) -> list[dict[str, Any]]:
    """The job list, once no job is open any more."""
    end = time.monotonic() + wait
    while True:
        rows = list(json.loads(world.remora("jobs", "--json").out)["jobs"])
        if rows and all(row["state"] not in ("queued", "running") for row in rows):
            return rows
        assert time.monotonic() < end, rows
        time.sleep(0.1)


def test_a_conversation_from_its_start_to_a_promoted_fact(place: Any) -> None:
    chat, other = Chat(place, "chat-1"), Chat(place, "chat-2")
    chat.start()
    other.start()
    chat.say("Our billing uses Stripe for cards.", RAW)
    chat.compact()
    [job] = jobs(place)
    assert (job["state"], job["turns"], job["facts"]) == ("done", 4, {"created": 1})
    assert job["dropped"]["ungrounded"] == 1
    assert job["extractor"] == "stub/m"
    told = chat.start("compact")
    assert "billing USES Stripe" in told
    assert "PayPal" not in told
    assert "Stripe" not in other.start("compact")
    assert "Stripe" not in place.remora("recall", "what does billing use").out
    handle = told.split("Session handle: ")[1].split()[0]
    listed = place.remora("facts", "list", "--session", handle, "--json").json
    assert [row["provenance"]["model"] for row in listed["facts"]] == ["stub/m"]
    done = place.remora("sessions", "promote", listed["facts"][0]["id"], "--session", handle)
    assert done.code == 0, done.err
    assert "billing USES Stripe" in place.remora("recall", "what does billing use").out
    asked = "\n".join(asked.text for asked in place.chat.asked)
    assert "Ledger" in asked, "known names are offered"


def test_no_secret_and_no_raw_turn_is_written_down_anywhere(place: Any) -> None:
    seen: list[str] = []

    def looks_around(wire: Any, asked: Any) -> None:
        seen.append(_processes())
        says(GOOD)(wire, asked)

    place.chat.script[:] = [looks_around]
    chat = Chat(place, "chat-s")
    chat.start()
    spoken = [f"deploy with {secret} and go on" for secret in SECRETS[:2]]
    chat.say("Our billing uses Stripe for cards.", RAW, *spoken, f"password: {SECRETS[2]}", "the end " + "x " * 30_000)
    with chat.transcript.open("ab") as file:
        result = {"type": "user", "message": {"content": [{"type": "tool_result", "content": SECRETS[0] * 50_000}]}}
        file.write(b"\0\n{torn\n" + json.dumps(result).encode() + b'\n{"type": "user", "message": {"con')
    chat.compact()
    [job] = jobs(place)
    assert job["state"] == "done"
    assert job["facts"]["created"] == 1
    place.remora("doctor")
    for secret in SECRETS:
        assert secret not in place.chat.asked[0].text
    assert seen
    assert RAW not in seen[0] + json.dumps(job)
    stored = b"".join(path.read_bytes() for path in _files(place))
    for words in (RAW, *SECRETS):
        assert words.encode() not in stored
        assert words not in seen[0]
    assert b"Stripe" in stored, "the place that was looked at is the right one"


def _files(world: Any) -> list[Path]:
    """Everything that Remora wrote; the transcript is the client's."""
    roots = (Path(world.env["REMORA_DATA_DIR"]), world.repo / ".remora", world.repo / ".git" / "remora")
    return [path for root in roots for path in root.rglob("*") if path.is_file()]


def _processes() -> str:
    """Arguments and environments of all processes that this user may see."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            with suppress(OSError):
                found.append((process / name).read_bytes().decode("utf-8", "replace"))
    return "\n".join(found)


def test_the_summary_of_a_compaction_is_one_more_turn(place: Any) -> None:
    chat = Chat(place, "chat-p")
    chat.start()
    for _ in range(2):
        assert chat.hook("PostCompact", trigger="auto", compact_summary="Our billing uses Stripe for cards.").out == b""
    [job] = jobs(place)
    assert (job["turns"], job["facts"]) == (1, {"created": 1})
    assert "billing USES Stripe" in chat.start("compact")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Server]:
    made = make_world(tmp_path_factory.mktemp("offload") / "world")
    made.commit("Add", **{"a.py": "x = 1\n"})
    made.remora("init")
    with chat_server(says(GOOD)) as chat:
        route(made, chat.url)
        made.chat = chat
        with running(made, "--profile", "facts") as started:
            yield started


TURNS = [{"role": "user", "content": "Our billing uses Stripe for cards."}]


def handle(server: Server, session: str) -> str:
    named = {"session_id": session, "client": "tester"}
    return str(server.post(server.repo("/sessions"), named).json()["session"])


def done(server: Server, job: str) -> dict[str, Any]:
    end = time.monotonic() + 90
    while True:
        rows = {row["id"]: row for row in server.get("/memory/jobs").json()["jobs"]}
        if rows[job]["state"] not in ("queued", "running"):
            return dict(rows[job])
        assert time.monotonic() < end
        time.sleep(0.05)


def test_every_client_tells_of_its_compactions_in_its_own_way(server: Server) -> None:
    world = server.world
    lines = {
        "codex": lambda role, text: {
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]},
        },
        "gemini": lambda role, text: {"type": role, "content": text},
        "cursor": lambda role, text: {"role": role, "message": {"content": [{"type": "text", "text": text}]}},
        "copilot": lambda role, text: {"type": f"{role}.message", "data": {"content": text}},
    }
    starts = {"cursor": "sessionStart"}
    events = {"codex": "PreCompact", "gemini": "PreCompress", "cursor": "preCompact", "copilot": "PreCompact"}
    for client, form in lines.items():
        chat = Chat(world, f"of-{client}", client)
        chat.hook(starts.get(client, "SessionStart"), source="startup")
        said = ["Our billing uses Stripe for cards.", *(f"step {number}" for number in range(10))]
        rows = [form(role, text) for text in said for role in ("user", "assistant")]
        chat.transcript.write_text("".join(json.dumps(row) + "\n" for row in rows))
        chat.hook(events[client], trigger="auto", transcript_path=str(chat.transcript))
        [job] = [row for row in server.get("/memory/jobs").json()["jobs"] if row["client"] == client]
        assert done(server, job["id"])["facts"] == {"created": 1}, client


def test_turns_are_offloaded_over_http_and_through_mcp_alike(server: Server) -> None:
    own = handle(server, "http-1")
    told = server.post(server.repo("/memory/offload"), {"turns": TURNS, "session": own})
    assert told.status_code == 200, told.text
    assert done(server, told.json()["job"])["facts"] == {"created": 1}
    anywhere = server.post("/memory/offload", {"turns": TURNS, "session": own, "repo": server.repository})
    assert done(server, anywhere.json()["job"])["facts"] == {"confirmed": 1}
    called = server.tool("offload_turns", {"turns": TURNS, "session": own})
    assert done(server, called["structuredContent"]["job"])["facts"] == {"confirmed": 1}
    headers = {"Remora-Session-Id": "http-1", "Remora-Client": "tester"}
    assert server.post("/memory/offload", {"turns": TURNS}, headers=headers).status_code == 200
    missing = server.post("/memory/offload", {"turns": TURNS})
    assert (missing.status_code, missing.json()["errors"][0]["field"]) == (400, "session")
    assert server.tool("offload_turns", {"turns": TURNS})["isError"]
    other = {"Remora-Session-Id": "http-2", "Remora-Client": "tester"}
    handle(server, "http-2")
    for call in (
        server.post("/memory/offload", {"turns": TURNS, "session": own}, headers=other).status_code,
        server.post(server.repo("/recall"), {"query": "x", "session": own}, headers=other).status_code,
    ):
        assert call == 400, "a header and an argument that disagree are refused"


def test_a_full_queue_answers_429_and_says_when_to_come_back(server: Server) -> None:
    own, gate = handle(server, "http-full"), threading.Event()
    server.world.chat.script[:] = [lambda wire, asked: (gate.wait(60), says("[]")(wire, asked))]
    try:
        statuses = []
        for _ in range(70):
            answer = server.post("/memory/offload", {"turns": TURNS, "session": own})
            statuses.append(answer.status_code)
            if answer.status_code == 429:
                break
        assert statuses[-1] == 429
        assert 60 <= len(statuses) <= 66
        assert int(answer.headers["retry-after"]) > 0
        assert answer.json()["code"] == "queue_full"
        assert server.tool("offload_turns", {"turns": TURNS, "session": own})["isError"]
    finally:
        server.world.chat.script[:] = [says(GOOD)]
        gate.set()
    rows = server.get("/memory/jobs", params={"limit": 200}).json()["jobs"]
    done(server, rows[0]["id"])


def test_a_server_that_dies_loses_its_queue_and_the_rows_say_so(world: Any) -> None:
    gate = threading.Event()
    with chat_server(lambda wire, asked: gate.wait(30)) as chat:
        route(world, chat.url)
        with running(world) as server:
            own = handle(server, "dying")
            for _ in range(2):
                assert server.post("/memory/offload", {"turns": TURNS, "session": own}).status_code == 200
            server.process.kill()
            server.process.wait(10)
        states = [row["state"] for row in world.remora("jobs", "--json").json["jobs"]]
        assert set(states) <= {"queued", "running"}, "its lease has not run out yet"
        gate.set()


def test_a_server_that_is_stopped_gives_its_jobs_up_at_once(world: Any) -> None:
    gate = threading.Event()
    with chat_server(lambda wire, asked: gate.wait(30)) as chat:
        route(world, chat.url)
        with running(world) as server:
            assert server.post("/memory/offload", {"turns": TURNS, "session": handle(server, "st")}).status_code == 200
            server.stop()
        assert [row["state"] for row in world.remora("jobs", "--json").json["jobs"]] == ["lost"]
        gate.set()


def test_a_route_that_is_not_local_is_refused_at_every_door(world: Any, tmp_path: Path) -> None:
    path = tmp_path / "llm.toml"
    path.write_text(
        '[providers.far]\nkind = "openai-compatible"\nbase_url = "https://models.example.com/v1"\nmodel = "m"\n'
        '[tasks]\nmemory = "far"\n'
    )
    path.chmod(0o600)
    world.env["REMORA_LLM_CONFIG"] = str(path)
    told = world.remora("offload", stdin=json.dumps(TURNS).encode(), REMORA_SESSION_ID="cli-1")
    assert told.code == 1
    assert "task memory -> provider far at https://models.example.com" in told.err
    assert "task memory -> provider far" in world.remora("doctor").out
    with running(world) as server:
        answer = server.post("/memory/offload", {"turns": TURNS, "session": handle(server, "far-1")})
        assert (answer.status_code, answer.json()["code"]) == (403, "denied")
        assert "task memory -> provider far at https://models.example.com" in answer.json()["detail"]


def test_the_command_line_offloads_a_transcript_and_waits(world: Any) -> None:
    chat = Chat(world, "cli-2")
    chat.say("We decided to use PostgreSQL for the ledger.")
    told = world.remora("offload", str(chat.transcript), "--format", "claude-code", "--json", REMORA_SESSION_ID="cli-2")
    assert told.code == 0, told.err
    assert (told.json["state"], told.json["extractor"]) == ("done", "rules")
    assert "done: " in world.remora("jobs").out
    parts = {part["part"]: part for part in world.remora("doctor", "--json").json["parts"]}
    assert parts["jobs"]["figures"]["done"] == 1
    assert parts["jobs"]["figures"]["last_done"].startswith("20")
    assert "none is routed" in parts["models"]["message"]
    assert world.remora("offload", stdin=b"[]", REMORA_SESSION_ID="cli-2").code == 2
    assert world.remora("offload", "/nonexistent", REMORA_SESSION_ID="cli-2").code == 1
    off = world.remora("offload", stdin=b"[]", REMORA_ALLOW_MEMORY="false")
    assert (off.code, "switched off" in off.err) == (1, True)


def test_a_real_small_models_nonsense_leaves_no_fact_that_was_not_said(world: Any) -> None:
    chat = Chat(world, "chat-real")
    said = ["Our billing uses Stripe for cards.", "The gateway listens on port 8080 and Alice owns it."]
    with local_model() as url:
        route(world, url, timeout=120)
        handle = chat.start().split("Session handle: ")[1].split()[0]
        chat.say(*said)
        chat.compact()
        [job] = jobs(world, wait=150)
    assert (job["extractor"], job["turns"]) == ("stub/m", 4)
    assert job["state"] == "done" or job["error"] == "unreadable"
    heard = " ".join([*said, "Noted."]).lower()
    for row in world.remora("facts", "list", "--session", handle, "--json").json["facts"]:
        assert row["subject"].lower() in heard
        assert row["object"].lower() in heard
    durable = world.remora("facts", "list", "--json").json["facts"]
    assert [row["subject"] for row in durable] == ["Ledger"]
