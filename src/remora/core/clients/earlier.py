"""What the user said before this prompt: the last turns of a chat, read from the end of its transcript."""

from collections import Counter, deque
from collections.abc import Callable, Iterable

from remora.core.clients.event import HookEvent
from remora.core.clients.transcript import read_turns
from remora.core.clients.turns import Turn
from remora.core.policy import TRAJECTORY_TURNS, TRANSCRIPT_TAILS_BYTES

Tail = Callable[[int], tuple[Iterable[bytes], int]]
"""Size in bytes -> (the file's end in chunks, where it starts)."""


def earlier_prompts(event: HookEvent, tail: Tail | None) -> tuple[str, ...]:
    """The user's turns before the event's prompt, oldest first, `TRAJECTORY_TURNS` at most.

    `tail` reads the chat's transcript; without one, messages that came with the event are used.
    """
    if tail is None:
        return _last(event.turns, event.prompt)
    found: tuple[str, ...] = ()
    for size in TRANSCRIPT_TAILS_BYTES:
        chunks, start = tail(size)
        found = _last(read_turns(chunks, event.client, Counter(), start=start, torn=start > 0), event.prompt)
        if start == 0 or len(found) == TRAJECTORY_TURNS:
            break
    return found


def _last(turns: Iterable[Turn], prompt: str) -> tuple[str, ...]:
    """Some clients write the prompt down before they run the hook: it is not an earlier one."""
    said = deque((turn.content for turn in turns if turn.role == "user"), maxlen=TRAJECTORY_TURNS + 1)
    if said and said[-1].strip() == prompt.strip():
        said.pop()
    return tuple(said)[-TRAJECTORY_TURNS:]
