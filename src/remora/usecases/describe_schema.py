"""What may be written and what is there: the grammar with live counts, and the words in use, to look before coining."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from remora.core.encounters.nodes import text
from remora.core.encounters.schema import (
    CITATION,
    COMPONENT,
    CONCEPT,
    FAMILY,
    NODE_TYPES,
    NOTE,
    RELATIONS,
    NodeType,
    Property,
    Relation,
)
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidInput
from remora.core.graph import Json
from remora.core.policy import VOCABULARY_SCAN_MAX, VOCABULARY_WORDS_MAX
from remora.core.scope import REPOSITORY, Grant
from remora.ports import EncounterPorts, StoreRead

PARTS = ("all", "node_types", "relation_types", "vocabulary")
_COINED = ((CONCEPT, "category"), (NOTE, "tag"), (COMPONENT, "source_kind"), (CITATION, "kind"))
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Description:
    """The parts asked for; the others are empty."""

    node_types: tuple[Json, ...] = ()
    relation_types: tuple[Json, ...] = ()
    vocabulary: dict[str, Json] = field(default_factory=dict)


def describe_schema(ports: EncounterPorts, grant: Grant, part: str = "all") -> Description:
    """The grammar (`node_types`, `relation_types`), the `vocabulary` in use, or `all`."""
    if part not in PARTS:
        raise InvalidInput("part", f"{part[:40]!r} is unknown", allowed=", ".join(PARTS))
    with ports.store.read(grant) as view:
        counts = view.counts((REPOSITORY,)) if part != "vocabulary" else {}
        words = _vocabulary(view, ports) if part in ("all", "vocabulary") else {}
    held = {label: count for (family, label, _), count in counts.items() if family == FAMILY}
    types = tuple(_type(node_type, held) for node_type in NODE_TYPES.values())
    relations = tuple(_relation(relation, held) for relation in RELATIONS.values())
    return Description(
        types if part in ("all", "node_types") else (),
        relations if part in ("all", "relation_types") else (),
        words,
    )


def _type(node_type: NodeType, held: Mapping[str, int]) -> Json:
    return {
        "type": node_type.name,
        "layer": node_type.layer,
        "meaning": node_type.meaning,
        "written_by": "create_entities" if node_type.authored else "advance_encounter, close_encounter",
        "anchored_by": node_type.anchor or "nothing",
        "required": list(node_type.required),
        "optional": [name for name, spec in node_type.properties.items() if not spec.required],
        "values": _values(node_type.properties),
        "count": held.get(node_type.name, 0),
    }


def _relation(relation: Relation, held: Mapping[str, int]) -> Json:
    return {
        "type": relation.name,
        "meaning": relation.meaning,
        "directions": [f"{source} -> {target}" for source, target in relation.pairs],
        "written_by": "create_relations" if relation.authored else "automatic",
        "required": [name for name, spec in relation.properties.items() if spec.required],
        "count": held.get(relation.name, 0),
    }


def _values(properties: Mapping[str, Property]) -> dict[str, Json]:
    return {name: spec.allowed for name, spec in properties.items()}


def _vocabulary(view: StoreRead, ports: EncounterPorts) -> dict[str, Json]:
    """Per coined property its values in use, most used first."""
    scrub = scrubber(ports.redact)
    out: dict[str, Json] = {}
    for label, name in _COINED:
        words: Counter[str] = Counter()
        cursor, looked_at = "", 0
        while looked_at < VOCABULARY_SCAN_MAX:
            page, cursor = view.scan(FAMILY, label, (REPOSITORY,), after=cursor, limit=_PAGE)
            words.update(value for item in page if (value := text(item, name)))
            looked_at += len(page)
            if not cursor:
                break
        top = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))
        rows: list[Json] = [{"value": scrub(word), "count": count} for word, count in top[:VOCABULARY_WORDS_MAX]]
        out[f"{label}.{name}"] = {"values": rows, "distinct": len(top), "complete": not cursor}
    return out
