"""Revise a record: retract, correct, promote, link or bring it back, each by a new record."""

from dataclasses import dataclass

from remora.core.errors import Denied, InvalidInput, NotFound
from remora.core.records.access import may_write
from remora.core.records.lifecycle import superseders
from remora.core.records.log import AppendOutcome
from remora.core.records.model import Record, is_record_id
from remora.core.records.revision import Moment, Revise
from remora.core.records.scrub import scrubbed
from remora.core.scope import Grant
from remora.ports import RecordPorts

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Revised:
    """Whether the revision was stored now or before, the new record, and the one it takes the place of."""

    outcome: AppendOutcome
    record: Record
    replaced: str


def revise_record(ports: RecordPorts, grant: Grant, record_id: str, revise: Revise) -> Revised:
    """Write what `revise` (of `core.records.revision`) makes of a record.

    Raises `NotFound` for absent and hidden records alike, `Denied` for a visible record of someone else's, `Conflict`
    when the record was revised in this way before with other words.
    """
    if not is_record_id(record_id):
        raise InvalidInput("id", f"{record_id[:80]!r} is not a record id", allowed="mem_ and 24 hex digits")
    with ports.record_index.view(grant) as view:
        found = view.get([record_id]).get(record_id)
        if found is None:
            raise NotFound(f"no record {record_id}")
        hider = superseders([found], view.linking).get(record_id, "")
    if not may_write(grant, found.record):
        raise Denied(f"principal {grant.principal!r} may not revise this record")
    moment = Moment(ports.clock.now() // _MICROSECONDS, grant.principal, hider)
    made = scrubbed(revise(found.record, moment), ports.redact)
    return Revised(ports.records.append(grant, made), made, record_id)
