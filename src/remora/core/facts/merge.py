"""SAME_AS: one name more for an entity, and two entities made one with their facts."""

from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.facts.draft import Draft, Writer, alias_added
from remora.core.facts.intervals import union
from remora.core.facts.layout import Entity, Fact, fact_id
from remora.core.facts.words import Name
from remora.core.graph import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a merge did: `gone` is the entity id that no longer exists ("" when it was only given a new name)."""

    gone: str
    into: str
    moved: int = 0
    duplicates: int = 0
    loops: int = 0

    def to_json(self) -> dict[str, Json]:
        """For a result."""
        return {
            "gone": self.gone,
            "into": self.into,
            "facts_moved": self.moved,
            "duplicates_confirmed": self.duplicates,
            "loops_dropped": self.loops,
        }


def same_as(draft: Draft, where: str, subject: Name, alias: Name, writer: Writer) -> tuple[Entity, Merged | None, bool]:
    """Make `alias` a name of `subject`. Returns the entity, the merge if one was needed, and whether anything changed.

    Raises `InvalidInput` when the alias is a person, or known by a write of higher trust, or names are too many.
    """
    into, other = draft.lookup(subject), draft.lookup(alias)
    _check(where, alias, into, other, writer)
    if other is None:
        return _named(draft, where, subject, alias, writer)
    if into is other or (into is not None and into.id == other.id):
        return into, None, False
    if into is None:
        return _renamed(draft, where, subject, other)
    names = _with_names(where, into, other.names, draft.now)
    merged = _absorb(draft, replace(names, type=into.type or other.type, trust=max(into.trust, other.trust)), other)
    return draft.entities[into.id], merged, True


def _check(where: str, alias: Name, into: Entity | None, other: Entity | None, writer: Writer) -> None:
    if into is not None and other is not None and into.id == other.id:
        return
    if alias.is_user or (other is not None and any(Name(name, key).is_user for name, key in _named_keys(other))):
        raise InvalidInput(f"{where}.object", "a person cannot be merged away", allowed="a person as the subject")
    if other is not None and other.trust > writer.trust:
        raise InvalidInput(
            f"{where}.trust",
            f"merging would end an entity saved with higher trust than this caller's ({writer.trust.name.lower()})",
            allowed="a merge by whoever saved it",
        )


def _named_keys(entity: Entity) -> list[tuple[str, str]]:
    return list(zip(entity.names, entity.keys, strict=True))


def _with_names(where: str, entity: Entity, names: tuple[str, ...], now: int) -> Entity:
    try:
        return alias_added(entity, names, now)
    except InvalidInput as error:
        raise InvalidInput(f"{where}.{error.field}", error.problem, allowed=error.allowed) from error


def _named(draft: Draft, where: str, subject: Name, alias: Name, writer: Writer) -> tuple[Entity, None, bool]:
    known = draft.lookup(subject)
    if known is not None:
        _with_names(where, known, (alias.text,), draft.now)
    entity = draft.ensure(subject, "", writer)
    if subject.key == alias.key:
        return entity, None, known is None
    entity = _with_names(where, entity, (alias.text,), draft.now)
    draft.put_entity(entity)
    draft.point(alias, entity)
    return entity, None, True


def _renamed(draft: Draft, where: str, subject: Name, other: Entity) -> tuple[Entity, Merged, bool]:
    """The subject is new: the known entity takes its name as the first one, ids and facts stay."""
    names = _with_names(where, other, (subject.text,), draft.now)
    entity = replace(names, names=(subject.text, *other.names))
    draft.put_entity(entity)
    draft.point(subject, entity)
    return entity, Merged(gone="", into=entity.id), True


def _absorb(draft: Draft, into: Entity, other: Entity) -> Merged:
    """Move every fact and name of `other` to `into`. Loops that result are dropped, duplicates become one."""
    draft.put_entity(into)
    for name, key in _named_keys(other):
        draft.point(Name(name, key), into)
    moved = duplicates = loops = 0
    for fact in draft.around(other.id):
        ends = tuple(into.id if end == other.id else end for end in (fact.subject, fact.object))
        if ends[0] == ends[1] and fact.subject != fact.object:
            draft.drop_fact(fact, "")
            loops += 1
            continue
        target = fact_id(draft.scope, ends[0], fact.predicate, ends[1])
        same = draft.facts.get(target)
        draft.drop_fact(fact, target)
        if same is None:
            draft.put_fact(replace(fact, id=target, subject=ends[0], object=ends[1], updated=draft.now))
            moved += 1
        else:
            draft.put_fact(united(same, fact, draft.now))
            duplicates += 1
    draft.drop_entity(other, into.id)
    return Merged(gone=other.id, into=into.id, moved=moved, duplicates=duplicates, loops=loops)


def united(kept: Fact, other: Fact, now: int) -> Fact:
    """Two facts that turn out to be one: all of both histories, the higher confidence and trust."""
    first = min(kept, other, key=lambda fact: (-fact.trust, fact.created))
    return replace(
        kept,
        confidence=max(kept.confidence, other.confidence),
        confirmations=kept.confirmations + other.confirmations,
        sources=tuple(dict.fromkeys((*kept.sources, *other.sources)))[: policy.SOURCES_PER_FACT],
        intervals=union(kept.intervals, other.intervals),
        trust=max(kept.trust, other.trust),
        provenance=first.provenance,
        citations=tuple(dict.fromkeys((*kept.citations, *other.citations))),
        keys=tuple(dict.fromkeys((*kept.keys, *other.keys)))[-policy.IDEMPOTENCY_KEYS_PER_FACT :],
        promoted=kept.promoted or other.promoted,
        created=min(kept.created, other.created),
        updated=now,
    )
