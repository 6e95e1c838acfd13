"""List sessions: one's own, or, for an administrator, everyone's (never what they hold)."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.graph import Json
from remora.core.scope import SYSTEM, Grant, Right
from remora.core.sessions import FAMILY, SESSION, Session, State, read_session, session_json
from remora.ports import FactPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSessionsRequest:
    """`everyone` needs the admin right; `closed` shows ended sessions too."""

    everyone: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSessionsResult:
    """Sessions, newest first."""

    sessions: tuple[Session, ...]
    now: int

    def to_json(self) -> dict[str, Json]:
        """As rows, bounded."""
        shown = self.sessions[: policy.LIST_LIMIT_MAX]
        return {
            "sessions": [session_json(session, self.now) for session in shown],
            "total": len(self.sessions),
            "truncated": len(shown) < len(self.sessions),
        }


def list_sessions(ports: FactPorts, grant: Grant, request: ListSessionsRequest) -> ListSessionsResult:
    """The caller's sessions, newest first. Raises `Denied` for `everyone` without the admin right."""
    if request.everyone:
        grant.require(ports.repository.identity, Right.ADMIN)
    found: list[Session] = []
    after = ""
    with ports.store.read(grant) as view:
        now = ports.clock.now()
        while True:
            items, after = view.scan(FAMILY, SESSION, (SYSTEM,), after=after, limit=policy.LIST_LIMIT_MAX)
            found += map(read_session, items)
            if not after:
                break
    wanted = [
        session
        for session in found
        if (request.everyone or session.principal == grant.principal)
        and (request.closed or session.state(now) is State.OPEN)
    ]
    wanted.sort(key=lambda session: (-session.registered, session.id))
    return ListSessionsResult(sessions=tuple(wanted), now=now)
