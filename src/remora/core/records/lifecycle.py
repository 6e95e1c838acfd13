"""Which records are hidden now: by their own lifecycle, or by a later record that may and does supersede them."""

from collections.abc import Callable, Collection, Mapping

from remora.core.records.indexed import IndexedRecord
from remora.core.records.vocabulary import HIDDEN_LIFECYCLES, Lifecycle, Relation, ScopeKind

FindLinking = Callable[[Collection[str]], tuple[tuple[str, Relation, IndexedRecord], ...]]
"""Target ids -> (target, relation, visible record with that link): `RecordView.linking`."""
_Holders = dict[str, list[IndexedRecord]]


def superseders(records: Collection[IndexedRecord], linking: FindLinking) -> dict[str, str]:
    """Id of each superseded record among `records` -> id of a record that supersedes it in effect."""
    holders = _closure({record.id for record in records}, linking)
    found: dict[str, str] = {}
    for record in records:
        effective = _effective(record, holders)
        if effective:
            found[record.id] = effective
    return found


def hidden(record: IndexedRecord, superseded: Mapping[str, str]) -> bool:
    """Whether ordinary reads leave the record out."""
    return record.unreachable or record.lifecycle in HIDDEN_LIFECYCLES or record.id in superseded


def _closure(targets: set[str], linking: FindLinking) -> _Holders:
    """Visible records that supersede the targets, those that supersede these, and so on."""
    found: _Holders = {}
    while targets:
        found |= {target: [] for target in targets}
        holders = [(target, holder) for target, relation, holder in linking(targets) if relation is Relation.SUPERSEDES]
        for target, holder in holders:
            found[target].append(holder)
        targets = {holder.id for _, holder in holders} - found.keys()
    return found


def _effective(record: IndexedRecord, holders: _Holders) -> str:
    for holder in holders.get(record.id, []):
        if _may_supersede(holder, record) and not _undone(holder, holders, frozenset({record.id})):
            return holder.id
    return ""


def _undone(holder: IndexedRecord, holders: _Holders, seen: frozenset[str]) -> bool:
    """Whether a retraction that itself stands takes the holder back. Circles decide nothing."""
    if holder.id in seen:
        return False
    return any(
        _undoes(later) and _may_supersede(later, holder) and not _undone(later, holders, seen | {holder.id})
        for later in holders.get(holder.id, [])
    )


def _undoes(record: IndexedRecord) -> bool:
    """Whether the record says that its target was wrong, so that what the target itself superseded stands again.

    A tombstone or a newer version does not: what they replace stays replaced.
    """
    return record.lifecycle is Lifecycle.RETRACTED and ":retract:" in record.record.idempotency_key


def _may_supersede(holder: IndexedRecord, target: IndexedRecord) -> bool:
    """Whether the holder's writer may write the target: same repository and kind, and no narrower an audience.

    A private record answers to its owner alone; a shared one to records shared in the same way, and a workspace's also
    to what its owner made of it for the whole repository.
    """
    if holder.repository != target.repository or holder.kind is not target.kind or holder.id == target.id:
        return False
    if target.access_scope.scope is ScopeKind.PRIVATE:
        return holder.owner == target.owner
    widened = holder.access_scope.scope is ScopeKind.REPOSITORY and bool(holder.owner) and holder.owner == target.owner
    return holder.access_scope == target.access_scope or widened
