"""Partitions of server databases: one link per database and process, however many repositories are open."""

import atexit
from functools import cache
from typing import TYPE_CHECKING

from remora.adapters.neo4j.address import Address, parse_address
from remora.adapters.neo4j.link import Link
from remora.adapters.neo4j.native import NativeQueries
from remora.adapters.neo4j.store import CopyTo, ServerStore, open_store
from remora.core.policy import BUSY_TIMEOUT_SECONDS

if TYPE_CHECKING:
    from remora.ports import Clock, Repository


def open_partition(
    url: str,
    repository: "Repository",
    clock: "Clock",
    *,
    user: str = "",
    password: str = "",
    database: str = "",
    copy_to: CopyTo | None = None,
) -> ServerStore:
    """The repository's partition at an address; `InvalidInput` for what is none, else raises like `open_store`."""
    address = parse_address(url, user=user, password=password, database=database)
    return open_store(link_to(address), repository, clock, copy_to=copy_to)


def open_queries(
    url: str, repository: "Repository", *, user: str = "", password: str = "", database: str = ""
) -> NativeQueries:
    """The operator's queries over one repository in its database."""
    return NativeQueries(link_to(parse_address(url, user=user, password=password, database=database)), repository.id)


@cache
def link_to(address: Address) -> Link:
    """The one link of this process to a database; closed when the process ends."""
    link = Link(address, deadline_seconds=BUSY_TIMEOUT_SECONDS)
    atexit.register(link.close)
    return link
