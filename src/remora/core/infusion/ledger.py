"""The delivery ledger of one session: what was told, in which state, at which turn; persisted, stamped on delivery."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from remora.core.graph import Item, Json, Node
from remora.core.ids import computed_id, digest
from remora.core.policy import LEDGER_ENTRIES_MAX, RENEWAL_HORIZON_TURNS
from remora.core.scope import SYSTEM

FAMILY = "infusion"
LABEL = "Ledger"


class Due(StrEnum):
    """What a block is due now."""

    FRESH = "fresh"
    STANDING = "standing"
    SUPPRESSED = "suppressed"


def ledger_id(session: str) -> str:
    """Id of a session's ledger."""
    return computed_id("led_", session)


def state_hash(*parts: str) -> str:
    """Short hash of what a block says; another hash is another fact-state."""
    return digest("\0".join(parts).encode("utf-8", "replace"))[:16]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Turns so far, and per key the state told and the turn it was told at."""

    turn: int = 0
    told: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, item: Item | None) -> "Ledger":
        """Read what `node` wrote; an empty ledger for a session that was never told anything."""
        if item is None:
            return cls()
        turn, told = item.body.get("turn"), item.body.get("told")
        rows = told.items() if isinstance(told, dict) else ()
        kept = {
            key: (str(row[0]), int(row[1]))
            for key, row in rows
            if isinstance(row, list) and len(row) == 2 and isinstance(row[1], int)
        }
        return cls(turn if isinstance(turn, int) else 0, kept)

    def due(self, key: str, state: str, *, delta: bool) -> Due:
        """Full body at first sight, on a changed state, or past the horizon; else a handle (a delta says nothing)."""
        told = self.told.get(key)
        if told is None or told[0] != state:
            return Due.FRESH
        if delta:
            return Due.SUPPRESSED
        return Due.FRESH if self.turn + 1 - told[1] >= RENEWAL_HORIZON_TURNS else Due.STANDING

    def stamped(self, delivered: Iterable[tuple[str, str]], *, delta: bool) -> "Ledger":
        """The ledger after a delivery. A full infusion is a turn, also a silent one; a delta is within its turn."""
        turn = self.turn if delta else self.turn + 1
        told = {**self.told, **{key: (state, turn) for key, state in delivered}}
        if len(told) > LEDGER_ENTRIES_MAX:
            newest = sorted(told.items(), key=lambda entry: (-entry[1][1], entry[0]))[:LEDGER_ENTRIES_MAX]
            told = dict(newest)
        return Ledger(turn, told)

    def node(self, session: str, now: int) -> Node:
        """The ledger as it is stored."""
        told: dict[str, Json] = {key: [state, turn] for key, (state, turn) in sorted(self.told.items())}
        body: dict[str, Json] = {"turn": self.turn, "told": told}
        return Node(
            id=ledger_id(session),
            family=FAMILY,
            label=LABEL,
            scope=SYSTEM,
            name=session,
            body=body,
            created=now,
            updated=now,
        )
