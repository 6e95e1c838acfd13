"""The rows of the directory, and the names they may have."""

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from remora.core.errors import Denied, InvalidInput
from remora.core.ids import computed_id
from remora.core.policy import DIRECTORY_NAME_MAX_CHARS
from remora.core.scope import Grant, Right

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_RESERVED = frozenset({"operator"})
EVERY_REPOSITORY: Final = "*"


@dataclass(frozen=True, slots=True)
class Organisation:
    """A group of members. Times are microseconds everywhere in the directory."""

    name: str
    created: int

    @property
    def id(self) -> str:
        """Computed from the name."""
        return organisation_id(self.name)


@dataclass(frozen=True, slots=True)
class Member:
    """One person or machine of one organisation. `principal` is unique on the server."""

    organisation: str
    name: str
    created: int
    removed: int = 0

    @property
    def principal(self) -> str:
        """`organisation/name`: what provenance and ownership hold."""
        return f"{self.organisation}/{self.name}"

    @property
    def id(self) -> str:
        """Computed from the names."""
        return member_id(self.organisation, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A personal key without its secret. `right` and `repositories` (ids; empty: all of the member's) narrow it."""

    id: str
    member: str
    name: str
    right: Right
    created: int
    repositories: tuple[str, ...] = ()
    expires: int = 0
    revoked: int = 0
    last_used: int = 0

    def valid(self, now: int) -> bool:
        """Whether it still opens anything."""
        return not self.revoked and (not self.expires or now < self.expires)


@dataclass(frozen=True, slots=True)
class KnownRepository:
    """A repository that this machine serves: its identity, and where its checkout and its memory's home are."""

    id: str
    identity: str
    root: str
    home: str


@dataclass(frozen=True, slots=True)
class RepositoryGrant:
    """A right on a repository for one subject: a member's or an organisation's id. `Right.NONE` takes it back."""

    repository: str
    subject: str
    right: Right


Row: TypeAlias = Organisation | Member | Key | KnownRepository | RepositoryGrant


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything in the directory, ordered by name or id. Holds no secret."""

    organisations: tuple[Organisation, ...] = ()
    members: tuple[Member, ...] = ()
    keys: tuple[Key, ...] = ()
    repositories: tuple[KnownRepository, ...] = ()
    grants: tuple[RepositoryGrant, ...] = ()


def organisation_id(name: str) -> str:
    """Id of an organisation; case does not tell two apart."""
    return computed_id("org_", name.lower())


def member_id(organisation: str, name: str) -> str:
    """Id of a member."""
    return computed_id("usr_", organisation.lower(), name.lower())


def checked_name(field: str, raw: str) -> str:
    """A name fit for a principal; raises `InvalidInput`."""
    if not _NAME.fullmatch(raw) or len(raw) > DIRECTORY_NAME_MAX_CHARS or ".." in raw or raw.lower() in _RESERVED:
        allowed = f"1 to {DIRECTORY_NAME_MAX_CHARS} letters, digits and . _ -, a letter or digit at both ends"
        raise InvalidInput(field, "is not a name" if raw.lower() not in _RESERVED else "is reserved", allowed=allowed)
    return raw


def split_principal(field: str, raw: str) -> tuple[str, str]:
    """`organisation/member` as a pair; raises `InvalidInput`."""
    organisation, slash, member = raw.partition("/")
    if not slash:
        raise InvalidInput(field, "names no member", allowed="ORGANISATION/MEMBER")
    return checked_name(field, organisation), checked_name(field, member)


def require_operator(grant: Grant) -> None:
    """Raise `Denied` unless the operator of this machine asks."""
    if not grant.operator:
        raise Denied("only the operator of this machine keeps its directory")


def checked_right(field: str, raw: str) -> Right:
    """`read`, `write` or `admin`; raises `InvalidInput`."""
    for right in (Right.READ, Right.WRITE, Right.ADMIN):
        if raw.lower() == right.name.lower():
            return right
    raise InvalidInput(field, f"{raw[:40]!r} is not a right", allowed="read, write or admin")
