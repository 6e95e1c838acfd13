"""Every odd shape of repository is read whole, or what cannot be read is named."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import git_shapes as shapes
from git_shapes import ENVIRON, git
from remora.adapters.git.checkout import discover
from remora.adapters.git.reader import GitReader
from remora.core.capture.git_log import RawCommit, UnreadableCommit
from remora.core.capture.paths import raw_path
from remora.core.errors import InvalidInput, NotFound
from remora.core.records.model import PathChange
from remora.core.records.vocabulary import PathChangeKind
from remora.ports import HistoryRange

ALL = HistoryRange(all_refs=True)


class FixedClock:
    """Always the same token: identity is not what these tests are about."""

    def now(self) -> int:
        return 0

    def token(self, size_bytes: int) -> str:
        return "0" * (2 * size_bytes)


def reader(folder: Path) -> GitReader:
    return GitReader(discover(folder, ENVIRON, FixedClock()), ENVIRON)


def history(folder: Path, asked: HistoryRange = ALL) -> list[RawCommit | UnreadableCommit]:
    source = reader(folder)
    return list(source.commits(source.list_commits(asked)))


def by_subject(folder: Path) -> dict[str, RawCommit]:
    return {commit.subject: commit for commit in history(folder) if isinstance(commit, RawCommit)}


def test_an_empty_repository_has_no_commits(tmp_path: Path) -> None:
    shapes.empty(tmp_path)
    assert history(tmp_path) == history(tmp_path, HistoryRange()) == []
    with pytest.raises(NotFound):
        reader(tmp_path).resolve("HEAD")


@pytest.mark.parametrize("shape", [shapes.bare, shapes.worktree, shapes.sha256])
def test_a_plain_history_reads_alike_everywhere(tmp_path: Path, shape: Callable[[Path], Path]) -> None:
    commits = [commit for commit in history(shape(tmp_path)) if isinstance(commit, RawCommit)]
    assert [commit.subject for commit in commits] == ["Move the engine", "Return three from stop", "Add the engine"]
    assert commits[0].changes == (PathChange(PathChangeKind.RENAMED, "engine.py", "core/engine.py"),)
    assert commits[1].changes == (PathChange(PathChangeKind.MODIFIED, "engine.py", "engine.py"),)
    assert commits[2].changes[1] == PathChange(PathChangeKind.ADDED, "", "engine.py")
    assert commits[2].body == "It starts and stops.\n"
    assert commits[2].time == shapes.EPOCH + 60
    assert commits[2].author == "Ada Byte"


@pytest.mark.parametrize("shape", [shapes.shallow, shapes.shallow_worktree])
def test_the_edge_of_a_shallow_clone_does_not_claim_to_add_every_file(
    tmp_path: Path, shape: Callable[[Path], Path]
) -> None:
    folder = shape(tmp_path)
    assert reader(folder).checkout.shallow
    (commit,) = history(folder)
    assert isinstance(commit, RawCommit)
    assert commit.cut
    assert commit.changes == ()
    assert list(reader(folder).patches([commit.sha])) == []


def test_a_commit_on_no_branch_is_part_of_all(tmp_path: Path) -> None:
    assert "On no branch" in by_subject(shapes.detached(tmp_path))


def test_a_merge_lists_what_it_decided_itself(tmp_path: Path) -> None:
    found = by_subject(shapes.merges(tmp_path))
    assert len(found) == 10
    assert found["Merge branch 'side0'"].changes == ()
    assert found["Merge three branches"].changes == ()
    assert found["Merge and decide"].changes == (PathChange(PathChangeKind.MODIFIED, "base.txt", "base.txt"),)
    assert found["Nothing changed"].changes == ()
    assert by_subject(shapes.octopus(tmp_path / "octopus"))["Merge all arms"].changes == ()


def test_messages_and_names_in_other_encodings_are_read(tmp_path: Path) -> None:
    found = by_subject(shapes.latin1(tmp_path))
    assert set(found) == {"Größe geändert", "Ünsaid", "Привет", "Überall"}
    (change,) = found["Größe geändert"].changes
    assert raw_path(change.new_path) == "größe.txt".encode("latin-1")


def test_ten_thousand_files_in_one_commit_are_all_seen(tmp_path: Path) -> None:
    assert len(by_subject(shapes.ten_thousand_files(tmp_path))["Import everything"].changes) == 10_000


def test_odd_names_come_through_to_the_byte(tmp_path: Path) -> None:
    folder = shapes.odd_names(tmp_path)
    (commit,) = history(folder)
    assert isinstance(commit, RawCommit)
    assert {raw_path(change.new_path) for change in commit.changes} == set(shapes.ODD_NAMES)
    source = reader(folder)
    assert {raw_path(file.path) for file in source.tracked()} == set(shapes.ODD_NAMES)
    assert {raw_path(file.path) for file in source.tracked("HEAD")} == set(shapes.ODD_NAMES)
    (patch,) = source.patches([commit.sha])
    assert {raw_path(file.new_path) for file in patch.files} == set(shapes.ODD_NAMES)
    contents = source.blobs([file.new_blob for file in patch.files], max_bytes=1_000)
    assert list(contents) == [b"content of " + raw_path(file.new_path) for file in patch.files]


def test_a_rename_of_case_only_is_a_rename(tmp_path: Path) -> None:
    changes = by_subject(shapes.case_rename(tmp_path))["Rename"].changes
    assert changes == (PathChange(PathChangeKind.RENAMED, "readme.md", "README.md"),)


def test_files_that_trade_names_are_renamed_both_ways(tmp_path: Path) -> None:
    changes = by_subject(shapes.swapped(tmp_path))["Swap"].changes
    assert set(changes) == {
        PathChange(PathChangeKind.RENAMED, "a.txt", "b.txt"),
        PathChange(PathChangeKind.RENAMED, "b.txt", "a.txt"),
    }


def test_replace_refs_and_grafts_do_not_rewrite_history(tmp_path: Path) -> None:
    found = by_subject(shapes.replaced(tmp_path))
    assert set(found) == {"Move the engine", "Return three from stop", "Add the engine"}
    assert found["Return three from stop"].changes[0].kind is PathChangeKind.MODIFIED


def test_a_missing_tree_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    commits = history(shapes.missing_tree(tmp_path))
    assert [type(commit) for commit in commits] == [UnreadableCommit, UnreadableCommit, RawCommit]
    assert all("unable to read" in commit.reason for commit in commits if isinstance(commit, UnreadableCommit))


def test_a_missing_blob_costs_one_commit(tmp_path: Path) -> None:
    commits = history(shapes.missing_blob(tmp_path))
    assert [type(commit) for commit in commits] == [RawCommit, UnreadableCommit, RawCommit]


def test_a_missing_commit_is_named_and_both_sides_of_it_are_read(tmp_path: Path) -> None:
    folder = shapes.missing_commit(tmp_path)
    listing = reader(folder).list_commits(ALL)
    assert len(listing.missing) == 1
    found = history(folder)
    assert {c.subject for c in found if isinstance(c, RawCommit)} == {"Base", "Main", "Merge"}
    assert sum(isinstance(commit, UnreadableCommit) for commit in found) == 1


def test_orphan_branches_are_all_read(tmp_path: Path) -> None:
    assert set(by_subject(shapes.orphan(tmp_path))) == {"Code", "Site"}


def test_a_huge_file_does_not_stop_the_reading(tmp_path: Path) -> None:
    folder = shapes.huge_file(tmp_path)
    found = by_subject(folder)
    assert found["Move the dump"].changes[0].new_path == "data/dump.bin"
    assert list(reader(folder).blobs(["HEAD:data/dump.bin", "HEAD:small.txt", "HEAD:no"], max_bytes=1_000)) == [
        None,
        b"1\n",
        None,
    ]


def test_three_thousand_edited_renames_are_read(tmp_path: Path) -> None:
    assert len(by_subject(shapes.big_rename(tmp_path))["Rename all"].changes) >= 3_000


@pytest.mark.parametrize("quote", [True, False])
def test_a_hostile_config_changes_nothing_and_runs_nothing(tmp_path: Path, quote: bool) -> None:
    before = history(shapes.reverts(tmp_path / "plain"))
    folder = shapes.hostile_config(tmp_path / "hostile", quote=quote)
    source = reader(folder)
    after = [commit for commit in history(folder) if isinstance(commit, RawCommit)]
    assert after == before
    assert len(list(source.patches([commit.sha for commit in after]))) == 5
    assert len(source.tracked()) == 1
    assert list(source.blobs(["HEAD:cache.py", "0" * 40], max_bytes=10_000))[1] is None
    assert source.unreachable([after[0].sha]) == frozenset()
    assert not list(tmp_path.glob("*.pwned"))


def test_odd_messages_are_read(tmp_path: Path) -> None:
    commits = [commit for commit in history(shapes.no_message(tmp_path)) if isinstance(commit, RawCommit)]
    assert [len(commit.subject) for commit in commits] == [1, 100_000, 19, 0, 0]


def test_a_submodule_is_a_change_of_one_path(tmp_path: Path) -> None:
    folder = shapes.submodule(tmp_path)
    paths = {change.new_path for change in by_subject(folder)["Add the library"].changes}
    assert paths == {".gitmodules", "lib"}
    assert "lib" not in {file.path for file in reader(folder).tracked()}


def test_links_are_names_and_not_followed(tmp_path: Path) -> None:
    found = by_subject(shapes.symlink_loop(tmp_path))
    assert {change.new_path for change in found["Add links"].changes} >= {"docs/loop", "docs/adr/out.md"}


def test_ranges_times_and_single_commits(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    source = reader(folder)
    assert len(source.list_commits(HistoryRange("HEAD", exclude="HEAD~1")).commits) == 1
    assert len(source.list_commits(HistoryRange("HEAD", since=shapes.EPOCH + 120)).commits) == 2
    single = source.list_commits(HistoryRange("HEAD~1", single=True))
    assert single.commits == (git(folder, "rev-parse", "HEAD~1"),)
    assert source.list_commits(HistoryRange("main")).branch == "main"
    assert source.list_commits(HistoryRange("HEAD")).branch == "main"
    assert source.list_commits(ALL).branch == ""


@pytest.mark.parametrize("revision", ["-rf", "--all", "", "a\nb", "a\0b", "--output=/tmp/x"])
def test_names_that_git_would_take_for_options_are_refused(tmp_path: Path, revision: str) -> None:
    source = reader(shapes.simple(tmp_path))
    with pytest.raises(InvalidInput, match="revision"):
        source.resolve(revision)
    if revision:
        with pytest.raises(InvalidInput):
            source.list_commits(HistoryRange(revision))


@pytest.mark.parametrize("revision", ["no-such", "HEAD~99", "deadbeef", "HEAD:engine.py", "../../x", "é"])
def test_names_that_stand_for_nothing_are_said_so(tmp_path: Path, revision: str) -> None:
    source = reader(shapes.simple(tmp_path))
    with pytest.raises(NotFound, match="no commit is named"):
        source.resolve(revision)
    with pytest.raises(NotFound):
        source.list_commits(HistoryRange(revision))


def test_abbreviations_are_expanded_when_they_name_one_commit(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    full = git(folder, "rev-parse", "HEAD")
    blob = git(folder, "rev-parse", "HEAD:README.md")
    assert reader(folder).expand([full[:8], "0000000", blob[:8], "not hex"]) == {full[:8]: full}


def test_commits_that_nothing_reaches_are_told(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    lost = git(folder, "rev-parse", "HEAD")
    git(folder, "reset", "-q", "--hard", "HEAD~1")
    source = reader(folder)
    kept = source.resolve("HEAD")
    assert source.unreachable([lost, kept, "0" * 40]) == {lost, "0" * 40}


def test_the_nearest_known_ancestor_is_found(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    source = reader(folder)
    first, second = git(folder, "rev-parse", "HEAD~2"), git(folder, "rev-parse", "HEAD~1")
    assert source.nearest_ancestor("HEAD", lambda shas: {first, second} & set(shas)) == second
    assert source.nearest_ancestor("HEAD", lambda _: ()) == ""


@pytest.mark.parametrize("name", sorted(set(shapes.SHAPES) - {"huge_file", "ten_thousand_files", "big_rename"}))
def test_reading_touches_neither_index_nor_worktree(tmp_path: Path, name: str) -> None:
    folder = shapes.SHAPES[name](tmp_path / "shape")
    source = reader(folder)
    common = source.checkout.common_dir
    assert common is not None

    def state() -> dict[str, tuple[int, int]]:
        found = (Path(root) / file for root, _, files in os.walk(tmp_path) for file in files)
        return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in found}

    before = state()
    commits = list(source.commits(source.list_commits(ALL)))
    shas = [commit.sha for commit in commits if isinstance(commit, RawCommit)]
    list(source.patches(shas))
    source.tracked()
    source.unreachable(shas)
    assert state() == before
