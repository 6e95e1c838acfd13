"""One request to the page: who is there, in which repository, and how an answer or a failure is drawn."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from remora.core.directory.values import KnownRepository
from remora.core.errors import Denied, InvalidInput, NotFound, RemoraError
from remora.core.policy import CALL_DEADLINE_SECONDS, PAGE_FORM_MAX_BYTES
from remora.core.scope import Channel, Grant, Right
from remora.core.text import clean
from remora.entrypoints.http.endpoints import MEMORY_IS_OFF, in_thread
from remora.entrypoints.http.guard import BodyTooLarge
from remora.entrypoints.http.problems import Problem, Refused, problem_of
from remora.entrypoints.http.site import Caller, Site
from remora.entrypoints.web.sign_in import SignIn, SignIns, cookie_name, same
from remora.entrypoints.web.templating import draw
from remora.ports import Ports

T = TypeVar("T")
_log = logging.getLogger("remora.page")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "referrer-policy": "same-origin",  # with `no-referrer` browsers send forms with a null origin
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""On every answer of the page."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What every part of the page needs."""

    site: Site
    sign_ins: SignIns


@dataclass(frozen=True, slots=True)
class Visit:
    """A signed-in request inside one repository."""

    request: Request
    desk: Desk
    signed: SignIn
    grant: Grant
    repository: KnownRepository
    ports: Ports
    form: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Every value of a form's fields that may be given several times."""

    @property
    def fragment(self) -> bool:
        """Whether only a part of the page is asked for."""
        headers = self.request.headers
        return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"

    @property
    def base(self) -> str:
        """Where this repository's pages begin."""
        return f"/r/{self.repository.id}"

    @property
    def may_write(self) -> bool:
        """Whether the caller may change what the repository shares."""
        return self.grant.right(self.repository.identity) >= Right.WRITE

    @property
    def administrator(self) -> bool:
        """Whether the caller may end other people's sessions."""
        return self.grant.right(self.repository.identity) >= Right.ADMIN

    def asked(self, name: str, default: str = "") -> str:
        """One word of the address, cleaned; of the form when it was posted."""
        if name in self.form:
            return self.form[name]
        return clean(self.request.query_params.get(name, default))

    def page(self, template: str, tab: str, **values: Any) -> Response:
        """A whole page, or the part of it that was asked for."""
        return html(draw(template, self.values(tab) | values))

    def part(self, template: str, tab: str = "", status: int = 200, **values: Any) -> Response:
        """A part that goes into a page that is there."""
        return html(draw(template, self.values(tab) | values), status)

    def values(self, tab: str) -> dict[str, Any]:
        """What every template may use."""
        return {
            "tab": tab, "base": self.base, "repository": self.repository, "fragment": self.fragment,
            "csrf": self.signed.csrf, "grant": self.grant, "may_write": self.may_write,
            "administrator": self.administrator, "now": self.ports.clock.now(), "theme": theme(self.request),
            "visible": self.desk.site.repositories.visible(self.grant), "version": self.desk.site.version,
        }  # fmt: skip


Show = Callable[[Visit], Response]
Endpoint = Callable[[Request], Awaitable[Response]]


def html(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Markup with the page's headers."""
    return HTMLResponse(text, status, headers=HEADERS | dict(headers or {}))


def theme(request: Request) -> str:
    """What the reader chose, "" for what the system says."""
    word = request.cookies.get("remora_theme", "")
    return word if word in ("dark", "light") else ""


def alone(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page outside every repository: signing in, failures."""
    return html(draw(template, {"theme": theme(request), **values}), status)


def reading(desk: Desk, show: Show) -> Endpoint:
    """An endpoint that only reads."""

    async def endpoint(request: Request) -> Response:
        found = await signed_in(desk, request)
        if found is None:
            return _to_sign_in(request)
        return await in_thread(lambda: show(_enter(desk, request, *found)))

    return drawn(endpoint)


def writing(desk: Desk, show: Show) -> Endpoint:
    """An endpoint that changes something: a form of this page, from this page, by whoever is signed in."""

    async def endpoint(request: Request) -> Response:
        same_origin(request)
        found = await signed_in(desk, request)
        if found is None:
            return _to_sign_in(request)
        pairs = await form_of(request)
        form = dict(reversed(pairs))
        given = request.headers.get("x-csrf-token", "") or form.pop("csrf", "")
        if not same(given, found[0].csrf):
            raise Refused(Problem("denied", "this form is not of your session", "load the page again"))
        chosen = {name: tuple(value for key, value in pairs if key == name) for name in form}
        return await in_thread(lambda: show(_enter(desk, request, *found, form=form, chosen=chosen)))

    return drawn(endpoint)


def drawn(run: Endpoint) -> Endpoint:
    """The endpoint under the deadline, with every failure as a page or a notice that says what to do."""

    async def endpoint(request: Request) -> Response:
        try:
            with anyio.fail_after(CALL_DEADLINE_SECONDS):
                return await run(request)
        except Refused as error:
            return _failed(request, error.problem)
        except RemoraError as error:
            return _failed(request, problem_of(error))
        except BodyTooLarge:
            return _failed(request, Problem("body_too_large", "the form is too large", "send less at once"))
        except TimeoutError:
            return _failed(request, Problem("deadline", f"no answer within {CALL_DEADLINE_SECONDS} s", "try again"))
        except (HTTPException, ClientDisconnect):
            raise
        except Exception as error:  # noqa: BLE001  # the last net: no traceback may reach a reader
            _log.exception("%s failed", request.scope.get("path", "")[:200])
            detail = f"internal error ({type(error).__name__}); the server's log holds the details"
            return _failed(request, Problem("internal", detail))

    return endpoint


def same_origin(request: Request) -> None:
    """Raise unless the request says that it comes from this very origin, port included."""
    origin = request.headers.get("origin", "").lower()
    host = request.headers.get("host", "").lower()
    said = request.headers.get("sec-fetch-site", "same-origin")
    if not host or origin not in (f"http://{host}", f"https://{host}") or said != "same-origin":
        raise Refused(Problem("foreign_origin", "only this page's own forms are taken", "load the page again"))


async def form_of(request: Request) -> list[tuple[str, str]]:
    """The fields of an ordinary form, cleaned, in order. Files and other media types are not taken."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if body and kind != "application/x-www-form-urlencoded":
        raise Refused(Problem("unsupported_media_type", "only ordinary forms are taken"))
    if len(body) > PAGE_FORM_MAX_BYTES:
        raise Refused(Problem("body_too_large", f"a form may have {PAGE_FORM_MAX_BYTES:,} bytes", "send less at once"))
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=2_000)
    except ValueError:
        raise InvalidInput("form", "has too many fields", allowed="2,000") from None
    return [(clean(name)[:100], clean(value)) for name, value in pairs]


async def signed_in(desk: Desk, request: Request) -> tuple[SignIn, Caller] | None:
    """Who is at the browser, None for nobody. Held to the caller's rate like every other door."""
    cookie = request.cookies.get(cookie_name(request), "")
    if not cookie or len(cookie) > 200:
        return None
    found = await anyio.to_thread.run_sync(lambda: desk.sign_ins.of(cookie), limiter=desk.site.doors)
    if found is None:
        return None
    wait = desk.site.rates.wait_seconds(found[1].id) if found[1].limited else 0.0
    if wait:
        raise Refused(Problem("rate_limited", "too many requests", "wait a moment"))
    return found


def granted(caller: Caller) -> Grant:
    """The caller's grant as this door uses it."""
    return caller.grant.via(Channel.HTTP, "page")


def _enter(
    desk: Desk,
    request: Request,
    signed: SignIn,
    caller: Caller,
    form: Mapping[str, str] | None = None,
    chosen: Mapping[str, tuple[str, ...]] | None = None,
) -> Visit:
    grant = granted(caller)
    repository_id = request.path_params["repo"]
    ports = desk.site.repositories.enter(repository_id, grant)
    row = next((row for row in desk.site.repositories.visible(grant) if row.id == repository_id), None)
    if row is None:
        raise NotFound("no repository with this id is served to you")
    if not desk.site.memory:
        raise Denied(MEMORY_IS_OFF, advice="start the server with memory to use the page")
    return Visit(request, desk, signed, grant, row, ports, form or {}, chosen or {})


def _to_sign_in(request: Request) -> Response:
    """A part of a page cannot show a form to sign in, so the whole page goes there."""
    if request.headers.get("hx-request") == "true":
        return html("", 401, {"hx-redirect": "/sign-in"})
    if request.method != "GET":
        return RedirectResponse("/sign-in", 303, headers=HEADERS)
    query = urlencode({"next": request.url.path + (f"?{request.url.query}" if request.url.query else "")})
    return RedirectResponse(f"/sign-in?{query}", 303, headers=HEADERS)


def _failed(request: Request, problem: Problem) -> Response:
    values = {"status": problem.status, "title": problem.code.replace("_", " "), "detail": clean(problem.detail),
              "advice": clean(problem.advice)}  # fmt: skip
    if request.headers.get("hx-request") == "true":
        text = draw("parts/failure.html", values)
        return html(text, problem.status, {"hx-retarget": "#toasts", "hx-reswap": "beforeend", **problem.headers})
    return html(draw("failure.html", values | {"theme": theme(request)}), problem.status, problem.headers)
