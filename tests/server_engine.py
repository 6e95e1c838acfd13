"""Partitions on the real server that a run of the tests was given; each test gets partitions of its own."""

import os
import secrets
from functools import cache
from pathlib import Path
from typing import Any

from remora.core.ids import repo_id
from remora.ports import Clock, Repository

URL = os.environ.get("REMORA_TEST_NEO4J", "")
"""Bolt URL of the server; empty where there is none."""
EVERYWHERE = bool(os.environ.get("REMORA_TEST_EVERYWHERE")) and bool(URL)
"""Whether desks, bags and worlds keep their memory on the server instead of where they usually do."""


@cache
def link(deadline_seconds: float = 30) -> Any:
    """The link to the server that the whole run uses."""
    from remora.adapters.neo4j.address import parse_address
    from remora.adapters.neo4j.link import Link

    return Link(parse_address(URL), deadline_seconds=deadline_seconds)


def partition(repository: Repository, clock: Clock, folder: Path | None = None) -> Any:
    """A store on the server; the same folder and repository mean the same partition, no folder a new one."""
    from remora.adapters.neo4j.store import open_store

    name = repo_id(f"{folder or secrets.token_hex(16)}{repository.id}")
    return open_store(link(), Repository(repository.identity, name, repository.root, repository.aliases), clock)
