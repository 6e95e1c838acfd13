"""Work that waits until nobody asks for it any more: one background thread, started on request, gone when idle."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

_log = logging.getLogger("remora.idle")
_Task = TypeVar("_Task")


class IdleWorker(Generic[_Task]):
    """Runs `work` with the last requested task once no request came for `quiet_seconds`.

    `work` is handed a question that it asks between steps: whether it should go on, which is not so while new requests
    come. The thread is a daemon: it never keeps a process alive.
    """

    def __init__(self, work: Callable[[_Task, Callable[[], bool]], object], quiet_seconds: float) -> None:
        self._work = work
        self._quiet_seconds = quiet_seconds
        self._lock = threading.Lock()
        self._running = False
        self._pending: list[_Task] = []
        self._last = 0.0

    def request(self, task: _Task) -> None:
        """Ask for the work; returns at once. A task that waits is replaced by a newer one."""
        with self._lock:
            self._pending = [task]
            self._last = time.monotonic()
            if self._running:
                return
            self._running = True
        threading.Thread(target=self._run, name="remora-idle", daemon=True).start()

    def _run(self) -> None:
        while True:
            self._wait()
            with self._lock:
                if not self._pending:
                    self._running = False
                    return
                task, begun = self._pending.pop(), self._last
            try:
                self._work(task, lambda begun=begun: self._last == begun)  # type: ignore[misc]
            except Exception:  # noqa: BLE001  # the thread's last net: the next request tries again
                _log.exception("work in the background failed")

    def _wait(self) -> None:
        """Until no request came for a while."""
        while (left := self._last + self._quiet_seconds - time.monotonic()) > 0 and self._pending:
            time.sleep(left)
