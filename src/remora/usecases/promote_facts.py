"""Carry selected facts of one's own session into the repository's durable memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.errors import InvalidBatch, InvalidInput, NotFound
from remora.core.facts.batch import Batch, Triple, carried
from remora.core.facts.decide import decide
from remora.core.facts.draft import Writer
from remora.core.facts.layout import ENTITY, FACT, Entity, Fact, read_entity, read_fact
from remora.core.facts.words import user_name
from remora.core.graph import Changes, Json
from remora.core.scope import REPOSITORY, Grant
from remora.core.sessions import Session, SessionRef, resolve
from remora.core.source import Provenance
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteFactsRequest:
    """Fact ids of the session's own facts."""

    session: SessionRef
    facts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteFactsResult:
    """Session fact id -> (outcome, repository fact id)."""

    promoted: Mapping[str, tuple[str, str]]
    totals: Mapping[str, Json]

    def to_json(self) -> dict[str, Json]:
        """As rows."""
        return {
            "promoted": [
                {"session_fact": item, "outcome": outcome, "id": durable}
                for item, (outcome, durable) in self.promoted.items()
            ],
            "totals": dict(self.totals),
        }


def promote_facts(ports: FactPorts, grant: Grant, request: PromoteFactsRequest) -> PromoteFactsResult:
    """Save the facts in repository scope, all or none. They keep their provenance and trust and say who promoted them.

    Raises `NotFound` for a session that is not open or a fact that is not its own, `InvalidBatch` for closed facts.
    """
    if not 1 <= len(request.facts) <= policy.FACTS_PER_SESSION:
        raise InvalidInput("facts", f"has {len(request.facts)} ids", allowed=f"1 to {policy.FACTS_PER_SESSION}")
    chosen = tuple(dict.fromkeys(request.facts))

    def plan(view: StoreRead, now: int) -> Changes:
        session = resolve(view, grant, request.session, now)
        facts, entities = _read(view, session, chosen)
        batch = Batch.resolve(
            [_triple(fact, entities) for fact in facts],
            scope=REPOSITORY,
            user=user_name(grant, REPOSITORY),
            redact=ports.redact,
        )
        origins = [_origin(fact, session, grant, now) for fact in facts]
        return decide(view, carried(batch, origins), Writer(Provenance.of(grant, session=session.id)), now).changes

    result = ports.store.apply(grant, plan).result
    told = result if isinstance(result, dict) else {}
    outcomes, totals = told.get("outcomes"), told.get("totals")
    rows = [row for row in outcomes if isinstance(row, dict)] if isinstance(outcomes, list) else []
    return PromoteFactsResult(
        promoted={item: (str(row.get("outcome")), str(row.get("id"))) for item, row in zip(chosen, rows, strict=True)},
        totals=totals if isinstance(totals, dict) else {},
    )


def _read(view: StoreRead, session: Session, chosen: Sequence[str]) -> tuple[list[Fact], dict[str, Entity]]:
    items = view.get(chosen, (session.scope,))
    missing = [item for item in chosen if item not in items or items[item].label != FACT]
    if missing:
        raise NotFound(f"{len(missing)} of these are no facts of this session", advice="list the session's facts")
    facts = [read_fact(items[item]) for item in chosen]
    closed = [
        InvalidInput(f"facts[{at}]", "is closed", allowed="current facts")
        for at, fact in enumerate(facts)
        if not fact.current
    ]
    if closed:
        raise InvalidBatch("facts", closed)
    ends = {end for fact in facts for end in (fact.subject, fact.object)}
    nodes = view.get(ends, (session.scope,)).values()
    return facts, {node.id: read_entity(node) for node in nodes if node.label == ENTITY}


def _triple(fact: Fact, entities: Mapping[str, Entity]) -> Triple:
    subject, target = entities[fact.subject], entities[fact.object]
    return Triple(
        subject=subject.name,
        predicate=fact.predicate,
        object=target.name,
        confidence=fact.confidence,
        subject_type=subject.type,
        object_type=target.type,
        citations=fact.citations,
    )


def _origin(fact: Fact, session: Session, grant: Grant, now: int) -> tuple[Provenance, Mapping[str, Json]]:
    origin = replace(fact.provenance, session=fact.provenance.session or session.id)
    return origin, {"by": grant.principal, "channel": grant.channel.value, "at": now, "from": fact.id}
