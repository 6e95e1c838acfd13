"""How record documents lie in a store engine, and the pure plans that write them.

label    id                         body
Record   the record's own           line: its canonical line with the checksum; written once and never replaced
Listing  rcl_ + hash of its ids     count: how many records it lists
Members  rcm_ + the same hash       ids: sorted; apart, so that looking for what is new reads few bytes
Newest   rcl_newest                 ids: what came since the last listing, in order of arrival

Every record is in one list at least, written in the same transaction. Compaction rewrites lists and no record.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from remora.core import ids as computed
from remora.core import policy
from remora.core.errors import Corrupt
from remora.core.graph import Changes, Item, Json, Node
from remora.core.records import codec
from remora.core.records.identity import same_content
from remora.core.records.log import AppendOutcome, LogUnit
from remora.core.records.model import Record
from remora.core.scope import SYSTEM
from remora.core.store_read import StoreRead

FAMILY: Final = "record_log"
RECORD: Final = "Record"
LISTING: Final = "Listing"
NEWEST: Final = "rcl_newest"
_MEMBERS: Final = "Members"
_SCOPES: Final = (SYSTEM,)
CONFLICT: Final = "conflict"

# --- Reading ----------------------------------------------------------------------------------------------------------


def line_of(item: Item) -> bytes:
    """The bytes of a record document."""
    line = item.body.get("line")
    return line.encode() if isinstance(line, str) else b""


def held(view: StoreRead, record_ids: Collection[str]) -> dict[str, Item | None]:
    """The documents that are there; None for one that cannot be read."""
    try:
        return dict(view.get(record_ids, _SCOPES))
    except Corrupt:
        if len(record_ids) == 1:
            return dict.fromkeys(record_ids)
    found: dict[str, Item | None] = {}
    for record_id in record_ids:
        found |= held(view, (record_id,))
    return found


def units(view: StoreRead) -> tuple[LogUnit, ...]:
    """The lists, by name: together the fingerprint of the log."""
    newest = members(view, NEWEST)
    found = [LogUnit(NEWEST, _hash(newest))] if newest else []
    found += [LogUnit(item.id, item.id) for item in _listings(view)]
    return tuple(found)


def unit(view: StoreRead, name: str) -> tuple[LogUnit, tuple[str, ...]] | None:
    """One list with the ids that it names; None when it is gone."""
    named = members(view, name)
    return (LogUnit(name, _hash(named) if name == NEWEST else name), named) if named else None


def _listings(view: StoreRead) -> Iterator[Item]:
    after = ""
    while True:
        page, after = view.scan(FAMILY, LISTING, _SCOPES, after=after, limit=policy.RECORD_LISTS_PAGE)
        yield from page
        if not after:
            return


def members(view: StoreRead, unit: str) -> tuple[str, ...]:
    """The ids that a list names; none for a list that is gone."""
    place = unit if unit == NEWEST else _members_id(unit)
    item = view.get([place], _SCOPES).get(place)
    named = item.body.get("ids") if item else None
    return tuple(each for each in named if isinstance(each, str)) if isinstance(named, list) else ()


def documents(view: StoreRead) -> Iterator[str]:
    """Ids of every document, listed or not."""
    after = ""
    while True:
        page, after = view.scan(FAMILY, RECORD, _SCOPES, after=after, limit=policy.RECORD_STORE_BATCH)
        yield from (item.id for item in page)
        if not after:
            return


# --- Writing ----------------------------------------------------------------------------------------------------------


def appended(view: StoreRead, now: int, record: Record) -> Changes:
    """One record more, at the end of the newest; the result is an outcome, or `CONFLICT`."""
    there = held(view, (record.id,))
    if record.id in there:
        return Changes(result=AppendOutcome.ALREADY_PRESENT.value if _says(there[record.id], record) else CONFLICT)
    newest = (*members(view, NEWEST), record.id)
    full = len(newest) >= policy.RECORD_STORE_NEWEST_MAX
    lists = (*_listed(newest, now), _newest((), now)) if full else (_newest(newest, now),)
    return Changes(put=(_document(record, now), *lists), result=AppendOutcome.RECORDED.value)


def appended_many(view: StoreRead, now: int, records: Sequence[Record], last: str) -> Changes:
    """Many records more, in the list `last` as long as it has room ("": a new one).

    The result is an object: recorded, present, conflicts (keys), and the list to go on with.
    """
    there = held(view, [record.id for record in records])
    fresh: dict[str, Record] = {}
    conflicts: list[Json] = []
    present = 0
    for record in records:
        known = fresh.get(record.id)
        if known is None and record.id not in there:
            fresh[record.id] = record
        elif same_content(known, record) if known else _says(there[record.id], record):
            present += 1
        else:
            conflicts.append(record.idempotency_key)
    former = members(view, last) if last else ()
    grown = former if len(former) + len(fresh) <= policy.SEGMENT_RECORDS_MAX else ()
    lists = _listed((*grown, *fresh), now) if fresh else ()
    return Changes(
        put=(*(_document(record, now) for record in fresh.values()), *lists),
        drop=(last, _members_id(last)) if grown and fresh else (),
        result={
            "recorded": len(fresh), "present": present, "conflicts": conflicts, "list": lists[0].id if lists else last,
        },
    )  # fmt: skip


def compacted(view: StoreRead, now: int) -> Changes:
    """The newest records and short lists in long lists; the result is an object: folded, lists."""
    newest = members(view, NEWEST)
    short = [item.id for item in _listings(view) if _count(item) < policy.SEGMENT_RECORDS_MAX // 2]
    if not newest and len(short) < 2:
        return Changes(result={"folded": 0, "lists": 0})
    every = sorted({record_id for unit in (NEWEST, *short) for record_id in members(view, unit)})
    size = policy.SEGMENT_RECORDS_MAX
    lists = [item for start in range(0, len(every), size) for item in _listed(every[start : start + size], now)]
    kept = {item.id for item in lists}
    gone = tuple(each for unit in short for each in (unit, _members_id(unit)) if each not in kept)
    return Changes(put=(*lists, _newest((), now)), drop=gone, result={"folded": len(newest), "lists": len(lists) // 2})


def _says(document: Item | None, record: Record) -> bool:
    """Whether a document that is there says the same; one that cannot be read says nothing."""
    if document is None:
        return False
    try:
        return same_content(codec.parse(line_of(document)).record, record)
    except Corrupt:
        return False


def _document(record: Record, now: int) -> Node:
    return _node(record.id, RECORD, {"line": codec.encode_line(record).decode()}, now)


def _listed(record_ids: Iterable[str], now: int) -> tuple[Node, Node]:
    """A list and its members."""
    every = sorted(record_ids)
    named: list[Json] = list(every)
    unit = f"rcl_{_hash(every)}"
    return _node(unit, LISTING, {"count": len(every)}, now), _node(_members_id(unit), _MEMBERS, {"ids": named}, now)


def _newest(record_ids: Sequence[str], now: int) -> Node:
    return _node(NEWEST, _MEMBERS, {"ids": list(record_ids)}, now)


def _node(name: str, label: str, body: dict[str, Json], now: int) -> Node:
    return Node(id=name, family=FAMILY, label=label, scope=SYSTEM, name="", body=body, created=now, updated=now)


def _members_id(unit: str) -> str:
    return "rcm_" + unit.removeprefix("rcl_")


def _count(listing: Item) -> int:
    count = listing.body.get("count")
    return count if isinstance(count, int) else 0


def _hash(record_ids: Iterable[str]) -> str:
    return computed.digest("\n".join(record_ids).encode())[:24]
