"""Starts the stdio server: which tools, which grant, which repository; logs go to stderr."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from remora import __version__
from remora.config import load, with_memory
from remora.core.errors import RemoraError
from remora.core.policy import RUN_TOKEN_BYTES, STDIO_FINISH_SECONDS
from remora.core.scope import Channel, Grant, operator_grant
from remora.core.sessions import SessionRef
from remora.entrypoints.catalogue.listing import offered
from remora.entrypoints.logs import set_logs
from remora.entrypoints.mcp.server import Backend, build_server
from remora.entrypoints.mcp.stdio import serve_stdio

if TYPE_CHECKING:
    from remora.ports import Ports


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says. `allow_memory` None follows the settings."""

    root: Path
    profiles: tuple[str, ...]
    grant: Grant
    allow_memory: bool | None = None
    allow_memory_write: bool = False
    peers: tuple[Path, ...] = ()


def run_stdio(options: Options) -> None:
    """Serve until the client closes the stream. Raises `InvalidInput` before the first byte for bad options."""
    settings = with_memory(load(), options.allow_memory)
    set_logs(settings)
    operations = offered(options.profiles, memory=settings.allow_memory, gated_writes=options.allow_memory_write)

    @cache
    def ports() -> Ports:
        from remora.bootstrap import open_ports, with_peers

        opened = open_ports(settings, options.root)
        return with_peers(opened, options.peers) if options.peers else opened

    @cache
    def runtime_id() -> str:
        return settings.session_id or ports().clock.token(RUN_TOKEN_BYTES)

    registered: set[tuple[str, str]] = set()

    def own_session(grant: Grant) -> SessionRef:
        from remora.usecases.register_session import RegisterSessionRequest, register_session

        client = settings.client or grant.client or "mcp"
        if (client, runtime_id()) not in registered:
            register_session(ports(), grant, RegisterSessionRequest(session_id=runtime_id(), client=client))
            registered.add((client, runtime_id()))
        return SessionRef(client=client, session_id=runtime_id())

    def finish() -> None:
        if ports.cache_info().currsize:
            ports().jobs.close(STDIO_FINISH_SECONDS)

    backend = Backend(ports, options.grant, own_session, settings.allow_memory)
    serve_stdio(build_server(operations, backend, __version__), finish)


def run_bare() -> None:
    """Serve the default tools of the repository around the working folder to the local operator."""
    try:
        run_stdio(Options(Path().absolute(), ("core",), operator_grant(Channel.CLI, "remora-cli")))
    except RemoraError as error:
        sys.stderr.write(f"remora: {error}\n" + (f"  {error.advice}\n" if error.advice else ""))
        sys.exit(2)
