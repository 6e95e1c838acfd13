"""MCP over streamable HTTP: one stateless server for all repositories; each request brings its own grant and ports."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from remora.core.errors import RemoraError
from remora.core.policy import HTTP_BODY_MAX_BYTES
from remora.core.scope import Channel
from remora.entrypoints.catalogue.listing import offered
from remora.entrypoints.http.endpoints import in_thread
from remora.entrypoints.http.guard import BodyTooLarge, too_large
from remora.entrypoints.http.problems import Problem, Refused, problem_of
from remora.entrypoints.http.site import Caller, Site, identity, through
from remora.entrypoints.mcp.server import Backend, build_server

_BACKEND = "remora.backend"


class McpDoor:
    """The ASGI endpoint at `/repos/{repo}/mcp`, and the task group that it needs while the app lives."""

    def __init__(self, site: Site) -> None:
        self._site = site
        operations = offered(site.profiles, memory=site.memory, gated_writes=site.memory_write)
        self._inner = StreamableHTTPSessionManager(
            build_server(operations, _backend, site.version),
            json_response=True,
            stateless=True,
            max_request_body_size=HTTP_BODY_MAX_BYTES,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run while the app serves."""
        async with self._inner.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One message in, one answer out. There is no stream to listen to and no session to end."""
        request = Request(scope, receive)
        try:
            caller = await self._site.admit(request.headers)
            scope[_BACKEND] = await in_thread(lambda: self._enter(request, caller))
            await self._inner.handle_request(scope, receive, send)
        except Refused as error:
            await error.problem.response()(scope, receive, send)
        except RemoraError as error:
            await problem_of(error).response()(scope, receive, send)
        except BodyTooLarge:
            await too_large(HTTP_BODY_MAX_BYTES).response()(scope, receive, send)

    def _enter(self, request: Request, caller: Caller) -> Backend:
        if request.method != "POST":
            detail = "MCP here is stateless: POST one message, and the answer comes back"
            raise Refused(Problem("method_not_allowed", detail, headers={"allow": "POST"}))
        grant = through(caller.grant, request.headers, Channel.MCP)
        ports = self._site.repositories.enter(request.path_params["repo"], grant)
        named = identity(request.headers)
        return Backend(lambda: ports, grant, lambda _: named, self._site.memory, named)


def _backend(request: Any) -> Backend:
    """What `__call__` found for the request that a tool call came with."""
    found: Backend = request.scope[_BACKEND]
    return found
