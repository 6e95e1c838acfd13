"""Pins and buries: where people want an item in a repository's rankings. They neither show nor hide anything."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from remora.core import policy
from remora.core.errors import InvalidInput, LimitReached
from remora.core.graph import Changes, Item, Json, Node
from remora.core.ids import computed_id
from remora.core.recall.families import Hit
from remora.core.scope import REPOSITORY, Grant
from remora.core.source import Provenance
from remora.core.store_read import StoreRead

FAMILY: Final = "emphasis"
LABEL: Final = "Emphasis"
PINNED: Final = "pinned"
BURIED: Final = "buried"
"""What hits say of it among the reasons why they came."""


class Emphasis(StrEnum):
    """Before everything else that matches, or after it."""

    PIN = "pin"
    BURY = "bury"

    @classmethod
    def parse(cls, raw: str) -> "Emphasis":
        """Read a caller's word."""
        try:
            return cls(raw)
        except ValueError:
            raise InvalidInput("emphasis", f"{raw[:40]!r} is unknown", allowed="pin or bury") from None


@dataclass(frozen=True, slots=True)
class Emphases:
    """What is pinned and buried, by item id."""

    held: Mapping[str, Emphasis]

    def of(self, item: str) -> str:
        """`pin`, `bury` or ""."""
        found = self.held.get(item)
        return found.value if found else ""

    def ordered(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """A ranking with its pinned hits first and its buried ones last, each part in its order, saying so."""
        kept = tuple(hits)
        if not self.held:
            return kept
        places = {Emphasis.PIN: 0, None: 1, Emphasis.BURY: 2}
        told = {Emphasis.PIN: PINNED, Emphasis.BURY: BURIED}
        ranked = sorted(kept, key=lambda hit: places[self.held.get(hit.id)])
        return tuple(
            replace(hit, matched_by=(*hit.matched_by, told[held])) if (held := self.held.get(hit.id)) else hit
            for hit in ranked
        )

    def room(self, limit: int) -> int:
        """How many hits to look at so that a pinned one below the limit is seen and buried ones leave no gap."""
        return policy.RECALL_LIMIT_MAX if self.held else limit


NONE = Emphases({})


def emphases(view: StoreRead) -> Emphases:
    """Everything that is pinned or buried in the repository."""
    items, _ = view.scan(FAMILY, LABEL, (REPOSITORY,), limit=policy.EMPHASES_PER_REPOSITORY)
    if not items:
        return NONE
    words = {word.value: word for word in Emphasis}
    found = ((str(item.body.get("item", "")), words.get(str(item.body.get("emphasis", "")))) for item in items)
    return Emphases({item: word for item, word in found if word})


def emphasise(view: StoreRead, grant: Grant, item: str, emphasis: Emphasis | None, now: int) -> Changes:
    """Pin or bury an item, or take that back with None. Raises `LimitReached`."""
    key = computed_id("emp_", item)
    former = view.get((key,), (REPOSITORY,)).get(key)
    if emphasis is None:
        return Changes(drop=(key,) if former is not None else ())
    count = view.counts((REPOSITORY,)).get((FAMILY, LABEL, REPOSITORY), 0)
    if former is None and count >= policy.EMPHASES_PER_REPOSITORY:
        raise LimitReached(
            f"pins and buries: the limit is {policy.EMPHASES_PER_REPOSITORY:,} per repository; {count:,} are stored",
            advice="take back some that are no longer needed",
        )
    body: dict[str, Json] = {
        "item": item, "emphasis": emphasis.value, "provenance": dict(Provenance.of(grant).to_json()),
    }  # fmt: skip
    return Changes(put=(_node(key, body, former, now),))


def _node(key: str, body: dict[str, Json], former: Item | None, now: int) -> Node:
    return Node(
        id=key, family=FAMILY, label=LABEL, scope=REPOSITORY, name="", body=body,
        created=former.created if former is not None else now, updated=now,
    )  # fmt: skip
