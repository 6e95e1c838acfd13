"""Close a key at once."""

from dataclasses import replace

from remora.core.directory.values import Key, require_operator
from remora.core.errors import NotFound
from remora.core.scope import Grant
from remora.ports import DirectoryPorts


def revoke_key(ports: DirectoryPorts, grant: Grant, key_id: str) -> Key:
    """By its id from a list. Revoking again changes nothing. Raises `NotFound`."""
    require_operator(grant)
    key = next((row for row in ports.directory.listing().keys if row.id == key_id), None)
    if key is None:
        raise NotFound("no key has this id", advice="list them: remora keys list")
    if key.revoked:
        return key
    closed = replace(key, revoked=ports.clock.now())
    ports.directory.put(closed)
    return closed
