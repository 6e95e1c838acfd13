"""Takes the event from the client, and keeps the time while doing so."""
# ruff: noqa: PLC0415 -- modules load where they are needed: a silent hook must not pay for the others

import sys

from remora_hook.gate import posix

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` cost more than all the rest
    from collections.abc import Callable

_EVENT_MAX_BYTES = 8 << 20
"""Events carry whole tool results; one above this is not kept, only counted."""
_DRAIN_SECONDS = 1.0


def drain() -> None:
    """Take the event without looking at it: some clients fail when nobody reads what they write."""
    arm(_DRAIN_SECONDS, None)
    read_event()


def read_event() -> bytes | None:
    """All of stdin; None when it is larger than an event may be. A terminal is not read."""
    pieces: list[bytes] = []
    size = 0
    try:
        while not posix.isatty(0) and (piece := posix.read(0, 1 << 16 if size < 1 << 16 else 1 << 20)):
            size += len(piece)
            if size <= _EVENT_MAX_BYTES:
                pieces.append(piece)
    except OSError:
        pass
    return b"".join(pieces) if size <= _EVENT_MAX_BYTES else None


def arm(seconds: float, before: "Callable[[], None] | None") -> None:
    """Leave with status 0 when the time is over, whatever is going on then; `before` may still write a line."""

    def leave(*_: object) -> None:
        if before is not None:
            before()
        posix._exit(0)  # noqa: SLF001 -- the one way out that runs nothing more

    if sys.platform != "win32":
        import _signal  # type: ignore[import-not-found]  # the typed `signal` costs four milliseconds

        _signal.signal(_signal.SIGALRM, leave)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
