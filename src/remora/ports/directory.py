"""Organisations, members, keys, repository grants and the table of served repositories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from remora.core.directory.keys import Credential
    from remora.core.directory.values import Key, KnownRepository, Listing, Row
    from remora.ports.repository import Clock


class Directory(Protocol):
    """One per server. Everything is refused by default: an empty directory opens nothing."""

    def listing(self) -> Listing:
        """All rows, removed and revoked ones included."""
        ...

    def repositories(self) -> tuple[KnownRepository, ...]:
        """The table of repositories, by id."""
        ...

    def put(self, *rows: Row) -> None:
        """Add or replace rows by their ids, all or none; a grant of no right is removed."""
        ...

    def add_key(self, key: Key, digest: str) -> None:
        """Add a key under its keyed hash; raises `Conflict` when it is there."""
        ...

    def credential(self, digest: str) -> Credential | None:
        """The key with this keyed hash, with its member and what they are granted."""
        ...

    def touch(self, key_ids: Iterable[str], now: int) -> None:
        """Note that keys were used."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class DirectoryPorts(Protocol):
    """What keeping the directory needs."""

    @property
    def directory(self) -> Directory:
        """The rows."""
        ...

    @property
    def clock(self) -> Clock:
        """Time and randomness."""
        ...

    def key_secret(self) -> bytes:
        """The server's own secret, under which keys are hashed."""
        ...


@dataclass(frozen=True)
class DirectoryDesk:
    """What keeping the directory needs; see `ports.DirectoryPorts`."""

    directory: Directory
    clock: Clock
    key_secret: Callable[[], bytes]
