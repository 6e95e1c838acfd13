"""Registered chats: who holds a private scope, until when, and which handles open it.

Only hashes of handles are kept (a handle node's id is one), so a handle cannot be told twice: registering the same
chat again issues a new handle for the same session, and the old ones stay valid until the session ends. A process that
knows the runtime's session id needs no handle: `resolve_runtime` finds its session by (principal, client, session id).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from remora.core import policy
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.core.graph import Changes, Item, Json, Node
from remora.core.ids import computed_id
from remora.core.scope import SYSTEM, Grant, session_scope
from remora.core.store_read import StoreRead

FAMILY: Final = "sessions"
SESSION: Final = "Session"
HANDLE: Final = "Handle"
HANDLE_PREFIX: Final = "rs_"
HANDLE_BYTES: Final = 16
"""128 random bits: short enough for an agent to copy, beyond guessing."""
_DAY_MICROSECONDS = 86_400_000_000
SESSION_ID_FORM: Final = r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._:@+=-]{0,127}"
CLIENT_FORM: Final = r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/+ -]{0,63}"
"""What a runtime's session id and a client's name look like, as regular expressions over the whole text."""
_SESSION_ID = re.compile(SESSION_ID_FORM)
_CLIENT = re.compile(CLIENT_FORM)
_HANDLE = re.compile(HANDLE_PREFIX + r"[0-9a-f]{32}")
_REGISTER = "register this chat's session id with its client name; a closed chat needs a new session id"


class State(StrEnum):
    """Where a session is in its life. `expired` and `revoked` are both closed for good."""

    OPEN = "open"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One chat of one principal with one client. Times are microseconds; `revoked` is 0 while it is not."""

    id: str
    principal: str
    client: str
    session_id: str
    registered: int
    expires: int
    revoked: int = 0
    swept: bool = False
    idle: int = 0
    """When its client said that the chat ended, 0 while it goes on; a chat may be resumed."""
    handles: tuple[str, ...] = ()

    @property
    def scope(self) -> str:
        """Scope key of the session's private items."""
        return session_scope(self.id)

    def state(self, now: int) -> State:
        """Open until revoked or run out."""
        if self.revoked:
            return State.REVOKED
        return State.OPEN if now < self.expires else State.EXPIRED


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRef:
    """How a caller names its session: by handle, by its runtime's (client, session id), by both, or not at all."""

    handle: str = ""
    client: str = ""
    session_id: str = ""

    @property
    def given(self) -> bool:
        """Whether any session is named."""
        return bool(self.handle or self.session_id)


def session_node_id(principal: str, client: str, session_id: str) -> str:
    """Id of a session; the repository is implied by the store."""
    return computed_id("ses_", principal, client, session_id)


def handle_id(handle: str) -> str:
    """Id of a handle's node: a hash, so the store cannot tell the handle."""
    return computed_id("hdl_", handle)


def checked_names(client: object, session_id: object) -> tuple[str, str]:
    """Client name and runtime session id, or `InvalidInput`. Neither can be a path or hold control characters."""
    if not isinstance(client, str) or not _CLIENT.fullmatch(client):
        raise InvalidInput("client", "is not a client name", allowed="1 to 64 letters, digits and . _ / + - or space")
    if not isinstance(session_id, str) or not _SESSION_ID.fullmatch(session_id):
        raise InvalidInput("session_id", "is not a session id", allowed="1 to 128 letters, digits and . _ : @ + = -")
    return client, session_id


def register(view: StoreRead, grant: Grant, client: str, session_id: str, handle: str, now: int) -> Changes:
    """Open or re-open the session of (principal, client, session id) under one more handle.

    Re-registering does not extend it. Raises `Conflict` for a closed one: its id stays closed.
    """
    client, session_id = checked_names(client, session_id)
    item = session_node_id(grant.principal, client, session_id)
    known = view.get((item,), (SYSTEM,)).get(item)
    session = read_session(known) if known is not None else _fresh(item, grant, client, session_id, now)
    if session.state(now) is not State.OPEN:
        raise Conflict(
            f"this session is {session.state(now)}; its id stays closed", advice="register with a new session id"
        )
    handles = (*session.handles, handle_id(handle))
    over = len(handles) - policy.HANDLES_PER_SESSION
    kept = (handles[0], *handles[1 + over :]) if over > 0 else handles
    session = replace(session, handles=kept, idle=0)
    return Changes(
        put=(session_node(session, now), _handle_node(handle, session, now)),
        drop=handles[1 : 1 + over] if over > 0 else (),
        result={"session": session_json(session, now), "renewed": known is not None},
    )


def _fresh(item: str, grant: Grant, client: str, session_id: str, now: int) -> Session:
    return Session(
        id=item,
        principal=grant.principal,
        client=client,
        session_id=session_id,
        registered=now,
        expires=now + policy.SESSION_LIFETIME_DAYS * _DAY_MICROSECONDS,
    )


def resolve_session(view: StoreRead, grant: Grant, handle: str, now: int) -> Session:
    """The open session that a handle belongs to.

    Raises `NotFound` with one and the same message for an unknown, foreign, revoked or expired one; an operator's
    grant opens no one else's session either.
    """
    if _HANDLE.fullmatch(handle):
        key = handle_id(handle)
        node = view.get((key,), (SYSTEM,)).get(key)
        if node is not None:
            return _open(view, grant, str(node.body.get("session", "")), now)
    raise _absent()


def resolve_runtime(view: StoreRead, grant: Grant, client: str, session_id: str, now: int) -> Session:
    """The open session registered for the caller's own (client, session id); raises like `resolve_session`."""
    client, session_id = checked_names(client, session_id)
    return _open(view, grant, session_node_id(grant.principal, client, session_id), now)


def resolve(view: StoreRead, grant: Grant, ref: SessionRef, now: int) -> Session:
    """The open session that a caller names; a handle and a runtime id that disagree are refused."""
    if not ref.handle:
        return resolve_runtime(view, grant, ref.client, ref.session_id, now)
    session = resolve_session(view, grant, ref.handle, now)
    if ref.session_id and (ref.session_id, ref.client) != (session.session_id, session.client):
        raise InvalidInput("session", "the handle and the runtime's session id name different sessions")
    return session


def _open(view: StoreRead, grant: Grant, item: str, now: int) -> Session:
    node = view.get((item,), (SYSTEM,)).get(item)
    if node is not None:
        session = read_session(node)
        if session.principal == grant.principal and session.state(now) is State.OPEN:
            return session
    raise _absent()


def _absent() -> NotFound:
    return NotFound("no open session has this handle", advice=_REGISTER)


def own_open(view: StoreRead, grant: Grant, now: int) -> list[Session]:
    """The newest open sessions of the caller, newest first."""
    items, _ = view.scan(FAMILY, SESSION, (SYSTEM,), limit=policy.LIST_LIMIT_MAX, newest_first=True)
    own = [found for found in map(read_session, items) if found.principal == grant.principal]
    return [found for found in own if found.state(now) is State.OPEN][: policy.BROWSE_SESSIONS_MAX]


def revoke(view: StoreRead, grant: Grant, session: str, now: int, *, administrator: bool) -> Changes:
    """Close a session at once, by its node id. Its owner may, and an administrator; others learn nothing."""
    node = view.get((session,), (SYSTEM,)).get(session)
    found = read_session(node) if node is not None and node.label == SESSION else None
    if found is None or not (administrator or found.principal == grant.principal):
        raise NotFound("no session has this id", advice="list your sessions")
    if found.state(now) is not State.OPEN:
        return Changes(result={"session": session_json(found, now), "already_closed": True})
    found = replace(found, revoked=now)
    return Changes(
        put=(session_node(found, now),), result={"session": session_json(found, now), "already_closed": False}
    )


def idle(session: Session, now: int) -> Node:
    """The session with a note that its chat ended."""
    return session_node(replace(session, idle=now), now)


def swept(view: StoreRead, session: str, now: int) -> Changes:
    """Note that a closed session's private items are gone, and forget its handles."""
    node = view.get((session,), (SYSTEM,)).get(session)
    if node is None:
        return Changes()
    found = read_session(node)
    if found.swept or found.state(now) is State.OPEN:
        return Changes()
    return Changes(put=(session_node(replace(found, swept=True, handles=()), now),), drop=found.handles)


def session_node(session: Session, now: int) -> Node:
    """The stored form: bookkeeping, never searchable."""
    body: dict[str, Json] = {
        "principal": session.principal,
        "client": session.client,
        "session_id": session.session_id,
        "expires": session.expires,
        "handles": list(session.handles),
    }
    if session.revoked:
        body["revoked"] = session.revoked
    if session.swept:
        body["swept"] = True
    if session.idle:
        body["idle"] = session.idle
    return Node(
        id=session.id,
        family=FAMILY,
        label=SESSION,
        scope=SYSTEM,
        name=session.session_id,
        body=body,
        created=session.registered,
        updated=now,
    )


def _handle_node(handle: str, session: Session, now: int) -> Node:
    return Node(
        id=handle_id(handle),
        family=FAMILY,
        label=HANDLE,
        scope=SYSTEM,
        name="",
        body={"session": session.id},
        created=now,
        updated=now,
    )


def read_session(node: Item) -> Session:
    """Read what `session_node` wrote."""
    body: Mapping[str, Json] = node.body
    handles = body.get("handles")
    return Session(
        id=node.id,
        principal=str(body.get("principal", "")),
        client=str(body.get("client", "")),
        session_id=str(body.get("session_id", "")),
        registered=node.created,
        expires=_time(body.get("expires")),
        revoked=_time(body.get("revoked")),
        swept=bool(body.get("swept")),
        idle=_time(body.get("idle")),
        handles=tuple(str(item) for item in handles) if isinstance(handles, list | tuple) else (),
    )


def session_json(session: Session, now: int) -> dict[str, Json]:
    """What its owner may know; times in microseconds UTC."""
    return {
        "id": session.id,
        "client": session.client,
        "session_id": session.session_id,
        "principal": session.principal,
        "state": session.state(now).value,
        "registered_at": session.registered,
        "expires_at": session.expires,
        **({"idle_at": session.idle} if session.idle else {}),
    }


def _time(value: Json) -> int:
    return int(value) if isinstance(value, int | float) else 0
