"""A scope's facts as one plan sees and changes them; at the end the difference becomes `Changes`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.errors import InvalidInput, LimitReached
from remora.core.facts.layout import (
    ALIAS_PREFIX,
    Entity,
    Fact,
    alias_id,
    alias_node,
    entity_id,
    entity_node,
    fact_edge,
    tombstone,
    tombstone_id,
)
from remora.core.facts.words import Name
from remora.core.graph import Changes, Item, Json
from remora.core.ids import computed_id
from remora.core.scope import Trust, is_session_scope
from remora.core.source import Provenance
from remora.core.text import name_key


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, and under which idempotency key ("" for none)."""

    provenance: Provenance
    key: str = ""

    @property
    def trust(self) -> Trust:
        """How far the write is trusted; it touches nothing above."""
        return self.provenance.trust

    @property
    def source(self) -> str:
        """Hash of (principal, client, model): saves from one source are one voice."""
        return source_hash(self.provenance)


def source_hash(provenance: Provenance) -> str:
    """Hash of (principal, client, model)."""
    return computed_id("", provenance.principal, provenance.client, provenance.model)[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the store holds of what a plan needs. `tombstones` are ids of items that were forgotten or merged."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    entities: Mapping[str, Entity] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    tombstones: frozenset[str] = frozenset()
    entity_count: int = 0
    fact_count: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """How many entities and facts a scope may hold."""

    entities: int
    facts: int
    per: str

    @classmethod
    def of(cls, scope: str) -> "Limits":
        """A session's own limits, or the repository's."""
        if is_session_scope(scope):
            return cls(policy.ENTITIES_PER_SESSION, policy.FACTS_PER_SESSION, "session")
        return cls(policy.ENTITIES_PER_REPOSITORY, policy.FACTS_PER_REPOSITORY, "repository")


class Draft:
    """The mutable state of one plan. Every method either does its whole step or raises before changing anything."""

    def __init__(self, scope: str, found: Found, now: int) -> None:
        self.scope = scope
        self.now = now
        self.found = found
        self.limits = Limits.of(scope)
        self.aliases = dict(found.aliases)
        self.entities = dict(found.entities)
        self.facts = dict(found.facts)
        self.entity_count = found.entity_count
        self.fact_count = found.fact_count
        self._changed: dict[str, None] = {}
        self._new_aliases: dict[str, str] = {}
        self._gone: dict[str, str] = {}
        self._touching: dict[str, dict[str, None]] = {}
        for fact in self.facts.values():
            self._link(fact)

    def lookup(self, name: Name) -> Entity | None:
        """The entity that a name means, if there is one."""
        return self.entities.get(self.aliases.get(name.key, ""))

    def ensure(self, name: Name, type_: str, writer: Writer) -> Entity:
        """The entity that a name means, made when it is new; its type and trust follow its most trusted writer."""
        entity = self.lookup(name)
        if entity is None:
            return self._create(name, type_, writer)
        retyped = type_ and (not entity.type or (type_ != entity.type and writer.trust >= entity.trust))
        if retyped or writer.trust > entity.trust:
            entity = replace(
                entity,
                type=type_ if retyped else entity.type,
                trust=max(entity.trust, writer.trust),
                updated=self.now,
            )
            self.put_entity(entity)
        return entity

    def _create(self, name: Name, type_: str, writer: Writer) -> Entity:
        entity = Entity(
            id=entity_id(self.scope, name.key),
            scope=self.scope,
            names=(name.text,),
            type=type_,
            trust=writer.trust,
            provenance=writer.provenance,
            created=self.now,
            updated=self.now,
        )
        self.entity_count += 1
        self.put_entity(entity)
        self.point(name, entity)
        return entity

    def put_entity(self, entity: Entity) -> None:
        """Keep a new or changed entity."""
        self.entities[entity.id] = entity
        self._changed[entity.id] = None
        self._gone.pop(entity.id, None)

    def point(self, name: Name, entity: Entity) -> None:
        """Let a name lead to an entity."""
        self.aliases[name.key] = entity.id
        self._new_aliases[name.key] = name.text

    def put_fact(self, fact: Fact) -> None:
        """Keep a new or changed fact."""
        if fact.id not in self.facts:
            self.fact_count += 1
            self._link(fact)
        self.facts[fact.id] = fact
        self._changed[fact.id] = None
        self._gone.pop(fact.id, None)

    def drop_fact(self, fact: Fact, into: str = "") -> None:
        """Remove a fact for good, leaving its id and, after a merge, where it went."""
        self.fact_count -= 1
        del self.facts[fact.id]
        for end in (fact.subject, fact.object):
            self._touching.get(end, {}).pop(fact.id, None)
        self._drop(fact.id, into)

    def drop_entity(self, entity: Entity, into: str = "") -> None:
        """Remove an entity for good; its aliases are gone or lead elsewhere."""
        self.entity_count -= 1
        del self.entities[entity.id]
        for key in entity.keys:
            if self.aliases.get(key) == entity.id:
                del self.aliases[key]
                self._new_aliases.pop(key, None)
                self._gone[alias_id(self.scope, key)] = ""
        self._drop(entity.id, into)

    def _drop(self, item: str, into: str) -> None:
        self._changed.pop(item, None)
        self._gone[item] = into

    def _link(self, fact: Fact) -> None:
        self._touching.setdefault(fact.subject, {})[fact.id] = None
        self._touching.setdefault(fact.object, {})[fact.id] = None

    def around(self, entity: str) -> list[Fact]:
        """The loaded facts that touch an entity."""
        return [self.facts[item] for item in self._touching.get(entity, ())]

    def open_values(self, subject: str, predicate: str) -> list[Fact]:
        """The loaded current facts of (subject, predicate)."""
        return [
            fact
            for fact in self.around(subject)
            if fact.subject == subject and fact.predicate == predicate and fact.current
        ]

    def check_limits(self) -> None:
        """Raise `LimitReached` when this plan grows the scope past a limit."""
        self._check("facts", self.found.fact_count, self.fact_count, self.limits.facts)
        self._check("entities", self.found.entity_count, self.entity_count, self.limits.entities)

    def _check(self, what: str, before: int, after: int, limit: int) -> None:
        if after > max(before, limit):
            frees = "promote or let the session end" if self.limits.per == "session" else "closed facts count too"
            raise LimitReached(
                f"{what}: the limit is {limit:,} per {self.limits.per}; {before:,} are stored and this write adds "
                f"{after - before:,}",
                advice=f"forget facts or entities that are no longer needed to free room ({frees})",
            )

    def room(self, entities: int, facts: int) -> bool:
        """Whether so many more would still fit."""
        return (not entities or self.entity_count + entities <= self.limits.entities) and (
            not facts or self.fact_count + facts <= self.limits.facts
        )

    def totals(self) -> dict[str, Json]:
        """Counts against limits, for a result."""
        return {
            "facts": self.fact_count,
            "facts_limit": self.limits.facts,
            "entities": self.entity_count,
            "entities_limit": self.limits.entities,
        }

    def changes(self, result: Json) -> Changes:
        """Everything this plan changed."""
        put = [self._stored(item) for item in self._changed]
        put += [
            alias_node(self.scope, key, name, self.aliases[key], self.now) for key, name in self._new_aliases.items()
        ]
        kept = {item.id for item in put}
        stored = self._stored_ids() if self._gone else frozenset()
        gone = {item: into for item, into in self._gone.items() if item in stored and item not in kept}
        put += [tombstone(item, self.scope, self.now, into) for item, into in gone.items() if _leaves_trace(item)]
        back = [tombstone_id(item) for item in kept if item in self.found.tombstones]
        return Changes(put=tuple(put), drop=(*gone, *back), result=result)

    def _stored_ids(self) -> frozenset[str]:
        """Ids of what was loaded; what this plan made and took back itself never reached the store."""
        keys = {*self.found.aliases, *(key for entity in self.found.entities.values() for key in entity.keys)}
        return frozenset(
            (*self.found.facts, *self.found.entities, *(alias_id(self.scope, key) for key in keys)),
        )

    def _stored(self, item: str) -> Item:
        entity = self.entities.get(item)
        if entity is not None:
            return entity_node(entity)
        fact = self.facts[item]
        return fact_edge(fact, self.entities[fact.subject].name, self.entities[fact.object].name)


def _leaves_trace(item: str) -> bool:
    return not item.startswith(ALIAS_PREFIX)


def alias_added(entity: Entity, names: Iterable[str], now: int) -> Entity:
    """The entity with more names; raises `InvalidInput` when these are too many."""
    seen = set(entity.keys)
    fresh: list[str] = []
    for name in names:
        if name_key(name) not in seen:
            seen.add(name_key(name))
            fresh.append(name)
    if len(entity.names) - 1 + len(fresh) > policy.ALIASES_PER_ENTITY:
        allowed = f"at most {policy.ALIASES_PER_ENTITY}"
        raise InvalidInput("aliases", f"of one entity would be {len(entity.names) - 1 + len(fresh)}", allowed=allowed)
    return replace(entity, names=(*entity.names, *fresh), updated=now)
