"""Setting up a repository: nothing unasked, everything with --yes, each step by its own switch, safe to repeat."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def project(world: Any) -> Any:
    """A repository with a commit, a decision, and a client in use."""
    world.commit("Add parser", parser__py="def parse(text):\n    return text\n")
    world.commit("Decide", **{"docs/adr/0001-json__md": "# Use JSON\n\nAll payloads are JSON.\n"})
    (world.repo / ".claude").mkdir()
    return world


def tree(world: Any) -> dict[str, bytes]:
    files = (path for path in world.repo.rglob("*") if path.is_file() and ".remora" not in path.parts)
    return {str(path.relative_to(world.repo)): path.read_bytes() for path in files}


def test_a_plain_init_makes_the_places_and_nothing_else(project: Any) -> None:
    before = set(tree(project))
    done = project.remora("init", "--json")
    assert done.code == 0, done.err
    assert "steps" not in done.json
    assert {name for name in set(tree(project)) - before if not name.startswith(".git/remora")} == set()


def test_yes_takes_every_step_and_a_second_time_changes_nothing(project: Any) -> None:
    steps = project.remora("init", "--yes", "--json").json["steps"]
    assert {row["outcome"] for row in steps["git_hooks"]["hooks"]} == {"created"}
    assert steps["client_hooks"]["clients"] == ["claude-code"]
    assert steps["agents_md"]["files"] == [{"path": "AGENTS.md", "change": "created"}]
    assert steps["index"]["commits"] == {"seen": 2, "recorded": 2, "skipped": 0}
    assert steps["index"]["documents"]["recorded"] == 1
    before = tree(project)
    again = project.remora("init", "--yes", "--json").json["steps"]
    assert {row["outcome"] for row in again["git_hooks"]["hooks"]} == {"unchanged"}
    assert {row["change"] for row in again["client_hooks"]["files"]} == {"unchanged"}
    assert again["index"]["commits"]["recorded"] == 0
    assert tree(project) == before
    folder = Path(sys.modules["remora_hook"].__file__ or "").parent if "remora_hook" in sys.modules else None
    assert folder is None or list(folder.glob("__pycache__/gate.*.pyc"))


def test_each_step_has_a_switch_of_its_own(project: Any) -> None:
    only = project.remora("init", "--agents-md", "--json").json["steps"]
    assert list(only) == ["agents_md"]
    rest = project.remora("init", "--yes", "--no-client-hooks", "--no-index", "--json").json["steps"]
    assert list(rest) == ["git_hooks", "agents_md"]
    assert not (project.repo / ".mcp.json").exists()
    named = project.remora("init", "--client", "codex", "--json").json["steps"]
    assert named["client_hooks"]["clients"] == ["codex"]
    assert project.remora("init", "--client", "emacs").code == 2


def test_a_step_that_fails_stops_no_other(project: Any) -> None:
    (project.repo / ".claude/settings.local.json").write_text("{ torn")
    done = project.remora("init", "--yes", "--no-index", "--json")
    assert done.code == 1
    assert "settings.local.json" in done.json["steps"]["client_hooks"]["error"]
    assert done.json["steps"]["agents_md"]["files"][0]["change"] == "created"
    assert (project.repo / ".claude/settings.local.json").read_text() == "{ torn"


def test_a_step_that_was_asked_for_by_name_says_why_it_cannot_be_taken(project: Any) -> None:
    plain = project.place / "plain"
    plain.mkdir()
    done = project.remora("init", "--git-hooks", "--client-hooks", "--json", cwd=plain)
    assert done.code == 1
    assert {name for name, step in done.json["steps"].items() if "error" in step} == {"git_hooks", "client_hooks"}


def test_on_a_terminal_each_step_is_asked_for(project: Any) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "remora", "init"], cwd=project.repo, env=project.env | {"TERM": "dumb"},
        stdin=follower, stdout=follower, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(follower)
    seen, answers, until = b"", iter([b"n\n", b"n\n", b"y\n", b"n\n"]), time.monotonic() + 60
    asked = 0
    while time.monotonic() < until:
        try:
            part = os.read(leader, 4096)
        except OSError:  # the other end closed
            break
        if not part:
            break
        seen += part
        while seen.count(b"[Y/n]") > asked:
            asked += 1
            os.write(leader, next(answers))
    os.close(leader)
    assert process.wait(timeout=60) == 0, seen
    assert asked == 4
    assert (project.repo / "AGENTS.md").exists()
    assert not (project.repo / ".mcp.json").exists()
    assert not (project.repo / ".git/hooks/post-commit").exists()
