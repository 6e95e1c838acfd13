"""The payload's form: fixed fill order, atomic blocks, a budget, and an envelope that nothing inside can close."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from remora.core.infusion.ledger import Due, Ledger
from remora.core.recall.notice import MINIMUM_CHARS, NOTICE, contained, envelope

_SLACK_CHARS = 100


class Section(IntEnum):
    """Sections in fill order; a delta fills only those up to RECOGNISED."""

    TENSION = 1
    PITFALLS = 2
    RECOGNISED = 3
    FACTS = 4
    PROGRESSIONS = 5
    NEIGHBOURHOOD = 6
    STANDING = 7
    THREADS = 8
    PARKED = 9


_TITLES = {
    Section.TENSION: "Core tension",
    Section.PITFALLS: "Records of files in play (pitfalls first)",
    Section.RECOGNISED: "Recognised",
    Section.FACTS: "Facts",
    Section.PROGRESSIONS: "Progressions",
    Section.NEIGHBOURHOOD: "Around it",
    Section.STANDING: "Standing (told before; the body is earlier in your context)",
    Section.THREADS: "Open threads",
    Section.PARKED: "Parked",
}


@dataclass(frozen=True, slots=True)
class Block:
    """One thing to say. Its lines stand or fall together; `handle` is the one line for when it was told before.

    `key` "" marks a block that the ledger does not follow (a parked line, a progression).
    """

    section: Section
    lines: tuple[str, ...]
    severity: float = 0.0
    key: str = ""
    state: str = ""
    handle: str = ""


@dataclass(frozen=True, slots=True)
class Payload:
    """The text, what of it is to be stamped once it is delivered (key, state), and counts of blocks."""

    text: str = ""
    delivered: tuple[tuple[str, str], ...] = ()
    fresh: int = 0
    standing: int = 0
    dropped: int = 0


def one_line(text: str) -> str:
    """Memory text as one line that cannot close the envelope."""
    return " ".join(contained(text).split())


def shortened(text: str, chars: int) -> str:
    """One line of at most `chars` characters, with a mark and the whole length when it was longer."""
    line = one_line(text)
    if len(line) <= chars:
        return line
    mark = f"… ({len(line)} characters)"
    return line[: max(0, chars - len(mark))].rstrip() + mark


def assemble(
    signature: Sequence[str], blocks: Iterable[Block], ledger: Ledger, *, max_chars: int, delta: bool
) -> Payload:
    """Fill the sections in order within `max_chars`, envelope included. Empty when there is nothing to say or no room.

    Within a section the blocks of lowest severity are left out first; every block left out is counted in the text.
    """
    due = [_due(block, ledger, delta=delta) for block in blocks]
    rows = sorted(
        (pair for pair in due if pair is not None), key=lambda pair: (pair[0].section, -pair[0].severity, pair[0].key)
    )
    if not rows:
        return Payload()
    page = _Page(max_chars - _overhead(signature))
    for block, state in rows:
        page.place(block, state)
    if not page.lines:
        return Payload(dropped=len(rows))
    text = _enveloped(signature, page.lines, page.dropped)
    shown = set(text.split("\n"))
    return Payload(
        text=text,
        # Only what stands in the text is stamped, whatever was meant to be.
        delivered=tuple(
            (block.key, block.state)
            for block in page.delivered
            if all(contained(line) in shown for line in block.lines)
        ),
        fresh=page.counts[Due.FRESH],
        standing=page.counts[Due.STANDING],
        dropped=page.dropped,
    )


class _Page:
    def __init__(self, room: int) -> None:
        self.room = room
        self.lines: list[str] = []
        self.delivered: list[Block] = []
        self.counts = dict.fromkeys(Due, 0)
        self.dropped = 0
        self._opened: set[Section] = set()
        self._full: set[Section] = set()

    def place(self, block: Block, due: Due) -> None:
        title = [] if block.section in self._opened else [f"## {_TITLES[block.section]}"]
        lines = [*title, *block.lines]
        size = sum(len(line) + 1 for line in lines)
        if block.section in self._full or size > self.room:
            self._full.add(block.section)  # what is less severe must not slip in where this did not fit
            self.dropped += 1
            return
        self._opened.add(block.section)
        self.lines += lines
        self.room -= size
        self.counts[due] += bool(block.key)
        if due is Due.FRESH and block.key:
            self.delivered.append(block)


def _due(block: Block, ledger: Ledger, *, delta: bool) -> tuple[Block, Due] | None:
    if delta and (block.section > Section.RECOGNISED or not block.key):
        return None
    due = ledger.due(block.key, block.state, delta=delta) if block.key else Due.FRESH
    if due is Due.SUPPRESSED:
        return None
    if due is Due.STANDING:
        return Block(Section.STANDING, (block.handle,), block.severity, block.key, block.state, block.handle), due
    return block, due


def _enveloped(signature: Sequence[str], lines: Sequence[str], dropped: int) -> str:
    inside = [*signature, *lines, *([_dropped_line(dropped)] if dropped else [])]
    # The budget was kept before; the slack covers the envelope's own reserve for a line on what it leaves out.
    return envelope(inside, max_chars=sum(map(len, inside)) + len(inside) + len(NOTICE) + MINIMUM_CHARS + _SLACK_CHARS)


def _overhead(signature: Sequence[str]) -> int:
    return len(_enveloped(signature, ["x"], 999_999)) - 2  # the stand-in line and its line end


def _dropped_line(count: int) -> str:
    return f"({count} more left out for room, least severe first)"
