"""The Starlette app: routes made from the catalogue, MCP beside them, the guard around everything."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from remora.core.clients.hook_trail import HOOK_ROUTE
from remora.entrypoints.catalogue.listing import OPERATIONS
from remora.entrypoints.catalogue.operation import Operation
from remora.entrypoints.http import own_operations, record_operations
from remora.entrypoints.http.endpoints import answering, in_json, in_thread, operation_endpoint
from remora.entrypoints.http.guard import Guard, Names
from remora.entrypoints.http.hook import hook_endpoint
from remora.entrypoints.http.openapi import ANYWHERE, PREFIX, REPOSITORY_PREFIX, document
from remora.entrypoints.http.problems import Problem
from remora.entrypoints.http.site import Site
from remora.entrypoints.http.tools import McpDoor


def operations() -> tuple[Operation, ...]:
    """Every operation with a route, those with fixed paths before those with a name in the path."""
    routed = [
        operation
        for operation in (*OPERATIONS, *own_operations.OPERATIONS, *record_operations.OPERATIONS)
        if operation.http[0]
    ]
    return tuple(sorted(routed, key=lambda operation: "{" in operation.http[1]))


def build_app(site: Site, names: Names, more: Sequence[BaseRoute] = ()) -> Starlette:
    """The app. `more` are routes with an authentication of their own; they stand behind the guard too."""
    tools = McpDoor(site)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with tools.running():
            yield

    rows = operations()
    routes: list[BaseRoute] = [
        Route(REPOSITORY_PREFIX + row.http[1], operation_endpoint(site, row), methods=[row.http[0]], name=row.name)
        for row in rows
    ]
    routes += [
        Route(PREFIX + row.http[1], operation_endpoint(site, row), methods=[row.http[0]], name=row.name + "_anywhere")
        for row in rows
        if row.name in ANYWHERE
    ]
    routes += [
        Route(REPOSITORY_PREFIX + "/mcp", tools),
        Route(HOOK_ROUTE, hook_endpoint(site), methods=["POST"]),
        *_plain_routes(site, rows),
        *more,
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, names=names)],
        exception_handlers={HTTPException: _http_problem, Exception: _crash},
        lifespan=lifespan,
    )


def _plain_routes(site: Site, rows: Sequence[Operation]) -> list[BaseRoute]:
    described = document(rows, site.version)

    async def health(_: Request) -> Response:
        return in_json({"status": "ok"})

    async def version(_: Request) -> Response:
        return in_json({"name": "remora", "version": site.version, "api": "v1"})

    async def openapi(_: Request) -> Response:
        return in_json(described)

    async def repositories(request: Request) -> Response:
        caller = await site.admit(request.headers)
        found = await in_thread(lambda: site.repositories.visible(caller.grant))
        shown = [
            {"id": row.id, "identity": row.identity, "right": caller.grant.right(row.identity).name.lower()}
            for row in found
        ]
        return in_json({"repositories": shown})

    plain = {"/health": health, "/version": version, "/openapi.json": openapi, "/repos": repositories}
    return [Route(PREFIX + path, answering(run), methods=["GET"]) for path, run in plain.items()]


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        return Problem("method_not_allowed", "this path has no such method", headers=headers).response()
    if error.status_code == 404:
        return Problem("not_found", "nothing is at this path", "see /api/v1/openapi.json").response()
    return Problem("invalid_input", "the request could not be read").response()


async def _crash(request: Request, error: Exception) -> Response:
    return Problem("internal", "internal error; the server's log holds the details").response()
