"""Ends calls whose server is silent: the driver itself waits for as long as the other side keeps the line open."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from remora.core.policy import SERVER_WATCH_SECONDS


class Watchdog:
    """Calls `cut` when a call of this process has run longer than it may; its thread sleeps while nobody calls."""

    def __init__(self, cut: Callable[[], None]) -> None:
        self._cut = cut
        self._calls: dict[int, float] = {}
        self._numbers = count()
        self._some = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._guard = threading.Lock()

    @contextmanager
    def watch(self, seconds: float) -> Iterator[None]:
        """One call that may take this long."""
        number = next(self._numbers)
        self._calls[number] = time.monotonic() + seconds
        if self._thread is None:
            self._start()
        self._some.set()
        try:
            yield
        finally:
            self._calls.pop(number, None)

    def _start(self) -> None:
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="remora-server-watch", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closed:
            self._some.wait()
            if not self._calls:
                self._some.clear()
                if not self._calls:
                    continue
                self._some.set()
            time.sleep(SERVER_WATCH_SECONDS)
            now = time.monotonic()
            late = [number for number, end in list(self._calls.items()) if end < now]
            if late:
                for number in late:
                    self._calls.pop(number, None)
                self._cut()

    def close(self) -> None:
        """End the thread."""
        self._closed = True
        self._some.set()
