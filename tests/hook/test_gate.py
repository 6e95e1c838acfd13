"""The hook is silent and cheap where there is nothing to do, and finds the memory's home without running git."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hook_processes import EVENT, HOOK, run_hook
from remora_hook.gate import find_home

IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
BUILT_IN = set(
    "zipimport _frozen_importlib_external posix time marshal winreg _abc _codecs _io _signal _thread _warnings "
    "_weakref _imp abc codecs encodings encodings.aliases encodings.utf_8 io".split()
)


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *IDENTITY, *words], check=True, timeout=60, capture_output=True)


def assert_silent(folder: Path, **more: object) -> None:
    ran = run_hook(folder, **more)  # type: ignore[arg-type]
    assert (ran.status, ran.out, ran.err) == (0, b"", b"")


def test_a_folder_without_memory_is_left_in_silence(tmp_path: Path) -> None:
    assert_silent(tmp_path)
    git(tmp_path, "init", "-q")
    assert_silent(tmp_path)
    assert os.listdir(tmp_path) == [".git"]


def test_a_repository_inside_an_initialised_folder_is_one_of_its_own(project: Path) -> None:
    inner = project / "vendor/inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    assert_silent(inner)
    assert find_home(str(inner)) is None
    assert find_home(str(project / "vendor")) == f"{project}/.remora"


def test_memory_that_is_switched_off_is_silent_and_leaves_no_trace(project: Path) -> None:
    assert_silent(project, environ={"REMORA_ALLOW_MEMORY": "false"})
    assert os.listdir(project / ".remora") == []


def test_a_linked_worktree_shares_the_main_ones_home(project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "x")
    git(project, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked/deep").mkdir()
    (tmp_path / "linked/.remora").mkdir()
    assert find_home(str(tmp_path / "linked/deep")) == f"{project}/.remora"


def test_a_bare_layout_is_at_home_in_the_common_folder(project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "x")
    git(tmp_path, "clone", "-q", "--bare", str(project), "bare/.bare")
    (tmp_path / "bare/.git").write_text("gitdir: ./.bare\n")
    git(tmp_path / "bare/.bare", "worktree", "add", "-q", "../main", "-b", "other")
    assert find_home(str(tmp_path / "bare/main")) is None
    (tmp_path / "bare/.bare/remora/cache").mkdir(parents=True)
    assert find_home(str(tmp_path / "bare/main")) == f"{tmp_path}/bare/.bare/remora"


def test_a_submodule_has_a_home_of_its_own(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", "other")
    git(other, "commit", "-q", "--allow-empty", "-m", "x")
    git(project, "submodule", "add", "-q", str(other), "sub")
    assert find_home(str(project / "sub")) is None
    (project / "sub/.remora").mkdir()
    assert find_home(str(project / "sub")) == f"{project}/sub/.remora"


@pytest.mark.parametrize("pointer", ["", "gitdir:", "gitdir: /nowhere/at/all\n", "\x00\xff", "gitdir: " + "x" * 9000])
def test_a_git_pointer_that_leads_nowhere_is_no_home(tmp_path: Path, pointer: str) -> None:
    (tmp_path / ".git").write_text(pointer)
    assert_silent(tmp_path)


def test_the_project_a_client_names_is_found_from_elsewhere(project: Path, tmp_path: Path) -> None:
    assert run_hook(tmp_path, environ={"CLAUDE_PROJECT_DIR": str(project)}).status == 0
    assert (project / ".remora/cache/hook.log").exists()


def test_a_silent_run_loads_built_in_modules_only(tmp_path: Path) -> None:
    ran = run_hook(tmp_path, flags=("-I", "-S", "-X", "importtime"))
    loaded = {line.rpartition("|")[2].strip() for line in ran.err.decode().splitlines()[1:]}
    assert {name for name in loaded if not name.startswith("remora_hook")} <= BUILT_IN
    assert {"remora_hook", "remora_hook.gate"} <= loaded


@pytest.mark.parametrize("source", sorted(HOOK.parent.glob("*.py")), ids=lambda path: path.name)
def test_the_house_imports_the_standard_library_only(source: Path) -> None:
    for node in ast.walk(ast.parse(source.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names | {"remora_hook"}


def test_the_command_parses_on_any_python_3_and_stops_old_ones_in_one_line(tmp_path: Path) -> None:
    source = HOOK.read_text()
    ast.parse(source, feature_version=(3, 4))
    old = (
        "import sys; sys.version_info = (3, 6, 0)\n"
        "exec(open(sys.argv[1]).read(), {'__name__': '__main__', '__file__': sys.argv[1]})"
    )
    ran = subprocess.run(
        [sys.executable, "-c", old, str(HOOK)], input=EVENT, capture_output=True, check=False, timeout=30, cwd=tmp_path
    )
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.decode().count("\n") == 1
    assert "3.11" in ran.stderr.decode()
