"""Show one fact whole: its history, the other values that it had or has, and where it came from."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.emphasis import emphases
from remora.core.errors import NotFound
from remora.core.facts.layout import FACT, Entity, read_entity, read_fact
from remora.core.facts.rows import EntityRow, FactRow, entity_row, fact_row, names_of
from remora.core.graph import Edge
from remora.core.scope import REPOSITORY, Grant
from remora.core.sessions import Session, own_open
from remora.ports import FactPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDetail:
    """The fact, its ends with all their names, and every value of (subject, predicate), newest first, itself included.

    `session` is the chat that keeps it private, None for one of the repository.
    """

    row: FactRow
    subject: EntityRow
    object: EntityRow
    values: tuple[FactRow, ...]
    more_values: bool
    emphasis: str
    session: Session | None = None


def show_fact(ports: FactPorts, grant: Grant, fact_id: str) -> FactDetail:
    """One fact of the repository or of a chat of the caller's own; `NotFound` alike for absent and hidden ones."""
    with ports.store.read(grant) as view:
        chats = {session.scope: session for session in own_open(view, grant, ports.clock.now())}
        edge = view.get((fact_id,), (REPOSITORY, *chats)).get(fact_id)
        if not isinstance(edge, Edge) or edge.label != FACT:
            raise NotFound("no fact has this id", advice="look for it in the list")
        near = view.expand(
            (edge.source,),
            (edge.scope,),
            labels=(FACT,),
            names=(edge.name,),
            incoming=False,
            per_node=policy.DETAIL_EDGES_MAX,
            limit=policy.DETAIL_EDGES_MAX,
        )
        ends = {node.id: read_entity(node) for node in view.get((edge.source, edge.target), (edge.scope,)).values()}
        held = emphases(view)
    names = names_of(near.nodes) | {item: entity.name for item, entity in ends.items()}
    facts = {found.id: read_fact(found) for found in (*near.edges, edge)}
    values = sorted(facts.values(), key=lambda fact: (-fact.updated, fact.id))
    return FactDetail(
        row=fact_row(facts[edge.id], names, ports.redact),
        subject=_end(ends, edge.source, ports),
        object=_end(ends, edge.target, ports),
        values=tuple(fact_row(fact, names, ports.redact) for fact in values),
        more_values=near.truncated,
        emphasis=held.of(edge.id),
        session=chats.get(edge.scope),
    )


def _end(ends: dict[str, Entity], item: str, ports: FactPorts) -> EntityRow:
    if item not in ends:
        raise NotFound("an end of this fact is gone", advice="look for it in the list")
    return entity_row(ends[item], ports.redact)
