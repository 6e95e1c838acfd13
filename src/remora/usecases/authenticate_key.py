"""Turn a personal key into the grant that it opens here and now."""

from remora.core.directory.keys import grant_for, key_digest, looks_like_key, narrowed
from remora.core.policy import KEY_TOUCH_SECONDS
from remora.core.scope import Grant
from remora.ports import DirectoryPorts


def authenticate_key(ports: DirectoryPorts, ceiling: Grant, text: str) -> tuple[str, Grant] | None:
    """(key id, grant), never wider than `ceiling`; None alike for unknown, revoked and expired keys.

    Its last use is noted, at most once in a while.
    """
    if not looks_like_key(text):
        return None
    digest = key_digest(ports.key_secret(), text)
    found = ports.directory.credential(digest)
    now = ports.clock.now()
    grant = grant_for(found, digest, now) if found else None
    if found is None or grant is None:
        return None
    if now - found.key.last_used > KEY_TOUCH_SECONDS * 1_000_000:
        ports.directory.touch([found.key.id], now)
    return found.key.id, narrowed(grant, ceiling)
