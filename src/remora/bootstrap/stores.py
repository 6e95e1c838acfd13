"""Which engine a repository's store lies in, and opening it there."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from remora.adapters.system import SystemClock, secret_remover
from remora.config import Settings
from remora.core import policy
from remora.core.errors import InvalidInput, RemoraError, Unavailable
from remora.core.scope import operator_grant
from remora.ports import Checkout, Clock, Repository, Store, StoreFile

if TYPE_CHECKING:
    from remora.adapters.neo4j.native import NativeQueries


def store_path(settings: Settings, repository_id: str) -> Path:
    """Where the embedded engine keeps a repository: one file per identity, outside the checkout."""
    return settings.data_dir / "repositories" / f"{repository_id}.sqlite3"


def open_store_file(settings: Settings, checkout: Checkout, clock: Clock) -> StoreFile:
    """The store of a repository, made on first use: a file of its own, or its partition on the server."""
    if settings.store_url:
        return _open_on_server(settings, checkout.repository, clock)
    from remora.adapters.sqlite.store import open_store

    path = store_path(settings, checkout.repository.id)
    return open_store(path, checkout.repository, clock, allow_network=settings.allow_network_fs)


def _open_on_server(settings: Settings, repository: Repository, clock: Clock) -> StoreFile:
    try:
        from remora.adapters.neo4j.engine import open_partition
    except ModuleNotFoundError as error:
        if error.name != "neo4j":
            raise
        advice = "install it: pip install 'remora[neo4j]'"
        raise Unavailable("the driver of the server engine is not installed", advice=advice) from error
    return open_partition(
        settings.store_url, repository, clock,
        user=settings.store_user, password=settings.store_password, database=settings.store_database,
        copy_to=partial(_backed_up, repository),
    )  # fmt: skip


def store_at(settings: Settings, place: str, repository: Repository) -> StoreFile:
    """The repository's store at a place: `embedded`, a file, or the address of a server engine."""
    from remora.adapters.sqlite.store import open_store

    clock = SystemClock()
    if "://" in place:
        return _open_on_server(replace(settings, store_url=place), repository, clock)
    path = store_path(settings, repository.id) if place == "embedded" else Path(place).expanduser().absolute()
    return open_store(path, repository, clock, allow_network=settings.allow_network_fs)


def open_native(settings: Settings, repository: Repository) -> "NativeQueries":
    """The operator's way into the server's database; raises `InvalidInput` where the store is none on a server."""
    if not settings.store_url:
        raise InvalidInput(
            "store", "is embedded", allowed="a server engine in REMORA_STORE; `remora encounters query` works on both"
        )
    _open_on_server(settings, repository, SystemClock())  # makes the layout ready, or says why not
    from remora.adapters.neo4j.engine import open_queries

    return open_queries(
        settings.store_url, repository,
        user=settings.store_user, password=settings.store_password, database=settings.store_database,
    )  # fmt: skip


def _backed_up(repository: Repository, store: Store, target: Path) -> None:
    """A backup of a store on a server is a store file with the same items."""
    from remora.adapters.sqlite.store import open_store
    from remora.usecases.copy_store import copy_store

    copy = open_store(target, repository, SystemClock(), allow_network=True)
    try:
        copy_store(store, copy, operator_grant())
    finally:
        copy.close()


@dataclass(frozen=True)
class _SweepPorts:
    """What a sweep needs of a store that was just opened."""

    repository: Repository
    store: Store
    clock: Clock
    redact: Callable[[str], str]
    embedder: None = None


def swept_store(settings: Settings, checkout: Checkout, clock: Clock) -> StoreFile:
    """The embedded store, rid of what ended sessions kept and of what is due to be forgotten; looked for once a while.

    A sweep that fails waits for the next opening: what it would delete can be read by nobody.
    """
    from remora.usecases.erase_forgotten import erase_forgotten
    from remora.usecases.sweep_sessions import sweep_sessions

    store = open_store_file(settings, checkout, clock)
    mark = store_path(settings, checkout.repository.id).with_suffix(".swept")
    with suppress(OSError, RemoraError):
        if not mark.exists() or time.time() - mark.stat().st_mtime > policy.SWEEP_SECONDS:
            ports = _SweepPorts(checkout.repository, store, clock, redactor(settings))
            sweep_sessions(ports, operator_grant())
            erase_forgotten(ports, operator_grant())
            mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            mark.touch(0o600)
    return store


def redactor(settings: Settings) -> Callable[[str], str]:
    """Takes secrets out of a text; placeholders carry a hash under this user's own key."""
    return secret_remover(settings.data_dir / "redaction.key")
