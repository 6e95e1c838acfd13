"""Record the outcome of a change: what was tried, how it went, how it was checked."""

from dataclasses import dataclass, replace

from remora.core.errors import NotFound
from remora.core.records.identity import apart
from remora.core.records.log import AppendOutcome
from remora.core.records.model import Record
from remora.core.records.outcome import OutcomeRequest, outcome_record
from remora.core.records.scrub import scrubbed
from remora.core.records.view import SymbolLookup
from remora.core.scope import Grant
from remora.ports import RecordPorts

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class RecordedOutcome:
    """Whether the outcome was stored now or before, and the record as it is stored."""

    outcome: AppendOutcome
    record: Record


def _unresolved(_: str) -> None:
    return None


def record_outcome(
    ports: RecordPorts, grant: Grant, request: OutcomeRequest, *, lookup: SymbolLookup = _unresolved
) -> RecordedOutcome:
    """Store an outcome once per idempotency key, and of a restricted principal once per its own; secrets go first.

    Raises `InvalidInput` naming the field, `Denied` when the scope is not the caller's to write, and `Conflict` when
    the key was used for something else that the caller may see.
    """
    request = replace(  # what names things is kept as it is written by tools, but people paste into it, too
        request,
        idempotency_key=ports.redact(request.idempotency_key),
        commit=ports.redact(request.commit),
        symbols=tuple(ports.redact(symbol) for symbol in request.symbols),
    )
    now_seconds = ports.clock.now() // _MICROSECONDS
    record = scrubbed(outcome_record(request, grant, ports.repository.identity, now_seconds, lookup), ports.redact)
    if not grant.operator and not _sees(ports, grant, record.id):
        record = apart(record, grant.principal)  # always, so that a key taken by a hidden record does not show
    done = ports.records.append(grant, record)
    stored = record if done is AppendOutcome.RECORDED else ports.records.get(grant, record.id)
    return RecordedOutcome(done, stored)


def _sees(ports: RecordPorts, grant: Grant, record_id: str) -> bool:
    """Whether a record stands under the plain key for the caller."""
    try:
        ports.records.get(grant, record_id)
    except NotFound:
        return False
    return True
