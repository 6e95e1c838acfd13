"""What every request passes first: host and origin names, a body limit, and answers that no browser keeps."""

import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remora.core.policy import HTTP_BODY_MAX_BYTES
from remora.entrypoints.http.problems import Problem

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9.-]{1,253})(?::[0-9]{1,5})?")
_ORIGIN = re.compile(r"https?://([^/@\s]+)", re.IGNORECASE)


class Names:
    """The names under which this server may be called. A web page of another name that reaches it by DNS is refused."""

    def __init__(self, allowed: Iterable[str] = LOOPBACK_NAMES) -> None:
        self._allowed = frozenset(name.lower() for name in allowed)

    def knows(self, authority: str) -> bool:
        """Whether `host[:port]` is one of the names, whatever the port."""
        match = _HOST.fullmatch(authority)
        return match is not None and match.group(1).lower() in self._allowed

    def problem(self, headers: Headers) -> Problem | None:
        """Why a request with these headers is refused, None when it is not."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.knows(hosts[0]):
            return Problem("foreign_host", "the Host header does not name this server", "call it by its own name")
        for origin in origins:
            match = _ORIGIN.fullmatch(origin)
            if len(origins) > 1 or match is None or not self.knows(match.group(1)):
                return Problem("foreign_origin", "requests from pages of another origin are not answered")
        return None


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, names: Names, *, body_max_bytes: int = HTTP_BODY_MAX_BYTES) -> None:
        self._app = app
        self._names = names
        self._limit = body_max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a problem, or let the request through under the limit."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._names.problem(headers) or self._too_large(headers.get("content-length", ""))
        if problem is not None:
            await problem.response()(scope, receive, _sealed(send))
            return
        counted = _Counted(receive, self._limit)
        await self._app(scope, counted, _sealed(send))

    def _too_large(self, length: str) -> Problem | None:
        if length.isdecimal() and len(length) < 19 and int(length) <= self._limit:
            return None
        return too_large(self._limit) if length else None


def too_large(limit: int) -> Problem:
    """The problem of a body above the limit."""
    return Problem("body_too_large", f"the body is larger than {limit} bytes", "send less at once")


class BodyTooLarge(Exception):
    """A body without a stated length went over the limit while it was read."""


class _Counted:
    """A receive channel that stops at the limit."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise BodyTooLarge
        return message


def _sealed(send: Send) -> Send:
    """Every answer says that it is not to be kept, sniffed or framed."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")
            headers.setdefault("x-content-type-options", "nosniff")
            headers.setdefault("referrer-policy", "no-referrer")
        await send(message)

    return sealed
