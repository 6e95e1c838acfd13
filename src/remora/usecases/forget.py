"""Forget facts and entities for good; only their ids stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.errors import InvalidInput, NotFound
from remora.core.facts.decide import entities_named
from remora.core.facts.forget import forget as plan_forget
from remora.core.facts.layout import fact_id
from remora.core.facts.place import ScopeName, place_of
from remora.core.facts.words import entity_name, predicate_name, user_name
from remora.core.graph import Changes, Json
from remora.core.scope import Grant
from remora.core.sessions import SessionRef
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """What to forget: facts by id or as (subject, predicate, object), entities by any of their names."""

    facts: Sequence[str] = ()
    triples: Sequence[tuple[str, str, str]] = ()
    entities: Sequence[str] = ()
    dry_run: bool = False
    memory_scope: str = ScopeName.REPOSITORY
    session: SessionRef = field(default_factory=SessionRef)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetResult:
    """Ids of what is gone (or would go): the facts, and the entities that nothing else mentions."""

    facts: tuple[str, ...]
    entities: tuple[str, ...]
    totals: Mapping[str, Json]
    dry_run: bool
    note: str = "Bundles, backups and git history keep copies until they are removed there."

    def to_json(self) -> dict[str, Json]:
        """Counts and ids, bounded."""
        return {
            "facts_forgotten": len(self.facts),
            "entities_forgotten": len(self.entities),
            "facts": list(self.facts[: policy.LIST_LIMIT_MAX]),
            "entities": list(self.entities[: policy.LIST_LIMIT_MAX]),
            "truncated": max(len(self.facts), len(self.entities)) > policy.LIST_LIMIT_MAX,
            "totals": dict(self.totals),
            "dry_run": self.dry_run,
            "note": self.note,
        }


def forget(ports: FactPorts, grant: Grant, request: ForgetRequest) -> ForgetResult:
    """Forget in one transaction, or with `dry_run` only say what would go.

    Raises `NotFound` when anything named is unknown, `Denied` when anything was saved with higher trust.
    """
    if not (request.facts or request.triples or request.entities):
        raise InvalidInput("facts", "nothing is named", allowed="fact ids, triples or entity names")
    scope = ScopeName.parse(request.memory_scope)

    def plan(view: StoreRead, now: int) -> Changes:
        place = place_of(view, grant, scope, request.session, now)
        facts = dict.fromkeys((*request.facts, *_facts(view, place.scope, grant, ports, request.triples)))
        entities = dict.fromkeys(_entities(view, place.scope, grant, ports, request.entities).values())
        return plan_forget(view, place.scope, facts=facts, entities=entities, trust=grant.trust, now=now)

    if request.dry_run:
        with ports.store.read(grant) as view:
            result = plan(view, ports.clock.now()).result
    else:
        result = ports.store.apply(grant, plan).result
    told = result if isinstance(result, dict) else {}
    totals = told.get("totals")
    return ForgetResult(
        facts=_ids(told.get("facts")),
        entities=_ids(told.get("entities")),
        totals=totals if isinstance(totals, dict) else {},
        dry_run=request.dry_run,
    )


def _entities(view: StoreRead, scope: str, grant: Grant, ports: FactPorts, names: Sequence[str]) -> dict[str, str]:
    user = user_name(grant, scope)
    keys = {name: entity_name("entities", name, ports.redact, user).text for name in names}
    known = entities_named(view, scope, keys.values())
    missing = [name for name, text in keys.items() if text not in known]
    if missing:
        raise NotFound(f"{len(missing)} of these entities are not known here", advice="search for them first")
    return {name: known[text] for name, text in keys.items()}


def _facts(
    view: StoreRead, scope: str, grant: Grant, ports: FactPorts, triples: Sequence[tuple[str, str, str]]
) -> list[str]:
    names = {name for subject, _, target in triples for name in (subject, target)}
    known = _entities(view, scope, grant, ports, sorted(names))
    return [
        fact_id(scope, known[subject], predicate_name("predicate", predicate, ports.redact), known[target])
        for subject, predicate, target in triples
    ]


def _ids(value: Json) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
