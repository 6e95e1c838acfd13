"""The page's routes, and the way in: one-time links, keys, signing out."""

import re
from collections.abc import Callable

import anyio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from remora.core.errors import Denied
from remora.entrypoints.http.endpoints import answering, in_json
from remora.entrypoints.http.openapi import PREFIX
from remora.entrypoints.http.problems import Problem, Refused
from remora.entrypoints.http.site import Site
from remora.entrypoints.web import actions, drawer, graph, health, jobs, listing, orientation, sessions, timeline
from remora.entrypoints.web.assets import asset
from remora.entrypoints.web.sign_in import SignIns, cookie_name, give_cookie, same, take_cookie
from remora.entrypoints.web.visit import (
    HEADERS,
    Desk,
    alone,
    drawn,
    form_of,
    granted,
    reading,
    same_origin,
    signed_in,
    writing,
)

_INSIDE = re.compile(r"/(?:r/[A-Za-z0-9_/.-]*)?(?:\?[!-~]*)?")
"""Where signing in may lead: a path of ours, never another site's address."""


class Page:
    """The page of one site: its routes, and links that open it once."""

    def __init__(self, site: Site) -> None:
        self._desk = Desk(site, SignIns(site.authenticate))

    def link(self, credential: str) -> str:
        """A path that opens the page once, within a few minutes, for whoever has the credential."""
        return f"/open/{self._desk.sign_ins.link(credential)}"

    def routes(self) -> list[BaseRoute]:
        """Everything that the page answers."""
        desk = self._desk
        rows: list[BaseRoute] = [
            Route("/", drawn(self._front), methods=["GET"]),
            Route("/open/{code}", drawn(self._open), methods=["GET"]),
            Route("/sign-in", drawn(self._sign_in), methods=["GET", "POST"]),
            Route("/sign-out", drawn(self._sign_out), methods=["POST"]),
            Route("/static/{name:path}", asset, methods=["GET"]),
            Route(f"{PREFIX}/page/links", answering(self._links), methods=["POST"]),
        ]
        rows += [Route(f"/r/{{repo}}{path}", reading(desk, show), methods=["GET"]) for path, show in READS]
        return rows + [Route(f"/r/{{repo}}{path}", writing(desk, run), methods=["POST"]) for path, run in WRITES]

    async def _front(self, request: Request) -> Response:
        found = await signed_in(self._desk, request)
        if found is None:
            return alone(request, "sign_in.html", failed=False, next="", link=False)
        visible = self._desk.site.repositories.visible(granted(found[1]))
        if len(visible) == 1:
            return RedirectResponse(f"/r/{visible[0].id}", 303, headers=HEADERS)
        return alone(request, "repositories.html", visible=visible, csrf=found[0].csrf, grant=granted(found[1]))

    async def _open(self, request: Request) -> Response:
        """A page that goes on by itself: a redirect of a request from elsewhere would come without its cookie."""
        code = request.path_params["code"]
        cookie = await anyio.to_thread.run_sync(lambda: self._desk.sign_ins.follow(code), limiter=self._desk.site.doors)
        if cookie is None:
            return alone(request, "sign_in.html", status=410, failed=False, next="", link=True)
        response = alone(request, "opened.html")
        give_cookie(request, response, cookie)
        return response

    async def _sign_in(self, request: Request) -> Response:
        onward = request.query_params.get("next", "")
        if request.method != "POST":
            return alone(request, "sign_in.html", failed=False, next=onward, link=False)
        same_origin(request)
        form = dict(await form_of(request))
        if self._desk.site.rates.wait_seconds("page sign-in"):
            raise Refused(Problem("rate_limited", "too many tries", "wait a moment"))
        key = form.get("key", "")
        cookie = await anyio.to_thread.run_sync(lambda: self._desk.sign_ins.begin(key), limiter=self._desk.site.doors)
        onward = form.get("next", "")
        if cookie is None:
            return alone(request, "sign_in.html", status=401, failed=True, next=onward, link=False)
        target = onward if onward and _INSIDE.fullmatch(onward) else "/"
        response = RedirectResponse(target, 303, headers=HEADERS)
        give_cookie(request, response, cookie)
        return response

    async def _sign_out(self, request: Request) -> Response:
        same_origin(request)
        cookie = request.cookies.get(cookie_name(request), "")
        found = await signed_in(self._desk, request)
        form = dict(await form_of(request))
        if found is not None:
            if not same(form.get("csrf", ""), found[0].csrf):
                raise Refused(Problem("denied", "this form is not of your session", "load the page again"))
            self._desk.sign_ins.end(cookie)
        response = RedirectResponse("/sign-in", 303, headers=HEADERS)
        take_cookie(request, response)
        return response

    async def _links(self, request: Request) -> Response:
        """A one-time link for whoever can read the run file: the operator of this machine."""
        caller = await self._desk.site.admit(request.headers)
        if caller.id != "run":
            raise Denied("only the operator of this server opens the page by a link", advice="sign in with your key")
        token = request.headers["authorization"].partition(" ")[2]
        return in_json({"path": self.link(token)})


Show = Callable[..., Response]

READS: tuple[tuple[str, Show], ...] = (
    ("", listing.show_list),
    ("/items/{item}", drawer.show_item),
    ("/items/{item}/why", drawer.show_why),
    ("/forgetting/{forgetting}", actions.show_forgetting),
    ("/graph", graph.show_graph),
    ("/graph.json", graph.graph_data),
    ("/timeline", timeline.show_timeline),
    ("/orient", orientation.show_orient),
    ("/sessions", sessions.show_sessions),
    ("/sessions/{session}", sessions.show_session),
    ("/jobs", jobs.show_jobs),
    ("/health", health.show_health),
    ("/health/report", health.show_report),
)
WRITES: tuple[tuple[str, Show], ...] = (
    ("/items/{item}/{verb}", actions.act),
    ("/forgetting/{forgetting}/undo", actions.undo),
    ("/sessions/{session}/revoke", sessions.revoke),
    ("/sessions/{session}/promote", sessions.promote),
)
