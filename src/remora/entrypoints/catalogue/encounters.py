"""Operations on encounters: open and seal one, write what was understood, look it up, walk its grounding."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from remora.core import policy
from remora.core.encounters.schema import AUTHORED_RELATIONS, AUTHORED_TYPES, NODE_TYPES, RELATIONS, NodeType
from remora.core.sessions import SessionRef
from remora.entrypoints.catalogue import wording
from remora.entrypoints.catalogue.operation import (
    Answer,
    Call,
    Operation,
    arguments,
    integer,
    many,
    optional,
    rows,
    switch,
    text,
)

_CORE = frozenset({"core", "encounters"})
_ENCOUNTERS = frozenset({"encounters"})
_NAME_CHARS = 2 * policy.NODE_NAME_MAX_CHARS
SESSION = optional(text("Handle; default: this connection's session.", max_chars=200))
_NAMES = many(text(max_chars=_NAME_CHARS), "Names, or Type:name.", most=policy.ENTITY_BATCH_MAX, minItems=1)


def own(call: Call, given: Mapping[str, Any]) -> SessionRef:
    """The session a call writes in: the handle it gives, else the door's own."""
    return call.session({**given, "memory_scope": "session"})


def _properties(node_type: NodeType) -> str:
    words = []
    for name, spec in node_type.properties.items():
        if name not in ("name", "description"):
            words.append(name + ("" if spec.required else "?") + (f"={'|'.join(spec.choices)}" if spec.choices else ""))
    described = node_type.properties.get("description")
    lead = ["description" if described.required else "description?"] if described else []
    return f"{node_type.name}({', '.join([*lead, *words])})"


def grammar() -> str:
    """The writable types with their properties, from the tables."""
    return "; ".join(_properties(NODE_TYPES[name]) for name in AUTHORED_TYPES)


def relation_grammar() -> str:
    """The writable relations with the types they join, from the tables."""
    return "; ".join(_joins(name) for name in AUTHORED_RELATIONS)


def _joins(name: str) -> str:
    relation = RELATIONS[name]
    sources = list(dict.fromkeys(source for source, _ in relation.pairs))
    targets = list(dict.fromkeys(target for _, target in relation.pairs))
    alike = all(source == target for source, target in relation.pairs) and len(relation.pairs) > 1
    ends = f"{'|'.join(sources)}, same type" if alike else f"{'|'.join(sources)}>{'|'.join(targets)}"
    return f"{name}({ends}{''.join(f', {key}' for key in relation.properties)})"


# Entries are checked by the use case, whole: a door that checked their form first would hide the other errors.
_ENTITIES = many(
    {
        "type": "object",
        "properties": {"type": {"description": "|".join(AUTHORED_TYPES)}, "name": {}, "properties": {}},
    },
    most=policy.ENTITY_BATCH_MAX,
    minItems=1,
)
_RELATIONS = many(
    {
        "type": "object",
        "properties": {"source": {"description": "Name or Type:name"}, "target": {}, "type": {}, "properties": {}},
    },
    most=policy.ENTITY_BATCH_MAX,
    minItems=1,
)


def _advance(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter

    request = AdvanceRequest(given["name"], own(call, given), recent=given["recent"], limit=given["limit"])
    done = advance_encounter(call.ports, call.grant, request)
    data = wording.fitted(
        {
            "session": done.session,
            "encounter": done.encounter,
            "opened": done.opened,
            "registered": done.registered,
            **done.payload,
        }
    )
    return Answer(data, wording.advanced(data))


def _close(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.close_encounter import CloseRequest, close_encounter

    session = own(call, given)
    request = CloseRequest(given["summary"], given.get("report", ""), given.get("encounter", ""), session)
    data = {"encounter": close_encounter(call.ports, call.grant, request).encounter}
    return Answer(data, wording.closed(data))


def _create_entities(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.create_entities import create_entities

    done = create_entities(call.ports, call.grant, given["entities"], own(call, given))
    data = wording.fitted({"encounter": done.encounter, "tick": done.tick, "entities": list(done.entities)})
    return Answer(data, wording.written(data))


def _create_relations(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.create_relations import create_relations

    done = create_relations(call.ports, call.grant, given["relations"], own(call, given))
    data = wording.fitted({"relations": list(done.relations)})
    return Answer(data, wording.written(data))


def _delete_entities(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.delete_entities import delete_entities

    data = wording.fitted(asdict(delete_entities(call.ports, call.grant, given["names"], dry_run=given["dry_run"])))
    return Answer(data, wording.deleted(data))


def _delete_relations(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.delete_relations import delete_relations

    data = wording.fitted(
        asdict(delete_relations(call.ports, call.grant, given["relations"], dry_run=given["dry_run"]))
    )
    return Answer(data, wording.deleted(data))


def _search(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.search_encounters import search_encounters

    found = search_encounters(
        call.ports, call.grant, given["query"], types=given.get("types", ()), limit=given["limit"]
    )
    data = wording.fitted(_anchored(call, asdict(found), "entities"))
    return Answer(data, wording.entities(data))


def _find(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.find_by_name import find_by_name

    found = asdict(find_by_name(call.ports, call.grant, given["names"], limit=given["limit"]))
    data = wording.fitted(_anchored(call, found, "entities"))
    return Answer(data, wording.entities(data))


def _trace(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.trace_provenance import trace_provenance

    found = asdict(trace_provenance(call.ports, call.grant, given["name"], depth=given["depth"]))
    data = wording.fitted(_anchored(call, found, "nodes"))
    return Answer(data, wording.grounding(data))


def _anchored(call: Call, data: dict[str, Any], part: str) -> dict[str, Any]:
    """Where the code anchors of bookmarks and citations are now, as `anchor` beside them."""
    rows_ = [*data[part], *([data["entity"]] if "entity" in data else [])]
    anchors = {id(row): row.get("source_key") or row.get("uri") or "" for row in rows_}
    if not any(uri.startswith("code:") for uri in anchors.values()):
        return data
    from remora.usecases.resolve_anchors import resolve_anchors

    found = resolve_anchors(call.ports, call.grant, anchors.values())
    for row in rows_:
        if anchors[id(row)] in found:
            row["anchor"] = found[anchors[id(row)]]
    return data


OPERATIONS = (
    Operation(
        name="advance_encounter",
        title="Open an encounter",
        description=(
            "Begin a work session: opens the next encounter, returns its `session` handle and what was left open: "
            "recent encounters, open questions, live hypotheses, concepts, unsealed encounters."
        ),
        profiles=_CORE,
        input=arguments(
            name=text("What this session is about; unique.", max_chars=_NAME_CHARS),
            recent=integer("", low=0, high=policy.RECENT_ENCOUNTERS_MAX, default=5),
            limit=integer("", low=1, high=policy.REENTRY_LIMIT_MAX, default=20),
            session=SESSION,
        ),
        output=rows("session", "encounter", "opened", "open_questions", "live_hypotheses", "unsealed"),
        run=_advance,
        read_only=False,
        http=("POST", "/encounters"),
    ),
    Operation(
        name="create_entities",
        title="Write what was understood",
        description=(
            "Create or update entities by (type, name), all or none, anchored to the open encounter. Times RFC 3339 "
            f"with offset. {grammar()}. Cite a record id, fact id or code:path#symbol@revision in a Citation's uri."
        ),
        profiles=_CORE,
        input=arguments(entities=_ENTITIES, session=SESSION),
        output=rows("encounter", "tick", "entities"),
        run=_create_entities,
        read_only=False,
        http=("POST", "/entities"),
    ),
    Operation(
        name="create_relations",
        title="Relate what was understood",
        description=f"Relate entities, all or none. {relation_grammar()}.",
        profiles=_CORE,
        input=arguments(relations=_RELATIONS, session=SESSION),
        output=rows("relations"),
        run=_create_relations,
        read_only=False,
        http=("POST", "/relations"),
    ),
    Operation(
        name="close_encounter",
        title="Seal the encounter",
        description="Seal the session's open encounter for good: what was done, what came of it, what stays open.",
        profiles=_CORE,
        input=arguments(
            summary=text("", max_chars=2 * policy.NODE_TEXT_MAX_CHARS),
            report=optional(text("At length.", max_chars=2 * policy.NODE_TEXT_MAX_CHARS)),
            encounter=optional(text("Default: the open one.", max_chars=_NAME_CHARS)),
            session=SESSION,
        ),
        output=rows("encounter"),
        run=_close,
        read_only=False,
        idempotent=False,
        http=("POST", "/encounters/close"),
    ),
    Operation(
        name="delete_entities",
        title="Delete entities",
        description="Delete entities with their relations and versions; a preview unless dry_run is false.",
        profiles=_ENCOUNTERS,
        input=arguments(names=_NAMES, dry_run=switch("Only say what would go.", default=True)),
        output=rows("deleted", "entities", "relations", "at_least"),
        run=_delete_entities,
        read_only=False,
        destructive=True,
        http=("POST", "/entities/delete"),
    ),
    Operation(
        name="delete_relations",
        title="Delete relations",
        description="Delete authored relations by {source, target, type}; a preview unless dry_run is false.",
        profiles=_ENCOUNTERS,
        input=arguments(relations=_RELATIONS, dry_run=switch("Only say what would go.", default=True)),
        output=rows("deleted", "relations"),
        run=_delete_relations,
        read_only=False,
        destructive=True,
        http=("POST", "/relations/delete"),
    ),
    Operation(
        name="search",
        title="Search what was understood",
        description="Search entities of all encounters by words of name and description; superseded ones come last.",
        profiles=_ENCOUNTERS,
        input=arguments(
            query=text("Words.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            limit=integer("", low=1, high=policy.SEARCH_LIMIT_MAX, default=10),
            types=optional(many(text(max_chars=40), "Only these types.", most=len(NODE_TYPES))),
        ),
        output=rows("entities", "total", "truncated", "notice"),
        run=_search,
        read_only=True,
        http=("GET", "/search"),
    ),
    Operation(
        name="find_by_name",
        title="Entities by name",
        description="Look entities up by name, with the relations among them.",
        profiles=_ENCOUNTERS,
        input=arguments(
            names=_NAMES, limit=integer("", low=1, high=policy.ENTITY_BATCH_MAX, default=20)
        ),
        output=rows("entities", "relations", "unknown", "truncated"),
        run=_find,
        read_only=True,
        http=("GET", "/entities/by-name"),
    ),
    Operation(
        name="trace_provenance",
        title="What an entity stands on",
        description="Walk down the grounding of an entity: every path ends at a citation or says `ungrounded`.",
        profiles=_ENCOUNTERS,
        input=arguments(
            name=text("Name or Type:name.", max_chars=_NAME_CHARS),
            depth=integer("Relations down.", low=1, high=policy.TRACE_DEPTH_MAX, default=3),
        ),
        output=rows("entity", "grounded", "paths", "nodes", "truncated"),
        run=_trace,
        read_only=True,
        http=("GET", "/provenance"),
    ),
)  # fmt: skip
