"""The grammar of encounters as data: eight node types, their properties, and the relations allowed between them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

FAMILY = "encounters"
"""Store family of the eight node types and of every relation."""
HISTORY_FAMILY = "encounter_history"
"""Store family of earlier versions of nodes; never searched, ranked or queried."""
SPINE_FAMILY = "encounter_spine"
"""Store family of the spine's bookkeeping, in the system scope."""

ENCOUNTER = "Encounter"
OBSERVATION = "Observation"
QUESTION = "Question"
HYPOTHESIS = "Hypothesis"
CONCEPT = "Concept"
NOTE = "Note"
COMPONENT = "Component"
CITATION = "Citation"

RECORDED = "RECORDED"
CONSULTED = "CONSULTED"
NEXT_ENCOUNTER = "NEXT_ENCOUNTER"
INSTANTIATED_AFTER = "INSTANTIATED_AFTER"
ABOUT = "ABOUT"
OBSERVED_AT = "OBSERVED_AT"
RAISES = "RAISES"
RESOLVES = "RESOLVES"
SUPPORTS = "SUPPORTS"
CHALLENGES = "CHALLENGES"
GROUNDS = "GROUNDS"
INFORMS = "INFORMS"
COMPOSES = "COMPOSES"
DECOMPOSES = "DECOMPOSES"
SUPERSEDES = "SUPERSEDES"
REBINDS = "REBINDS"


class Kind(StrEnum):
    """What a property's value must be."""

    NAME = "name"
    LINE = "short text"
    TEXT = "text"
    TIME = "RFC 3339 time with offset"
    DEGREE = "short text or a number from 0 to 1"
    FLAG = "true or false"
    COUNT = "whole number"
    LINES = "list of short texts"


@dataclass(frozen=True, slots=True)
class Property:
    """One property of a node type or a relation. `choices` is the closed list of values, when there is one."""

    kind: Kind
    required: bool = False
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What a caller may write here."""
        return " | ".join(self.choices) if self.choices else self.kind.value


@dataclass(frozen=True, slots=True)
class NodeType:
    """One node type. `anchor` is the automatic relation that ties it to an encounter ("" = none)."""

    name: str
    layer: str
    anchor: str
    meaning: str
    properties: Mapping[str, Property]
    authored: bool = True

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the required properties, in table order."""
        return tuple(name for name, spec in self.properties.items() if spec.required)


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation: the (source type, target type) pairs it may join, its own properties, and who writes it."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    meaning: str
    authored: bool = True
    properties: Mapping[str, Property] = field(default_factory=dict)

    @property
    def directions(self) -> str:
        """The allowed pairs in words."""
        return ", ".join(f"{source} -> {target}" for source, target in self.pairs)


def _must(kind: Kind, *choices: str) -> Property:
    return Property(kind, required=True, choices=choices)


def _may(kind: Kind, *choices: str) -> Property:
    return Property(kind, choices=choices)


_NAMED = {"name": _must(Kind.NAME), "description": _must(Kind.TEXT)}
_CONFIDENCE = ("low", "medium", "high")

_TYPES = (
    NodeType(
        ENCOUNTER,
        "process",
        "",
        "one work session; written only by advance_encounter and close_encounter",
        {
            "name": _must(Kind.NAME),
            "t_exist": _must(Kind.TIME),
            "summary": _may(Kind.TEXT),
            "report": _may(Kind.TEXT),
            "t_sealed": _may(Kind.TIME),
            "seal_tick": _may(Kind.COUNT),
            "dissolved_at": _may(Kind.TIME),
        },
        authored=False,
    ),
    NodeType(
        OBSERVATION,
        "semantic",
        RECORDED,
        "something noticed, at a time",
        {**_NAMED, "t_observed": _must(Kind.TIME), "confidence": _may(Kind.DEGREE)},
    ),
    NodeType(
        QUESTION,
        "semantic",
        RECORDED,
        "an open thread",
        {
            **_NAMED,
            "status": _may(Kind.LINE, "open", "answered", "abandoned"),
            "priority": _may(Kind.DEGREE),
            "t_raised": _may(Kind.TIME),
            "t_resolved": _may(Kind.TIME),
            "frontier_mute": _may(Kind.FLAG),
        },
    ),
    NodeType(
        HYPOTHESIS,
        "semantic",
        RECORDED,
        "a working explanation",
        {
            **_NAMED,
            "confidence": _may(Kind.LINE, *_CONFIDENCE),
            "status": _may(Kind.LINE, "proposed", "supported", "challenged", "confirmed", "falsified", "retired"),
            "t_proposed": _may(Kind.TIME),
            "t_resolved": _may(Kind.TIME),
            "frontier_mute": _may(Kind.FLAG),
        },
    ),
    NodeType(
        CONCEPT,
        "semantic",
        RECORDED,
        "a synthesis",
        {
            **_NAMED,
            "category": _may(Kind.LINE),
            "status": _may(Kind.LINE, "forming", "stable", "revising", "retired"),
            "frontier_mute": _may(Kind.FLAG),
        },
    ),
    NodeType(NOTE, "semantic", RECORDED, "a free remark", {**_NAMED, "tag": _may(Kind.LINE)}),
    NodeType(
        COMPONENT,
        "reference",
        "",
        "a bookmark into a source",
        {
            "name": _must(Kind.NAME),
            "source_kind": _must(Kind.LINE),
            "source_key": _must(Kind.LINE),
            "source_label": _may(Kind.LINE),
            "description": _may(Kind.TEXT),
            "aliases": _may(Kind.LINES),
            "confidence": _may(Kind.DEGREE),
        },
    ),
    NodeType(
        CITATION,
        "reference",
        CONSULTED,
        "where something was read: a record id, a fact id, a code anchor, a page, a query",
        {
            "name": _must(Kind.NAME),
            "kind": _must(Kind.LINE),
            "description": _may(Kind.TEXT),
            "uri": _may(Kind.LINE),
            "query": _may(Kind.TEXT),
            "snapshot": _may(Kind.TEXT),
            "t_consulted": _may(Kind.TIME),
        },
    ),
)
NODE_TYPES: Mapping[str, NodeType] = MappingProxyType({node_type.name: node_type for node_type in _TYPES})
AUTHORED_TYPES: tuple[str, ...] = tuple(name for name, node_type in NODE_TYPES.items() if node_type.authored)
SERVER_PROPERTIES = frozenset({"t_created", "tick"})
"""Set by us; a caller's value is dropped and the drop is reported."""


def _from(sources: tuple[str, ...], *targets: str) -> tuple[tuple[str, str], ...]:
    return tuple((source, target) for source in sources for target in targets)


_SAME = (HYPOTHESIS, CONCEPT, NOTE)
_RELATIONS = (
    Relation(NEXT_ENCOUNTER, ((ENCOUNTER, ENCOUNTER),), "the next encounter of the same session", authored=False),
    Relation(
        INSTANTIATED_AFTER, ((ENCOUNTER, ENCOUNTER),), "a session's first, after the latest of all", authored=False
    ),
    Relation(
        RECORDED,
        _from((ENCOUNTER,), OBSERVATION, QUESTION, HYPOTHESIS, CONCEPT, NOTE),
        "in which encounter it was written down",
        authored=False,
    ),
    Relation(CONSULTED, ((ENCOUNTER, CITATION),), "in which encounter it was read", authored=False),
    Relation(ABOUT, _from((OBSERVATION, NOTE, QUESTION, HYPOTHESIS), COMPONENT, CONCEPT), "what it speaks of"),
    Relation(OBSERVED_AT, ((OBSERVATION, CITATION),), "where it was seen"),
    Relation(RAISES, ((OBSERVATION, QUESTION),), "what opened the question"),
    Relation(RESOLVES, ((OBSERVATION, QUESTION),), "what answered the question"),
    Relation(SUPPORTS, ((OBSERVATION, HYPOTHESIS),), "evidence for"),
    Relation(CHALLENGES, ((OBSERVATION, HYPOTHESIS),), "evidence against"),
    Relation(GROUNDS, ((OBSERVATION, CONCEPT),), "what the synthesis stands on"),
    Relation(INFORMS, _from((CONCEPT,), CONCEPT, COMPONENT), "what it sheds light on"),
    Relation(COMPOSES, ((CONCEPT, CONCEPT),), "joins into a whole"),
    Relation(DECOMPOSES, ((CONCEPT, CONCEPT),), "breaks into parts"),
    Relation(
        SUPERSEDES,
        tuple((name, name) for name in _SAME),
        "a revision, with what changed and why",
        properties={"revision_why": _must(Kind.TEXT)},
    ),
    Relation(
        REBINDS,
        ((QUESTION, QUESTION), (OBSERVATION, OBSERVATION)),
        "a later wording takes the place of an earlier one",
        properties={"why": _must(Kind.TEXT)},
    ),
)
RELATIONS: Mapping[str, Relation] = MappingProxyType({relation.name: relation for relation in _RELATIONS})
AUTHORED_RELATIONS: tuple[str, ...] = tuple(name for name, relation in RELATIONS.items() if relation.authored)
COHERENCE_RELATIONS: tuple[str, ...] = (
    RAISES, RESOLVES, SUPPORTS, CHALLENGES, GROUNDS, INFORMS, COMPOSES, DECOMPOSES, SUPERSEDES, REBINDS,
)  # fmt: skip
"""How ideas bear on each other. ABOUT and OBSERVED_AT only say where something is, so a much-cited file is no idea."""
