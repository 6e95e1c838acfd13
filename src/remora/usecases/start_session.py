"""A chat begins, or goes on after a compaction: its session is open, and what stands is told, within a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.errors import RemoraError, Unavailable
from remora.core.facts.layout import FACT, FAMILY, Fact, read_fact
from remora.core.facts.rows import fact_row, names_of
from remora.core.graph import Changes, Edge
from remora.core.infusion.ledger import ledger_id
from remora.core.recall.notice import envelope
from remora.core.records.evidence import record_line
from remora.core.records.indexed import Category, Narrowing
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
from remora.core.scope import SYSTEM, Grant, Trust
from remora.core.sessions import (
    HANDLE_BYTES,
    HANDLE_PREFIX,
    Session,
    SessionRef,
    register,
    resolve_runtime,
    session_node_id,
)
from remora.core.store_read import StoreRead
from remora.ports import InfusionPorts

_TOLD = "This repository has durable memory (remora). Session handle: {} — pass it as `session` to its tools."
_STANDING = (Category.PITFALL, Category.DECISION)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """The runtime's own session. `compacted`: what was told before is out of the chat's sight, so it is told again."""

    client: str
    session_id: str
    compacted: bool = False
    max_chars: int = policy.START_MAX_CHARS


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedSession:
    """The handle (told once), the text to give to the model, what is in it, and what could not be looked at."""

    handle: str
    context: str
    facts: int = 0
    records: int = 0
    fallback: str = ""


def start_session(ports: InfusionPorts, grant: Grant, request: StartRequest) -> StartedSession:
    """Register, and recall the session's own facts with the standing pitfalls and decisions of the repository.

    Raises `Conflict` for a closed session and `InvalidInput` for ids that are none. A damaged record index costs the
    records, not the facts.
    """
    handle = HANDLE_PREFIX + ports.clock.token(HANDLE_BYTES)

    def plan(view: StoreRead, now: int) -> Changes:
        changes = register(view, grant, request.client, request.session_id, handle, now)
        told = ledger_id(session_node_id(grant.principal, request.client, request.session_id))
        again = request.compacted and told in view.get((told,), (SYSTEM,))
        return replace(changes, drop=(*changes.drop, told)) if again else changes

    if ports.store.apply(grant, plan).result is None:
        raise Unavailable("the store gave no answer to a registration", advice="try again")
    ref = SessionRef(client=request.client, session_id=request.session_id)
    with ports.store.read(grant) as view:
        facts = _facts(view, resolve_runtime(view, grant, ref.client, ref.session_id, ports.clock.now()), ports)
    try:
        records, fallback = _records(ports, grant), ""
    except RemoraError as error:
        records, fallback = [], f"records: {error.code}"
    lines = [*(("From this chat:", *facts) if facts else ()), *(("Standing here:", *records) if records else ())]
    head = _TOLD.format(handle)
    body = envelope(lines, max_chars=max(0, request.max_chars - len(head) - 1)) if lines else ""
    return StartedSession(
        handle=handle, context=f"{head}\n{body}".rstrip(), facts=len(facts), records=len(records), fallback=fallback
    )


def _facts(view: StoreRead, session: Session, ports: InfusionPorts) -> list[str]:
    """The newest current facts of the session's own scope."""
    items, _ = view.scan(FAMILY, FACT, (session.scope,), limit=policy.LIST_LIMIT, newest_first=True)
    edges = [item for item in items if isinstance(item, Edge) and _may_be_told(read_fact(item))][: policy.START_FACTS]
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    names = names_of(view.get(ends, (session.scope,)).values())
    return [f"- {fact_row(read_fact(edge), names, ports.redact).text}" for edge in edges]


def _may_be_told(fact: Fact) -> bool:
    """Current, and said in this chat or drawn from it; what came from outside is told only when asked for."""
    return fact.current and fact.trust >= Trust.DERIVED


def _records(ports: InfusionPorts, grant: Grant) -> list[str]:
    """The newest standing records of each category, pitfalls first."""
    lines: list[str] = []
    with ports.record_index.view(grant) as view:
        for category in _STANDING:
            found, _ = view.newest(Narrowing(categories=frozenset({category})), limit=policy.START_RECORDS_LOOKED)
            superseded = superseders(found, view.linking)
            current = [record for record in found if not hidden(record, superseded)]
            lines += _lines([record.record for record in current[: policy.START_RECORDS]], category, ports)
    return lines


def _lines(records: Sequence[Record], category: Category, ports: InfusionPorts) -> list[str]:
    return [ports.redact(f"- [{category.name.lower()}] {record_line(record)}") for record in records]
