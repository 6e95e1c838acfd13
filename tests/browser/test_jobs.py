"""The jobs tab with real jobs on it: what became of each, in counts and times, and no word of any chat."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chat_server import chat_server, says
from http_server import Server, serving
from remora.adapters.offload_queue import OffloadQueue, RepositoryJobs
from remora.bootstrap import open_ports
from remora.config import load
from remora.core.jobs import lease_name
from remora.core.scope import operator_grant
from remora.core.sessions import SessionRef
from remora.usecases.offload_turns import OffloadRequest, offload_turns

pytestmark = pytest.mark.browser

SAID = "Our billing uses Stripe for cards."
RAW = "the walrus sings at midnight"
GOOD = (
    '{"facts": [{"subject": "billing", "predicate": "USES", "object": "Stripe", "confidence": 0.9},'
    ' {"subject": "billing", "predicate": "USES", "object": "PayPal", "confidence": 0.9}]}'
)
"""The second was never said, so it is dropped."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Server]:
    """A server whose model answers well once and then in prose; a job of a process that ended lies in its store."""
    world = make_world(tmp_path_factory.mktemp("jobs") / "world")
    with chat_server(says(GOOD), says("I cannot help with that.")) as chat:
        routes = Path(world.env["HOME"]) / "llm.yaml"
        routes.write_text(
            f"providers:\n  stub:\n    kind: openai-compatible\n    base_url: {chat.url}\n    model: m\n"
            "    local: true\ntasks:\n  memory: stub\n"
        )
        routes.chmod(0o600)
        world.env["REMORA_LLM_CONFIG"] = str(routes)
        with serving(world) as running:
            yield running


def offload(server: Server, *said: str) -> dict[str, Any]:
    """Hand turns over and wait until their job has ended; returns its row."""
    chat = {"remora-session-id": "chat-1", "remora-client": "claude-code"}
    turns = [{"role": "user", "content": text} for text in said]
    done = server.post(server.repo("/memory/offload"), {"turns": turns}, headers=chat)
    assert done.status_code < 300, done.text
    end = time.monotonic() + 30
    while time.monotonic() < end:
        [row] = [
            row for row in server.get(server.repo("/memory/jobs")).json()["jobs"] if row["id"] == done.json()["job"]
        ]
        if row["state"] not in ("queued", "running"):
            return dict(row)
        time.sleep(0.05)
    raise AssertionError("the job does not end")


def lose_one(world: Any) -> None:
    """A job that waited in the queue of a process which ended before it came to it."""
    ports = open_ports(load(world.env), world.repo)
    try:
        grant, ref = operator_grant(client="remora-cli"), SessionRef(client="claude-code", session_id="chat-1")
        queue = OffloadQueue("a process that ended")
        queue.submit = lambda work: None  # type: ignore[method-assign]  # it ended with the job in its queue
        ending = replace(ports, jobs=RepositoryJobs(queue, lambda: ports.store, lambda work: None))
        offload_turns(ending, grant, OffloadRequest(turns=[{"role": "user", "content": RAW}], session=ref))
        ports.store.lease(lease_name(queue.holder), queue.holder, 0)  # as if its time had run out
    finally:
        ports.store_admin.close()


def test_jobs_that_were_done_failed_and_lost_are_told_apart_without_a_word_of_the_chat(
    page: Page, home: str, server: Server, shoot: Any
) -> None:
    assert server.post(server.repo("/sessions"), {"session_id": "chat-1", "client": "claude-code"}).status_code < 300
    offload(server, SAID, RAW)
    offload(server, RAW)
    lose_one(server.world)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Jobs").click()
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(page.locator("tbody .chip")).to_have_text(["lost", "failed", "done"])  # newest first
    lost, failed, done = (rows.nth(at) for at in range(3))
    expect(done.locator(".chip")).to_have_class(re.compile(r"\bok\b"))
    expect(failed.locator(".chip")).to_have_class(re.compile(r"\bbad\b"))
    expect(failed).to_contain_text("unreadable")
    expect(lost.locator(".chip")).to_have_class(re.compile(r"\bbad\b"))
    cells = [text.strip() for text in done.locator("td").all_inner_texts()]
    assert cells[1:7] == ["done", "claude-code", "2", "stub/m", "1 created", "1 ungrounded"]
    assert re.fullmatch(r"[\d,]+ ms", cells[7])
    assert [text.strip() for text in lost.locator("td").all_inner_texts()][2:] == [
        "claude-code",
        "1",
        "",
        "none",
        "none",
        "",
    ]
    shoot(page, "jobs")
    words = page.content().lower()
    assert not [word for word in ("stripe", "paypal", "walrus", "billing", "chat-1", "help with") if word in words]
    page.get_by_role("navigation", name="Whose jobs").get_by_role("link", name="Everyone's").click()
    expect(rows).to_have_count(3)
    expect(page.get_by_role("columnheader", name="Whose")).to_be_visible()
    shoot(page, "jobs-everyone")
