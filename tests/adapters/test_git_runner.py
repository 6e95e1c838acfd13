"""Git runs with fixed flags and a clean environment, and its failures are told plainly."""

import stat
import time
from pathlib import Path

import pytest

from git_shapes import ENVIRON, git, simple
from remora.adapters.git.runner import GitFailed, GitRunner, clean_environ
from remora.core.errors import SourceFailed, Unavailable


def test_no_git_variable_of_a_calling_hook_reaches_git(tmp_path: Path) -> None:
    leaked = {"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere", "GIT_WORK_TREE": "/", "GIT_TRACE": "1"}
    runner = GitRunner(simple(tmp_path), {**ENVIRON, **leaked})
    assert runner.run("rev-parse", "--show-prefix") == b"\n"
    kept = clean_environ(
        {"GIT_INDEX_FILE": "x", "GIT_EXEC_PATH": "x", "LANG": "de_DE", "LC_TIME": "de_DE", "HOME": "/h"}
    )
    assert kept["HOME"] == "/h"
    assert kept["LC_ALL"] == "C"
    assert not {"GIT_INDEX_FILE", "GIT_EXEC_PATH", "LANG", "LC_TIME"} & set(kept)


def test_a_failure_carries_the_command_the_code_the_last_line_and_advice(tmp_path: Path) -> None:
    runner = GitRunner(simple(tmp_path), ENVIRON)
    with pytest.raises(GitFailed) as caught:
        runner.run("rev-parse", "--verify", "no-such-branch^{commit}")
    error = caught.value
    assert error.exit_code == 128
    assert "rev-parse --verify no-such-branch^{commit}" in str(error)
    assert "Needed a single revision" in str(error)
    assert error.advice


def test_credentials_are_not_repeated_in_an_error(tmp_path: Path) -> None:
    runner = GitRunner(simple(tmp_path), ENVIRON)
    with pytest.raises(GitFailed) as caught:
        runner.run("ls-remote", "https://user:hunter2@host.invalid/a/b")
    assert "hunter2" not in str(caught.value) + caught.value.stderr + repr(caught.value.argv)


def test_the_network_is_never_asked(tmp_path: Path) -> None:
    for url in ("https://host.invalid/a", f"file://{tmp_path}", "ext::sh -c 'touch pwned'"):
        with pytest.raises(GitFailed, match="not allowed"):
            GitRunner(simple(tmp_path / "r"), ENVIRON).run("ls-remote", url)
    assert not list(tmp_path.rglob("pwned"))


def test_a_missing_git_is_said_in_words(tmp_path: Path) -> None:
    runner = GitRunner(tmp_path, ENVIRON, program="git-that-is-not-there")
    with pytest.raises(SourceFailed, match="not installed"):
        runner.run("version")
    with pytest.raises(SourceFailed, match="not installed"):
        list(runner.stream("version"))
    with pytest.raises(SourceFailed, match="cannot be started"):
        GitRunner(tmp_path / "gone", ENVIRON).run("version")


@pytest.fixture
def sleeper(tmp_path: Path) -> str:
    program = tmp_path / "sleeper"
    program.write_text("#!/bin/sh\necho first\nexec sleep 30\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_a_git_that_hangs_is_given_up(tmp_path: Path, sleeper: str) -> None:
    runner = GitRunner(tmp_path, ENVIRON, program=sleeper)
    start = time.monotonic()
    with pytest.raises(Unavailable):
        runner.run("log", timeout_seconds=0.3)
    chunks = []
    with pytest.raises(Unavailable):
        chunks.extend(runner.stream("log", idle_seconds=0.3))
    assert time.monotonic() - start < 10


def test_leaving_a_stream_early_ends_the_process(tmp_path: Path, sleeper: str) -> None:
    runner = GitRunner(tmp_path, ENVIRON, program=sleeper)
    start = time.monotonic()
    stream = runner.stream("log")
    assert next(stream) == b"first\n"
    stream.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 10


def test_megabytes_go_in_and_out_without_blocking(tmp_path: Path) -> None:
    runner = GitRunner(simple(tmp_path), ENVIRON)
    head = git(tmp_path, "rev-parse", "HEAD").encode() + b"\n"
    out = b"".join(runner.stream("cat-file", "--batch-check", stdin=head * 20_000))
    assert out.count(b"commit") == 20_000


def test_reading_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    folder = simple(tmp_path)
    index = folder / ".git" / "index"
    (folder / "README.md").touch()
    before = index.read_bytes()
    runner = GitRunner(folder, ENVIRON)
    for args in (["log", "-p"], ["ls-files", "-s", "-z"], ["diff", "--raw"], ["status"]):
        runner.run(*args)
    assert index.read_bytes() == before
    assert not (folder / ".git" / "index.lock").exists()
