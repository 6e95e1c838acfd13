"""A desk to write encounters at: real use cases over a store in memory, or over SQLite."""

from dataclasses import dataclass, field
from pathlib import Path

import server_engine
from fakes.clock import FakeClock
from fakes.memory_store import MemoryStore
from remora.adapters.derived_cache import DerivedCache
from remora.adapters.graph_metrics import RustworkxMetrics
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core.encounters.identity import node_id
from remora.core.scope import REPOSITORY, Channel, Grant, Right, Trust, operator_grant
from remora.core.sessions import SessionRef
from remora.ports import Repository
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.close_encounter import CloseRequest, close_encounter
from remora.usecases.create_entities import create_entities
from remora.usecases.create_relations import create_relations

REPO = Repository(identity="example.org/desk", id="r_0123456789abcdef")
AGENT = operator_grant(Channel.MCP, "test-client")
SEEN = "2026-03-01T09:30:00+01:00"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def member(principal: str = "ann", *, right: Right = Right.WRITE, trust: Trust = Trust.AGENT) -> Grant:
    return Grant(principal=principal, rights=((REPO.identity, right),), channel=Channel.MCP, client="c", trust=trust)


def masked(text: str) -> str:
    return text.replace(SECRET, "[secret]")


@dataclass
class Desk:
    """The ports that encounters need, with shorthands. Every write moves the clock by a second."""

    clock: FakeClock = field(default_factory=FakeClock)
    repository: Repository = REPO
    grant: Grant = AGENT
    store: object = None
    redact: object = masked
    embedder: object = None
    models: object = None
    handle: str = ""
    folder: Path | None = None

    def __post_init__(self) -> None:
        self.store = self.store or self._own_store()
        if self.folder:
            self.records = FileRecordLog(self.folder / ".remora")
            self.record_index = SqliteRecordIndex(self.folder / "cache" / "records.sqlite3", self.records)
        self.metrics = RustworkxMetrics()
        self.cache = DerivedCache()

    def _own_store(self) -> object:
        if server_engine.EVERYWHERE:
            return server_engine.partition(self.repository, self.clock)
        return MemoryStore(self.repository, self.clock)

    def ref(self, session: str | None = None, **more: str) -> SessionRef:
        return SessionRef(handle=self.handle if session is None else session, **more)

    def advance(self, name: str, session: str | None = None, *, session_id: str = "", client: str = "", **more):
        self.clock.advance(1)
        ref = self.ref(session, session_id=session_id, client=client)
        found = advance_encounter(self, self.grant, AdvanceRequest(name=name, session=ref, **more))
        self.handle = found.session
        return found

    def close(self, summary="done", session: str | None = None, **more):
        self.clock.advance(1)
        request = CloseRequest(summary=summary, session=self.ref(session), **more)
        return close_encounter(self, self.grant, request)

    def write(self, *entities, session: str | None = None, grant: Grant | None = None):
        self.clock.advance(1)
        return create_entities(self, grant or self.grant, list(entities), self.ref(session))

    def relate(self, *relations, session: str = "", grant: Grant | None = None):
        self.clock.advance(1)
        rows = [
            row if isinstance(row, dict) else dict(zip(("source", "type", "target", "properties"), row, strict=False))
            for row in relations
        ]
        return create_relations(self, grant or self.grant, rows, SessionRef(handle=session))

    def node(self, node_type: str, name: str):
        with self.store.read(AGENT) as view:
            return view.get((node_id(node_type, name),), (REPOSITORY,)).get(node_id(node_type, name))

    def items(self, family: str = "encounters"):
        with self.store.read(AGENT) as view:
            return view.snapshot((family,), (REPOSITORY,))

    def edges(self, label: str):
        return [item for item in self.items() if item.label == label and hasattr(item, "source")]


def sqlite_desk(folder: Path) -> Desk:
    from remora.adapters.sqlite.store import open_store

    clock = FakeClock()
    return Desk(clock=clock, store=open_store(folder / "store.sqlite3", REPO, clock), folder=folder)


def observation(name: str, description: str = "seen", **more):
    return {"type": "Observation", "name": name, "description": description, "t_observed": SEEN, **more}


def question(name: str, description: str = "asked", **more):
    return {"type": "Question", "name": name, "description": description, **more}


def hypothesis(name: str, description: str = "supposed", **more):
    return {"type": "Hypothesis", "name": name, "description": description, **more}


def concept(name: str, description: str = "understood", **more):
    return {"type": "Concept", "name": name, "description": description, **more}


def note(name: str, description: str = "remarked", **more):
    return {"type": "Note", "name": name, "description": description, **more}


def component(name: str, **more):
    return {"type": "Component", "name": name, "source_kind": "code", "source_key": f"code:src/{name}.py", **more}


def citation(name: str, **more):
    return {"type": "Citation", "name": name, "kind": "code", **more}
