"""Files of others are replaced in one step with their mode, or not at all."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from remora.adapters.settings_files import SettingsFiles
from remora.core.errors import InvalidInput, Unavailable


def test_a_write_keeps_the_mode_and_leaves_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("old")
    (tmp_path / "a.json").chmod(0o604)
    files = SettingsFiles(tmp_path)
    files.write("a.json", b"new")
    files.write("deep/b.sh", b"#!/bin/sh\n", executable=True)
    assert (tmp_path / "a.json").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o604
    assert files.is_executable("deep/b.sh")
    assert not files.is_executable("a.json")
    assert not files.is_executable("absent")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.json", "b.sh", "deep"]


def test_a_link_inside_the_project_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    SettingsFiles(tmp_path).write("link.json", b"new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


@pytest.mark.parametrize("path", ["../a", "/etc/passwd", "a/../../b", "folder"])
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "project/folder").mkdir(parents=True)
    files = SettingsFiles(tmp_path / "project")
    for act in (files.read, files.remove, lambda path: files.write(path, b"x")):
        with pytest.raises(InvalidInput):
            act(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["project"]


def test_removal_takes_folders_that_it_leaves_empty_and_no_others(tmp_path: Path) -> None:
    files = SettingsFiles(tmp_path)
    files.write("a/b/c.json", b"x")
    files.write("a/d.json", b"x")
    files.remove("a/b/c.json")
    files.remove("absent.json")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "d.json"]


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from remora.adapters.settings_files import SettingsFiles
from remora.core.errors import Unavailable
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    SettingsFiles(Path(sys.argv[1])).write("a.json", b"x" * 5000)
except Unavailable as error:
    print(error)
"""


def test_a_failing_disk_leaves_the_old_content(tmp_path: Path) -> None:
    """A limit on file sizes stands for a full disk: the write fails half way."""
    (tmp_path / "a.json").write_text("old")
    ran = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert "a.json cannot be written" in ran.stdout
    assert (tmp_path / "a.json").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_folder_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises((Unavailable, InvalidInput)):
        SettingsFiles(tmp_path).write("file/inner.json", b"x")


def test_receipts_lie_in_the_git_folder_and_nowhere_without_one(tmp_path: Path) -> None:
    files = SettingsFiles(tmp_path)
    files.write_receipts(b"x")
    assert files.read_receipts() is None
    assert os.listdir(tmp_path) == []
    (tmp_path / ".git").mkdir()
    files = SettingsFiles(tmp_path)
    files.write_receipts(b"x")
    assert files.read_receipts() == b"x"
    files.write_receipts(b"")
    assert os.listdir(tmp_path / ".git") == []
