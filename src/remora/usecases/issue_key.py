"""Issue a personal key: told once, kept as a keyed hash."""

from collections.abc import Sequence
from dataclasses import dataclass

from remora.core.directory.keys import KEY_BYTES, KEY_PREFIX, key_digest, key_id
from remora.core.directory.values import (
    Key,
    checked_name,
    checked_right,
    member_id,
    require_operator,
    split_principal,
)
from remora.core.errors import InvalidInput, NotFound
from remora.core.policy import KEY_DAYS_MAX
from remora.core.scope import Grant
from remora.ports import DirectoryPorts

_DAY_MICROSECONDS = 86_400_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRequest:
    """`right` caps what the key may do; `repositories` (ids) narrow where; `days` 0 is no expiry."""

    member: str
    name: str
    right: str = "write"
    repositories: Sequence[str] = ()
    days: int = 0


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """The key's text, which nothing can tell again, and its row."""

    text: str
    key: Key


def issue_key(ports: DirectoryPorts, grant: Grant, request: KeyRequest) -> IssuedKey:
    """A new key of a member. Raises `InvalidInput` for bad options, `NotFound` for unknown members or repositories."""
    require_operator(grant)
    item = member_id(*split_principal("member", request.member))
    name, right = checked_name("name", request.name), checked_right("right", request.right)
    if not 0 <= request.days <= KEY_DAYS_MAX:
        raise InvalidInput("days", f"is {request.days}", allowed=f"0 (no expiry) to {KEY_DAYS_MAX}")
    known = ports.directory.listing()
    if not any(row.id == item and not row.removed for row in known.members):
        raise NotFound("no member has this name", advice="add it first: remora org add ORGANISATION/MEMBER")
    missing = set(request.repositories) - {row.id for row in known.repositories}
    if missing:
        raise NotFound(f"{len(missing)} of these repositories are not known here", advice="remora org list")
    now = ports.clock.now()
    text = KEY_PREFIX + ports.clock.token(KEY_BYTES)
    digest = key_digest(ports.key_secret(), text)
    key = Key(
        id=key_id(digest),
        member=item,
        name=name,
        right=right,
        created=now,
        repositories=tuple(dict.fromkeys(request.repositories)),
        expires=now + request.days * _DAY_MICROSECONDS if request.days else 0,
    )
    ports.directory.add_key(key, digest)
    return IssuedKey(text, key)
