"""Erase what waited long enough to be forgotten: rows, index, vectors, and the bytes in the file and its journal."""

from dataclasses import dataclass

from remora.core.forgetting import Forgetting, erased, pending
from remora.core.graph import Changes
from remora.core.scope import Grant
from remora.ports import Decide, EncounterPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Ids of the forgets that are done, how many items went, and in how many seconds the next one is due (-1: none)."""

    done: tuple[str, ...] = ()
    items: int = 0
    next_seconds: int = -1


def erase_forgotten(ports: EncounterPorts, grant: Grant) -> Erased:
    """Erase everything that is due. Safe to run at any time, by several processes at once, and after a crash.

    The note of a forget goes last: whatever stops this midway, the next call finishes it.
    """
    with ports.store.read(grant) as view:
        now = ports.clock.now()
        waiting = pending(view)
    due = [found for found in waiting if found.due <= now]
    items = 0
    for found in due:
        items += ports.store.drop_scope(grant, found.scope)
        ports.store.apply(grant, _finish(found))
    later = [found for found in waiting if found.due > now]
    left = later[0].seconds_left(now) if later else -1
    return Erased(done=tuple(found.id for found in due), items=items, next_seconds=left)


def _finish(found: Forgetting) -> Decide:
    def plan(view: StoreRead, now: int) -> Changes:
        return erased(view, found, now)

    return plan
