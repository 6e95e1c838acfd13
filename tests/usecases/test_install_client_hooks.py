"""Hooks are installed into settings that others own, and taken out again to the byte."""

import json
import os
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from remora.adapters.settings_files import SettingsFiles
from remora.core.clients.catalogue import CLIENT_NAMES, CLIENTS, Event, client_named
from remora.core.clients.entries import HookOptions
from remora.core.errors import InvalidInput
from remora.usecases.install_client_hooks import ClientHooksRequest, ClientHooksResult, install_client_hooks

OPTIONS = HookOptions(python="/opt/py thon/bin/python3", script="/opt/lib/remora_hook/hook.py")
ALL = CLIENT_NAMES
FOREIGN = '{"type": "command", "command": "./mine.sh"}'
SETTINGS = """{
  // my settings
  "model": "opus", /* keep */
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [MINE, MINE, MINE]}, // three of mine
    ],
    "Stop": [] // nothing yet
  },
  "env": {"A": "1"}
}
""".replace("MINE", FOREIGN)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=30)
    return tmp_path


def run(project: Path, *clients: str, options: HookOptions = OPTIONS, **more: bool) -> ClientHooksResult:
    return install_client_hooks(SettingsFiles(project), ClientHooksRequest(clients or ALL, options, **more))


def tree(project: Path) -> dict[str, bytes]:
    files = (path for path in project.rglob("*") if path.is_file() and ".git/" not in path.as_posix())
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in files}


def commands(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), str) and "hook.py" in value["command"] else []
        return own + [found for inner in value.values() for found in commands(inner)]
    return [found for inner in value for found in commands(inner)] if isinstance(value, list) else []


def test_every_client_is_installed_once_and_leaves_nothing_behind(project: Path) -> None:
    first = run(project)
    assert {change.change for change in first.files} == {"created"}
    after = tree(project)
    assert {change.change for change in run(project).files} == {"unchanged"}
    assert tree(project) == after
    assert {change.change for change in run(project, remove=True).files} == {"removed"}
    assert tree(project) == {}
    assert sorted(path.name for path in project.iterdir()) == [".git"]
    assert not (project / ".git/remora-settings.json").exists()


@pytest.mark.parametrize(
    "client", [client for client in CLIENTS if client.name != "opencode"], ids=lambda client: client.name
)
def test_each_hook_runs_the_absolute_interpreter_isolated_for_its_event(project: Path, client) -> None:
    run(project, client.name, options=HookOptions(OPTIONS.python, OPTIONS.script, delta=True))
    settings = json.loads((project / client.hooks_file).read_text())
    assert set(settings["hooks"]) == set(client.events)
    for native, entries in settings["hooks"].items():
        (command,) = commands(entries)
        words = shlex.split(command)
        assert words[:4] == [OPTIONS.python, "-I", "-S", OPTIONS.script]
        assert words[4:8] == ["--client", client.name, "--event", native]
        assert ("delta" in words) == (client.events[native] is Event.TOOL)


@pytest.mark.parametrize(
    "text", [SETTINGS, SETTINGS.replace("\n", "\r\n"), "\ufeff" + SETTINGS, "{}", "{\n}", '{"hooks": {}}', "{ }\n\n"]
)
def test_install_and_remove_restore_every_byte_of_a_settings_file(project: Path, text: str) -> None:
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    file.chmod(0o640)
    run(project, "claude-code")
    assert file.read_bytes() != text.encode()
    assert file.stat().st_mode & 0o777 == 0o640
    run(project, "claude-code", remove=True)
    assert file.read_bytes() == text.encode()
    assert not (project / ".mcp.json").exists()


def test_foreign_hooks_in_our_event_survive_install_reinstall_and_removal(project: Path) -> None:
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(SETTINGS)
    for _ in range(2):
        run(project, "claude-code", options=HookOptions(OPTIONS.python, OPTIONS.script, delta=True, compact_at=40))
        run(project, "claude-code")
        text = file.read_text()
        assert text.count(FOREIGN) == 3
        assert all(
            comment in text for comment in ("// my settings", "/* keep */", "// three of mine", "// nothing yet")
        )
        assert "CLAUDE_AUTOCOMPACT" not in text
        assert "PostToolUse" not in text
    run(project, "claude-code", remove=True)
    assert file.read_text() == SETTINGS


def test_our_hook_is_taken_out_of_an_entry_it_shares_with_others(project: Path) -> None:
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    ours = json.dumps({"type": "command", "command": "py /x/remora_hook/hook.py --old"})
    file.write_text(f'{{"hooks": {{"SessionStart": [{{"hooks": [{FOREIGN}, {ours}, {FOREIGN}]}}]}}}}')
    run(project, "claude-code", remove=True)
    assert file.read_text() == f'{{"hooks": {{"SessionStart": [{{"hooks": [{FOREIGN}, {FOREIGN}]}}]}}}}'


def test_edits_made_after_the_install_survive_the_removal(project: Path) -> None:
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(SETTINGS)
    run(project, "claude-code", options=HookOptions(OPTIONS.python, OPTIONS.script, compact_at=30))
    file.write_text(file.read_text().replace('"A": "1"', '"A": "2"'))
    run(project, "claude-code", remove=True)
    assert file.read_text() == SETTINGS.replace('"A": "1"', '"A": "2"')


def test_without_a_git_folder_the_removal_goes_by_structure(tmp_path: Path) -> None:
    file = tmp_path / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(SETTINGS)
    run(tmp_path, "claude-code")
    run(tmp_path, "claude-code", remove=True)
    assert file.read_text() == SETTINGS


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"",
        b"\xff\xfe{\x00}\x00",
        b'{"a": "\xff"}',
        b"[]",
        b'{"hooks": 1}',
        b'{"hooks": {"SessionStart": {}}}',
        b"\x00",
        b'{"hooks": {}, "hooks": {}}',
    ],
)
def test_what_cannot_be_understood_is_refused_and_nothing_at_all_is_written(project: Path, content: bytes) -> None:
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match="nothing was changed"):
        run(project)
    assert tree(project) == {".claude/settings.local.json": content}


def test_a_dry_run_shows_the_change_and_writes_nothing(project: Path) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {"other": {"env": {"KEY": "s3cret"}}}}\n')
    before = tree(project)
    result = run(project, "claude-code", dry_run=True)
    assert tree(project) == before
    assert [change.change for change in result.files] == ["created", "changed"]
    assert "remora" in result.files[1].diff


def test_a_hooks_file_of_our_own_goes_even_without_a_receipt(project: Path) -> None:
    run(project, "copilot")
    (project / ".git/remora-settings.json").unlink()
    run(project, "copilot", remove=True)
    assert not (project / ".github").exists()


def test_moving_to_the_shared_file_leaves_no_second_copy(project: Path) -> None:
    run(project, "claude-code")
    run(
        project, "claude-code", options=HookOptions("$CLAUDE_PROJECT_DIR/.venv/bin/python", OPTIONS.script, shared=True)
    )
    assert not (project / ".claude/settings.local.json").exists()
    shared = json.loads((project / ".claude/settings.json").read_text())
    assert commands(shared)[0].startswith('"$CLAUDE_PROJECT_DIR"/.venv/bin/python -I -S ')
    run(project, "claude-code", remove=True)
    assert tree(project) == {}


def test_a_compaction_threshold_of_the_users_own_is_left_alone_and_named(project: Path) -> None:
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text('{"env": {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "70"}}')
    result = run(project, "claude-code", options=HookOptions(OPTIONS.python, OPTIONS.script, compact_at=30))
    assert json.loads(file.read_text())["env"] == {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "70"}
    assert any("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE" in note for note in result.notes)


@pytest.mark.parametrize("percent", [-1, 86, 1000])
def test_a_threshold_that_cannot_work_is_refused(percent: int) -> None:
    with pytest.raises(InvalidInput, match="compact_at"):
        HookOptions(OPTIONS.python, OPTIONS.script, compact_at=percent)


def test_a_foreign_server_named_remora_is_left_alone(project: Path) -> None:
    (project / ".cursor").mkdir()
    (project / ".cursor/mcp.json").write_text('{"mcpServers": {"remora": {"url": "https://elsewhere"}}}')
    (project / ".codex").mkdir()
    (project / ".codex/config.toml").write_text('[mcp_servers.remora]\nurl = "https://elsewhere"\n')
    before = tree(project)
    result = run(project, "cursor", "codex")
    assert before.items() <= tree(project).items()
    assert [key for change in result.files for key in change.kept] == ["mcpServers.remora", "mcp_servers.remora"]
    run(project, "cursor", "codex", remove=True)
    assert tree(project) == before


@pytest.mark.parametrize(
    "text", ['model = "o4"', 'model = "o4" # mine\r\n\r\n[a]\r\nb = 1\r\n', "", "[mcp_servers.other]\ncommand = 'x'\n"]
)
def test_toml_settings_get_one_table_and_get_their_bytes_back(project: Path, text: str) -> None:
    file = project / ".codex/config.toml"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    run(project, "codex")
    after = file.read_bytes()
    assert tomllib.loads(after.decode())["mcp_servers"]["remora"] == {"command": "remora", "args": ["mcp"]}
    run(project, "codex")
    assert file.read_bytes() == after
    run(project, "codex", remove=True)
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("text", ["a = ", "mcp_servers = {}\n", "mcp_servers = 1\n", "a = '\ud800'"])
def test_toml_that_cannot_take_a_table_is_refused(project: Path, text: str) -> None:
    file = project / ".codex/config.toml"
    file.parent.mkdir()
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InvalidInput):
        run(project, "codex")
    assert tree(project) == {".codex/config.toml": text.encode("utf-8", "surrogatepass")}


def test_no_file_ever_holds_a_credential_only_the_name_of_its_variable(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMORA_API_TOKEN", "sekret-value-123")
    run(project, options=HookOptions(OPTIONS.python, OPTIONS.script, token=True))
    everything = b"\n".join(tree(project).values())
    assert b"sekret" not in everything
    assert everything.count(b"REMORA_API_TOKEN") >= 6
    assert json.loads((project / ".mcp.json").read_text())["mcpServers"]["remora"]["env"] == {
        "REMORA_API_TOKEN": "${REMORA_API_TOKEN:-}"
    }


def test_a_link_that_leads_out_of_the_project_is_not_followed(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / "settings.local.json").write_text("{}")
    (project / ".claude").symlink_to(home)
    with pytest.raises(InvalidInput, match="outside"):
        run(project, "claude-code")
    assert (home / "settings.local.json").read_text() == "{}"


def test_a_linked_worktree_keeps_its_own_receipts(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(
        ["git", "-C", str(project), *identity, "commit", "-q", "--allow-empty", "-m", "x"], check=True, timeout=30
    )
    tree_path = tmp_path_factory.mktemp("work") / "tree"
    subprocess.run(
        ["git", "-C", str(project), "worktree", "add", "-q", str(tree_path)],
        check=True,
        timeout=30,
        capture_output=True,
    )
    (tree_path / ".claude").mkdir()
    (tree_path / ".claude/settings.local.json").write_text("{\n}")
    run(tree_path, "claude-code")
    assert (
        subprocess.run(["git", "-C", str(tree_path), "fsck"], check=True, timeout=30, capture_output=True).returncode
        == 0
    )
    run(tree_path, "claude-code", remove=True)
    assert (tree_path / ".claude/settings.local.json").read_text() == "{\n}"


def test_an_unknown_client_is_named_with_those_there_are(project: Path) -> None:
    with pytest.raises(InvalidInput, match=r"emacs.*claude-code, codex"):
        run(project, "emacs")


def test_a_plugin_of_the_same_name_that_is_not_ours_is_kept(project: Path) -> None:
    plugin = project / client_named("opencode").hooks_file
    plugin.parent.mkdir(parents=True)
    plugin.write_text("// theirs\n")
    with pytest.raises(InvalidInput, match="not ours"):
        run(project, "opencode")
    run(project, "opencode", remove=True)
    assert plugin.read_text() == "// theirs\n"


def test_the_opencode_plugin_carries_context_from_the_hook_into_the_system_prompt(project: Path) -> None:
    answer = project / "hook.py"
    answer.write_text(
        "import sys, json\ne = json.load(sys.stdin)\n"
        "print(json.dumps({'context': e['hook_event_name'] + ':' + e.get('prompt', '')}))\n"
    )
    run(project, "opencode", options=HookOptions(shutil.which("python3") or "python3", str(answer)))
    plugin = (project / client_named("opencode").hooks_file).rename(project / "plugin.mjs")
    assert plugin.read_text().startswith("// Written by remora")
    if shutil.which("node") is None:  # the text is checked everywhere, its behaviour where a runtime is at hand
        return
    script = (
        f"import {{ Remora }} from {json.dumps(plugin.as_posix())};"
        f"const hooks = await Remora({{ client: {{}}, directory: {json.dumps(str(project))} }});"
        "await hooks['chat.message']({ sessionID: 's1' }, { parts: [{ type: 'text', text: 'hello' }] });"
        "const out = { system: [] }; await hooks['experimental.chat.system.transform']({ sessionID: 's1' }, out);"
        "await hooks['experimental.session.compacting']({ sessionID: 's1' }); console.log(JSON.stringify(out.system));"
    )
    ran = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"]},
    )
    assert json.loads(ran.stdout) == ["session.created:", "chat.message:hello"], ran.stderr
