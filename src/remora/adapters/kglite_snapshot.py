"""Queries over a snapshot: a bounded process for each, ended when it overruns; no query harms the server."""

import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from remora.core import policy
from remora.core.cypher.rows import Graph
from remora.core.errors import InvalidInput, LimitReached, Unavailable
from remora.core.graph import Json
from remora.ports import Table

_GRACE_SECONDS = 1.0
_CLEANUP_SECONDS = 5.0


class KgliteSnapshots:
    """The `GraphQueries` port; safe between threads, which wait for each other."""

    def __init__(self) -> None:
        self._held: OrderedDict[object, _Process] = OrderedDict()
        self._lock = threading.Lock()
        self._finalizer = weakref.finalize(self, _end_all, self._held)

    def run(
        self, owner: object, version: int, graph: Callable[[], Graph], query: str, params: Mapping[str, Json]
    ) -> Table:
        """Run a query over the snapshot of `owner` at `version`; see the port."""
        with self._lock:
            process = self._process(owner, version, graph)
            try:
                reply = process.ask({"query": query, "params": dict(params)}, _query_seconds())
            except _Overrun as error:
                self._held.pop(owner).end()
                raise LimitReached(f"the query was stopped: {error}", advice=_LESS) from error
        if "error" not in reply:
            rows = tuple(reply["rows"])
            return Table(tuple(reply["columns"]), rows, bool(reply["truncated"]), tuple(reply["warnings"]))
        if reply["error"] == "limit":
            raise LimitReached(f"the query was stopped: {reply['message']}", advice=_LESS)
        raise InvalidInput("query", str(reply["message"]))

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            _end_all(self._held)

    def _process(self, owner: object, version: int, graph: Callable[[], Graph]) -> "_Process":
        held = self._held.get(owner)
        if held is not None and held.version == version and held.alive:
            self._held.move_to_end(owner)
            return held
        if held is not None:
            self._held.pop(owner).end()
        while len(self._held) >= policy.CYPHER_PROCESSES_MAX:
            self._held.popitem(last=False)[1].end()
        started = _Process(version)
        try:
            started.ask(_message(graph()), policy.CYPHER_START_SECONDS)
        except _Overrun as error:
            started.end()
            raise Unavailable(f"the query process did not start: {error}", advice="try again") from error
        except BaseException:
            started.end()
            raise
        self._held[owner] = started
        return started


_LESS = "match fewer nodes, bound path lengths, return less"


def _query_seconds() -> float:
    return policy.CYPHER_TIMEOUT_SECONDS + _GRACE_SECONDS


def _message(graph: Graph) -> dict[str, Any]:
    return {"nodes": graph.nodes, "relations": [[*key, rows] for key, rows in graph.relations.items()]}


class _Overrun(Exception):
    """The process did not answer in time, or is gone."""


class _Process:
    def __init__(self, version: int) -> None:
        self.version = version
        try:
            # -c and not -m: the package's entry is imported once, under its own name.
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from remora.adapters.kglite_worker import main; main()"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as error:
            raise Unavailable(f"the query process cannot be started: {error.strerror}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        try:
            self._in.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            self._in.flush()
            reply: dict[str, Any] = json.loads(self._line(deadline))
        except OSError as error:
            raise _Overrun("it used too much memory") from error
        return reply

    def _line(self, deadline: float) -> bytes:
        parts: list[bytes] = []
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                raise _Overrun("it took too long")
            part = os.read(self._out.fileno(), 1 << 16)
            if not part:
                raise _Overrun("it used too much memory")
            parts.append(part)
            if part.endswith(b"\n"):
                return b"".join(parts)

    def end(self) -> None:
        self._process.kill()
        for stream in (self._in, self._out):
            with suppress(OSError):
                stream.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLEANUP_SECONDS)


def _end_all(held: "OrderedDict[object, _Process]") -> None:
    while held:
        held.popitem()[1].end()
