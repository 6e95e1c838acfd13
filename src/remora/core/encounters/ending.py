"""What the end of a session leaves behind in encounters: a mechanical mark, and no bookkeeping."""

from remora.core.analytics.named import shelf_id
from remora.core.encounters import spine
from remora.core.graph import Changes, Node
from remora.core.infusion.ledger import ledger_id
from remora.core.scope import REPOSITORY, SYSTEM
from remora.core.sessions import swept
from remora.core.store_read import StoreRead


def ended(view: StoreRead, session: str, now: int, *, writer: bool) -> Changes:
    """Everything that is noted when a closed session is swept: the session itself, and what it left in encounters.

    Nothing is noted yet when it left encounters open and the caller is no `writer`: a sweep by one who is does it.
    """
    noted, left = swept(view, session, now), session_ended(view, session, now)
    if left.put and not writer:
        return Changes()
    return Changes(put=(*noted.put, *left.put), drop=(*noted.drop, *left.drop))


def session_ended(view: StoreRead, session: str, now: int) -> Changes:
    """The plan for an expired or revoked session: `dissolved_at` on what it left open; its pointer, delivery ledger and
    projections go. Needs the write right when something was left open.
    """
    own = (spine.pointer_id(session), ledger_id(session), shelf_id(session))
    found = view.get(own, (SYSTEM,))
    pointer = spine.Pointer.of(session, found)
    left = view.get(pointer.unsealed, (REPOSITORY,))
    changes = spine.dissolve([item for item in left.values() if isinstance(item, Node)], now)
    return Changes(put=changes.put, drop=tuple(found))
