"""List the ids of all records that the caller may see, by pages, so that another store can tell what it lacks."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.records.indexed import Narrowing
from remora.core.records.model import is_record_id
from remora.core.scope import Grant
from remora.ports import RecordPorts


@dataclass(frozen=True, slots=True)
class RecordIds:
    """One page, newest first; `next_cursor` is "" at the end."""

    ids: tuple[str, ...]
    total: int
    next_cursor: str


def list_record_ids(
    ports: RecordPorts, grant: Grant, *, cursor: str = "", limit: int = policy.EXCHANGE_IDS_PAGE
) -> RecordIds:
    """A page of ids. Raises `InvalidInput` for what is no cursor of this list."""
    with ports.record_index.view(grant) as view:
        found, total = view.newest(Narrowing(), limit=limit, after=_position(cursor) if cursor else None)
    more = len(found) == limit
    return RecordIds(
        tuple(record.id for record in found), total, f"{found[-1].occurred_at}:{found[-1].id}" if more else ""
    )


def _position(cursor: str) -> tuple[int, str]:
    time, _, record_id = cursor.partition(":")
    digits = time.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 15 and is_record_id(record_id)):
        raise InvalidInput("cursor", "is not a cursor of this list", allowed="a former page's next_cursor")
    return int(time), record_id
