"""Turns of a conversation, and which of them are old enough to be offloaded: each turn once, in order."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from remora.core.ids import digest
from remora.core.policy import OFFLOAD_MAX_CHARS, RECENT_EXCHANGES, SEEN_TURNS, TURN_MAX_CHARS

Role = Literal["user", "assistant"]
_ANCHOR_BYTES = 256


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said. `name` is the client's own, if it has one; `end` is the byte after its line in the transcript."""

    role: Role
    content: str
    name: str = ""
    end: int = 0
    cut: int = 0

    @property
    def key(self) -> str:
        """Tells this turn from every other: made of the client's name for it, or else of its words and place."""
        return digest(f"{self.role}\0{self.name or f'{self.content}{self.end}'}".encode("utf-8", "surrogatepass"))[:12]


def make_turn(role: Role, content: str, *, name: str = "", end: int = 0) -> Turn:
    """A turn; the middle of a long one is left out, and `cut` says how many characters."""
    cut = max(0, len(content) - TURN_MAX_CHARS)
    if cut:
        tail = TURN_MAX_CHARS // 4
        content = f"{content[: TURN_MAX_CHARS - tail]}\n[... {cut} characters left out ...]\n{content[-tail:]}"
    return Turn(role, content, name, end, cut)


def turn_of_message(message: object) -> Turn | None:
    """A turn from a plain `{role, content}` message, None when it is neither side's or says nothing."""
    if not isinstance(message, Mapping):
        return None
    role, content = message.get("role"), message.get("content")
    if not isinstance(content, str) or not content.strip():
        return None
    name = message.get("id")
    if role in ("user", "assistant"):
        return make_turn("user" if role == "user" else "assistant", content, name=name if isinstance(name, str) else "")
    return None


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a session's turns were offloaded: a byte offset, what stood before it, and the last keys."""

    offset: int = 0
    anchor: str = ""
    seen: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The form kept in the store."""
        return {"offset": self.offset, "anchor": self.anchor, "seen": list(self.seen)}

    @classmethod
    def from_json(cls, body: object) -> "Cursor":
        """Read what `to_json` wrote; anything else is the start."""
        data = body if isinstance(body, Mapping) else {}
        offset, anchor, seen = data.get("offset"), data.get("anchor"), data.get("seen")
        keys = tuple(key for key in seen if isinstance(key, str)) if isinstance(seen, list) else ()
        return cls(
            offset if isinstance(offset, int) and offset > 0 else 0, anchor if isinstance(anchor, str) else "", keys
        )

    @property
    def anchor_bytes(self) -> int:
        """How many bytes before the offset `holds` wants to see."""
        return min(_ANCHOR_BYTES, self.offset)

    def holds(self, before: bytes) -> bool:
        """Whether these bytes stand before the offset as they did; if not, the transcript was rewritten."""
        return self.anchor == anchor_of(before)


def anchor_of(before: bytes) -> str:
    """The anchor for an offset with these bytes before it."""
    return digest(before[-_ANCHOR_BYTES:])[:16]


@dataclass(frozen=True, slots=True)
class Older:
    """Turns to offload now. `offset` is where the next reading starts; `more` says that the limit stopped this one."""

    turns: tuple[Turn, ...]
    offset: int
    seen: tuple[str, ...]
    repeated: int = 0
    more: bool = False


def older_turns(turns: Iterable[Turn], cursor: Cursor, *, keep: int = RECENT_EXCHANGES) -> Older:
    """The turns before the last `keep` exchanges that were not offloaded yet, oldest first.

    An exchange begins with a user turn. The turns are consumed as a stream; only the kept exchanges are held back.
    """
    seen, repeated, size = set(cursor.seen), 0, 0
    chosen: list[Turn] = []
    offset = cursor.offset
    recent: deque[list[Turn]] = deque()
    for turn in turns:
        if turn.role == "user" or not recent:
            recent.append([])
        recent[-1].append(turn)
        while len(recent) > keep:
            for old in recent.popleft():
                offset, key = old.end, old.key
                if key in seen:
                    repeated += 1
                    continue
                seen.add(key)
                chosen.append(old)
                size += len(old.content)
        if size >= OFFLOAD_MAX_CHARS:
            return Older(tuple(chosen), offset, _latest(cursor, chosen), repeated, more=True)
    return Older(tuple(chosen), offset, _latest(cursor, chosen), repeated)


def _latest(cursor: Cursor, chosen: list[Turn]) -> tuple[str, ...]:
    return (*cursor.seen, *(turn.key for turn in chosen))[-SEEN_TURNS:]
