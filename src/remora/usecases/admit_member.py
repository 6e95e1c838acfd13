"""Add a member to an organisation, which is made when it is new."""

from remora.core.directory.values import Member, Organisation, Row, organisation_id, require_operator, split_principal
from remora.core.errors import Conflict
from remora.core.scope import Grant
from remora.ports import DirectoryPorts


def admit_member(ports: DirectoryPorts, grant: Grant, principal: str) -> Member:
    """`principal` is ORGANISATION/MEMBER. Raises `InvalidInput` for bad names, `Conflict` for a present member.

    A member that was removed comes back without keys. Names keep the spelling in which they were first seen.
    """
    require_operator(grant)
    organisation, name = split_principal("member", principal)
    known = ports.directory.listing()
    now = ports.clock.now()
    group = next((row for row in known.organisations if row.id == organisation_id(organisation)), None)
    rows: list[Row] = [] if group else [Organisation(organisation, now)]
    member = Member(group.name if group else organisation, name, now)
    former = next((row for row in known.members if row.id == member.id), None)
    if former and not former.removed:
        raise Conflict(f"{former.principal} is a member already")
    ports.directory.put(*rows, member)
    return member
