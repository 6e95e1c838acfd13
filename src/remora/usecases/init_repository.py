"""Make a repository ready: its identity is pinned, its folders and its store exist."""

from dataclasses import dataclass
from typing import Protocol

from remora.core.graph import Json
from remora.core.scope import Grant, Right
from remora.ports import Checkout, RecordLog, Repository, StoreAdmin


class InitPorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def repository(self) -> Repository: ...
    @property
    def checkout(self) -> Checkout: ...
    @property
    def records(self) -> RecordLog: ...
    @property
    def store_admin(self) -> StoreAdmin: ...


@dataclass(frozen=True, slots=True)
class Initialised:
    """Where things are. `store` is the engine's own name for its place."""

    identity: str
    id: str
    root: str
    home: str
    store: str
    shared: bool

    def to_json(self) -> dict[str, Json]:
        """All of it."""
        return {"identity": self.identity, "id": self.id, "root": self.root, "home": self.home, "store": self.store,
                "shared": self.shared}  # fmt: skip


def init_repository(ports: InitPorts, grant: Grant, *, share_records: bool = False) -> Initialised:
    """Safe to repeat. `share_records` adds a folder that git tracks, for authored records of repository scope."""
    grant.require(ports.repository.identity, Right.WRITE)
    home = ports.records.prepare(share=share_records)
    ports.store_admin.migrate()
    return Initialised(
        ports.repository.identity,
        ports.repository.id,
        str(ports.checkout.root),
        str(home or ""),
        str(ports.store_admin.health().get("path", "")),
        share_records,
    )
