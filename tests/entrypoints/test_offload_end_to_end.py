"""A conversation as a client runs it: hooks, queue, a scripted chat server, recall in that chat alone, promotion."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chat_server import ChatServer, chat_server, says
from hook_processes import Ran, run_hook
from http_server import running

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


def route(world: Any, chat: ChatServer, *, timeout: float = 20) -> None:
    """Route task memory to the scripted server."""
    path = Path(world.env["HOME"]) / "llm.yaml"
    path.write_text(
        f"providers:\n  stub:\n    kind: openai-compatible\n    base_url: {chat.url}\n    model: m\n    local: true\n"
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
        route(world, chat)
        world.chat = chat
        if request.param == "cold":
            yield world
        else:
            with running(world, "--profile", "facts") as server:
                world.server = server
                yield world


def jobs(world: Any, *, wait: float = 20) -> list[dict[str, Any]]:
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
