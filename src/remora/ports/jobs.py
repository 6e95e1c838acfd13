"""The bounded queue in which offloaded turns wait, in memory alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from remora.ports.bag import FactPorts

if TYPE_CHECKING:
    from remora.core.jobs import Offload
    from remora.ports.files import Transcripts
    from remora.ports.model import Models


class Jobs(Protocol):
    """One process's queue, or the way to a process that has one."""

    @property
    def holder(self) -> str:
        """Who will run the jobs; job rows name it, and its lease says whether it lives."""
        ...

    def reserve(self) -> bool:
        """Hold a place; False when the queue is full. A place is used up by `submit` or given back by `release`."""
        ...

    def release(self) -> None:
        """Give a reserved place back."""
        ...

    def submit(self, offload: Offload) -> None:
        """Run it later, in order. Raises `Unavailable` when it cannot be handed over."""
        ...

    def close(self, wait_seconds: float = 0) -> None:
        """Wait a moment for what is there; what still waits then will not run, and its rows are lost at once."""
        ...


class OffloadPorts(FactPorts, Protocol):
    """What taking turns needs of the bag."""

    @property
    def models(self) -> Models:
        """The models that the operator routed."""
        ...

    @property
    def jobs(self) -> Jobs:
        """The queue."""
        ...


class TranscriptPorts(FactPorts, Protocol):
    """What taking turns from a client's transcript needs."""

    @property
    def jobs(self) -> Jobs:
        """The queue."""
        ...

    @property
    def transcripts(self) -> Transcripts:
        """The conversations that clients keep."""
        ...
