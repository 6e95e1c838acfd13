"""The last user turns of a chat, bounded: what the moment is about beyond one prompt."""

from collections.abc import Iterable

from remora.core.policy import TRAJECTORY_MAX_CHARS, TRAJECTORY_TURN_MAX_CHARS, TRAJECTORY_TURNS
from remora.core.text import clean


def bounded(turns: Iterable[object]) -> tuple[str, ...]:
    """The newest turns that fit, oldest first: each cut to its first characters, oldest left out when all are too long.

    Entries that are no text are passed over.
    """
    texts = [clean(turn[: 2 * TRAJECTORY_TURN_MAX_CHARS]).strip() for turn in turns if isinstance(turn, str)]
    kept: list[str] = []
    left = TRAJECTORY_MAX_CHARS
    for text in reversed([text for text in texts if text][-TRAJECTORY_TURNS:]):
        turn = text[:TRAJECTORY_TURN_MAX_CHARS]
        if len(turn) > left:
            break
        left -= len(turn)
        kept.append(turn)
    return tuple(reversed(kept))
