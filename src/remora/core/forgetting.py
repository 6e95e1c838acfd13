"""A forget that can be undone for a while: what goes is moved out of every reader's sight, and erased when it is due.

Hidden items lie in a scope of their own, without tokens or vectors, so that no door, ranking or count meets them.
Whatever is said anew meanwhile takes its place in the repository again and is not erased.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from remora.core import policy
from remora.core.facts.layout import tombstone
from remora.core.graph import Changes, Edge, Item, Json, Node
from remora.core.scope import REPOSITORY, SYSTEM
from remora.core.store_read import StoreRead

FAMILY: Final = "forgetting"
LABEL: Final = "Pending"
_TOKENS = "hidden_tokens"
_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """One pending forget. `items` are hidden, `leaves` are those of them whose ids stay as tombstones.

    `origin` is the scope that they were taken from.
    """

    id: str
    target: str
    origin: str = REPOSITORY
    items: tuple[str, ...]
    leaves: tuple[str, ...]
    principal: str
    asked: int
    due: int

    @property
    def scope(self) -> str:
        """Scope key of what it hides."""
        return f"forgetting:{self.id}"

    def seconds_left(self, now: int) -> int:
        """Until it can no longer be undone, rounded up; 0 when it is due."""
        return max(0, -((now - self.due) // _MICROSECONDS))


def hide(view: StoreRead, forgetting: Forgetting) -> Changes:
    """Move the items out of sight and note when they are due."""
    found = view.get(forgetting.items, (forgetting.origin,))
    hidden = [_hidden(item, forgetting.scope) for item in found.values()]
    return Changes(put=(*hidden, _node(forgetting)))


def bring_back(view: StoreRead, forgetting: Forgetting) -> Changes:
    """Undo: what is still hidden is back as it was. The result is how many items are."""
    scope = forgetting.origin
    found = view.get(forgetting.items, (forgetting.scope,))
    back = {item.id: _shown(item, scope) for item in found.values()}
    ends = {end for item in back.values() if isinstance(item, Edge) for end in (item.source, item.target)}
    there = {*back, *view.get(ends - back.keys(), (scope,))}
    whole = [item for item in back.values() if not isinstance(item, Edge) or {item.source, item.target} <= there]
    return Changes(put=tuple(whole), drop=(forgetting.id,), result=len(whole))


def erased(view: StoreRead, forgetting: Forgetting, now: int) -> Changes:
    """After the hidden items were dropped: their ids as tombstones, unless they were said anew."""
    again = view.get(forgetting.leaves, (forgetting.origin,))
    stones = [tombstone(item, forgetting.origin, now) for item in forgetting.leaves if item not in again]
    return Changes(put=tuple(stones), drop=(forgetting.id,))


def pending(view: StoreRead) -> list[Forgetting]:
    """Every forget that waits, soonest first."""
    items, _ = view.scan(FAMILY, LABEL, (SYSTEM,), limit=policy.FORGETTINGS_MAX)
    return sorted(map(read_forgetting, items), key=lambda found: (found.due, found.id))


def find(view: StoreRead, forgetting_id: str) -> Forgetting | None:
    """One that waits."""
    item = view.get((forgetting_id,), (SYSTEM,)).get(forgetting_id)
    return read_forgetting(item) if item is not None and item.label == LABEL else None


def read_forgetting(item: Item) -> Forgetting:
    """Read what `_node` wrote."""
    body: Mapping[str, Json] = item.body
    due = body.get("due")
    return Forgetting(
        id=item.id,
        target=str(body.get("target", "")),
        origin=str(body.get("origin", REPOSITORY)),
        items=_texts(body.get("items")),
        leaves=_texts(body.get("leaves")),
        principal=str(body.get("principal", "")),
        asked=item.created,
        due=due if isinstance(due, int) else 0,
    )


def _node(forgetting: Forgetting) -> Node:
    body: dict[str, Json] = {
        "target": forgetting.target,
        "origin": forgetting.origin,
        "items": list(forgetting.items),
        "leaves": list(forgetting.leaves),
        "principal": forgetting.principal,
        "due": forgetting.due,
    }
    return Node(
        id=forgetting.id, family=FAMILY, label=LABEL, scope=SYSTEM, name="", body=body,
        created=forgetting.asked, updated=forgetting.asked,
    )  # fmt: skip


def _hidden(item: Item, scope: str) -> Item:
    tokens: Json = {field: list(row) for field, row in item.tokens.items()}
    return replace(item, scope=scope, tokens={}, body={**item.body, _TOKENS: tokens})


def _shown(item: Item, scope: str) -> Item:
    tokens = item.body.get(_TOKENS)
    rows = tokens if isinstance(tokens, dict) else {}
    body = {name: value for name, value in item.body.items() if name != _TOKENS}
    return replace(item, scope=scope, tokens={field: _texts(row) for field, row in rows.items()}, body=body)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()
