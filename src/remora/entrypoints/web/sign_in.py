"""Who is at the browser: one-time links, personal keys, and sessions that live in this process alone."""

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response

from remora.core.policy import PAGE_LINK_SECONDS, PAGE_SESSION_HOURS, PAGE_SESSIONS_MAX
from remora.entrypoints.http.site import Caller

_KEY = re.compile(r"[A-Za-z0-9_-]{16,200}")
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class SignIn:
    """One browser. `credential` is asked again at every request, so that a revoked key ends it at once."""

    credential: str
    csrf: str
    begun: float
    heard: float


class SignIns:
    """Sessions by the hash of their cookie. Nothing is written to disk; a restart ends them all."""

    def __init__(self, authenticate: Callable[[str], Caller | None], now: Callable[[], float] = time.monotonic) -> None:
        self._authenticate = authenticate
        self._now = now
        self._open: dict[str, SignIn] = {}
        self._links: dict[str, tuple[str, float]] = {}
        self._turn = threading.Lock()

    def link(self, credential: str) -> str:
        """A code that opens one session for this credential, once and soon."""
        code = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._turn:
            now = self._now()
            self._links = {key: row for key, row in self._links.items() if row[1] > now}
            self._links[_hash(code)] = (credential, now + PAGE_LINK_SECONDS)
        return code

    def follow(self, code: str) -> str | None:
        """The cookie of a new session, None for a code that opens nothing (any more)."""
        with self._turn:
            credential, until = self._links.pop(_hash(code), ("", 0.0))
        if not credential or until < self._now():
            return None
        return self.begin(credential)

    def begin(self, credential: str) -> str | None:
        """The cookie of a new session for a key, None when the key opens nothing. May read a file."""
        text = credential.strip()
        if not _KEY.fullmatch(text) or self._authenticate(text) is None:
            return None
        cookie, now = secrets.token_urlsafe(_TOKEN_BYTES), self._now()
        with self._turn:
            self._open[_hash(cookie)] = SignIn(text, secrets.token_urlsafe(_TOKEN_BYTES), now, now)
            while len(self._open) > PAGE_SESSIONS_MAX:
                self._open.pop(next(iter(self._open)))
        return cookie

    def of(self, cookie: str) -> tuple[SignIn, Caller] | None:
        """The session of a cookie and whom its credential belongs to now. May read a file."""
        key = _hash(cookie)
        with self._turn:
            found = self._open.pop(key, None)
            if found is None or self._now() - found.begun > PAGE_SESSION_HOURS * 3600:
                return None
            found = replace(found, heard=self._now())
            self._open[key] = found  # at the end: those not heard for longest make room first
        caller = self._authenticate(found.credential)
        if caller is None:
            self.end(cookie)
            return None
        return found, caller

    def end(self, cookie: str) -> None:
        """Sign out."""
        with self._turn:
            self._open.pop(_hash(cookie), None)


def same(given: str, expected: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def cookie_name(request: Request) -> str:
    """Cookies are shared by all ports of a host, so the port is in the name."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"remora_page_{port}" if port.isdecimal() else "remora_page"


def give_cookie(request: Request, response: Response, cookie: str) -> None:
    """Keep the browser signed in: sent to this host alone, never to scripts, never from another site's page."""
    secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto", "") == "https"
    response.set_cookie(
        cookie_name(request), cookie, path="/", httponly=True, samesite="strict", secure=secure,
        max_age=PAGE_SESSION_HOURS * 3600,
    )  # fmt: skip


def take_cookie(request: Request, response: Response) -> None:
    """Let the browser forget it."""
    response.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
