"""Real commits, merges and rebases with the hooks on: recorded in the background, and nobody else is disturbed."""

import os
import shlex
import stat
import subprocess
import time
from pathlib import Path

import pytest

from fakes.clock import FakeClock
from remora.adapters.git.checkout import discover
from remora.adapters.git.hooks_place import hooks_place
from remora.adapters.settings_files import SettingsFiles
from remora.core.clients.git_hook import HOOK_NAMES, hook_body, install_hook, is_shell_script, uninstall_hook
from remora.usecases.install_git_hooks import GitHooksRequest, GitHooksResult, install_git_hooks

ENVIRON = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_EDITOR": "true",
}


def git(folder: Path, *words: str, check: bool = True, **environ: str) -> str:
    ran = subprocess.run(
        ["git", "-C", str(folder), *words],
        env={**ENVIRON, **environ},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not check or ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "my project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "first")
    (folder / ".remora").mkdir()
    (folder / ".git/info/exclude").write_text(".remora\n")
    return folder


@pytest.fixture
def cli(tmp_path: Path) -> Path:
    """Stands in for the CLI: writes down its arguments, its git environment and the commit it was given."""
    program = tmp_path / "bin dir/remora"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'echo "$* | $REMORA_COMMIT | $(env | grep -c ^GIT_)" >>{shlex.quote(str(tmp_path / "calls"))}\necho "did $1"\n'
    )
    program.chmod(0o755)
    return program


def commit(folder: Path, name: str) -> str:
    (folder / name).write_text(name)
    git(folder, "add", name)
    git(folder, "commit", "-q", "-m", name)
    return git(folder, "rev-parse", "HEAD")


def install(folder: Path, cli: Path, *, remove: bool = False, dry_run: bool = False) -> GitHooksResult:
    place = hooks_place(discover(folder, ENVIRON, FakeClock()), ENVIRON)
    return install_git_hooks(
        SettingsFiles(place.folder), GitHooksRequest(place, [str(cli)], remove=remove, dry_run=dry_run)
    )


def outcomes(result: GitHooksResult) -> set[str]:
    return {change.outcome for change in result.hooks}


def calls(project: Path, *, wait_for: str = "", seconds: float = 10) -> list[str]:
    """What the stand-in was called with, once the background is at rest (and `wait_for` was seen)."""
    log, cache = project.parent / "calls", project / ".remora/cache"
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        text = log.read_text() if log.exists() else ""
        busy = (cache / "git-hook.lock").exists() or (cache / "git-hook.todo").exists()
        if wait_for in text and not busy and (text.endswith("\n") or not wait_for):
            return text.splitlines()
        time.sleep(0.02)
    raise AssertionError(f"still waiting for {wait_for!r} in {log.read_text() if log.exists() else ''!r}")


def test_a_commit_is_recorded_in_the_background_with_a_clean_environment(project: Path, cli: Path) -> None:
    assert outcomes(install(project, cli)) == {"created"}
    head = commit(project, "second")
    seen = calls(project, wait_for="records refresh")
    assert [line.split(" | ")[0] for line in seen] == ["update", f"records ingest --catch-up {head}", "records refresh"]
    assert seen[1] == f"records ingest --catch-up {head} | {head} | 0"
    assert (project / ".remora/cache/git-hook.log").read_text().splitlines() == [
        "did update",
        "did records",
        "did records",
    ]
    assert stat.S_IMODE((project / ".remora/cache/git-hook.log").stat().st_mode) == 0o600


def test_a_fast_forward_and_a_merge_are_recorded(project: Path, cli: Path) -> None:
    install(project, cli)
    git(project, "checkout", "-q", "-b", "side")
    side = commit(project, "side")
    calls(project, wait_for=side)
    (project.parent / "calls").unlink()
    git(project, "checkout", "-q", "main")
    git(project, "merge", "-q", "side")
    assert any(f"--catch-up {side} " in line for line in calls(project, wait_for="refresh"))
    git(project, "checkout", "-q", "side")
    commit(project, "more")
    git(project, "checkout", "-q", "main")
    commit(project, "other")
    git(project, "merge", "-q", "--no-edit", "side")
    merged = git(project, "rev-parse", "HEAD")
    assert any(f"--catch-up {merged} " in line for line in calls(project, wait_for=merged))


def test_a_rebase_with_the_hooks_on_succeeds_and_is_recorded_once_at_its_end(project: Path, cli: Path) -> None:
    git(project, "checkout", "-q", "-b", "side")
    for index in range(30):
        commit(project, f"side{index}")
    git(project, "checkout", "-q", "main")
    commit(project, "main1")
    git(project, "checkout", "-q", "side")
    install(project, cli)
    git(project, "rebase", "-q", "main")
    head = git(project, "rev-parse", "HEAD")
    ingested = [line for line in calls(project, wait_for=head) if "ingest" in line]
    assert [line.split()[3] for line in ingested] == [head]
    assert not list(project.rglob("index.lock"))
    assert git(project, "status", "--porcelain") == ""


def test_a_cherry_pick_and_an_amend_do_not_trip_the_hooks(project: Path, cli: Path) -> None:
    git(project, "checkout", "-q", "-b", "side")
    picked = [commit(project, f"p{index}") for index in range(3)]
    git(project, "checkout", "-q", "main")
    install(project, cli)
    git(project, "cherry-pick", *picked)
    git(project, "commit", "-q", "--amend", "-m", "amended")
    head = git(project, "rev-parse", "HEAD")
    ingested = [line.split()[3] for line in calls(project, wait_for=head) if "ingest" in line]
    assert ingested.count(head) == 1
    assert not list(project.rglob("index.lock"))


def test_commits_in_a_linked_worktree_leave_its_index_and_the_repository_clean(project: Path, cli: Path) -> None:
    install(project, cli)
    linked = project.parent / "linked"
    git(project, "worktree", "add", "-q", str(linked))
    for index in range(10):
        head = commit(linked, f"l{index}")
    assert any(f"--catch-up {head} " in line for line in calls(project, wait_for=head))
    for folder in (project, linked):
        assert git(folder, "status", "--porcelain") == ""
        git(folder, "fsck", "--strict")


def test_a_bare_layout_and_a_submodule_record_into_their_own_homes(project: Path, cli: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(project), "bare/.bare")
    (tmp_path / "bare/.git").write_text("gitdir: ./.bare\n")
    git(tmp_path / "bare/.bare", "worktree", "add", "-q", "../tree", "-b", "other")
    (tmp_path / "bare/.bare/remora/cache").mkdir(parents=True)
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "bare/.bare"), "sub")
    (project / "sub/.remora").mkdir()
    for folder, home in (
        (tmp_path / "bare/tree", tmp_path / "bare/.bare/remora"),
        (project / "sub", project / "sub/.remora"),
    ):
        install(folder, cli)
        head = commit(folder, "new")
        until = time.monotonic() + 10
        log = home / "cache/git-hook.log"
        while time.monotonic() < until and not (log.exists() and log.read_text().count("did records") == 2):
            time.sleep(0.02)
        assert f"--catch-up {head} " in (project.parent / "calls").read_text()


def test_many_commits_at_once_start_one_worker_and_lose_none(project: Path, cli: Path) -> None:
    slow = cli.read_text().replace('echo "did', 'sleep 0.2; echo "did')
    cli.write_text(slow)
    install(project, cli)
    heads = {commit(project, f"c{index}") for index in range(8)}
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        seen = calls(project, wait_for="ingest", seconds=20)
        if heads <= {line.split()[3] for line in seen if "ingest" in line}:
            break
    assert heads == {line.split()[3] for line in seen if "ingest" in line}
    assert sum(line.startswith("update") for line in seen) < 8


def test_a_caller_that_waits_for_the_output_is_not_kept(project: Path, cli: Path) -> None:
    cli.write_text("#!/bin/sh\nsleep 3\n")
    install(project, cli)
    started = time.monotonic()
    commit(project, "quick")
    assert time.monotonic() - started < 2.5


def test_without_memory_the_hooks_do_nothing(project: Path, cli: Path) -> None:
    install(project, cli)
    (project / ".remora").rmdir()
    commit(project, "second")
    time.sleep(0.2)
    assert not (project.parent / "calls").exists()
    assert not (project / ".remora").exists()


FOREIGN = [
    "#!/bin/sh\necho theirs >>hook-log\nexit 1\n",
    "#!/usr/bin/env bash\nset -euo pipefail\necho theirs >>hook-log; exit 1",
    "echo theirs >>hook-log\nexit 1\n",
    "#!/usr/bin/env python3\nimport sys\nopen('hook-log', 'a').write('theirs\\n')\nsys.exit(1)\n",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_a_hook_that_is_already_there_still_runs_keeps_its_status_and_gets_its_bytes_back(
    project: Path, cli: Path, text: str
) -> None:
    hook = project / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(text)
    hook.chmod(0o744)
    assert install(project, cli).hooks[0].outcome in ("changed", "chained")
    after = hook.read_bytes()
    assert outcomes(install(project, cli)) == {"unchanged"}
    assert hook.read_bytes() == after
    direct = [str(hook)] if text.startswith("#!") else ["sh", str(hook)]
    assert subprocess.run(direct, cwd=project, env=ENVIRON, check=False, timeout=30).returncode == 1
    head = commit(project, "second")
    assert any(head in line for line in calls(project, wait_for=head))
    assert "theirs" in (project / "hook-log").read_text()
    install(project, cli, remove=True)
    assert (hook.read_text(), stat.S_IMODE(hook.stat().st_mode)) == (text, 0o744)
    assert [path.name for path in hook.parent.iterdir() if not path.name.endswith(".sample")] == ["post-commit"]


def test_removal_leaves_a_repository_as_it_was(project: Path, cli: Path) -> None:
    before = sorted(path.name for path in (project / ".git/hooks").iterdir())
    install(project, cli)
    assert outcomes(install(project, cli, remove=True)) == {"removed"}
    assert sorted(path.name for path in (project / ".git/hooks").iterdir()) == before
    assert outcomes(install(project, cli, remove=True)) == {"absent"}


def test_a_hook_that_is_switched_off_is_not_switched_on(project: Path, cli: Path) -> None:
    hook = project / ".git/hooks/post-merge"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nrm -rf important\n")
    hook.chmod(0o644)
    result = install(project, cli)
    assert [change.outcome for change in result.hooks] == ["created", "refused", "created"]
    assert hook.read_text() == "#!/bin/sh\nrm -rf important\n"


def test_a_dry_run_writes_nothing(project: Path, cli: Path) -> None:
    before = sorted(path.name for path in (project / ".git/hooks").iterdir())
    assert outcomes(install(project, cli, dry_run=True)) == {"created"}
    assert sorted(path.name for path in (project / ".git/hooks").iterdir()) == before


def test_a_hooks_path_of_the_repository_is_used(project: Path, cli: Path) -> None:
    git(project, "config", "core.hooksPath", "tools/hooks")
    result = install(project, cli)
    assert (project / "tools/hooks/post-commit").exists()
    assert "version control" in result.notes[0]
    head = commit(project, "second")
    assert any(head in line for line in calls(project, wait_for=head))


def test_husky_runs_our_block_from_the_users_script(project: Path, cli: Path) -> None:
    runner = project / ".husky/_"
    runner.mkdir(parents=True)
    (runner / "post-commit").write_text('#!/usr/bin/env sh\nsh -e "$(dirname "$0")/../post-commit" "$@"\n')
    (runner / "post-commit").chmod(0o755)
    git(project, "config", "core.hooksPath", ".husky/_")
    install(project, cli)
    assert sorted(path.name for path in runner.iterdir()) == ["post-commit"]
    head = commit(project, "second")
    assert any(head in line for line in calls(project, wait_for=head))


def test_a_command_that_fails_leaves_no_lock_behind_under_a_strict_shell(project: Path, cli: Path) -> None:
    (project / ".git/hooks/post-commit").write_text("#!/bin/sh -eu\n")
    (project / ".git/hooks/post-commit").chmod(0o755)
    cli.write_text(cli.read_text() + "exit 3\n")
    install(project, cli)
    head = commit(project, "second")
    calls(project, wait_for="records refresh")
    later = commit(project, "third")
    assert {head, later} <= {line.split()[3] for line in calls(project, wait_for=later) if "ingest" in line}
    assert not (project / ".remora/cache/hooks/git.commit").exists()


def test_hooks_that_other_repositories_share_are_refused(project: Path, cli: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "global hooks"
    git(project, "config", "core.hooksPath", str(elsewhere))
    assert outcomes(install(project, cli)) == {"refused"}
    git(project, "config", "--unset", "core.hooksPath")
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n\thooksPath = {elsewhere}\n")
    place = hooks_place(discover(project, ENVIRON, FakeClock()), {**ENVIRON, "GIT_CONFIG_GLOBAL": str(config)})
    assert "for all repositories" in place.refused
    assert not elsewhere.exists()


def test_torn_markers_refuse_one_hook_and_no_other(project: Path, cli: Path) -> None:
    hook = project / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n# >>> remora >>>\n")
    hook.chmod(0o755)
    assert [change.outcome for change in install(project, cli).hooks] == ["refused", "created", "created"]


SHELLS = [
    "#!/bin/sh\n",
    "#!/usr/bin/env bash\n",
    "#! /bin/dash -e\n",
    "#!/usr/bin/env -S zsh -e\n",
    "echo\n",
    "#!/bin/sh",
]
OTHERS = ["#!/usr/bin/env python3\n", "#!/usr/bin/fish\n", "#!/usr/bin/env pwsh\n", "#!/usr/bin/node\n", "\x7fELF\0"]


@pytest.mark.parametrize(("text", "shell"), [*((text, True) for text in SHELLS), *((text, False) for text in OTHERS)])
def test_a_shell_script_is_told_from_other_programs(text: str, shell: bool) -> None:
    assert is_shell_script(text) == shell


@pytest.mark.parametrize("text", ["#!/bin/sh", "#!/bin/sh\n", "#!/bin/sh\n\n\nexit", "echo hi", "", "\udcff\n"])
@pytest.mark.parametrize("name", HOOK_NAMES)
def test_the_block_goes_in_and_out_to_the_byte_and_parses(text: str, name, tmp_path: Path) -> None:
    hook = install_hook(text, hook_body(name, ["/a b/remora", "-x"]))
    assert uninstall_hook(hook) == text
    path = tmp_path / "hook"
    path.write_text(install_hook(None, hook_body(name, ["/a b/remora", "it's"])))
    subprocess.run(["/bin/sh", "-n", str(path)], check=True, timeout=30)
