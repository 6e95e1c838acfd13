"""Remember what an infusion told a session: called after its text was delivered, with what was in that text."""

from collections.abc import Sequence

from remora.core.graph import Changes
from remora.core.infusion.ledger import Ledger, ledger_id
from remora.core.scope import SYSTEM, Grant
from remora.core.sessions import SessionRef, resolve
from remora.ports import EncounterPorts, StoreRead


def stamp_delivery(
    ports: EncounterPorts, grant: Grant, session: SessionRef, delivered: Sequence[tuple[str, str]], *, delta: bool
) -> int:
    """Stamp (key, state) pairs into the session's ledger; returns the turn. A full infusion is a turn, silent or not.

    Nothing is kept for a session that was never told anything, nor without a session. Raises `NotFound` for a session
    that is closed or not this caller's.
    """
    if not session.given:
        return 0

    def decide(view: StoreRead, now: int) -> Changes:
        owner = resolve(view, grant, session, now).id
        item = view.get((ledger_id(owner),), (SYSTEM,)).get(ledger_id(owner))
        ledger = Ledger.of(item)
        if item is None and not delivered:
            return Changes(result=0)
        stamped = ledger.stamped(delivered, delta=delta)
        if stamped == ledger:
            return Changes(result=ledger.turn)
        return Changes(put=(stamped.node(owner, now),), result=stamped.turn)

    return int(str(ports.store.apply(grant, decide).result))
