"""What the app serves, and how a request becomes a caller: token, identity headers, rate."""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
from starlette.datastructures import Headers

from remora.core.errors import InvalidInput
from remora.core.policy import (
    HTTP_BURST,
    HTTP_CALLERS_MAX,
    HTTP_DOOR_THREADS,
    HTTP_HOOK_THREADS,
    HTTP_RATE_PER_SECOND,
)
from remora.core.scope import Channel, Grant
from remora.core.sessions import SessionRef, checked_names
from remora.entrypoints.http.problems import Problem, Refused
from remora.entrypoints.http.repositories import Repositories

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a token belongs to. `id` names the key, not the token; the local operator is not held to a rate."""

    id: str
    grant: Grant
    limited: bool = True


class Rates:
    """One token bucket per caller; those not heard for longest make room."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def wait_seconds(self, caller: str) -> float:
        """0 when the caller may go on, which is counted; else how long to wait."""
        with self._lock:
            now = self._now()
            left, at = self._buckets.pop(caller, (float(HTTP_BURST), now))
            left = min(float(HTTP_BURST), left + (now - at) * HTTP_RATE_PER_SECOND)
            allowed = left >= 1.0
            self._buckets[caller] = (left - 1.0 if allowed else left, now)
            while len(self._buckets) > HTTP_CALLERS_MAX:
                self._buckets.pop(next(iter(self._buckets)))
        return 0.0 if allowed else (1.0 - left) / HTTP_RATE_PER_SECOND


@dataclass(frozen=True, slots=True)
class Site:
    """`authenticate` returns None for a token that opens nothing, and compares in constant time."""

    repositories: Repositories
    authenticate: Callable[[str], Caller | None]
    version: str
    memory: bool = True
    memory_write: bool = False
    profiles: tuple[str, ...] = ("core",)
    rates: Rates = field(default_factory=Rates)
    doors: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(HTTP_DOOR_THREADS))
    """Threads that look at tokens: slow calls of some may not keep others from being answered."""
    hooks: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(HTTP_HOOK_THREADS))

    async def admit(self, headers: Headers) -> Caller:
        """`caller`, from the loop."""
        return await anyio.to_thread.run_sync(lambda: self.caller(headers), limiter=self.doors)

    def caller(self, headers: Headers) -> Caller:
        """Who asks; refuses without a valid bearer token, and above the caller's rate. May read a file."""
        values = headers.getlist("authorization")
        scheme, _, token = (values[0] if len(values) == 1 else "").partition(" ")
        found = self.authenticate(token) if scheme.lower() == "bearer" and _TOKEN.fullmatch(token) else None
        if found is None:
            raise Refused(
                Problem(
                    "unauthenticated",
                    "no valid token came with the request",
                    "send `Authorization: Bearer <key>`",
                    headers={"www-authenticate": 'Bearer realm="remora"'},
                )
            )
        wait = self.rates.wait_seconds(found.id) if found.limited else 0.0
        if wait:
            seconds = str(int(wait) + 1)
            raise Refused(Problem("rate_limited", "too many requests with this key", headers={"retry-after": seconds}))
        return found


def identity(headers: Headers) -> SessionRef:
    """The runtime session that `Remora-Session-Id` and `Remora-Client` name together; neither may come alone."""
    sessions, clients = headers.getlist("remora-session-id"), headers.getlist("remora-client")
    if not sessions:
        if clients:
            checked_names(clients[0], "s")
        return SessionRef()
    if len(sessions) != 1 or len(clients) != 1:
        raise InvalidInput("Remora-Session-Id", "comes without one Remora-Client", allowed="both headers, once each")
    client, session = checked_names(clients[0], sessions[0])
    return SessionRef(client=client, session_id=session)


def through(grant: Grant, headers: Headers, channel: Channel = Channel.HTTP) -> Grant:
    """The grant as this request uses it: its door, and the client's own name."""
    return grant.via(channel, headers.get("remora-client", "")[:80])
