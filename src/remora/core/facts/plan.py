"""The fact algebra: checked statements and what the store holds, turned into changes and one outcome per triple."""

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from remora.core import policy
from remora.core.errors import InvalidBatch, InvalidInput
from remora.core.facts.batch import Batch, Statement
from remora.core.facts.draft import Draft, Found, Writer, source_hash
from remora.core.facts.intervals import closed, opened
from remora.core.facts.layout import Entity, Fact, fact_id
from remora.core.facts.merge import Merged, same_as
from remora.core.facts.words import SAME_AS
from remora.core.graph import Changes, Json


class Outcome(StrEnum):
    """What a statement did. `unchanged`: this very write was seen before."""

    CREATED = "created"
    CONFIRMED = "confirmed"
    REOPENED = "reopened"
    MERGED = "merged"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One statement's outcome. `item` is the fact (or, for SAME_AS, the entity); `closed` are fact ids."""

    index: int
    outcome: Outcome
    item: str
    closed: tuple[str, ...] = ()
    merged: Merged | None = None

    def to_json(self) -> dict[str, Json]:
        """Ids and counts only: this is kept for replays and must outlive no forgotten text."""
        row: dict[str, Json] = {"index": self.index, "outcome": self.outcome.value, "id": self.item}
        if self.closed:
            row["closed"] = list(self.closed)
        if self.merged:
            row["merged"] = self.merged.to_json()
        return row


@dataclass(frozen=True, slots=True)
class Plan:
    """All writes of a batch and what they mean."""

    changes: Changes
    outcomes: tuple[Planned, ...]


def plan(batch: Batch, found: Found, writer: Writer, now: int) -> Plan:
    """Plan a batch. A caller's batch raises `InvalidBatch` or `LimitReached`; an extracted one drops and counts."""
    draft = Draft(batch.scope, found, now)
    outcomes: list[Planned] = []
    errors: list[InvalidInput] = []
    dropped = Counter(batch.dropped)
    for statement in batch.statements:
        if batch.extracted and not _fits(draft, statement):
            dropped["limit"] += 1
            continue
        try:
            outcomes.append(_state(draft, statement, writer, replacing=batch.replace))
        except InvalidInput as error:
            errors.append(error)
            dropped[error.field.rpartition(".")[2]] += 1
    if errors and not batch.extracted:
        raise InvalidBatch("triples", errors)
    draft.check_limits()
    result: dict[str, Json] = {
        "outcomes": [outcome.to_json() for outcome in outcomes],
        "dropped": dict(dropped) if batch.extracted else {},
        "totals": draft.totals(),
    }
    return Plan(draft.changes(result), tuple(outcomes))


def _state(draft: Draft, statement: Statement, writer: Writer, *, replacing: bool) -> Planned:
    if statement.origin is not None:
        writer = replace(writer, provenance=statement.origin)
    if statement.predicate == SAME_AS:
        where = f"triples[{statement.index}]"
        entity, merged, changed = same_as(draft, where, statement.subject, statement.object, writer)
        outcome = Outcome.MERGED if merged else Outcome.CREATED if changed else Outcome.CONFIRMED
        return Planned(index=statement.index, outcome=outcome, item=entity.id, merged=merged)
    others = _superseded(draft, statement, writer) if replacing else []
    _check_growth(draft, statement)
    subject = draft.ensure(statement.subject, statement.subject_type, writer)
    target = draft.ensure(statement.object, statement.object_type, writer)
    outcome, fact = _save(draft, statement, subject, target, writer)
    gone = [other for other in others if other.id != fact.id] if outcome is not Outcome.UNCHANGED else []
    for other in gone:
        draft.put_fact(replace(other, intervals=closed(other.intervals, draft.now), updated=draft.now))
    return Planned(index=statement.index, outcome=outcome, item=fact.id, closed=tuple(other.id for other in gone))


def _existing(draft: Draft, statement: Statement) -> Fact | None:
    subject, target = draft.lookup(statement.subject), draft.lookup(statement.object)
    if subject is None or target is None:
        return None
    return draft.facts.get(fact_id(draft.scope, subject.id, statement.predicate, target.id))


def _superseded(draft: Draft, statement: Statement, writer: Writer) -> list[Fact]:
    """The open values that a replacing statement closes; none of them may be trusted above the writer."""
    subject = draft.lookup(statement.subject)
    if subject is None:
        return []
    kept = _existing(draft, statement)
    others = [fact for fact in draft.open_values(subject.id, statement.predicate) if kept is None or fact.id != kept.id]
    if any(fact.trust > writer.trust for fact in others):
        raise InvalidInput(
            f"triples[{statement.index}].trust",
            f"replace would close a fact saved with higher trust than this caller's ({writer.trust.name.lower()})",
            allowed="saving without replace, or asking who saved it to replace it",
        )
    return others


def _check_growth(draft: Draft, statement: Statement) -> None:
    """Bounds of one fact's stored form."""
    fact = _existing(draft, statement)
    if fact is None:
        return
    if not fact.current and len(fact.intervals) >= policy.INTERVALS_PER_FACT:
        raise InvalidInput(
            f"triples[{statement.index}].intervals",
            f"the fact was closed and reopened {len(fact.intervals):,} times",
            allowed=f"at most {policy.INTERVALS_PER_FACT:,} times; forget the fact to start afresh",
        )
    cited = len({*fact.citations, *statement.citations})
    if cited > policy.CITATIONS_PER_FACT and cited > len(fact.citations):
        allowed = f"at most {policy.CITATIONS_PER_FACT}"
        raise InvalidInput(f"triples[{statement.index}].citations", f"the fact would have {cited}", allowed=allowed)


def _save(draft: Draft, statement: Statement, subject: Entity, target: Entity, writer: Writer) -> tuple[Outcome, Fact]:
    item = fact_id(draft.scope, subject.id, statement.predicate, target.id)
    fact = draft.facts.get(item)
    if fact is None:
        fact = _new_fact(draft, statement, subject, target, writer)
        draft.put_fact(fact)
        return Outcome.CREATED, fact
    stored = draft.found.facts.get(item)
    if writer.key and stored is not None and writer.key in stored.keys:
        return Outcome.UNCHANGED, fact
    reopened = not fact.current
    fact = replace(
        fact,
        confidence=max(fact.confidence, statement.confidence),
        confirmations=fact.confirmations + 1,
        sources=with_source(fact.sources, writer.source),
        intervals=opened(fact.intervals, draft.now),
        trust=max(fact.trust, writer.trust),
        citations=tuple(dict.fromkeys((*fact.citations, *statement.citations))),
        keys=_with_key(fact.keys, writer.key),
        promoted=fact.promoted or statement.promoted,
        updated=draft.now,
    )
    draft.put_fact(fact)
    return (Outcome.REOPENED if reopened else Outcome.CONFIRMED), fact


def _new_fact(draft: Draft, statement: Statement, subject: Entity, target: Entity, writer: Writer) -> Fact:
    return Fact(
        id=fact_id(draft.scope, subject.id, statement.predicate, target.id),
        scope=draft.scope,
        subject=subject.id,
        predicate=statement.predicate,
        object=target.id,
        confidence=statement.confidence,
        sources=(source_hash(writer.provenance),),
        intervals=((draft.now, None),),
        trust=writer.trust,
        provenance=writer.provenance,
        citations=statement.citations,
        keys=_with_key((), writer.key),
        promoted=statement.promoted,
        created=draft.now,
        updated=draft.now,
    )


def with_source(sources: tuple[str, ...], source: str) -> tuple[str, ...]:
    """The sources with one more; past the bound they are no longer told apart."""
    if source in sources or len(sources) >= policy.SOURCES_PER_FACT:
        return sources
    return (*sources, source)


def _with_key(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    if not key or key in keys:
        return keys
    return (*keys, key)[-policy.IDEMPOTENCY_KEYS_PER_FACT :]


def _fits(draft: Draft, statement: Statement) -> bool:
    names = {name.key: draft.lookup(name) for name in (statement.subject, statement.object)}
    fresh = sum(entity is None for entity in names.values())
    if statement.predicate == SAME_AS:
        return draft.room(int(all(entity is None for entity in names.values())), 0)
    return draft.room(fresh, int(_existing(draft, statement) is None))
