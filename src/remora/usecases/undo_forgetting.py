"""Undo a forget while it waits: everything is back as it was."""

from remora.core.errors import Conflict, NotFound
from remora.core.forgetting import bring_back, find
from remora.core.graph import Changes
from remora.core.scope import Grant, Right, is_session_scope
from remora.core.sessions import own_open
from remora.ports import EncounterPorts, StoreRead


def undo_forgetting(ports: EncounterPorts, grant: Grant, forgetting_id: str) -> str:
    """The id of what is back. Whoever asked may, and an administrator; `NotFound` alike for all others.

    Raises `Conflict` once the time is up: what is due is not given back, even when it is not erased yet.
    """
    administrator = grant.right(ports.repository.identity) >= Right.ADMIN
    target = ""

    def plan(view: StoreRead, now: int) -> Changes:
        nonlocal target
        found = find(view, forgetting_id)
        mine = found is not None and (administrator or found.principal == grant.principal)
        chats = [session.scope for session in own_open(view, grant, now)]
        if found is None or not mine or (is_session_scope(found.origin) and found.origin not in chats):
            raise NotFound("nothing waits to be forgotten under this id", advice="it may be erased already")
        if now >= found.due:
            raise Conflict("the time to undo this is over", advice="say it again if it should be known")
        target = found.target
        return bring_back(view, found)

    ports.store.apply(grant, plan)
    return target
