"""Close a session at once and delete its private memory."""

from dataclasses import dataclass, field

from remora.core.encounters.ending import ended
from remora.core.errors import NotFound, Unavailable
from remora.core.graph import Changes, Json
from remora.core.scope import Grant, Right, session_scope
from remora.core.sessions import SessionRef, resolve, revoke
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeSessionRequest:
    """Which session: its id from a list, or a handle or runtime id of the caller's own."""

    id: str = ""
    session: SessionRef = field(default_factory=SessionRef)


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedSession:
    """What was closed, and how many items went with it. `pending` when deletion is left to the next sweep."""

    id: str
    already_closed: bool
    items_deleted: int
    pending: bool

    def to_json(self) -> dict[str, Json]:
        """As a row."""
        return {
            "id": self.id,
            "already_closed": self.already_closed,
            "items_deleted": self.items_deleted,
            "pending": self.pending,
        }


def revoke_session(ports: FactPorts, grant: Grant, request: RevokeSessionRequest) -> RevokedSession:
    """Close the session for good. Its owner may, and an administrator of the repository, who reads none of it.

    Raises `NotFound` for an unknown or foreign session.
    """
    administrator = grant.right(ports.repository.identity) >= Right.ADMIN
    writer = grant.right(ports.repository.identity) >= Right.WRITE
    chosen = ""

    def plan(view: StoreRead, now: int) -> Changes:
        nonlocal chosen
        chosen = request.id or resolve(view, grant, request.session, now).id
        return revoke(view, grant, chosen, now, administrator=administrator)

    if not request.id and not request.session.given:
        raise NotFound("no session is named", advice="pass its id or handle")
    result = ports.store.apply(grant, plan).result
    already = bool(result.get("already_closed")) if isinstance(result, dict) else False
    try:
        deleted = ports.store.drop_scope(grant, session_scope(chosen))
        ports.store.apply(grant, lambda view, now: ended(view, chosen, now, writer=writer))
    except Unavailable:
        # The session is closed already; a sweep deletes what is left.
        return RevokedSession(id=chosen, already_closed=already, items_deleted=0, pending=True)
    return RevokedSession(id=chosen, already_closed=already, items_deleted=deleted, pending=False)
