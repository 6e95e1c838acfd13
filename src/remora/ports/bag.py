"""The bag that carries the ports of one repository, and the parts of it that use cases need."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from remora.ports.store import Store, StoreAdmin

if TYPE_CHECKING:
    from collections.abc import Callable

    from remora.core.capture.documents import SymbolLookup
    from remora.core.codegraph.answers import Freshness
    from remora.core.embedding import Embedder
    from remora.core.scope import Grant
    from remora.ports.changes import Diffs, PullRequests
    from remora.ports.code_graph import CodeGraphStore, CommunityStore, Parser, SourceFiles
    from remora.ports.contents import ContentsIndex
    from remora.ports.cypher import GraphQueries
    from remora.ports.files import HookTrail, Transcripts
    from remora.ports.git import Git, SpanSource
    from remora.ports.jobs import Jobs
    from remora.ports.metrics import Cache, GraphMetrics
    from remora.ports.model import Models
    from remora.ports.records import RecordIndex, RecordLog
    from remora.ports.repository import Checkout, Clock, Repository


class StoreFile(Store, StoreAdmin, Protocol):
    """A store with its care."""


@dataclass(frozen=True)
class Ports:
    """Everything outside, bound to one repository. Members are cheap to make and open what they stand for when used."""

    repository: Repository
    checkout: Checkout
    clock: Clock
    redact: Callable[[str], str]
    open_store: Callable[[], StoreFile]
    records: RecordLog
    record_index: RecordIndex
    git: Git
    contents: ContentsIndex
    sources: SourceFiles
    parser: Parser
    spans: SpanSource
    code_graph: CodeGraphStore
    freshness: Callable[[], Freshness]
    documents: SourceFiles
    symbol: SymbolLookup
    hook_trail: HookTrail
    metrics: GraphMetrics
    cache: Cache
    diffs: Diffs
    pull_requests: PullRequests
    communities: CommunityStore
    queries: GraphQueries
    open_models: Callable[[], Models]
    transcripts: Transcripts
    jobs: Jobs
    embedder: Embedder | None = None
    """None where the extra is not installed or embeddings are switched off: words alone answer."""
    request_index: Callable[[Grant], None] = field(default=lambda _: None)
    """Ask for vectors of what was just saved, under the saver's grant; returns at once."""
    notices: tuple[str, ...] = ()
    """What the settings say that nobody knows."""

    @cached_property
    def store(self) -> Store:
        """The repository's partition; its file is opened, and made when absent, on first use."""
        return self._store_file

    @cached_property
    def models(self) -> Models:
        """The models that the operator routed; their file is read on first use and may be refused."""
        return self.open_models()

    @property
    def store_admin(self) -> StoreAdmin:
        """Care of the same partition."""
        return self._store_file

    @cached_property
    def _store_file(self) -> StoreFile:
        return self.open_store()


class EncounterPorts(Protocol):
    """The part of the bag that encounters need."""

    @property
    def repository(self) -> Repository:
        """Which repository the bag is bound to."""
        ...

    @property
    def store(self) -> Store:
        """Its store."""
        ...

    @property
    def clock(self) -> Clock:
        """Time and randomness."""
        ...

    @property
    def redact(self) -> Callable[[str], str]:
        """Takes secrets out of a text."""
        ...

    @property
    def embedder(self) -> Embedder | None:
        """Makes texts comparable by meaning, where one is in use."""
        ...


class AnalysisPorts(EncounterPorts, Protocol):
    """What reading the graph as a whole needs besides."""

    @property
    def metrics(self) -> GraphMetrics:
        """Graph figures."""
        ...

    @property
    def cache(self) -> Cache:
        """Snapshots and panels of this process."""
        ...


class FactPorts(EncounterPorts, Protocol):
    """The part of the bag that facts, sessions and recall need: the same."""


class MeaningPorts(EncounterPorts, Protocol):
    """What making meanings needs besides."""

    @property
    def models(self) -> Models | None:
        """The models that the operator routed; None where none may be asked, as in a hook's process."""
        ...


class InfusionPorts(AnalysisPorts, MeaningPorts, Protocol):
    """What recall that was not asked for needs: the graph, its figures, and the records of files in play."""

    @property
    def record_index(self) -> RecordIndex:
        """The index of the record log."""
        ...


class HookPorts(InfusionPorts, Protocol):
    """What answering a client's hook needs besides."""

    @property
    def transcripts(self) -> Transcripts:
        """The conversations that the client keeps as files."""
        ...

    @property
    def jobs(self) -> Jobs:
        """Where offloaded turns wait."""
        ...


class RecallPorts(FactPorts, Protocol):
    """The part of the bag that recall over all families needs."""

    @property
    def record_index(self) -> RecordIndex:
        """The index of the record log."""
        ...


class CypherPorts(EncounterPorts, Protocol):
    """What queries over a snapshot need besides."""

    @property
    def cache(self) -> Cache:
        """Which version of the graph this process saw last."""
        ...

    @property
    def queries(self) -> GraphQueries:
        """Runs them."""
        ...
