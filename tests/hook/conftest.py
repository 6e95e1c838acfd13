"""A project with memory, and a server that its run file names."""

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hook_processes import TOKEN, Loopback, write_run_file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "-q", str(folder)], check=True, timeout=30)
    (folder / ".remora").mkdir()
    return folder


@pytest.fixture
def serve(project: Path) -> Iterator[Callable[[Callable[[socket.socket], None]], Loopback]]:
    servers: list[Loopback] = []

    def start(behave: Callable[[socket.socket], None]) -> Loopback:
        server = Loopback(behave)
        servers.append(server)
        write_run_file(project, {"port": server.port, "token": TOKEN, "pid": os.getpid()})
        return server

    yield start
    for server in servers:
        server.stop()
