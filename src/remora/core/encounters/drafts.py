"""Checking a batch that a caller wants to write against the tables: every error at once, each with what is allowed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from remora.core.encounters.identity import node_id
from remora.core.encounters.schema import (
    AUTHORED_RELATIONS,
    AUTHORED_TYPES,
    CITATION,
    COMPONENT,
    ENCOUNTER,
    NODE_TYPES,
    RELATIONS,
    SERVER_PROPERTIES,
    Property,
)
from remora.core.encounters.values import Scrub, checked, missing, name_of, short
from remora.core.errors import InvalidBatch, InvalidInput
from remora.core.graph import Json
from remora.core.policy import ENTITY_BATCH_MAX
from remora.core.source import Anchor
from remora.core.text import fold_name, name_key


@dataclass(frozen=True, slots=True)
class EntityDraft:
    """One valid entity to create or update. `dropped` are properties that only we may set."""

    type: str
    name: str
    properties: Mapping[str, Json]
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationDraft:
    """One relation whose name and properties are valid; its ends are names that still have to be found."""

    source: str
    target: str
    type: str
    properties: Mapping[str, Json]


def entity_drafts(entities: object, scrub: Scrub, *, partial: Callable[[str, str], bool]) -> tuple[EntityDraft, ...]:
    """The batch, checked. `partial(type, name)` says that the node exists, so that required properties may be left out.

    Raises `InvalidBatch` with every error of the batch.
    """
    errors: list[InvalidInput] = []
    drafts: list[EntityDraft] = []
    seen: dict[tuple[str, str], int] = {}
    for index, entity in enumerate(_batch("entities", entities)):
        field = f"entities[{index}]"
        draft = _entity(field, entity, scrub, partial, errors)
        if draft is None:
            continue
        first = seen.setdefault((draft.type, name_key(draft.name)), index)
        if first != index:
            errors.append(InvalidInput(field, f"{draft.type}:{draft.name} is already in entities[{first}]"))
        drafts.append(draft)
    if errors:
        raise InvalidBatch("entities", errors)
    return tuple(drafts)


def drafted_ids(entities: object, scrub: Scrub) -> tuple[str, ...]:
    """Ids of the nodes that a raw batch may mean, for one look-up before it is checked; never fails."""
    ids: dict[str, None] = {}
    for entity in entities[:ENTITY_BATCH_MAX] if isinstance(entities, list | tuple) else ():
        entry = entity if isinstance(entity, dict) else {}
        nested = entry.get("properties")
        name = nested.get("name") if isinstance(nested, dict) and "name" in nested else entry.get("name")
        node_type = entry.get("type")
        if isinstance(name, str) and isinstance(node_type, str) and node_type in AUTHORED_TYPES:
            with suppress(InvalidInput):
                ids[node_id(node_type, name_of(name, "name", scrub))] = None
    return tuple(ids)


def relation_drafts(
    relations: object, scrub: Scrub, *, named_only: bool = False
) -> tuple[tuple[RelationDraft, ...], list[InvalidInput]]:
    """The relations whose form is right, and every error of form; ends and direction are checked by the plan.

    `named_only`: they are named, not written, so that nothing but source, target and type is required.
    """
    errors: list[InvalidInput] = []
    drafts: list[RelationDraft] = []
    for index, relation in enumerate(_batch("relations", relations)):
        draft = _relation(f"relations[{index}]", relation, scrub, errors, named_only=named_only)
        if draft is not None:
            drafts.append(draft)
    return tuple(drafts), errors


def _batch(field: str, value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple) or not value:
        raise InvalidInput(field, "is not a list with at least one entry", allowed=f"1 to {ENTITY_BATCH_MAX} entries")
    if len(value) > ENTITY_BATCH_MAX:
        raise InvalidInput(field, f"has {len(value)} entries", allowed=f"1 to {ENTITY_BATCH_MAX} entries")
    return value


def _entity(
    field: str,
    entity: object,
    scrub: Scrub,
    partial: Callable[[str, str], bool],
    errors: list[InvalidInput],
) -> EntityDraft | None:
    if not isinstance(entity, dict):
        errors.append(InvalidInput(field, f"is a {type(entity).__name__}", allowed="{type, name, properties}"))
        return None
    node_type = entity.get("type")
    if not isinstance(node_type, str) or node_type not in AUTHORED_TYPES:
        problem = "only advance_encounter writes these" if node_type == ENCOUNTER else f"{short(node_type)} is unknown"
        errors.append(InvalidInput(f"{field}.type", problem, allowed=", ".join(AUTHORED_TYPES)))
        return None
    before = len(errors)
    given, dropped = _given(field, entity, ("type",), errors)
    table = NODE_TYPES[node_type].properties
    kept = dict(_properties(f"{field} ({node_type})", table, given, scrub, errors))
    name = kept.get("name")
    exists = isinstance(name, str) and partial(node_type, name)
    errors.extend(missing(f"{field} ({node_type})", table, given, exists=exists))
    errors.extend(_anchor_errors(field, node_type, kept))
    if len(errors) > before or not isinstance(name, str):
        return None
    return EntityDraft(node_type, name, kept, tuple(dropped))


def _given(
    field: str, entry: Mapping[object, object], skip: tuple[str, ...], errors: list[InvalidInput]
) -> tuple[dict[str, object], list[str]]:
    """Properties of an entry, given beside its type or under `properties`, and the names of those we set ourselves."""
    nested = entry.get("properties")
    given: dict[str, object] = {str(key): value for key, value in entry.items() if key not in (*skip, "properties")}
    if nested is not None and not isinstance(nested, dict):
        errors.append(InvalidInput(f"{field}.properties", f"is a {type(nested).__name__}", allowed="an object"))
    for key, value in nested.items() if isinstance(nested, dict) else ():
        if key in given and given[key] != value:
            errors.append(InvalidInput(f"{field}.{str(key)[:60]}", "is given twice, with different values"))
        given[str(key)] = value
    dropped = sorted(SERVER_PROPERTIES & given.keys())
    return {key: value for key, value in given.items() if key not in SERVER_PROPERTIES}, dropped


def _properties(
    field: str,
    table: Mapping[str, Property],
    given: Mapping[str, object],
    scrub: Scrub,
    errors: list[InvalidInput],
) -> Iterator[tuple[str, Json]]:
    for key, value in given.items():
        if key not in table:
            errors.append(InvalidInput(f"{field}.{short(key)}", "is not a property here", allowed=", ".join(table)))
        elif value is not None:  # null means unset everywhere
            try:
                yield key, checked(table[key], value, f"{field}.{key}", scrub)
            except InvalidInput as error:
                errors.append(error)


def _anchor_errors(field: str, node_type: str, properties: Mapping[str, Json]) -> Iterator[InvalidInput]:
    """A code anchor must be readable, or it would never resolve again."""
    key = {CITATION: "uri", COMPONENT: "source_key"}.get(node_type, "")
    value = properties.get(key)
    if isinstance(value, str) and value.startswith("code:"):
        try:
            Anchor.parse(value)
        except InvalidInput as error:
            yield InvalidInput(f"{field}.{key}", error.problem, allowed=error.allowed)


def _relation(
    field: str, relation: object, scrub: Scrub, errors: list[InvalidInput], *, named_only: bool
) -> RelationDraft | None:
    if not isinstance(relation, dict):
        allowed = "{source, target, type, properties}"
        errors.append(InvalidInput(field, f"is a {type(relation).__name__}", allowed=allowed))
        return None
    label = relation.get("type")
    if not isinstance(label, str) or label not in AUTHORED_RELATIONS:
        automatic = isinstance(label, str) and label in RELATIONS
        problem = f"{label} is written automatically" if automatic else f"{short(label)} is unknown"
        errors.append(InvalidInput(f"{field}.type", problem, allowed=", ".join(AUTHORED_RELATIONS)))
        return None
    before = len(errors)
    ends = [_end(f"{field}.{key}", relation.get(key), errors) for key in ("source", "target")]
    given, _ = _given(field, relation, ("source", "target", "type"), errors)
    table = RELATIONS[label].properties
    kept = dict(_properties(f"{field} ({label})", table, given, scrub, errors))
    errors.extend(missing(f"{field} ({label})", table, given, exists=named_only))
    return RelationDraft(ends[0], ends[1], label, kept) if len(errors) == before else None


def _end(field: str, value: object, errors: list[InvalidInput]) -> str:
    name = fold_name(value) if isinstance(value, str) else ""
    if not name:
        errors.append(InvalidInput(field, "is missing", allowed="a node's name, or Type:name"))
    return name
