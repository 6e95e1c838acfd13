"""Real hook processes, and small loopback servers that behave in every way a server can."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import remora_hook

HOOK = Path(remora_hook.__file__).with_name("hook.py")
EVENT = json.dumps(
    {"session_id": "s1", "cwd": "/x", "hook_event_name": "UserPromptSubmit", "prompt": "private words"}
).encode()
ARGUMENTS = ("--client", "claude-code", "--event", "UserPromptSubmit")
TOKEN = "0123abcd" * 4


@dataclass
class Ran:
    status: int
    out: bytes
    err: bytes
    seconds: float


def run_hook(
    folder: Path,
    arguments: Sequence[str] = ARGUMENTS,
    event: bytes = EVENT,
    *,
    script: Path = HOOK,
    environ: dict[str, str] | None = None,
    flags: Sequence[str] = ("-I", "-S"),
) -> Ran:
    started = time.monotonic()
    ran = subprocess.run(
        [sys.executable, *flags, str(script), *arguments],
        input=event,
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=30,
        env={"PATH": os.environ["PATH"], **(environ or {})},
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr, time.monotonic() - started)


def journal(folder: Path) -> str:
    log = folder / ".remora/cache/hook.log"
    return log.read_text() if log.exists() else ""


@dataclass
class Loopback:
    """Accepts connections and hands each to `behave`; keeps what it was sent."""

    behave: Callable[[socket.socket], None]
    heard: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while not self.stopped.is_set():
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                try:
                    self.heard.append(self._request(connection))
                    self.behave(connection)
                except OSError:
                    continue

    def _request(self, connection: socket.socket) -> bytes:
        connection.settimeout(5)
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length:")[1].split()[0])
        while len(body) < size:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

    def stop(self) -> None:
        self.stopped.set()
        self.socket.close()


def write_run_file(project: Path, body: object, mode: int = 0o600) -> None:
    path = project / ".remora/cache/run.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(body if isinstance(body, str) else json.dumps(body))
    path.chmod(mode)
