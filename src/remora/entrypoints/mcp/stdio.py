"""The stdio transport: fd 1 belongs to the protocol, bad lines are repaired, and no process outlives its parent."""

import os
import re
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_LONE_HIGH = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})")
_LONE_LOW = re.compile(r"(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_PARENT_POLL_SECONDS = 2.0


def repaired(line: str) -> str:
    """One JSON line with lone surrogate escapes replaced by U+FFFD, so that one bad character loses no call."""
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _LONE_LOW.sub(r"\\ufffd", _LONE_HIGH.sub(r"\\ufffd", line))


class RepairedInput:
    """The part of an async text file that the SDK's reader uses, with each line repaired."""

    def __init__(self, stream: TextIOWrapper) -> None:
        self._file = anyio.wrap_file(stream)

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            yield repaired(line)


def serve_stdio(server: Server[Any], finish: Callable[[], None] = lambda: None) -> None:
    """Serve until stdin closes, then `finish`; or until the parent dies."""
    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    stdin = TextIOWrapper(os.fdopen(wire, "rb", closefd=False), encoding="utf-8", errors="replace", newline="\n")
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()

    async def main() -> None:
        source: Any = RepairedInput(stdin)
        async with stdio_server(stdin=source) as (read_stream, write_stream):
            await server.run(read_stream, write_stream, server.create_initialization_options())

    anyio.run(main)
    with suppress(Exception):
        finish()
    sys.stderr.flush()
    os._exit(0)  # a reader thread may still sit in a blocking read; nothing is left to finish


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_SECONDS)
    os._exit(0)
