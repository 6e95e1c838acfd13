"""Which files are looked at, in git and outside, and that nothing leads out of the checkout."""

import os
import subprocess
from pathlib import Path

import pytest

from remora.adapters.walk import SourceTree
from remora.core.codegraph.snapshot import indexable


def tree(root: Path) -> SourceTree:
    return SourceTree(root, lambda path: path.endswith((".py", ".js")))


def put(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, timeout=60)


def listed(root: Path) -> list[str]:
    return list(tree(root).listing().files)


def test_git_lists_tracked_and_new_files_but_no_ignored_ones(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, "a.py", "b.py", "out/c.py", "notes.txt")
    put(tmp_path, ".gitignore", text="out/\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-qm", "one")
    listing = tree(tmp_path).listing()
    assert list(listing.files) == ["a.py", "b.py"]
    assert len(listing.commit) == 40


def test_nested_repositories_are_not_entered(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, "a.py", "inner/b.py")
    git(tmp_path / "inner", "init", "-q")
    assert listed(tmp_path) == ["a.py"]
    outside = tmp_path / "plain"
    put(outside, "c.py", "inner/d.py")
    git(outside / "inner", "init", "-q")
    assert "d.py" not in str(listed(outside))


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        ("*.py\n!a.py\n", ["a.py", "x/a.py", "x/y.js"]),
        ("/a.py\n", ["b.py", "x/a.py", "x/y.js"]),
        ("x/\n", ["a.py", "b.py"]),
        ("x/*.py\n", ["a.py", "b.py", "x/y.js"]),
        ("**/y.js\n# a.py\n\n", ["a.py", "b.py", "x/a.py"]),
        ("[ab].py\n", ["x/y.js"]),
        ("[!a].py\n", ["a.py", "x/a.py", "x/y.js"]),
        ("?.js\n", ["a.py", "b.py", "x/a.py"]),
        ("x/**\n", ["a.py", "b.py"]),
    ],
)
def test_gitignore_is_read_outside_git_as_git_reads_it(tmp_path: Path, patterns: str, kept: list[str]) -> None:
    put(tmp_path, "a.py", "b.py", "x/a.py", "x/y.js")
    put(tmp_path, ".gitignore", text=patterns)
    assert listed(tmp_path) == kept
    git(tmp_path, "init", "-q")
    assert listed(tmp_path) == kept


def test_a_gitignore_in_a_folder_rules_there(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "x/a.py", "x/b.py")
    put(tmp_path, "x/.gitignore", text="a.py\n")
    assert listed(tmp_path) == ["a.py", "x/b.py"]


def test_remoraignore_wins_over_everything(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "gen/b.py", "vendor/lib.py", "vendor/other.py", "app.min.js", "secrets.py")
    put(tmp_path, ".remoraignore", text="gen/\n!vendor/lib.py\n!app.min.js\n")
    listing = tree(tmp_path).listing()
    assert list(listing.files) == ["a.py", "app.min.js", "vendor/lib.py"]
    assert listing.skipped == {"ignored by .remoraignore": 1, "secret by name": 1, "vendored": 1}


def test_links_never_lead_away_or_round(tmp_path: Path) -> None:
    put(tmp_path / "out", "secret.py")
    root = tmp_path / "in"
    put(root, "role/files/a.py")
    os.symlink("../../../", root / "role" / "files" / "docker")
    os.symlink(tmp_path / "out", root / "away")
    os.symlink(tmp_path / "out" / "secret.py", root / "link.py")
    assert listed(root) == ["role/files/a.py"]
    assert tree(root).read("link.py") is None
    git(root, "init", "-q")
    assert listed(root) == ["role/files/a.py"]


def test_pipes_and_vanished_files_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    put(tmp_path, "a.py")
    assert tree(tmp_path).listing().skipped == {"not a regular file": 1}
    assert tree(tmp_path).read("pipe.py") is None
    assert tree(tmp_path).read("gone.py") is None


def test_odd_names_are_listed_as_they_are(tmp_path: Path) -> None:
    names = [b"a b.py", b'q"uote.py', b"new\nline.py", b"tab\t.py", b"-rf.py", "中文.py".encode()]
    for name in names:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_bytes(b"x = 1\n")
    found = {os.fsencode(path) for path in listed(tmp_path)}
    assert found == set(names)
    git(tmp_path, "init", "-q")
    assert {os.fsencode(path) for path in listed(tmp_path)} == set(names)


def test_names_that_are_no_text_are_listed_and_counted_instead_of_indexed(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/d\xffir")
    Path(folder).mkdir()
    for place in (f"{folder}/x.py", os.fsdecode(os.fsencode(tmp_path) + b"/bad-\xff.py"), str(tmp_path / "a.py")):
        Path(place).write_bytes(b"x = 1\n")
    for _ in ("walked", "by git"):
        listed = tree(tmp_path).listing()
        assert len(listed.files) == 3
        found = indexable(listed)
        assert (list(found.files), found.skipped) == (["a.py"], {"name is not UTF-8": 2})
        git(tmp_path, "init", "-q")


def test_the_callers_git_environment_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, "a.py")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert listed(tmp_path) == ["a.py"]


def test_submodules_and_nested_repositories_are_counted(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for place in (inner, outer, outer / "nested"):
        put(place, "a.py")
        git(place, "init", "-q")
        git(place, "add", "a.py")
        git(place, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    (outer / "link").symlink_to("lib")
    git(outer, "add", "link")
    listing = tree(outer).listing()
    assert (list(listing.files), listing.skipped) == (["a.py"], {"nested repository": 1, "submodule": 1})
