"""What the hook leaves behind for `doctor`: a line for each thing it skipped, and when each hook last worked."""

import time

from remora_hook.gate import posix

_LOG_MAX_BYTES = 256 << 10
"""Rotated once above it: two files hold a few thousand lines, which is weeks of trouble."""
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


class Journal:
    """One run's entries. Holds counts and reasons, never a word of content; failing to write is no failure."""

    def __init__(self, home: str, options: dict[str, str], started: float) -> None:
        self._cache = home + "/cache"
        self._client = word(options.get("client", "")) or "unknown"
        self._event = word(options.get("event", "")) or "unknown"
        self._started = started

    def skip(self, reason: str, **details: str | int) -> None:
        """Nothing was delivered, for this reason."""
        self._line("skipped", reason, details)

    def note(self, reason: str, **details: str | int) -> None:
        """Something was not understood, and the run went on."""
        self._line("noted", reason, details)

    def succeed(self) -> None:
        """The hook did its work; the mark's time of change says when."""
        mark = f"{self._cache}/hooks/{self._client}.{self._event}"
        try:
            posix.utime(mark)
        except OSError:
            self.append(mark, b"")

    def observation(self, size: int) -> bytes:
        """One JSON line about a delivery: when, what, how large, how long it took."""
        return (
            f'{{"time": {int(time.time())}, "client": "{self._client}", "event": "{self._event}", '
            f'"bytes": {size}, "elapsed_ms": {self._elapsed_ms()}}}\n'
        ).encode()

    def append(self, path: str, data: bytes) -> None:
        """Add to a private file, making it and its folder when needed; links are not followed."""
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | getattr(posix, "O_NOFOLLOW", 0)
        for attempt in (1, 2):
            try:
                descriptor = posix.open(path, flags, 0o600)
                break
            except OSError:
                if attempt == 2:
                    return
                self._make_folders(path)
        try:
            if data:
                posix.write(descriptor, data)
        except OSError:
            pass
        finally:
            posix.close(descriptor)

    def _line(self, outcome: str, reason: str, details: dict[str, str | int]) -> None:
        path = self._cache + "/hook.log"
        more = "".join(f" {name}={word(str(value))}" for name, value in details.items())
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            if posix.stat(path).st_size > _LOG_MAX_BYTES:
                posix.replace(path, path + ".1")
        except OSError:
            pass
        line = f"{moment} {outcome} client={self._client} event={self._event} reason={word(reason)}{more}"
        self.append(path, f"{line} ms={self._elapsed_ms()}\n".encode())

    def _elapsed_ms(self) -> int:
        return int((time.monotonic() - self._started) * 1000)

    def _make_folders(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        for name in (self._cache, folder):
            if name.startswith(self._cache):
                try:
                    posix.mkdir(name, 0o700)
                except OSError:  # it is there, or the next step says what is wrong
                    continue


def word(text: str) -> str:
    """A short token of harmless characters: nothing that the client sent gets into a log as it is."""
    return "".join(char if char in _SAFE else "_" for char in text[:40])
