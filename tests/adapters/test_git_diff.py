"""Differences are read from real git, whatever names, settings and states it meets; pull requests from `gh`."""

import os
from pathlib import Path

import pytest

from git_shapes import ENVIRON, git
from remora.adapters.git.checkout import discover
from remora.adapters.git.diff import GitDiffs
from remora.adapters.pull_requests import GitHubPullRequests
from remora.adapters.system import SystemClock
from remora.core.errors import InvalidInput, NotFound, SourceFailed, Unavailable


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("one\ntwo\nthree\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Start")
    return folder


def diffs(folder: Path) -> GitDiffs:
    return GitDiffs(discover(folder, ENVIRON, SystemClock()), ENVIRON)


def test_touched_lines_and_names_of_every_kind_of_change(repo: Path) -> None:
    (repo / "a.py").write_text("one\nTWO\nthree\n")
    for name in (b'q"uote.py', b"new\nline.py", b"bad-\xff.py", "中文.py".encode(), b"-rf"):
        (repo / os.fsdecode(name)).write_text("x\n")
    (repo / "nested").mkdir()
    git(repo / "nested", "init", "-q")
    found = diffs(repo).working_tree()
    assert {file.path: file.change for file in found.files} == {
        "a.py": "modified", 'q"uote.py': "added", "new\nline.py": "added", r"bad-\xff.py": "added",
        "中文.py": "added", "-rf": "added",
    }  # fmt: skip
    (hunk,) = found.patch.files[0].hunks
    assert (hunk.new_start, hunk.new_count, hunk.added) == (2, 1, [b"TWO"])


def test_a_hostile_config_runs_nothing_and_changes_nothing(repo: Path) -> None:
    (repo / "a.py").write_text("one\nTWO\nthree\n")
    plain = diffs(repo).working_tree()
    for key, value in (
        ("diff.external", "false"), ("core.pager", "false"), ("color.ui", "always"), ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"), ("diff.context", "9"), ("diff.renames", "false"),
    ):  # fmt: skip
        git(repo, "config", key, value)
    before = (repo / ".git/index").read_bytes()
    assert diffs(repo).working_tree() == plain
    assert (repo / ".git/index").read_bytes() == before


def test_a_range_starts_where_the_branches_parted(repo: Path) -> None:
    git(repo, "switch", "-qc", "topic")
    (repo / "b.py").write_text("new\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Topic")
    git(repo, "switch", "-q", "main")
    (repo / "c.py").write_text("main only\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Main")
    assert [file.path for file in diffs(repo).between("main", "topic").files] == ["b.py"]


@pytest.mark.parametrize("name", ["nowhere", "HEAD~9"])
def test_an_unknown_revision_is_told(repo: Path, name: str) -> None:
    with pytest.raises(NotFound):
        diffs(repo).working_tree(name)


@pytest.mark.parametrize("name", ["", "--output=x", "a\0b", "a\nb"])
def test_a_revision_is_never_taken_for_an_option(repo: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        diffs(repo).between(name, "HEAD")


def test_outside_of_git_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed):
        diffs(tmp_path).working_tree()


def stub(folder: Path, text: str) -> str:
    path = folder / "gh-stub"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_pull_request_is_what_gh_says(tmp_path: Path) -> None:
    program = stub(tmp_path, 'echo "{\\"baseRefOid\\": \\"$3-base\\", \\"headRefOid\\": \\"$3-head\\"}"')
    assert GitHubPullRequests(tmp_path, ENVIRON, program=program).ends(17) == ("17-base", "17-head")


@pytest.mark.parametrize("text", ["exit 1", "echo nothing", "echo '[]'", "echo '{}'"])
def test_what_gh_does_not_know_is_unavailable(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unavailable):
        GitHubPullRequests(tmp_path, ENVIRON, program=stub(tmp_path, text)).ends(17)
