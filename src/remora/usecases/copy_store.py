"""Copy a repository's store into another engine, and compare counts and digests of both sides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from remora.core import policy
from remora.core.errors import Conflict, Corrupt, Denied
from remora.core.forgetting import pending
from remora.core.graph import Changes, Edge, Item, Json
from remora.core.ids import digest
from remora.core.item_codec import encode_item
from remora.core.scope import REPOSITORY, SYSTEM, Grant, session_scope
from remora.core.sessions import FAMILY, SESSION
from remora.ports import Store

Progress = Callable[[int, int], None]
"""(items copied, items in all)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What both sides hold now. `already_there` items needed no writing: an interrupted copy goes on."""

    items: int
    already_there: int
    digest: str
    counts: Mapping[str, int]

    def to_json(self) -> dict[str, Json]:
        """As a row."""
        return {
            "items": self.items,
            "already_there": self.already_there,
            "digest": self.digest,
            "counts": dict(self.counts),
        }


def copy_store(source: Store, target: Store, grant: Grant, progress: Progress | None = None) -> Copied:
    """Copy every item of every scope. The operator's; vectors are derived and are made anew by the indexer.

    Raises `Conflict` when the target holds what the source does not, `Corrupt` when the sides differ afterwards.
    """
    if not grant.operator:
        raise Denied("only the operator may copy a store: it holds what belongs to everyone")
    wanted = _content(source, grant)
    there = _content(target, grant)
    foreign = sorted(there.keys() - wanted.keys())
    if foreign:
        advice = "name an empty target; a copy merges nothing"
        raise Conflict(f"the target holds {len(foreign)} items that the source does not have", advice=advice)
    missing = [item for item_id, item in wanted.items() if there.get(item_id) != item]
    missing.sort(key=lambda item: (isinstance(item, Edge), item.id))
    for at in range(0, len(missing), policy.COPY_BATCH_ITEMS):
        _put(target, grant, Changes(put=tuple(missing[at : at + policy.COPY_BATCH_ITEMS])))
        if progress is not None:
            progress(min(at + policy.COPY_BATCH_ITEMS, len(missing)), len(missing))
    result = _compared(_content(source, grant), _content(target, grant))
    return Copied(items=len(wanted), already_there=len(wanted) - len(missing), digest=result[0], counts=result[1])


def _put(store: Store, grant: Grant, changes: Changes) -> None:
    store.apply(grant, lambda _view, _now: changes)


def _content(store: Store, grant: Grant) -> dict[str, Item]:
    """All items by id, those of chats (closed ones included) and those that wait to be forgotten among them."""
    with store.read(grant) as view:
        sessions = view.snapshot((FAMILY,), (SYSTEM,))
        chats = [session_scope(item.id) for item in sessions if item.label == SESSION]
        scopes = (REPOSITORY, SYSTEM, *chats, *(forgetting.scope for forgetting in pending(view)))
        families = sorted({family for family, _, _ in view.counts(scopes)})
        return {item.id: item for item in view.snapshot(families, scopes)}


def _compared(source: Mapping[str, Item], target: Mapping[str, Item]) -> tuple[str, Mapping[str, int]]:
    digests, counts = zip(*(_summary(side) for side in (source, target)), strict=True)
    if digests[0] != digests[1] or counts[0] != counts[1]:
        raise Corrupt(
            f"the copy differs: {len(source)} items on one side, {len(target)} on the other",
            advice="somebody may have written meanwhile; run the copy again",
        )
    return digests[0], counts[0]


def _summary(items: Mapping[str, Item]) -> tuple[str, dict[str, int]]:
    lines = "\n".join(encode_item(items[item_id]) for item_id in sorted(items))
    counts: dict[str, int] = {}
    for item in items.values():
        name = f"{item.family}/{item.label}"
        counts[name] = counts.get(name, 0) + 1
    return digest(lines.encode("ascii")), dict(sorted(counts.items()))
