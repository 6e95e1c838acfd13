"""Bring the summaries of the parts of the code up to what the code graph shows now."""

from dataclasses import dataclass
from typing import Protocol

from remora.core.capture.documents import Chain
from remora.core.capture.semantic import adopted, next_summary, part_chains, part_tombstones, summary_of
from remora.core.codegraph.communities import Communities, current
from remora.core.codegraph.snapshot import SymbolRow
from remora.core.codegraph.view import GraphView, names_of
from remora.core.errors import Conflict
from remora.core.policy import SEMANTIC_RECORDS_MAX
from remora.core.records import codec
from remora.core.records.indexed import Narrowing
from remora.core.records.log import AppendOutcome
from remora.core.records.model import Record
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import Grant, Right
from remora.ports import CommunityPorts, RecordPorts


class RefreshSemanticPorts(CommunityPorts, RecordPorts, Protocol):
    """What this verb needs: the parts of the code, and the ports of records."""


@dataclass(frozen=True, slots=True)
class RefreshSemanticResult:
    """Counts: parts = recorded + unchanged + conflicts; of the recorded, `changed` superseded a former summary.
    `removed` parts were taken back; `small` ones are not worth a summary."""

    parts: int
    recorded: int
    changed: int
    unchanged: int
    removed: int
    small: int
    conflicts: tuple[str, ...] = ()


def refresh_semantic(ports: RefreshSemanticPorts, grant: Grant) -> RefreshSemanticResult:
    """Write what changed and nothing else. Safe to repeat and to run twice at once."""
    grant.require(ports.repository.identity, Right.WRITE)
    ports.freshness()
    chains = _chains(ports, grant)
    with ports.code_graph.read() as view:
        communities = adopted(current(view, ports.communities.load(), ports.metrics.communities), chains)
        rows = _central(view, communities)
    ports.communities.save(communities)
    now = ports.clock.now() // 1_000_000
    recorded = changed = removed = 0
    conflicts: list[str] = []
    for part in communities.parts:
        record = next_summary(
            part,
            summary_of(part, rows, ports.redact),
            rows,
            chains.get(part.id, Chain()),
            repository=ports.repository.identity,
            graph=communities.graph,
            commit=communities.commit,
            now=now,
        )
        if record is not None and _appended(ports, grant, record, conflicts):
            recorded += 1
            changed += bool(record.links)
    for gone in sorted(chains.keys() - {part.id for part in communities.parts}):
        taken_back = [_appended(ports, grant, record, conflicts) for record in part_tombstones(chains[gone], now=now)]
        removed += any(taken_back)
    parts = len(communities.parts)
    unchanged = parts - recorded - len(conflicts)
    return RefreshSemanticResult(parts, recorded, changed, unchanged, removed, communities.small, tuple(conflicts))


def _chains(ports: RefreshSemanticPorts, grant: Grant) -> dict[str, Chain]:
    with ports.record_index.view(grant) as view:
        narrowing = Narrowing(kinds=frozenset({RecordKind.SEMANTIC_SUMMARY}))
        found, _ = view.newest(narrowing, limit=SEMANTIC_RECORDS_MAX)
    records = (codec.parse(item.data, trusted=True).record for item in found)
    return part_chains(records, ports.repository.identity)


def _central(view: GraphView, communities: Communities) -> dict[str, SymbolRow]:
    names = names_of(view)
    wanted = {key for part in communities.parts for key in part.central}
    return {key: row for row in view.symbols() if (key := names.id(row)) in wanted}


def _appended(ports: RefreshSemanticPorts, grant: Grant, record: Record, conflicts: list[str]) -> bool:
    try:
        return ports.records.append(grant, record) is AppendOutcome.RECORDED
    except Conflict:
        conflicts.append(record.idempotency_key)
        return False
