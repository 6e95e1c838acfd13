"""A bounded queue with one worker thread: work waits in this process's memory and nowhere else."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from remora.core.jobs import Offload, lease_name
from remora.core.policy import JOB_LEASE_SECONDS, OFFLOAD_QUEUE_MAX
from remora.ports import Store

_log = logging.getLogger("remora.offload")


@dataclass(frozen=True)
class Work:
    """Something to run, and how to say meanwhile that it is not lost. `of` names the store that it belongs to."""

    run: Callable[[], None] = field(repr=False)
    beat: Callable[[], None] = field(repr=False)
    of: str = ""


class OffloadQueue:
    """One per process. The threads start with the first work and never keep the process alive."""

    def __init__(self, holder: str, *, limit: int = OFFLOAD_QUEUE_MAX) -> None:
        self.holder = holder
        self._limit = limit
        self._reserved = 0
        self._waiting: deque[Work] = deque()
        self._running: Work | None = None
        self._turn = threading.Condition()
        self._started = False

    def reserve(self) -> bool:
        """Hold a place."""
        with self._turn:
            if self._reserved + len(self._waiting) + (self._running is not None) >= self._limit:
                return False
            self._reserved += 1
            return True

    def release(self) -> None:
        """Give a place back."""
        with self._turn:
            self._reserved -= 1

    def submit(self, work: Work) -> None:
        """Put work into a reserved place."""
        with self._turn:
            self._reserved -= 1
            self._waiting.append(work)
            if not self._started:
                self._started = True
                threading.Thread(target=self._work, daemon=True, name="remora-offload").start()
                threading.Thread(target=self._beat, daemon=True, name="remora-offload-beat").start()
            self._turn.notify_all()

    def holds(self, of: str) -> bool:
        """Whether work of this store waits or runs."""
        with self._turn:
            return any(work.of == of for work in (*self._waiting, *([self._running] if self._running else [])))

    def drain(self, seconds: float) -> bool:
        """Wait until nothing is left; False when something still is."""
        until = time.monotonic() + seconds
        with self._turn:
            while self._waiting or self._running is not None:
                if not self._turn.wait(max(0.0, until - time.monotonic())) and time.monotonic() >= until:
                    return False
        return True

    def _work(self) -> None:
        while True:
            with self._turn:
                while not self._waiting:
                    self._turn.wait()
                work = self._running = self._waiting.popleft()
            try:
                work.run()
            except Exception as error:  # noqa: BLE001 -- one job may not end the others; its words could be content
                _log.error("a job failed: %s", type(error).__name__)
            finally:
                del work
                with self._turn:
                    self._running = None
                    self._turn.notify_all()

    def _beat(self) -> None:
        while True:
            with self._turn:
                held = [*self._waiting, *([self._running] if self._running else [])]
            for work in {work.of: work for work in held}.values():
                try:
                    work.beat()
                except Exception as error:  # noqa: BLE001 -- the next beat may do
                    _log.warning("a lease could not be renewed: %s", type(error).__name__)
            del held
            time.sleep(JOB_LEASE_SECONDS / 3)


@dataclass(frozen=True)
class RepositoryJobs:
    """Implements `ports.Jobs` for one repository on the process's queue."""

    queue: OffloadQueue
    store: Callable[[], Store]
    run: Callable[[Offload], None]

    @property
    def holder(self) -> str:
        """The process's queue."""
        return self.queue.holder

    def reserve(self) -> bool:
        """Hold a place."""
        return self.queue.reserve()

    def release(self) -> None:
        """Give it back."""
        self.queue.release()

    def submit(self, offload: Offload) -> None:
        """Run it later."""
        self.queue.submit(Work(lambda: self.run(offload), self._beat, str(id(self))))

    def close(self, wait_seconds: float = 0) -> None:
        """Give the lease back, if any job of this repository still stands on it after the wait."""
        if wait_seconds and self.queue.holds(str(id(self))):
            self.queue.drain(wait_seconds)
        if self.queue.holds(str(id(self))):
            self.store().lease(lease_name(self.holder), self.holder, 0)

    def _beat(self) -> None:
        self.store().lease(lease_name(self.holder), self.holder, JOB_LEASE_SECONDS)
