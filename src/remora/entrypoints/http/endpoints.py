"""Endpoints: a row of operations becomes a coroutine that checks, calls in a thread and answers."""

import logging
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from remora.core.errors import Denied, InvalidInput, RemoraError
from remora.core.policy import CALL_DEADLINE_SECONDS, HTTP_BODY_MAX_BYTES
from remora.core.schema import checked
from remora.core.scope import Grant
from remora.entrypoints.catalogue.operation import Answer, Call, Operation
from remora.entrypoints.http.arguments import from_body, from_query, merged
from remora.entrypoints.http.guard import BodyTooLarge, too_large
from remora.entrypoints.http.problems import Problem, Refused, problem_of, strict
from remora.entrypoints.http.site import Site, identity, through
from remora.entrypoints.mcp.server import clean_json

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]
MEMORY_IS_OFF = "memory is switched off on this server; the code graph's operations stay"

_log = logging.getLogger("remora.http")


def in_json(data: Any, status: int = 200) -> Response:
    """An answer in strict JSON."""
    return Response(strict(data), status, media_type="application/json")


def answering(run: Endpoint) -> Endpoint:
    """The endpoint with every failure as a problem document, and under the deadline."""

    @wraps(run)
    async def endpoint(request: Request) -> Response:
        try:
            with anyio.fail_after(CALL_DEADLINE_SECONDS):
                return await run(request)
        except Refused as error:
            return error.problem.response()
        except RemoraError as error:
            return problem_of(error).response()
        except BodyTooLarge:
            return too_large(HTTP_BODY_MAX_BYTES).response()
        except TimeoutError:
            detail = f"no answer within {CALL_DEADLINE_SECONDS} s"
            return Problem("deadline", detail, "ask for less or try again").response()
        except (HTTPException, ClientDisconnect):
            raise
        except Exception as error:  # noqa: BLE001  # the last net: no traceback may reach a caller
            _log.exception("%s failed", request.scope.get("path", "")[:200])
            detail = f"internal error ({type(error).__name__}); the server's log holds the details"
            return Problem("internal", detail).response()

    return endpoint


async def in_thread(run: Callable[[], T], lane: anyio.CapacityLimiter | None = None) -> T:
    """Blocking work beside the loop; a caller that leaves does not stop it. A lane has threads of its own."""
    return await anyio.to_thread.run_sync(run, abandon_on_cancel=True, limiter=lane)


def operation_endpoint(site: Site, operation: Operation) -> Endpoint:
    """The endpoint of one row."""

    async def endpoint(request: Request) -> Response:
        caller = await site.admit(request.headers)
        path = {name: value for name, value in request.path_params.items() if name != "repo"}
        if operation.http[0] == "POST":
            given = from_body(await request.body(), request.headers.get("content-type", ""))
        else:
            given = from_query(operation.input, request.query_params.multi_items())
        given = clean_json(merged(given, path))

        def call() -> Answer:
            grant = through(caller.grant, request.headers)
            repository = request.path_params.get("repo") or _only_one(site, grant, given.pop("repo", ""))
            ports = site.repositories.enter(repository, grant)
            _allowed(site, operation)
            named = identity(request.headers)
            context = Call(ports, grant, identity=named, memory=site.memory)
            return operation.run(context, checked(operation.input, given))

        answer = await in_thread(call)
        return in_json(answer.data)

    return answering(endpoint)


def _only_one(site: Site, grant: Grant, named: object) -> str:
    """The repository that an operation without one in its path works on: the one named, else the only one there is."""
    if named and isinstance(named, str):
        return named
    visible = site.repositories.visible(grant)
    if len(visible) == 1:
        return visible[0].id
    raise InvalidInput(
        "repo", f"is missing, and this key may read {len(visible)} repositories", allowed="a repository's id"
    )


def _allowed(site: Site, operation: Operation) -> None:
    if operation.memory and not site.memory:
        raise Denied(MEMORY_IS_OFF, advice="start the server with memory to use it")
    if operation.gated and not site.memory_write:
        raise Denied(
            f"{operation.name} is not offered by this server", advice="start the server with --allow-memory-write"
        )
