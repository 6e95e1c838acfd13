"""A bag of ports for facts and sessions, on the plain store and on SQLite."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import server_engine
from fakes.clock import FakeClock
from fakes.memory_store import MemoryStore
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.sqlite.store import open_store
from remora.core.facts.batch import Triple
from remora.core.redaction import redact_text
from remora.core.scope import Channel, Grant, Right, Trust, operator_grant
from remora.core.sessions import SessionRef
from remora.ports import Repository
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.register_session import RegisterSessionRequest, register_session
from remora.usecases.remember import RememberRequest, remember
from store_shapes import REPO

OPERATOR = operator_grant(client="cli")


def member(name: str, right: Right = Right.WRITE, trust: Trust = Trust.AGENT) -> Grant:
    """A person or agent with one right on the repository."""
    return Grant(principal=name, rights=((REPO.identity, right),), channel=Channel.MCP, client="test", trust=trust)


@dataclass
class Bag:
    """The ports, and short ways to say things to the use cases."""

    store: Any
    clock: FakeClock
    record_index: Any
    repository: Repository = REPO
    redact: Callable[[str], str] = field(default=redact_text)
    embedder: Any = None

    def save(self, *triples: tuple[str, str, str] | Triple, grant: Grant = OPERATOR, **options: Any) -> Any:
        made = [t if isinstance(t, Triple) else Triple(subject=t[0], predicate=t[1], object=t[2]) for t in triples]
        return remember(self, grant, RememberRequest(triples=made, **options))

    def register(self, session_id: str = "chat-1", grant: Grant = OPERATOR, client: str = "claude-code") -> SessionRef:
        made = register_session(self, grant, RegisterSessionRequest(session_id=session_id, client=client))
        return SessionRef(handle=made.handle)

    def ask(self, query: str, grant: Grant = OPERATOR, memory_scope: str = "repository", **options: Any) -> list[str]:
        result = recall(self, grant, RecallRequest(query=query, memory_scope=memory_scope, **options))
        return [hit.title for hit in result.hits]


@pytest.fixture(params=["memory", "sqlite"])
def bag(request, tmp_path):
    clock = FakeClock()
    index = SqliteRecordIndex(tmp_path / "cache" / "records.sqlite3", FileRecordLog(tmp_path / "home"))
    store: Any = server_engine.partition(REPO, clock) if server_engine.EVERYWHERE else MemoryStore(REPO, clock)
    if request.param == "sqlite":
        store = open_store(tmp_path / "store.sqlite3", REPO, clock)
    yield Bag(store, clock, index)
    store.close()
    index.close()


@pytest.fixture
def as_member():
    return member
