"""The machine's own clock, randomness and small private files."""

import contextlib
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from pathlib import Path

from remora.core.errors import Unavailable
from remora.core.redaction import redact

_KEY_BYTES = 32
_CACHE_VALUES = 32


class SystemClock:
    """Real time in microseconds UTC, and randomness fit for keys."""

    def now(self) -> int:
        """Microseconds UTC since the epoch."""
        return time.time_ns() // 1_000

    def token(self, size_bytes: int) -> str:
        """`size_bytes` random bytes as lower-case hex."""
        return secrets.token_hex(size_bytes)


class ProcessCache:
    """Derived values of this process; the least recently used one makes room."""

    def __init__(self) -> None:
        self._values: OrderedDict[tuple[object, ...], object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[object, ...]) -> object:
        """The value, or None."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: tuple[object, ...], value: object) -> None:
        """Keep a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > _CACHE_VALUES:
                self._values.popitem(last=False)


def private_key(path: Path) -> bytes:
    """The random key kept in a 0600 file, made on first use; of two processes that make it at once, one wins.

    Raises `Unavailable` naming the path and the variable that moves it.
    """
    try:
        try:
            return _read_key(path)
        except FileNotFoundError:
            pass
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            _publish(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        return _read_key(path)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be used: {error.strerror}",
            advice="make its folder writable, or set REMORA_DATA_DIR to a folder of your own",
        ) from error


def _read_key(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) != _KEY_BYTES:
        raise Unavailable(f"{path} does not hold a key", advice="move the file away; a new key is made")
    return key


def _publish(temporary: Path, path: Path) -> None:
    with contextlib.suppress(FileExistsError):
        os.link(temporary, path)  # exclusive: an existing key is never replaced


def secret_remover(key_path: Path) -> Callable[[str], str]:
    """Takes secrets out of a text; placeholders carry a hash under the key, which is made with the first secret."""

    @cache
    def key() -> bytes:
        return private_key(key_path)

    def without_secrets(text: str) -> str:
        found = redact(text)
        return redact(text, key()).text if found.findings else text

    return without_secrets
