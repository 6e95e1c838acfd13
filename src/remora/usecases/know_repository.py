"""Put a repository into the table of those that this machine serves."""

from remora.core.directory.values import KnownRepository, require_operator
from remora.core.scope import Grant
from remora.ports import Checkout, DirectoryPorts


def know_repository(ports: DirectoryPorts, grant: Grant, checkout: Checkout) -> KnownRepository:
    """Add it, or note that it moved; nothing is written when the table says so already."""
    require_operator(grant)
    repository = checkout.repository
    row = KnownRepository(repository.id, repository.identity, str(checkout.root), str(checkout.home))
    if row not in ports.directory.repositories():
        ports.directory.put(row)
    return row
