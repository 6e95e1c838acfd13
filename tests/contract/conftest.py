"""The engines that every contract test runs on. A new engine joins by adding its maker to `store_engines`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import server_engine
from fakes.clock import FakeClock
from fakes.memory_store import MemoryStore
from remora.adapters.sqlite.store import open_store
from remora.ports import Repository
from store_shapes import REPO

Maker = Callable[[Path, Repository, FakeClock], Any]
"""(empty folder, repository, clock) -> an open `Store` that is a `StoreAdmin` too."""


def _memory(folder: Path, repository: Repository, clock: FakeClock) -> MemoryStore:
    return MemoryStore(repository, clock)


def _sqlite(folder: Path, repository: Repository, clock: FakeClock) -> Any:
    return open_store(folder / "store.sqlite3", repository, clock)


def _neo4j(folder: Path, repository: Repository, clock: FakeClock) -> Any:
    return server_engine.partition(repository, clock, folder)


def store_engines() -> dict[str, Maker]:
    """Name -> maker of every engine that can run here."""
    server = {"neo4j": _neo4j} if server_engine.URL else {}
    return {"memory": _memory, "sqlite": _sqlite, **server}


def _parameters(without: set[str]) -> list[Any]:
    """The engines' names as parameters; what needs a server carries its marker."""
    names = sorted(store_engines().keys() - without)
    return [pytest.param(name, marks=[pytest.mark.neo4j] if name == "neo4j" else []) for name in names]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=_parameters({"memory"}))
def engine(request: pytest.FixtureRequest) -> Maker:
    """The maker of one real engine."""
    return store_engines()[request.param]


@pytest.fixture(params=_parameters(set()))
def make_store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Callable[..., Any]]:
    """Opens stores of one engine; all are closed at the end."""
    maker = store_engines()[request.param]
    opened: list[Any] = []

    def make(repository: Repository = REPO) -> Any:
        folder = tmp_path / repository.id
        folder.mkdir(exist_ok=True)
        opened.append(maker(folder, repository, clock))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: Callable[..., Any]) -> Any:
    return make_store()
