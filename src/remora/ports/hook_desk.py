"""The bag of a hook's cold process: few ports, since a prompt waits for every import."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from remora.ports.bag import StoreFile
    from remora.ports.files import Transcripts
    from remora.ports.jobs import Jobs
    from remora.ports.metrics import Cache, GraphMetrics
    from remora.ports.records import RecordIndex
    from remora.ports.repository import Clock, Repository
    from remora.ports.store import Store


@dataclass(frozen=True)
class HookDesk:
    """What answering a client's hook needs: `ports.HookPorts`, and nothing that reads code."""

    repository: Repository
    clock: Clock
    redact: Callable[[str], str]
    open_store: Callable[[], StoreFile]
    record_index: RecordIndex
    metrics: GraphMetrics
    cache: Cache
    transcripts: Transcripts
    open_jobs: Callable[[], Jobs]
    embedder: None = None
    models: None = None
    """A prompt never waits for a model: a cold process answers by words alone."""

    @cached_property
    def store(self) -> Store:
        """Opened on first use."""
        return self.open_store()

    @cached_property
    def jobs(self) -> Jobs:
        """A detached process for each job: this one must exit at once."""
        return self.open_jobs()
