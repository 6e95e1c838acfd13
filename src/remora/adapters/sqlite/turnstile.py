"""A fair queue of writers over processes; SQLite alone lets a busy writer win again and again."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from remora.core.errors import Unavailable
from remora.core.policy import LOCK_POLL_SECONDS

if sys.platform != "win32":
    import fcntl


class Turnstile:
    """A lock file beside the store, held while waiting for the store's own write lock and let go once that is had.

    A process that just wrote must come through here again, behind the one that waits. It is only about fairness: the
    store is safe without it, so a lock file that cannot be made is done without.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + "-turn")
        self._descriptor = -1
        self._process = 0

    @contextmanager
    def turn(self, timeout_seconds: float) -> Iterator[None]:
        """Wait for one's turn; to be entered by one thread at a time."""
        descriptor = self._open()
        if sys.platform == "win32" or descriptor < 0:
            yield
            return
        deadline = time.monotonic() + timeout_seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:  # held by another
                if time.monotonic() > deadline:
                    raise Unavailable(f"{self._path} is busy: others wait to write", advice="try again") from None
                time.sleep(LOCK_POLL_SECONDS)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _open(self) -> int:
        # a forked child shares its parent's lock through the inherited descriptor, so it takes one of its own
        if self._process != os.getpid():
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
            try:
                self._descriptor = os.open(self._path, flags, 0o600)
            except OSError:
                return -1
            self._process = os.getpid()
        return self._descriptor

    def close(self) -> None:
        """Release the lock file."""
        if self._process == os.getpid():
            self._process = 0
            os.close(self._descriptor)
