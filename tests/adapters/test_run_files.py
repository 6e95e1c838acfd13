"""Run files: the newest server is found, an older one that still runs is found again, and nobody else's word counts."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.adapters.run_files import RunFiles
from remora.core.clients.hook_trail import run_file, run_process

MINE = run_file(8420, "abcd", os.getpid())
NO_RUN_FILES = [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"pid": true}', b'{"pid": -1}', b'{"pid": 0}', b'{"pid": "1"}',
    b'{"pid": 1e3}', b'{"pid": 99999999999999999999}', b"[" * 100_000,
]  # fmt: skip


@pytest.fixture
def other() -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=20)


def placed(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_an_older_server_that_still_runs_is_found_again(tmp_path: Path, other: "subprocess.Popen[bytes]") -> None:
    older = run_file(8421, "ef01", other.pid)
    path = placed(tmp_path / "run.json", older)
    files = RunFiles()
    files.write(path, MINE)
    assert path.read_bytes() == MINE
    files.remove()
    assert path.read_bytes() == older
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_older_server_that_has_ended_is_not(tmp_path: Path, other: "subprocess.Popen[bytes]") -> None:
    path = placed(tmp_path / "run.json", run_file(8421, "ef01", other.pid))
    files = RunFiles()
    files.write(path, MINE)
    other.kill()
    other.wait(timeout=20)
    files.remove()
    assert not path.exists()


@pytest.mark.parametrize("shape", ["open to others", "a link", "a pipe"])
def test_what_no_server_of_this_user_wrote_never_comes_back(
    tmp_path: Path, other: "subprocess.Popen[bytes]", shape: str
) -> None:
    planted = run_file(8421, "ef01", other.pid)
    path = tmp_path / "run.json"
    if shape == "a link":
        path.symlink_to(placed(tmp_path / "elsewhere", planted))
    elif shape == "open to others":
        placed(path, planted, 0o644)
    else:
        os.mkfifo(path, 0o600)
    files = RunFiles()
    files.write(path, MINE)
    files.remove()
    assert not path.exists()


@pytest.mark.parametrize("content", NO_RUN_FILES)
def test_what_is_no_run_file_names_no_process_and_is_not_kept(tmp_path: Path, content: bytes) -> None:
    assert run_process(content) == 0
    path = placed(tmp_path / "run.json", content)
    files = RunFiles()
    files.write(path, MINE)
    files.remove()
    assert not path.exists()
    assert list(tmp_path.iterdir()) == []
