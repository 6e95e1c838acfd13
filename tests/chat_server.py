"""A scripted chat server on loopback that speaks OpenAI's shape and Ollama's: good, slow, huge or hostile on demand."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: Any

    @property
    def text(self) -> str:
        """Everything the model was told."""
        return "\n".join(message["content"] for message in self.body["messages"])


Behaviour = Callable[[socket.socket, Asked], None]


def http(body: bytes, *, status: str = "200 OK", headers: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n{headers}\r\n".encode() + body


def envelope(asked: Asked, text: str, *, reason: str = "stop") -> bytes:
    """A model's words in the envelope of whichever API was called."""
    if asked.path.endswith("/api/chat"):
        body: dict[str, Any] = {"model": "m", "message": {"role": "assistant", "content": text}, "done_reason": reason}
    else:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        body = {"id": "x", "model": "stub", "choices": [choice]}
    return json.dumps(body).encode()


def says(text: str, *, reason: str = "stop") -> Behaviour:
    """A good answer with these words."""
    return lambda wire, asked: wire.sendall(http(envelope(asked, text, reason=reason)))


def sends(data: bytes) -> Behaviour:
    """These very bytes, then the end."""

    def behave(wire: socket.socket, asked: Asked) -> None:
        with suppress(OSError):
            wire.sendall(data)

    return behave


def hangs(seconds: float) -> Behaviour:
    """Nothing at all for a while."""
    return lambda wire, asked: time.sleep(seconds)


def drips(data: bytes, *, every: float = 0.05, most: float = 8.0) -> Behaviour:
    """One byte at a time: no single wait is long."""

    def behave(wire: socket.socket, asked: Asked) -> None:
        until = time.monotonic() + most
        with suppress(OSError):
            for byte in data:
                if time.monotonic() > until:
                    return
                wire.sendall(bytes([byte]))
                time.sleep(every)

    return behave


def floods(total: int) -> Behaviour:
    """An endless seeming body without a length."""

    def behave(wire: socket.socket, asked: Asked) -> None:
        with suppress(OSError):
            wire.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
            for _ in range(total // 65536):
                wire.sendall(b"x" * 65536)

    return behave


@dataclass
class ChatServer:
    """Answers with the scripted behaviours in turn; the last one goes on for ever."""

    listener: socket.socket
    script: list[Behaviour]
    asked: list[Asked] = field(default_factory=list)
    shown: dict[str, Any] = field(default_factory=lambda: {"details": {"family": "stub"}})
    """What Ollama's description of the model says."""

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def serve(self) -> None:
        while True:
            try:
                wire, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(wire,), daemon=True).start()

    def _answer(self, wire: socket.socket) -> None:
        with wire, suppress(OSError):
            wire.settimeout(20)
            asked = _read(wire)
            if asked is None:
                return
            if asked.path.endswith("/api/show"):
                wire.sendall(http(json.dumps(self.shown).encode()))
                return
            self.asked.append(asked)
            behaviour = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            behaviour(wire, asked)


def _read(wire: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = wire.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += wire.recv(1 << 20)
    return Asked(first.split()[1], headers, json.loads(body) if body else {})


@contextmanager
def chat_server(*script: Behaviour, path: Path | None = None) -> Iterator[ChatServer]:
    """Run one while the block lasts, on a free port of loopback or on a unix socket."""
    if path is None:
        listener = socket.create_server(("127.0.0.1", 0))
    else:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        listener.listen()
    server = ChatServer(listener, list(script) or [says("[]")])
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)
