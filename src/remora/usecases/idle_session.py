"""Note that a chat has ended in its client: its private memory stays until the session runs out."""

from remora.core.graph import Changes
from remora.core.scope import Grant
from remora.core.sessions import SessionRef, idle, resolve
from remora.core.store_read import StoreRead
from remora.ports import FactPorts


def idle_session(ports: FactPorts, grant: Grant, session: SessionRef) -> bool:
    """Whether it was noted now; raises `NotFound` for a session that is not open."""

    def plan(view: StoreRead, now: int) -> Changes:
        return Changes(put=(idle(resolve(view, grant, session, now), now),), result=True)

    return bool(ports.store.apply(grant, plan).result)
