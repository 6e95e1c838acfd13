"""How facts lie in the store.

family  label         id computed from                        body
facts   MemoryEntity  ent_ (scope, first name's key)          aliases, type, trust, provenance
facts   Alias         als_ (scope, name key)                  entity: a name lookup is a get, uniqueness a primary key
facts   FACT (edge)   fct_ (scope, subject, predicate, object) confidence, confirmations, sources, intervals, trust, ...
facts   Tombstone     tmb_ (id of what went)                  item, at, and `into` after a merge; ids only, no text
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from remora.core.facts.intervals import Intervals, holds_at, is_open, parse
from remora.core.graph import Edge, Item, Json, Node
from remora.core.ids import computed_id
from remora.core.policy import TYPO_MIN_CHARS
from remora.core.scope import Trust
from remora.core.source import Provenance
from remora.core.text import name_key, tokens

FAMILY: Final = "facts"
ENTITY: Final = "MemoryEntity"
ALIAS: Final = "Alias"
FACT: Final = "FACT"
TOMBSTONE: Final = "Tombstone"
ALIAS_PREFIX: Final = "als_"
FACT_PREFIX: Final = "fct_"
MIRROR_MARK: Final = "<"
"""Keeps mirrored words apart from words in one index."""


def entity_id(scope: str, key: str) -> str:
    """Id of the entity first named by this key."""
    return computed_id("ent_", scope, key)


def alias_id(scope: str, key: str) -> str:
    """Id of the alias node that leads from a name to its entity."""
    return computed_id(ALIAS_PREFIX, scope, key)


def fact_id(scope: str, subject: str, predicate: str, target: str) -> str:
    """Id of a fact between two entity ids."""
    return computed_id(FACT_PREFIX, scope, subject, predicate, target)


def tombstone_id(item: str) -> str:
    """Id of what is left of a forgotten or merged item."""
    return computed_id("tmb_", item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing with names. The first name is shown; the others are aliases. `trust` is the highest of its writers."""

    id: str
    scope: str
    names: tuple[str, ...]
    type: str = ""
    trust: Trust = Trust.EXTERNAL
    provenance: Provenance
    created: int
    updated: int

    @property
    def name(self) -> str:
        """The name that is shown."""
        return self.names[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all names."""
        return tuple(name_key(name) for name in self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A triple with its history. `sources` are hashes of the distinct (principal, client, model) that saved it."""

    id: str
    scope: str
    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    confirmations: int = 1
    sources: tuple[str, ...] = ()
    intervals: Intervals = ()
    trust: Trust = Trust.EXTERNAL
    provenance: Provenance
    citations: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    promoted: Mapping[str, Json] | None = None
    created: int
    updated: int

    @property
    def current(self) -> bool:
        """Whether the fact holds now."""
        return is_open(self.intervals)

    def holds(self, at: int | None) -> bool:
        """Whether the fact held at `at` (microseconds); None asks for now."""
        return holds_at(self.intervals, at)


def entity_node(entity: Entity) -> Node:
    """The stored form of an entity, searchable by names, type and word endings."""
    body: dict[str, Json] = {"provenance": dict(entity.provenance.to_json())}
    if entity.trust != entity.provenance.trust:
        body["trust"] = int(entity.trust)
    if len(entity.names) > 1:
        body["aliases"] = list(entity.names[1:])
    if entity.type:
        body["type"] = entity.type
    return Node(
        id=entity.id,
        family=FAMILY,
        label=ENTITY,
        scope=entity.scope,
        name=entity.name,
        body=body,
        tokens=_entity_tokens(entity),
        created=entity.created,
        updated=entity.updated,
    )


def _entity_tokens(entity: Entity) -> dict[str, tuple[str, ...]]:
    name = tuple(tokens(entity.name))
    aliases = tuple(token for alias in entity.names[1:] for token in tokens(alias))
    words = (*name, *aliases)
    fields = {
        "name": name,
        "alias": aliases,
        "type": tuple(tokens(entity.type)) if entity.type else (),
        "mirror": tuple(dict.fromkeys(image for word in words for image in mirrored(word))),
    }
    return {field: found for field, found in fields.items() if found}


def mirrored(word: str) -> tuple[str, ...]:
    """The marked mirror image of an index token: with it, words of one ending are found like words of one beginning.

    A mistyped word keeps its beginning or its end, and one token a word costs a tenth of its trigrams.
    """
    return (MIRROR_MARK + word[::-1],) if len(word) >= TYPO_MIN_CHARS and word.isalpha() else ()


def read_entity(node: Item) -> Entity:
    """Read what `entity_node` wrote."""
    assert isinstance(node, Node)
    aliases = node.body.get("aliases")
    return Entity(
        id=node.id,
        scope=node.scope,
        names=(node.name, *(str(name) for name in aliases)) if isinstance(aliases, list | tuple) else (node.name,),
        type=str(node.body.get("type", "")),
        trust=_trust(node.body),
        provenance=Provenance.from_json(node.body.get("provenance")),
        created=node.created,
        updated=node.updated,
    )


def alias_node(scope: str, key: str, name: str, entity: str, now: int) -> Node:
    """The stored form of one name of an entity."""
    return Node(
        id=alias_id(scope, key),
        family=FAMILY,
        label=ALIAS,
        scope=scope,
        name=name,
        body={"entity": entity},
        created=now,
        updated=now,
    )


def alias_target(node: Item) -> str:
    """The entity id that an alias node leads to."""
    return str(node.body.get("entity", ""))


def fact_edge(fact: Fact, subject_name: str, object_name: str) -> Edge:
    """The stored form of a fact, searchable by subject, predicate and object."""
    body: dict[str, Json] = {
        "sources": list(fact.sources),
        "intervals": [[start, end] for start, end in fact.intervals],
        "provenance": dict(fact.provenance.to_json()),
    }
    # What is as usual is left out: thousands of these are read for one answer.
    if fact.confidence != 1.0:
        body["confidence"] = fact.confidence
    if fact.confirmations != 1:
        body["confirmations"] = fact.confirmations
    if fact.trust != fact.provenance.trust:
        body["trust"] = int(fact.trust)
    if fact.citations:
        body["citations"] = list(fact.citations)
    if fact.keys:
        body["keys"] = list(fact.keys)
    if fact.promoted:
        body["promoted"] = dict(fact.promoted)
    return Edge(
        id=fact.id,
        family=FAMILY,
        label=FACT,
        scope=fact.scope,
        source=fact.subject,
        target=fact.object,
        name=fact.predicate,
        body=body,
        tokens={
            "subject": tuple(tokens(subject_name)),
            "predicate": predicate_tokens(fact.predicate),
            "object": tuple(tokens(object_name)),
        },
        created=fact.created,
        updated=fact.updated,
    )


def predicate_tokens(predicate: str) -> tuple[str, ...]:
    """The words of a predicate; the compound itself is left out, nobody asks for `depends_on`."""
    return tuple(token for word in predicate.split("_") for token in tokens(word.lower()))


def read_fact(edge: Item) -> Fact:
    """Read what `fact_edge` wrote."""
    assert isinstance(edge, Edge)
    body = edge.body
    promoted = body.get("promoted")
    return Fact(
        id=edge.id,
        scope=edge.scope,
        subject=edge.source,
        predicate=edge.name,
        object=edge.target,
        confidence=_number(body.get("confidence"), 1.0),
        confirmations=int(_number(body.get("confirmations"), 1)),
        sources=_texts(body.get("sources")),
        intervals=parse(body.get("intervals")),
        trust=_trust(body),
        provenance=Provenance.from_json(body.get("provenance")),
        citations=_texts(body.get("citations")),
        keys=_texts(body.get("keys")),
        promoted=promoted if isinstance(promoted, dict) else None,
        created=edge.created,
        updated=edge.updated,
    )


def edge_holds(edge: Edge, at: int | None) -> bool:
    """Whether a stored fact held at `at` (None: now), without reading the rest of it."""
    intervals = edge.body.get("intervals")
    if at is None:
        last = intervals[-1] if isinstance(intervals, list | tuple) and intervals else None
        return isinstance(last, list | tuple) and len(last) == 2 and last[1] is None
    return holds_at(parse(intervals), at)


def edge_trust(edge: Edge) -> Trust:
    """Trust of a stored fact."""
    return _trust(edge.body)


def tombstone(item: str, scope: str, now: int, into: str = "") -> Node:
    """What is left of an item: its id, when it went, and where it went to after a merge."""
    body: dict[str, Json] = {"item": item, "at": now}
    if into:
        body["into"] = into
    return Node(
        id=tombstone_id(item),
        family=FAMILY,
        label=TOMBSTONE,
        scope=scope,
        name="",
        body=body,
        created=now,
        updated=now,
    )


def _number(value: object, default: float) -> float:
    return value if isinstance(value, int | float) else default


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def _trust(body: Mapping[str, Json]) -> Trust:
    """The stored trust, else that of the provenance; what is no trust counts as the lowest."""
    value = body.get("trust")
    if value is None:
        saved = body.get("provenance")
        value = saved.get("trust") if isinstance(saved, dict) else None
    return Trust(min(max(int(_number(value, Trust.EXTERNAL)), Trust.EXTERNAL), Trust.OPERATOR))
