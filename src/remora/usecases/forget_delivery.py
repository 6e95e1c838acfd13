"""Forget what a session was told: after a compaction it is out of the chat's sight, so it may be told again."""

from remora.core.graph import Changes
from remora.core.infusion.ledger import ledger_id
from remora.core.scope import SYSTEM, Grant
from remora.core.sessions import SessionRef, resolve
from remora.core.store_read import StoreRead
from remora.ports import FactPorts


def forget_delivery(ports: FactPorts, grant: Grant, session: SessionRef) -> bool:
    """Whether there was anything to forget; raises `NotFound` for a session that is not open."""

    def plan(view: StoreRead, now: int) -> Changes:
        key = ledger_id(resolve(view, grant, session, now).id)
        return Changes(drop=(key,), result=True) if view.get((key,), (SYSTEM,)) else Changes(result=False)

    return bool(ports.store.apply(grant, plan).result)
