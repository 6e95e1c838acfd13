"""The repository's encounter graph held in memory and brought up to date by the change feed instead of read anew."""

from collections.abc import Mapping
from dataclasses import dataclass

from remora.core.encounters.nodes import Authored, authored
from remora.core.encounters.schema import ENCOUNTER, FAMILY
from remora.core.graph import Item, Node
from remora.core.policy import SNAPSHOT_CHANGES_MAX
from remora.core.scope import REPOSITORY
from remora.core.store_read import StoreRead

_PREFIXES = ("enc_", "rel_")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Every encounter node and relation. `seq` is what it was checked against, `changed` its last real change."""

    seq: int
    changed: int
    items: Mapping[str, Item]

    @property
    def graph(self) -> Authored:
        """The authored graph."""
        return authored(self.items.values())

    @property
    def encounters(self) -> tuple[Node, ...]:
        """The spine's nodes, by id."""
        return tuple(
            item for _, item in sorted(self.items.items()) if isinstance(item, Node) and item.label == ENCOUNTER
        )


def refreshed(old: Snapshot | None, view: StoreRead) -> Snapshot:
    """The snapshot at the view's sequence. Writes of other families (a ledger, a fact) cost a look at the feed only."""
    if old is not None and old.seq == view.seq:
        return old
    if old is None or old.seq > view.seq:
        return _whole(view)
    lines = view.changes(old.seq, limit=SNAPSHOT_CHANGES_MAX)
    if len(lines) >= SNAPSHOT_CHANGES_MAX:
        return _whole(view)
    ours = [line for line in lines if line.item.startswith(_PREFIXES)]
    if not ours:
        return Snapshot(view.seq, old.changed, old.items)
    fresh = view.get([line.item for line in ours if not line.dropped], (REPOSITORY,))
    gone = {line.item for line in ours} - fresh.keys()
    items = {name: item for name, item in old.items.items() if name not in gone}
    items.update((name, item) for name, item in fresh.items() if item.family == FAMILY)
    return Snapshot(view.seq, view.seq, items)


def _whole(view: StoreRead) -> Snapshot:
    items = {item.id: item for item in view.snapshot((FAMILY,), (REPOSITORY,))}
    return Snapshot(view.seq, view.seq, items)
