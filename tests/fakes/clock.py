"""A clock that tests set: time stands still unless told otherwise, randomness counts."""

import threading


class FakeClock:
    """`Clock` at a given microsecond; `tokens` are 1, 2, 3 ... in hex."""

    def __init__(self, now: int = 1_700_000_000_000_000) -> None:
        self.moment = now
        self._tokens = 0
        self._lock = threading.Lock()

    def now(self) -> int:
        return self.moment

    def advance(self, seconds: float) -> None:
        self.moment += int(seconds * 1_000_000)

    def token(self, size_bytes: int) -> str:
        with self._lock:
            self._tokens += 1
            return f"{self._tokens:0{2 * size_bytes}x}"
