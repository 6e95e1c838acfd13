"""Register a chat, or register it again: returns a handle that opens its private memory."""

from dataclasses import dataclass

from remora.core.errors import Unavailable
from remora.core.graph import Changes, Json
from remora.core.scope import Grant
from remora.core.sessions import HANDLE_BYTES, HANDLE_PREFIX, Session, register, resolve_session, session_json
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterSessionRequest:
    """The runtime's own session id, and the client's name (the grant's client when empty)."""

    session_id: str
    client: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredSession:
    """The handle (told once; only its hash is kept) and the session it opens."""

    handle: str
    session: Session
    renewed: bool
    now: int

    def to_json(self) -> dict[str, Json]:
        """The session with its handle; pass the handle as `session` from now on."""
        return {**session_json(self.session, self.now), "session": self.handle, "renewed": self.renewed}


def register_session(ports: FactPorts, grant: Grant, request: RegisterSessionRequest) -> RegisteredSession:
    """Register (principal, client, session id). Again is the same session under one more handle, never extended.

    Raises `Conflict` for a closed session: its id stays closed and a resumed chat needs a new one.
    """
    handle = HANDLE_PREFIX + ports.clock.token(HANDLE_BYTES)

    def plan(view: StoreRead, now: int) -> Changes:
        return register(view, grant, request.client or grant.client, request.session_id, handle, now)

    applied = ports.store.apply(grant, plan)
    now = ports.clock.now()
    with ports.store.read(grant) as view:
        session = resolve_session(view, grant, handle, now)
    if not isinstance(applied.result, dict):
        raise Unavailable("the store gave no answer to a registration", advice="try again")
    return RegisteredSession(handle=handle, session=session, renewed=bool(applied.result.get("renewed")), now=now)
