"""What tests of the doors share: a world with an isolated place for Remora's data, a real repository, the real CLI."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import server_engine

TIMEOUT_SECONDS = 120
collect_ignore = ["fixtures"]
"""Programs that tests read, some with tests of their own."""


@dataclass(frozen=True)
class Done:
    """One finished run of the CLI."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.out)


class World:
    """A folder with a home, a data folder and a real git repository; nothing of this machine's user is seen."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.repo = place / "repo"
        self.repo.mkdir(parents=True)
        (place / "home").mkdir()
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
        self.env = kept | {
            "HOME": str(place / "home"),
            "REMORA_DATA_DIR": str(place / "data"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
            "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org",
        }  # fmt: skip
        if server_engine.EVERYWHERE:
            self.env["REMORA_STORE"] = server_engine.URL
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str, cwd: Path | None = None) -> str:
        """Run git in the repository; returns what it printed."""
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.repo, env=self.env, capture_output=True, timeout=60, check=True
        )
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, message: str, **files: str) -> str:
        """Write files (`__` in a name is a dot), commit everything, return the commit's id."""
        for name, content in files.items():
            path = self.repo / name.replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def remora(self, *args: str, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> Done:
        """The real command line in a real process, standing in the repository."""
        done = subprocess.run(
            [sys.executable, "-m", "remora", *args], cwd=cwd or self.repo, env=self.env | env, input=stdin,
            capture_output=True, timeout=TIMEOUT_SECONDS, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A fresh world."""
    return World(tmp_path / "world")


@pytest.fixture(scope="session")
def make_world() -> type[World]:
    """For fixtures that keep a world longer than one test."""
    return World
