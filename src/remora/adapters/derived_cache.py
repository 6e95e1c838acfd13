"""Derived values of this process, the least recently used forgotten first."""

import threading
from collections import OrderedDict

from remora.core.policy import DERIVED_CACHE_ENTRIES


class DerivedCache:
    """The `Cache` port; safe between threads. Values are immutable, so that sharing them is harmless."""

    def __init__(self, entries: int = DERIVED_CACHE_ENTRIES) -> None:
        self._entries = entries
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[object, ...], object] = OrderedDict()

    def get(self, key: tuple[object, ...]) -> object:
        """The value, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: tuple[object, ...], value: object) -> None:
        """Keep a value; the least recently used one makes room."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)
