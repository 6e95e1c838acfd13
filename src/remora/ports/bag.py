"""The bag that carries the ports of one repository, and the parts of it that use cases need."""

from collections.abc import Callable
from typing import Protocol

from remora.ports.metrics import Cache, GraphMetrics
from remora.ports.repository import Clock, Repository
from remora.ports.store import Store


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
