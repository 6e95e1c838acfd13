"""A real `remora serve` process, and a client that speaks to it over real sockets."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx2

START_SECONDS = 60


@dataclass
class Server:
    """A running server with its run token."""

    world: Any
    process: "subprocess.Popen[bytes]"
    port: int
    token: str
    client: httpx2.Client

    @cached_property
    def repository(self) -> str:
        """Id of the repository that the world stands in."""
        return str(self.get("/repos").json()["repositories"][0]["id"])

    def request(
        self, method: str, path: str, *, token: str | None = None, headers: dict[str, str] | None = None, **more: Any
    ) -> httpx2.Response:
        """One request below /api/v1, with the run token unless another (or "" for none) is given."""
        bearer = self.token if token is None else token
        given = {"authorization": f"Bearer {bearer}"} if bearer else {}
        url = f"http://127.0.0.1:{self.port}/api/v1{path}"
        return self.client.request(method, url, headers=given | (headers or {}), **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        return self.request("POST", path, json=body if body is not None else {}, **more)

    def repo(self, path: str) -> str:
        """A path of the world's repository."""
        return f"/repos/{self.repository}{path}"

    def tool(self, name: str, arguments: dict[str, Any], repository: str = "", **more: Any) -> dict[str, Any]:
        """Call a tool over MCP's streamable HTTP; returns the call's result."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        accept = {"accept": "application/json, text/event-stream"}
        answer = self.post(
            f"/repos/{repository or self.repository}/mcp", message,
            **{**more, "headers": accept | more.get("headers", {})},
        )  # fmt: skip
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["result"])

    def stop(self) -> int:
        """End it as an init system would."""
        self.process.terminate()
        return self.process.wait(timeout=20)


@contextmanager
def serving(world: Any, *args: str, **env: str) -> Iterator[Server]:
    """Run `remora init` and `remora serve` on a free port, until the block ends."""
    world.remora("init")
    with running(world, *args, **env) as server:
        yield server


@contextmanager
def running(world: Any, *args: str, run_file: str = ".remora/cache/run.json", **env: str) -> Iterator[Server]:
    """Run `remora serve` in `world.repo` with the environment `world.env`, until it told of itself in the run file."""
    process = subprocess.Popen(
        [sys.executable, "-m", "remora", "serve", "--port", "0", *args], cwd=world.repo, env=world.env | env,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        run = _run_file(world.repo / run_file, process)
        with httpx2.Client(trust_env=False, timeout=60) as client:
            server = Server(world, process, run["port"], run["token"], client)
            _wait(server)
            yield server
    finally:
        process.kill()
        process.wait(timeout=20)
        if process.stderr:
            process.stderr.close()


def _run_file(path: Path, process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise AssertionError(process.stderr.read().decode() if process.stderr else "ended")
        if path.exists() and (run := json.loads(path.read_text()))["pid"] == process.pid:
            return dict(run)
        time.sleep(0.05)
    raise AssertionError("the server did not start")


def _wait(server: Server) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            if server.get("/health", token="").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.05)
    raise AssertionError("the server does not answer")
