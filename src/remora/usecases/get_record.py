"""Show one record whole, with what supersedes it and what links to it."""

from dataclasses import dataclass

from remora.core.errors import InvalidInput, NotFound
from remora.core.records.lifecycle import superseders
from remora.core.records.model import Record, is_record_id
from remora.core.records.vocabulary import Relation
from remora.core.scope import Grant
from remora.ports import RecordPorts


@dataclass(frozen=True, slots=True)
class RecordDetail:
    """A record, the id of what supersedes it ("" when nothing does), and (relation, id) of records that link to it.

    `unreachable`: it tells of a commit that no branch or tag holds any more.
    """

    record: Record
    superseded_by: str
    linked_from: tuple[tuple[Relation, str], ...]
    unreachable: bool = False


def get_record(ports: RecordPorts, grant: Grant, record_id: str) -> RecordDetail:
    """One record by id; raises `InvalidInput` for no id, `NotFound` alike for absent and hidden records."""
    if not is_record_id(record_id):
        raise InvalidInput("id", f"{record_id[:80]!r} is not a record id", allowed="mem_ and 24 hex digits")
    with ports.record_index.view(grant) as view:
        found = view.get([record_id]).get(record_id)
        if found is None:
            raise NotFound(f"no record {record_id}")
        linking = view.linking([record_id, *(source.uri for source in found.record.sources)])
        superseded = superseders([found], view.linking)
        linked = tuple(dict.fromkeys((relation, record.id) for _, relation, record in linking if record.id != found.id))
        return RecordDetail(found.record, superseded.get(record_id, ""), linked, found.unreachable)
