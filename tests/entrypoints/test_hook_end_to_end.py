"""Agent clients' hooks, end to end: the real script, a real store, with the server and without one."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hook_processes import Ran, journal, run_hook
from http_server import serving
from remora.core.recall.notice import CLOSE, NOTICE, OPEN

HEAVY = (
    "pydantic",
    "mcp",
    "mcp_types",
    "numpy",
    "starlette",
    "uvicorn",
    "httpx2",
    "typer",
    "rich",
    "tree_sitter",
    "kglite",
)


class Chat:
    """One project with memory and one chat in it, seen by a client's hooks."""

    def __init__(self, world: Any, session: str = "chat-1", client: str = "claude-code") -> None:
        self.world, self.session, self.client = world, session, client

    def hook(self, event: str, *flags: str, folder: Path | None = None, **payload: Any) -> Ran:
        body = {"session_id": self.session, "cwd": str(self.world.repo), "hook_event_name": event, **payload}
        arguments = ("--client", self.client, "--event", event, "--timeout", "25", *flags)  # a busy machine is no fault
        ran = run_hook(folder or self.world.repo, arguments, json.dumps(body).encode(), environ=self.world.env)
        assert (ran.status, ran.err) == (0, b"")
        return ran

    def told(self, event: str, *flags: str, **payload: Any) -> str:
        """The context that a hook adds, "" for silence."""
        out = self.hook(event, *flags, **payload).out
        return json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""

    def start(self, **payload: Any) -> str:
        return self.told("SessionStart", **{"source": "startup", **payload})

    def ask(self, prompt: str, *flags: str) -> str:
        return self.told("UserPromptSubmit", *flags, prompt=prompt)

    @property
    def skipped(self) -> str:
        return journal(self.world.repo)


@pytest.fixture(scope="module", params=["server", "cold"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Any]:
    world = make_world(tmp_path_factory.mktemp(f"hook-{request.param}") / "world")
    world.commit("Add", **{"src/billing.py": "def charge():\n    return 1\n"})
    world.remora("init")
    assert world.remora("remember", "Billing", "USES", "Postgres").code == 0
    record = ("--title", "Charging twice broke the ledger", "--summary", "A retry without a key charged twice",
              "--outcome", "failed", "--idempotency-key", "run-1", "--source-uri", "https://example.org/run/1",
              "--symbol", "src/billing.py")  # fmt: skip
    done = world.remora("records", "record", *record)
    assert done.code == 0, done.err
    if request.param == "cold":
        yield world
    else:
        with serving(world) as server:
            world.server = server
            yield world


def handle_in(context: str) -> str:
    return context.partition("Session handle: ")[2].partition(" ")[0]


def test_a_session_starts_with_its_handle_and_what_stands(project: Any) -> None:
    told = Chat(project, "start-1").start()
    assert handle_in(told).startswith("rs_")
    assert OPEN in told
    assert NOTICE in told
    assert told.endswith(CLOSE)
    assert "[pitfall]" in told
    assert "Charging twice broke the ledger" in told
    assert "https://example.org/run/1" in told


def test_the_handle_opens_the_chats_own_memory_and_a_compaction_brings_it_back(project: Any) -> None:
    chat = Chat(project, "memory-1")
    handle = handle_in(chat.start())
    triples = [{"subject": "Editor", "predicate": "WANTS", "object": "Tabs"}]
    saved = project.remora("mcp", stdin=b"")  # a stdio server that is closed at once is no fault
    assert saved.code == 0
    save(project, handle, triples)
    again = chat.start(source="compact")
    assert "Editor WANTS Tabs" in again
    assert handle_in(again) != handle
    assert "Editor WANTS Tabs" not in Chat(project, "memory-2").start()


def save(world: Any, handle: str, triples: list[dict[str, str]]) -> None:
    """What an agent does with its handle, through a store of this process."""
    from remora.bootstrap import open_ports
    from remora.config import Settings
    from remora.core.facts.batch import parse_triple
    from remora.core.scope import Channel, operator_grant
    from remora.core.sessions import SessionRef
    from remora.usecases.remember import RememberRequest, remember

    ports = open_ports(Settings(data_dir=world.place / "data"), world.repo)
    rows = [parse_triple("triple", row) for row in triples]
    request = RememberRequest(triples=rows, memory_scope="session", session=SessionRef(handle=handle))
    remember(ports, operator_grant(Channel.MCP), request)
    ports.store_admin.close()


def test_a_prompt_brings_what_bears_on_it_and_small_talk_brings_nothing(project: Any) -> None:
    chat = Chat(project, "prompt-1")
    chat.start()
    told = chat.ask("Which database does Billing use?")
    assert "Billing USES Postgres" in told
    assert told.startswith(OPEN)
    assert NOTICE in told
    for silent in ("hi", "thanks!", "What is the capital of France?"):
        assert chat.ask(silent) == ""


def test_a_file_named_in_the_prompt_brings_its_pitfalls_with_their_source(project: Any) -> None:
    chat = Chat(project, "files-1")
    chat.start()
    told = chat.ask("Please make src/billing.py retry when the network fails")
    assert "Charging twice broke the ledger" in told
    assert "https://example.org/run/1" in told


def test_what_was_told_is_not_told_again_until_a_compaction(project: Any) -> None:
    chat = Chat(project, "again-1")
    chat.start()
    question = "Which database does Billing use?"
    first, second = chat.ask(question), chat.ask(question)
    assert "- Billing USES Postgres (facts" in first
    assert len(second) < len(first) or "Standing" in second
    chat.hook("PreCompact", trigger="auto")
    chat.start(source="compact")
    assert "- Billing USES Postgres (facts" in chat.ask(question)


def test_a_shadow_run_is_not_noted_as_told(project: Any) -> None:
    chat = Chat(project, "shadow-1")
    chat.start()
    question = "Which database does Billing use?"
    assert chat.ask(question, "--shadow") == ""
    assert "Billing USES Postgres" in (project.repo / ".remora/cache/shadow.log").read_text()
    assert "- Billing USES Postgres (facts" in chat.ask(question)


def test_a_chat_whose_start_was_missed_starts_at_its_first_prompt(project: Any) -> None:
    told = Chat(project, "late-1").ask("Which database does Billing use?")
    assert handle_in(told).startswith("rs_")
    assert "Billing USES Postgres" in told


def test_a_tool_call_brings_only_what_is_new(project: Any) -> None:
    chat = Chat(project, "tool-1")
    chat.start()
    use = {"tool_name": "Edit", "tool_input": {"file_path": "src/billing.py"}, "tool_response": "edited"}
    assert "Charging twice" in chat.told("PostToolUse", "--mode", "delta", **use)
    assert chat.told("PostToolUse", "--mode", "delta", **use) == ""


def test_a_closed_session_gets_nothing_and_the_reason_is_counted(project: Any) -> None:
    chat = Chat(project, "closed-1")
    chat.start()
    listed = project.remora("sessions", "list", "--json").json["sessions"]
    mine = next(row["id"] for row in listed if row["session_id"] == "closed-1")
    assert project.remora("sessions", "revoke", mine).code == 0
    assert chat.start() == ""
    assert chat.ask("Which database does Billing use?") == ""
    assert "reason=session_closed" in chat.skipped


def test_prompts_that_nobody_typed_and_payloads_without_a_session_do_nothing(project: Any) -> None:
    chat = Chat(project, "typed-1")
    assert chat.ask("<task-notification>Billing uses what database</task-notification>") == ""
    nameless = run_hook(
        project.repo, ("--client", "claude-code", "--event", "UserPromptSubmit"), b'{"prompt": "Billing"}',
        environ=project.env,
    )  # fmt: skip
    assert (nameless.status, nameless.out) == (0, b"")
    assert "reason=no_session_id" in chat.skipped
    assert Chat(project, "../../etc").start() == ""
    assert "reason=invalid_session_id" in chat.skipped


def test_a_compaction_without_a_transcript_is_said(project: Any) -> None:
    chat = Chat(project, "compact-1")
    chat.start()
    assert chat.hook("PreCompact", trigger="auto").out == b""
    assert "event=PreCompact reason=no_transcript" in chat.skipped


def test_the_end_of_a_session_marks_it_idle_and_keeps_its_memory(project: Any) -> None:
    chat = Chat(project, "end-1")
    save(project, handle_in(chat.start()), [{"subject": "Author", "predicate": "USES", "object": "Vim"}])
    assert chat.hook("SessionEnd", reason="exit").out == b""
    listed = project.remora("sessions", "list", "--json").json["sessions"]
    row = next(row for row in listed if row["session_id"] == "end-1")
    assert row["state"] == "open"
    assert row["idle_at"] > 0
    assert "Author USES Vim" in chat.start(source="resume")


@pytest.mark.parametrize(
    ("client", "event", "keys"),
    [
        ("codex", "SessionStart", ("hookSpecificOutput", "additionalContext")),
        ("gemini", "SessionStart", ("hookSpecificOutput", "additionalContext")),
        ("cursor", "sessionStart", ("additional_context",)),
        ("opencode", "session.created", ("context",)),
    ],
)
def test_each_client_gets_its_own_form(project: Any, client: str, event: str, keys: tuple[str, ...]) -> None:
    out: Any = json.loads(Chat(project, f"form-{client}", client).hook(event).out)
    for key in keys:
        out = out[key]
    assert handle_in(out).startswith("rs_")


def test_a_folder_below_the_root_and_a_worktree_belong_to_the_project(project: Any) -> None:
    below = project.repo / "src"
    chat = Chat(project, "folder-1")
    assert b"Session handle" in chat.hook("SessionStart", folder=below).out
    tree = project.place / "tree"
    if not tree.exists():
        project.git("worktree", "add", "-q", str(tree))
    assert b"Session handle" in Chat(project, "folder-2").hook("SessionStart", folder=tree).out


def test_doctor_tells_when_hooks_last_worked_and_what_they_skipped(project: Any) -> None:
    Chat(project, "doctor-1").start()
    Chat(project, "doctor-1").hook("PreCompact", trigger="auto")
    parts = [part for part in project.remora("doctor", "--json").json["parts"] if part["part"] == "hooks"]
    assert parts[0]["figures"]["claude-code.SessionStart"].startswith("20")
    assert parts[1]["figures"]["claude-code PreCompact no_transcript"] >= 1


def test_a_cold_run_loads_no_heavy_library(world: Any) -> None:
    world.remora("init")
    world.remora("remember", "Billing", "USES", "Postgres")
    event = {"session_id": "s", "cwd": str(world.repo), "prompt": "Which database does Billing use?"}
    code = (
        "import sys; from remora.entrypoints.hook_cold import run\n"
        f"out = run({json.dumps(event).encode()!r}, ['--client', 'claude-code', '--event', 'UserPromptSubmit'])\n"
        f"print(b'Postgres' in out, [name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=world.repo, env=world.env, capture_output=True, timeout=60, check=False
    )
    assert done.stdout.decode().strip() == "True []", done.stderr.decode()


def test_a_project_without_init_is_left_alone_by_server_and_cold_runs(tmp_path: Path, world: Any) -> None:
    ran = Chat(world).hook("SessionStart")
    assert ran.out == b""
    assert os.listdir(world.repo) == [".git"]
    assert not (world.place / "data").exists()


def test_a_server_that_does_not_know_the_project_is_no_fault(world: Any) -> None:
    with serving(world) as server:
        other = world.place / "other"
        other.mkdir()
        world.git("init", "-q", cwd=other)
        assert world.remora("init", cwd=other).code == 0
        run_file = (world.repo / ".remora/cache/run.json").read_text()
        target = other / ".remora/cache/run.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(run_file)
        target.chmod(0o600)
        assert Chat(world).hook("SessionStart", folder=other).out == b""
        assert "server_said_404" in journal(other)
        assert server.get("/health").status_code == 200


def test_a_named_server_answers_hooks_with_a_personal_key_of_the_environment(world: Any) -> None:
    with serving(world) as server:
        world.remora("org", "add", "acme/ann")
        world.remora("org", "grant", "acme", "read")
        key = world.remora("keys", "create", "acme/ann", "--name", "laptop", "--json").json["key"]
        url = {"REMORA_HOOK_URL": f"http://127.0.0.1:{server.port}"}
        event = b'{"session_id": "keyed-1", "source": "startup"}'
        arguments = ("--client", "claude-code", "--event", "SessionStart", "--timeout", "25")
        good = run_hook(world.repo, arguments, event, environ=world.env | url | {"REMORA_API_TOKEN": key})
        assert b"Session handle: rs_" in good.out
        bad = run_hook(world.repo, arguments, event, environ=world.env | url | {"REMORA_API_TOKEN": "rmk_" + "0" * 64})
        assert bad.out == b""
        assert "server_said_401" in journal(world.repo)
        listed = world.remora("sessions", "list", "--everyone", "--json").json["sessions"]
        assert [row["principal"] for row in listed] == ["acme/ann"]


def test_a_hook_is_answered_within_its_deadline_while_the_server_is_stopped(world: Any) -> None:
    with serving(world) as server:
        server.process.send_signal(19)  # SIGSTOP: it holds the port and answers nothing
        try:
            started = time.monotonic()
            ran = run_hook(
                world.repo, ("--client", "claude-code", "--event", "UserPromptSubmit"),
                b'{"session_id": "s", "prompt": "Billing"}', environ=world.env,
            )  # fmt: skip
            assert (ran.status, ran.out) == (0, b"")
            assert time.monotonic() - started < 6
        finally:
            server.process.send_signal(18)
