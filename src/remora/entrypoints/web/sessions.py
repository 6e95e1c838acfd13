"""Chats: which are open, what they keep private, and what of it should be everyone's."""

from typing import Any

from starlette.responses import RedirectResponse, Response

from remora.core.errors import InvalidInput, NotFound
from remora.core.policy import FACTS_PER_SESSION, LIST_LIMIT_MAX
from remora.core.sessions import SessionRef
from remora.entrypoints.web.visit import HEADERS, Visit
from remora.usecases.list_facts import ListFactsRequest, list_facts
from remora.usecases.list_sessions import ListSessionsRequest, list_sessions
from remora.usecases.promote_facts import PromoteFactsRequest, promote_facts
from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session


def show_sessions(visit: Visit) -> Response:
    """One's own chats, or everyone's for an administrator who asks."""
    everyone = visit.administrator and visit.asked("everyone") == "1"
    closed = visit.asked("closed") == "1"
    found = list_sessions(visit.ports, visit.grant, ListSessionsRequest(everyone=everyone, closed=closed))
    return visit.page(
        "sessions.html", "sessions", sessions=found.sessions[:200], total=len(found.sessions), everyone=everyone,
        closed=closed, told=visit.asked("told"),
    )  # fmt: skip


def show_session(visit: Visit) -> Response:
    """The private facts of one chat of one's own."""
    session = _own(visit, visit.request.path_params["session"])
    ref = SessionRef(client=session.client, session_id=session.session_id)
    page = list_facts(
        visit.ports, visit.grant,
        ListFactsRequest(memory_scope="session", session=ref, limit=LIST_LIMIT_MAX, cursor=visit.asked("cursor"),
                         max_chars=10_000_000),
    )  # fmt: skip
    return visit.page(
        "session.html", "sessions", session=session, facts=page.facts, more=page.next_cursor, told=visit.asked("told")
    )


def revoke(visit: Visit) -> Response:
    """Close a chat for good and delete what it kept."""
    done = revoke_session(visit.ports, visit.grant, RevokeSessionRequest(id=visit.request.path_params["session"]))
    told = "closed" if not done.pending else "closing"
    return RedirectResponse(f"{visit.base}/sessions?told={told}", 303, headers=HEADERS)


def promote(visit: Visit) -> Response:
    """Carry the chosen facts of a chat into the repository's memory."""
    session = _own(visit, visit.request.path_params["session"])
    chosen = visit.chosen.get("fact", ())[:FACTS_PER_SESSION]
    if not chosen:
        raise InvalidInput("facts", "none is chosen", allowed="one or more facts of the list")
    ref = SessionRef(client=session.client, session_id=session.session_id)
    promote_facts(visit.ports, visit.grant, PromoteFactsRequest(session=ref, facts=chosen))
    return RedirectResponse(f"{visit.base}/sessions/{session.id}?told=promoted", 303, headers=HEADERS)


def _own(visit: Visit, session_id: str) -> Any:
    found = list_sessions(visit.ports, visit.grant, ListSessionsRequest())
    session = next((one for one in found.sessions if one.id == session_id), None)
    if session is None:
        raise NotFound("no open session of yours has this id", advice="list your sessions")
    return session
