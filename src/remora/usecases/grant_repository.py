"""Give a member or a whole organisation a right on a repository, or take it back."""

from remora.core.directory.values import (
    EVERY_REPOSITORY,
    Listing,
    RepositoryGrant,
    checked_name,
    checked_right,
    member_id,
    organisation_id,
    require_operator,
    split_principal,
)
from remora.core.errors import NotFound
from remora.core.scope import Grant, Right
from remora.ports import DirectoryPorts


def grant_repository(ports: DirectoryPorts, grant: Grant, repository: str, subject: str, right: str) -> RepositoryGrant:
    """`repository` is an id (or `*` for every one), `subject` ORGANISATION or ORGANISATION/MEMBER, `right` may be none.

    Raises `NotFound` for what is unknown: a grant to nobody would come alive when somebody takes the name.
    """
    require_operator(grant)
    known = ports.directory.listing()
    if repository != EVERY_REPOSITORY and all(row.id != repository for row in known.repositories):
        raise NotFound("no repository has this id here", advice="list them: remora org list")
    row = RepositoryGrant(repository, _subject(known, subject), _right(right))
    ports.directory.put(row)
    return row


def _right(raw: str) -> Right:
    return Right.NONE if raw.lower() == "none" else checked_right("right", raw)


def _subject(known: Listing, raw: str) -> str:
    if "/" in raw:
        item = member_id(*split_principal("subject", raw))
        found = any(row.id == item and not row.removed for row in known.members)
    else:
        item = organisation_id(checked_name("subject", raw))
        found = any(row.id == item for row in known.organisations)
    if not found:
        raise NotFound("no organisation or member has this name", advice="list them: remora org list")
    return item
