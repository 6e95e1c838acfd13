"""Take a member out of its organisation: every key closes at once, what was written keeps its author."""

from dataclasses import replace

from remora.core.directory.values import Row, member_id, require_operator, split_principal
from remora.core.errors import NotFound
from remora.core.scope import Grant
from remora.ports import DirectoryPorts


def remove_member(ports: DirectoryPorts, grant: Grant, principal: str) -> int:
    """Returns how many keys were revoked. Raises `NotFound` for nobody's name."""
    require_operator(grant)
    known = ports.directory.listing()
    item = member_id(*split_principal("member", principal))
    member = next((row for row in known.members if row.id == item and not row.removed), None)
    if member is None:
        raise NotFound("no member has this name", advice="list them: remora org list")
    now = ports.clock.now()
    keys: list[Row] = [replace(key, revoked=now) for key in known.keys if key.member == item and not key.revoked]
    ports.directory.put(replace(member, removed=now), *keys)
    return len(keys)
