"""Delete the private memory of sessions that have ended."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.encounters.ending import ended
from remora.core.graph import Json
from remora.core.scope import SYSTEM, Grant, Right, session_scope
from remora.core.sessions import FAMILY, SESSION, State, read_session
from remora.ports import FactPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """Ids of the sessions swept now, and how many items went."""

    sessions: tuple[str, ...]
    items_deleted: int

    def to_json(self) -> dict[str, Json]:
        """Counts only."""
        return {"sessions": len(self.sessions), "items_deleted": self.items_deleted}


def sweep_sessions(ports: FactPorts, grant: Grant) -> SweepResult:
    """Sweep every ended session that was not swept yet. Safe to run at any time, by several processes at once."""
    due: list[str] = []
    after = ""
    with ports.store.read(grant) as view:
        now = ports.clock.now()
        while True:
            items, after = view.scan(FAMILY, SESSION, (SYSTEM,), after=after, limit=policy.LIST_LIMIT_MAX)
            sessions = [read_session(item) for item in items]
            due += [found.id for found in sessions if not found.swept and found.state(now) is not State.OPEN]
            if not after:
                break
    deleted = 0
    writer = grant.right(ports.repository.identity) >= Right.WRITE
    for session in due:
        deleted += ports.store.drop_scope(grant, session_scope(session))
        ports.store.apply(grant, lambda view, now, closed=session: ended(view, closed, now, writer=writer))  # type: ignore[misc]
    return SweepResult(sessions=tuple(due), items_deleted=deleted)
