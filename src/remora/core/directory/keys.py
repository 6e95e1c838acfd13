"""Personal keys: what one looks like, the keyed hash that is all we keep, and what it opens."""

import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from remora.core.directory.values import EVERY_REPOSITORY, Key, Member, RepositoryGrant, organisation_id
from remora.core.ids import computed_id
from remora.core.scope import Grant, Right, Trust

KEY_PREFIX: Final = "rmk_"
KEY_BYTES: Final = 32
_KEY = re.compile(KEY_PREFIX + r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Credential:
    """A key with what it was found by and what its member is granted: by repository identity."""

    key: Key
    digest: str
    member: Member
    rights: tuple[tuple[str, Right], ...]


def key_digest(secret: bytes, text: str) -> str:
    """HMAC-SHA256 of a key under the server's own secret, as hex: a stolen table opens nothing and cannot be tried."""
    return hmac.digest(secret, text.encode("utf-8", "replace"), "sha256").hex()


def key_id(digest: str) -> str:
    """The public name of a key."""
    return computed_id("key_", digest)


def looks_like_key(text: str) -> bool:
    """Whether the text has the form of a key at all."""
    return _KEY.fullmatch(text) is not None


def rights_of(
    member: Member, key: Key, grants: Iterable[RepositoryGrant], identities: Mapping[str, str]
) -> tuple[tuple[str, Right], ...]:
    """(repository identity, right) that the key opens: what member and organisation are granted, under its own cap."""
    best: dict[str, Right] = {}
    for grant in grants:
        if grant.subject not in (member.id, organisation_id(member.organisation)):
            continue
        if key.repositories and grant.repository not in key.repositories:
            continue
        name = EVERY_REPOSITORY if grant.repository == EVERY_REPOSITORY else identities.get(grant.repository, "")
        if name:
            best[name] = max(best.get(name, Right.NONE), min(grant.right, key.right))
    return tuple(sorted((name, right) for name, right in best.items() if right))


def grant_for(credential: Credential, given_digest: str, now: int) -> Grant | None:
    """The grant that a key opens, None when it is revoked, run out or another's. Compares in constant time."""
    same = hmac.compare_digest(credential.digest, given_digest)
    if not same or not credential.key.valid(now) or credential.member.removed:
        return None
    return Grant(
        principal=credential.member.principal,
        rights=credential.rights,
        workspaces=frozenset({credential.member.organisation}),
        trust=Trust.MEMBER,
    )


def narrowed(grant: Grant, ceiling: Grant) -> Grant:
    """The grant under the server's own options: rights, workspaces, privacy and trust are never wider than either's."""
    if ceiling.operator:
        return grant
    names = {name for name, _ in (*grant.rights, *ceiling.rights)}
    rights = tuple(
        (name, right) for name in sorted(names) if (right := min(grant.right(name), ceiling.right(name))) > Right.NONE
    )
    everywhere = "*" in ceiling.workspaces
    workspaces = grant.workspaces if everywhere else grant.workspaces & ceiling.workspaces
    if "*" in grant.workspaces and not everywhere:
        workspaces = ceiling.workspaces
    return Grant(
        principal=grant.principal,
        rights=rights,
        workspaces=workspaces,
        allow_private=grant.allow_private and ceiling.allow_private,
        channel=grant.channel,
        client=grant.client,
        trust=min(grant.trust, ceiling.trust),
    )
