"""Git hooks with the real command line behind them: everything is recorded, and git notices nothing."""

import json
import time
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def project(world: Any) -> Any:
    """A repository with one recorded commit and the hooks installed."""
    world.commit("first", a__py="def one():\n    return 1\n")
    assert world.remora("init").code == 0
    assert world.remora("records", "ingest").code == 0
    return world


def install(world: Any) -> None:
    done = world.remora("hooks", "install", "--json")
    assert done.code == 0, done.out + done.err
    assert {row["outcome"] for row in done.json["hooks"]} <= {"created", "changed", "chained"}


def settled(world: Any, seconds: float = 120) -> str:
    """Wait until the background is at rest; returns its log."""
    cache = world.repo / ".remora/cache"
    busy = [cache / name for name in ("git-hook.lock", "git-hook.todo", "git-hook.now")]
    until = time.monotonic() + seconds
    quiet = 0
    while quiet < 3:
        assert time.monotonic() < until, (cache / "git-hook.log").read_text()
        quiet = 0 if any(path.exists() for path in busy) else quiet + 1
        time.sleep(0.1)
    return (cache / "git-hook.log").read_text()


def recorded(world: Any) -> set[str]:
    out = world.remora("records", "export", "--output", "-").out
    return {row["commit"] for row in json.loads(out)["records"] if row["idempotency_key"].startswith("git:")}


def reachable(world: Any) -> set[str]:
    return set(world.git("rev-list", "--all").split())


def add(world: Any, name: str, cwd: Path | None = None) -> None:
    ((cwd or world.repo) / f"{name}.py").write_text(f"def {name}():\n    return '{name}'\n")
    world.git("add", "-A", cwd=cwd)
    world.git("commit", "-qm", f"add {name}", cwd=cwd)


def test_commits_merges_picks_rebases_and_worktrees_are_all_recorded(project: Any) -> None:
    install(project)
    git, other = project.git, project.place / "other"
    add(project, "two")
    git("commit", "-q", "--amend", "-m", "add two, amended")
    git("checkout", "-qb", "side")
    add(project, "three")
    add(project, "four")
    git("checkout", "-q", "main")
    git("cherry-pick", "side~1")
    add(project, "five")
    git("checkout", "-q", "side")
    git("rebase", "-q", "main")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge side", "side")
    git("worktree", "add", "-q", str(other), "-b", "elsewhere")
    before = (project.repo / ".git/index").read_bytes()
    add(project, "six", other)
    log = settled(project)
    assert reachable(project) <= recorded(project), log
    assert "Error" not in log
    assert "remora: " not in log
    assert git("status", "--porcelain") == git("status", "--porcelain", cwd=other) == ""
    assert (project.repo / ".git/index").read_bytes() == before
    assert not list(project.repo.rglob("index.lock"))
    assert git("fsck", "--no-dangling") == ""
    status = project.remora("hooks", "status", "--json").json
    assert {row["state"] for row in status["hooks"]} == {"installed"}
    assert status["last_success"]
    hits = project.remora("records", "search", "add", "--json").json["records"]
    assert not any(row["title"] == "add two" for row in hits)
    assert any("three" in symbol for row in hits for symbol in row.get("symbols", ()))


def test_a_fast_forward_of_many_commits_loses_none(project: Any) -> None:
    lines = []
    for number in range(500):
        lines.append(
            f"commit refs/heads/far\ncommitter A <a@b> {1_700_000_000 + number} +0000\ndata 4\nfar{number % 10}"
        )
        lines.append("from refs/heads/main^0" if number == 0 else "")
        lines.append(f"M 644 inline far.txt\ndata 4\n{number:04}\n")
    stream = project.place / "stream"
    stream.write_text("\n".join(line for line in lines if line) + "\n")
    import subprocess

    with stream.open("rb") as source:
        subprocess.run(["git", "fast-import", "--quiet"], cwd=project.repo, env=project.env, stdin=source, check=True,
                       timeout=60)  # fmt: skip
    install(project)
    project.git("merge", "-q", "--ff-only", "far")
    log = settled(project)
    assert len(recorded(project)) == 501, log
    assert project.git("status", "--porcelain") == ""


@pytest.mark.slow  # the short form, with a stand-in for the command line, is in tests/usecases
@pytest.mark.parametrize("style", ["hooksPath", "husky"])
def test_hooks_of_the_project_go_on_and_ours_run_beside_them(project: Any, style: str) -> None:
    folder = project.repo / (".husky" if style == "husky" else ".githooks")
    theirs = folder / "post-commit"
    folder.mkdir()
    theirs.write_text('#!/bin/sh\necho theirs >>"$(git rev-parse --git-dir)/theirs"\n')
    theirs.chmod(0o755)
    if style == "husky":
        (folder / "_").mkdir()
        for name in ("post-commit", "post-merge", "post-rewrite"):
            wrapper = folder / "_" / name
            wrapper.write_text('#!/usr/bin/env sh\nf=.husky/$(basename "$0")\n[ ! -f "$f" ] || sh -e "$f" "$@"\n')
            wrapper.chmod(0o755)
        (folder / "_/.gitignore").write_text("*\n")
    project.git("config", "core.hooksPath", ".husky/_" if style == "husky" else ".githooks")
    before = theirs.read_bytes()
    install(project)
    add(project, "two")
    settled(project)
    assert (project.repo / ".git/theirs").read_text() == "theirs\n"
    assert reachable(project) <= recorded(project)
    assert project.remora("hooks", "remove").code == 0
    assert theirs.read_bytes() == before
    assert {row["state"] for row in project.remora("hooks", "status", "--json").json["hooks"]} == {"absent"}


def test_a_module_of_the_repository_is_never_run_by_a_hook(project: Any) -> None:
    install(project)
    for name in ("remora.py", "json.py", "typer.py"):
        (project.repo / name).write_text("open('/proc/self/cwd/ran', 'w')\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "shadow")
    settled(project)
    assert not (project.repo / "ran").exists()
    assert project.git("rev-parse", "HEAD") in recorded_elsewhere(project)


def recorded_elsewhere(world: Any) -> set[str]:
    """The same as `recorded`, started from a folder without modules that shadow ours."""
    out = world.remora("records", "export", "--output", "-", "--repo", str(world.repo), cwd=world.place).out
    return {row["commit"] for row in json.loads(out)["records"]}


def test_a_dry_run_changes_nothing_and_shared_hooks_are_refused(project: Any) -> None:
    assert project.remora("hooks", "install", "--dry-run").code == 0
    assert {row["state"] for row in project.remora("hooks", "status", "--json").json["hooks"]} == {"absent"}
    project.git("config", "--global", "core.hooksPath", str(project.place / "everyones"))
    refused = project.remora("hooks", "install")
    assert refused.code == 1
    assert "global" in refused.out
