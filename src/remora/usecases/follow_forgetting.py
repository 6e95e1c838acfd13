"""Say where a forget stands: it waits, it is erased, or the item is back."""

from dataclasses import dataclass
from enum import StrEnum

from remora.core.errors import NotFound
from remora.core.facts.layout import tombstone_id
from remora.core.forgetting import find
from remora.core.scope import REPOSITORY, Grant, Right
from remora.core.sessions import own_open
from remora.ports import EncounterPorts


class Standing(StrEnum):
    """Waiting can be undone; erased cannot; back is what was undone or said anew."""

    WAITING = "waiting"
    ERASED = "erased"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Followed:
    """Where it stands, and how long it can still be undone."""

    standing: Standing
    seconds_left: int = 0


def follow_forgetting(ports: EncounterPorts, grant: Grant, forgetting_id: str, target: str) -> Followed:
    """Of one's own forgets, and of anyone's for an administrator. Raises `NotFound` for what nobody asked to forget."""
    administrator = grant.right(ports.repository.identity) >= Right.ADMIN
    with ports.store.read(grant) as view:
        now = ports.clock.now()
        found = find(view, forgetting_id)
        if found is not None and (administrator or found.principal == grant.principal):
            return Followed(Standing.WAITING, found.seconds_left(now))
        scopes = (REPOSITORY, *(session.scope for session in own_open(view, grant, now)))
        left = view.get((target, tombstone_id(target)), scopes)
    if target in left:
        return Followed(Standing.BACK)
    if tombstone_id(target) in left:
        return Followed(Standing.ERASED)
    raise NotFound("nothing was forgotten under this id")
