"""One repository has one identity, from wherever it is looked at."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from git_shapes import ENVIRON, git, simple
from remora.adapters.git.checkout import discover
from remora.core.errors import Corrupt, InvalidInput, SourceFailed
from remora.core.ids import repo_id
from remora.ports import Checkout

REMOTE = "git@github.com:acme/api.git"
IDENTITY = "https://github.com/acme/api"


class CountingClock:
    """A clock whose tokens are counted, so that two identities are never equal by chance."""

    count = 0

    def now(self) -> int:
        return 0

    def token(self, size_bytes: int) -> str:
        CountingClock.count += 1
        return f"{CountingClock.count:0{2 * size_bytes}x}"


def at(folder: Path) -> Checkout:
    return discover(folder, ENVIRON, CountingClock())


def test_a_remote_names_the_repository_without_credentials(tmp_path: Path) -> None:
    checkout = at(simple(tmp_path, remote="https://ada:s3cret@github.com/acme/api.git"))
    assert checkout.repository.identity == IDENTITY
    assert checkout.repository.id == repo_id(IDENTITY)
    assert checkout.root == tmp_path
    assert checkout.home == tmp_path / ".remora"
    assert checkout.common_dir == tmp_path / ".git"
    assert (tmp_path / ".git/remora/identity").read_text() == IDENTITY + "\n"


def test_subfolders_and_worktrees_are_the_same_repository(tmp_path: Path) -> None:
    main = simple(tmp_path / "main")
    git(main, "worktree", "add", "-q", "../linked", "-b", "side")
    here, below, linked = at(main), at(main / "core"), at(tmp_path / "linked" / "core")
    assert here.repository.identity.startswith("local:")
    assert here.repository.identity == below.repository.identity == linked.repository.identity
    assert here.home == below.home == linked.home == main / ".remora"
    assert linked.root == tmp_path / "linked"
    assert linked.main_worktree == main
    assert linked.repository.root == tmp_path / "linked"


def test_clones_of_one_remote_are_the_same_repository(tmp_path: Path) -> None:
    first = at(simple(tmp_path / "a", remote=REMOTE))
    second = at(simple(tmp_path / "b", remote="https://github.com/acme/api"))
    assert first.repository.identity == second.repository.identity
    origin = simple(tmp_path / "origin")
    clones = [tmp_path / "c1", tmp_path / "c2"]
    for clone in clones:
        git(tmp_path, "clone", "-q", str(origin), str(clone))
    assert at(clones[0]).repository.identity == at(clones[1]).repository.identity == f"file://{origin}"


def test_folders_of_one_name_without_a_remote_are_two_repositories(tmp_path: Path) -> None:
    first, second = simple(tmp_path / "x" / "app"), simple(tmp_path / "y" / "app")
    assert at(first).repository.identity != at(second).repository.identity


def test_renaming_the_folder_keeps_the_identity(tmp_path: Path) -> None:
    before = at(simple(tmp_path / "old")).repository.identity
    (tmp_path / "old").rename(tmp_path / "new")
    assert at(tmp_path / "new").repository.identity == before


def test_a_later_remote_becomes_an_alias(tmp_path: Path) -> None:
    folder = simple(tmp_path)
    before = at(folder).repository
    git(folder, "remote", "add", "origin", REMOTE)
    assert at(folder).repository.identity == before.identity
    git(folder, "remote", "set-url", "origin", "https://gitlab.com/acme/api.git")
    after = at(folder).repository
    assert after.identity == before.identity
    assert after.aliases == (IDENTITY, "https://gitlab.com/acme/api")


def test_ten_first_uses_at_once_agree(tmp_path: Path) -> None:
    folder = simple(tmp_path)
    with ThreadPoolExecutor(10) as pool:
        found = set(pool.map(lambda _: at(folder).repository.identity, range(10)))
    assert len(found) == 1
    assert sorted(path.name for path in (folder / ".git/remora").iterdir()) == ["identity"]


def test_a_submodule_is_its_own_repository(tmp_path: Path) -> None:
    library = simple(tmp_path / "library")
    outer = simple(tmp_path / "outer", remote=REMOTE)
    git(outer, "submodule", "--quiet", "add", str(library), "lib")
    inner = at(outer / "lib" / "core")
    assert at(outer).repository.identity == IDENTITY
    assert inner.repository.identity == f"file://{library}"
    assert inner.root == inner.main_worktree == outer / "lib"
    git(outer / "lib", "worktree", "add", "-q", str(tmp_path / "lib-side"), "-b", "side")
    assert at(tmp_path / "lib-side").home == outer / "lib" / ".remora"


def test_a_bare_repository_with_worktrees_keeps_its_memory_in_the_git_dir(tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(simple(tmp_path / "from")), str(tmp_path / "proj/.bare"))
    (tmp_path / "proj/.git").write_text("gitdir: ./.bare\n")
    git(tmp_path / "proj", "worktree", "add", "-q", "main")
    git(tmp_path / "proj", "worktree", "add", "-q", "side", "-b", "side")
    bare, main, side = at(tmp_path / "proj/.bare"), at(tmp_path / "proj/main"), at(tmp_path / "proj/side/core")
    assert bare.repository.identity == main.repository.identity == side.repository.identity
    assert bare.home == main.home == side.home == tmp_path / "proj/.bare/remora"
    assert bare.bare
    assert not side.bare
    assert side.root == tmp_path / "proj/side"
    assert side.main_worktree is None


def test_a_separate_git_dir_is_one_repository_with_its_worktrees(tmp_path: Path) -> None:
    folder = simple(tmp_path / "work", init=("--separate-git-dir", str(tmp_path / "store")))
    git(folder, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    assert at(folder).repository.identity == at(tmp_path / "linked").repository.identity
    assert at(folder).home == at(tmp_path / "linked").home


def test_a_git_pointer_to_nowhere_is_explained(tmp_path: Path) -> None:
    main = simple(tmp_path / "main")
    git(main, "worktree", "add", "-q", "../linked")
    shutil.rmtree(main / ".git/worktrees")
    with pytest.raises(SourceFailed, match="does not exist") as caught:
        at(tmp_path / "linked" / "core")
    assert "git worktree repair" in caught.value.advice


def test_a_folder_without_git_is_named_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "notes/deep").mkdir(parents=True)
    above = at(tmp_path / "notes")
    below = at(tmp_path / "notes/deep")
    assert above.repository.identity == below.repository.identity
    assert below.root == tmp_path / "notes"
    assert below.common_dir is None
    assert above.home == tmp_path / "notes/.remora"


def test_a_shallow_clone_is_known_as_such_also_from_a_linked_worktree(tmp_path: Path) -> None:
    origin = simple(tmp_path / "origin")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{origin}", "clone")
    git(tmp_path / "clone", "worktree", "add", "-q", "../linked")
    assert not at(origin).shallow
    assert at(tmp_path / "clone").shallow
    assert at(tmp_path / "linked").shallow


def test_an_empty_repository_has_an_identity(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert at(tmp_path).repository.identity == at(tmp_path).repository.identity


def test_a_read_only_repository_is_named_by_its_remote(tmp_path: Path) -> None:
    folder = simple(tmp_path, remote=REMOTE)
    (folder / ".git/remora").write_text("in the way")  # root ignores modes, so a file stands where the folder would be
    assert at(folder).repository.identity == IDENTITY


def test_a_damaged_identity_is_named_and_not_replaced(tmp_path: Path) -> None:
    folder = simple(tmp_path)
    at(folder)
    (folder / ".git/remora/identity").write_bytes(b"\xff\x00bad")
    with pytest.raises(Corrupt, match="identity"):
        at(folder)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a folder"):
        at(tmp_path / "gone")


def test_the_git_folder_itself_belongs_to_its_worktree(tmp_path: Path) -> None:
    folder = simple(tmp_path)
    assert at(folder / ".git/objects").root == folder
    assert at(folder / ".git/objects").home == folder / ".remora"


def test_a_config_cannot_send_memory_to_another_folder(tmp_path: Path) -> None:
    folder = simple(tmp_path / "repo")
    (tmp_path / "elsewhere").mkdir()
    git(folder, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert at(folder).home == folder / ".remora"
    assert at(folder).root == folder


@pytest.mark.parametrize("content", ["junk\n", "", "gitdir:\n"])
def test_a_git_file_that_is_no_pointer_is_explained_without_a_command_line(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    with pytest.raises(SourceFailed, match="should say where the git folder is") as told:
        at(tmp_path)
    assert "rev-parse" not in str(told.value)


@pytest.mark.parametrize("content", [None, "", "garbage\n"])
def test_a_damaged_head_is_not_taken_for_no_repository(tmp_path: Path, content: str | None) -> None:
    git(tmp_path, "init", "-q")
    head = tmp_path / ".git" / "HEAD"
    head.unlink() if content is None else head.write_text(content)
    (tmp_path / "sub").mkdir()
    with pytest.raises(SourceFailed, match="HEAD is missing or damaged") as told:
        at(tmp_path / "sub")
    assert "ref: refs/heads/" in told.value.advice
