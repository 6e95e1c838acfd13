"""A bag for offloading: a store, the real queue, and models routed to a scripted chat server on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from chat_server import Behaviour, ChatServer, chat_server
from fakes.clock import FakeClock
from fakes.memory_store import MemoryStore
from remora.adapters.offload_queue import OffloadQueue, RepositoryJobs
from remora.adapters.openai_http.chat import RoutedModels
from remora.adapters.sqlite.store import open_store
from remora.adapters.transcript_files import TranscriptFiles
from remora.core.models.routes import Routes, parse_routes
from remora.core.redaction import redact_text
from remora.core.scope import Grant, operator_grant
from remora.core.sessions import SessionRef
from remora.ports import Repository
from remora.usecases.extract_facts import extract_facts
from remora.usecases.list_facts import ListFactsRequest, list_facts
from remora.usecases.list_jobs import ListJobsRequest, list_jobs
from remora.usecases.offload_turns import OffloadRequest, OffloadResult, offload_turns
from remora.usecases.register_session import RegisterSessionRequest, register_session
from store_shapes import REPO

OPERATOR = operator_grant(client="cli")


@dataclass
class Bag:
    """The ports, and short ways to offload and to look."""

    store: Any
    clock: FakeClock
    queue: OffloadQueue
    routes: Routes = field(default_factory=Routes)
    repository: Repository = REPO
    redact: Any = redact_text
    embedder: Any = None
    transcripts: TranscriptFiles = field(default_factory=TranscriptFiles)

    @property
    def models(self) -> RoutedModels:
        return RoutedModels(self.routes, lambda name: "")

    @property
    def jobs(self) -> RepositoryJobs:
        return RepositoryJobs(self.queue, lambda: self.store, lambda offload: extract_facts(self, offload))

    @contextmanager
    def asking(self, *script: Behaviour, timeout: float = 10) -> Iterator[ChatServer]:
        """Task memory routed to a scripted server while the block lasts."""
        with chat_server(*script) as server:
            row = {"kind": "openai-compatible", "base_url": server.url, "model": "m", "local": True, "timeout": timeout}
            self.routes = parse_routes({"providers": {"stub": row}, "tasks": {"memory": "stub"}})
            yield server
            self.queue.drain(30)
            self.routes = Routes()

    def register(self, session_id: str = "chat-1", grant: Grant = OPERATOR) -> SessionRef:
        made = register_session(self, grant, RegisterSessionRequest(session_id=session_id, client="claude-code"))
        return SessionRef(handle=made.handle)

    def offload(self, ref: SessionRef, *said: str, grant: Grant = OPERATOR, **more: Any) -> OffloadResult:
        turns = [{"role": "user", "content": text} for text in said]
        return offload_turns(self, grant, OffloadRequest(turns=turns, session=ref, **more))

    def finished(self, grant: Grant = OPERATOR, **more: Any) -> list[dict[str, Any]]:
        """The job list, once the queue is empty."""
        assert self.queue.drain(30)
        return [job.to_json() for job in list_jobs(self, grant, ListJobsRequest(**more)).jobs]

    def facts(self, ref: SessionRef | None = None, grant: Grant = OPERATOR) -> list[str]:
        scope = {"memory_scope": "session", "session": ref} if ref else {}
        rows: Any = list_facts(self, grant, ListFactsRequest(**scope)).to_json()["facts"]
        return sorted(f"{row['subject']} {row['predicate']} {row['object']}" for row in rows)


@pytest.fixture(params=["memory", "sqlite"])
def bag(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Bag]:
    clock = FakeClock()
    store: Any = MemoryStore(REPO, clock)
    if request.param == "sqlite":
        store = open_store(tmp_path / "store.sqlite3", REPO, clock)
    made = Bag(store, clock, OffloadQueue("holder-1", limit=3))
    yield made
    made.queue.drain(30)
    store.close()
