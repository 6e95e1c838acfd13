"""Commands that set up agent clients, and the commands on sessions: as a person or a script runs them."""

import json
from pathlib import Path
from typing import Any


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_hooks_are_installed_once_and_taken_back_exactly(world: Any) -> None:
    settings = world.repo / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{\r\n  "model": "opus", "hooks": {"Stop": [{"hooks": []}]}\r\n}\r\n')
    before = tree(world.repo)
    done = world.remora("mcp", "hooks", ".", "--json")
    assert done.code == 0, done.err
    assert {row["path"] for row in done.json["files"]} == {".claude/settings.local.json", ".mcp.json"}
    installed = tree(world.repo)
    text = settings.read_text()
    assert json.loads(text)["model"] == "opus"
    assert all(event in text for event in ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"))
    assert world.remora("mcp", "hooks", ".").code == 0
    assert tree(world.repo) == installed
    assert world.remora("mcp", "hooks", ".", "--remove").code == 0
    assert tree(world.repo) == before


def test_the_installed_command_runs_as_it_is_written(world: Any) -> None:
    assert world.remora("init").code == 0
    assert world.remora("mcp", "hooks", ".", "--client", "claude-code").code == 0
    settings = json.loads((world.repo / ".claude/settings.local.json").read_text())
    command = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    import subprocess

    event = json.dumps({"session_id": "s1", "cwd": str(world.repo), "source": "startup"}).encode()
    ran = subprocess.run(
        command, shell=True, input=event, cwd=world.repo, env=world.env, capture_output=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"Session handle: rs_" in ran.stdout
    server = json.loads((world.repo / ".mcp.json").read_text())["mcpServers"]["remora"]
    started = subprocess.run(
        [server["command"], *server["args"]], cwd=world.repo, env=world.env, input=b"", capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert started.returncode == 0


def test_a_token_is_named_and_never_written(world: Any) -> None:
    done = world.remora("mcp", "hooks", ".", "--token", "--client", "claude-code", REMORA_API_TOKEN="rmk_verysecret")
    assert done.code == 0
    assert "REMORA_API_TOKEN" in (world.repo / ".mcp.json").read_text()
    assert not any(b"verysecret" in content for content in tree(world.repo).values())


def test_a_dry_run_shows_the_change_and_makes_none(world: Any) -> None:
    done = world.remora("mcp", "hooks", ".", "--dry-run", "--client", "cursor")
    assert "sessionStart" in done.out
    assert tree(world.repo) == {}


def test_wrong_options_are_refused_with_nothing_changed(world: Any) -> None:
    for words in (("--client", "emacs"), ("--compact-at", "99"), ("--compact-at", "-1")):
        done = world.remora("mcp", "hooks", ".", *words)
        assert done.code == 2, words
        assert "Traceback" not in done.err
    assert world.remora("mcp", "hooks", "no-such-folder").code == 2
    assert tree(world.repo) == {}


def test_memory_rules_are_written_refreshed_and_removed(world: Any) -> None:
    (world.repo / "CLAUDE.md").write_bytes(b"# Mine\r\n\r\nkeep me\r\n")
    before = tree(world.repo)
    assert world.remora("mcp", "agents-md", ".").code == 0
    first = tree(world.repo)
    assert b"session handle" in first["AGENTS.md"]
    assert first["CLAUDE.md"].startswith(b"# Mine\r\n\r\nkeep me\r\n")
    assert [row["change"] for row in world.remora("mcp", "agents-md", ".", "--json").json["files"]] == ["unchanged"] * 2
    assert tree(world.repo) == first
    assert world.remora("mcp", "agents-md", ".", "--remove").code == 0
    assert tree(world.repo) == before


def test_the_hook_command_never_fails(world: Any) -> None:
    for words in ((), ("--nonsense",), ("--client", "claude-code"), ("--client", "x", "--event", "y")):
        for body in (b"", b"{", b"\xff\x00", b'{"session_id": "s"}'):
            done = world.remora("hook", *words, stdin=body)
            assert (done.code, done.out, done.err) == (0, "", "")


def test_sessions_are_listed_promoted_and_revoked_by_command(world: Any) -> None:
    world.remora("init")
    event = json.dumps({"session_id": "s1", "cwd": str(world.repo), "source": "startup"}).encode()
    started = world.remora("hook", "--client", "claude-code", "--event", "SessionStart", stdin=event)
    handle = started.json["hookSpecificOutput"]["additionalContext"].partition("handle: ")[2].split()[0]
    save_private(world, handle)
    facts = world.remora("recall", "what does Tester prefer", "--session", handle, "--json").json["hits"]
    assert [fact["title"] for fact in facts] == ["Tester PREFERS Silence"]
    promoted = world.remora("sessions", "promote", facts[0]["id"], "--session-id", "s1", "--client", "claude-code")
    assert promoted.code == 0, promoted.err
    assert "Tester PREFERS Silence" in world.remora("recall", "what does Tester prefer").out
    listed = world.remora("sessions", "list", "--json").json["sessions"]
    assert [row["session_id"] for row in listed] == ["s1"]
    assert world.remora("sessions", "revoke", listed[0]["id"]).code == 0
    assert world.remora("recall", "what does Tester prefer", "--session", handle).code == 1
    assert world.remora("sessions", "list").out.strip() == "no sessions"
    assert world.remora("sessions", "revoke", "ses_unknown").code == 1


def save_private(world: Any, handle: str) -> None:
    from remora.bootstrap import open_ports
    from remora.config import Settings
    from remora.core.facts.batch import parse_triple
    from remora.core.scope import Channel, operator_grant
    from remora.core.sessions import SessionRef
    from remora.usecases.remember import RememberRequest, remember

    ports = open_ports(Settings(data_dir=world.place / "data"), world.repo)
    triple = parse_triple("triple", {"subject": "Tester", "predicate": "PREFERS", "object": "Silence"})
    request = RememberRequest(triples=[triple], memory_scope="session", session=SessionRef(handle=handle))
    remember(ports, operator_grant(Channel.MCP), request)
    ports.store_admin.close()
