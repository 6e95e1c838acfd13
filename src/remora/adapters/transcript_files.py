"""Opens the transcripts of agent clients: regular files of ours only, from where the cursor says, in bounded pieces."""

import os
import stat
from collections.abc import Iterator

from remora.core.clients.turns import Cursor, anchor_of
from remora.core.errors import Unavailable
from remora.core.policy import TRANSCRIPT_WINDOW_BYTES
from remora.ports import OpenTranscript

_CHUNK_BYTES = 1 << 20
_ANCHOR_BYTES = 256


class TranscriptFiles:
    """Implements `ports.Transcripts`."""

    def open(self, path: str, cursor: Cursor) -> OpenTranscript:
        """Read on after the cursor when the bytes before it still stand, else from the beginning; a window at most."""
        descriptor = _opened(path)
        size = os.fstat(descriptor).st_size
        before = os.pread(descriptor, cursor.anchor_bytes, cursor.offset - cursor.anchor_bytes)
        start = cursor.offset if 0 < cursor.offset <= size and cursor.holds(before) else 0
        window = max(start, size - TRANSCRIPT_WINDOW_BYTES)

        def anchor(offset: int) -> str:
            again = _opened(path)
            try:
                length = min(_ANCHOR_BYTES, offset)
                return anchor_of(os.pread(again, length, offset - length))
            finally:
                os.close(again)

        return OpenTranscript(_chunks(descriptor, window, size), window, anchor, window > start, window - start)

    def tail(self, path: str, size_bytes: int) -> OpenTranscript:
        """The end of the file; nothing is remembered of it."""
        descriptor = _opened(path)
        size = os.fstat(descriptor).st_size
        start = max(0, size - size_bytes)
        return OpenTranscript(_chunks(descriptor, start, size), start, lambda _: "", start > 0, start)


def _opened(path: str) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise Unavailable("the transcript cannot be read") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or (hasattr(os, "geteuid") and status.st_uid != os.geteuid()):
        os.close(descriptor)
        raise Unavailable("the transcript is not a file of this user")
    return descriptor


def _chunks(descriptor: int, start: int, end: int) -> Iterator[bytes]:
    """Up to the size at opening: what the client appends meanwhile is for the next time."""
    try:
        at = start
        while at < end and (piece := os.pread(descriptor, min(_CHUNK_BYTES, end - at), at)):
            at += len(piece)
            yield piece
    finally:
        os.close(descriptor)
