"""Plans that write entities and relations: update by (type, name), versions, first anchors, and what trust allows."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from remora.core.encounters.drafts import EntityDraft, RelationDraft
from remora.core.encounters.identity import node_id, relation_id, resolve, version_id
from remora.core.encounters.nodes import number, properties, reference, text, trust
from remora.core.encounters.schema import (
    ENCOUNTER,
    FAMILY,
    HISTORY_FAMILY,
    NODE_TYPES,
    REBINDS,
    RELATIONS,
    SUPERSEDES,
)
from remora.core.encounters.spine import automatic, touch
from remora.core.encounters.times import shown
from remora.core.encounters.values import missing
from remora.core.errors import InvalidBatch, InvalidInput
from remora.core.graph import Changes, Edge, Item, Json, Node
from remora.core.scope import REPOSITORY
from remora.core.source import Provenance
from remora.core.text import tokens

_TEXT_PROPERTIES = ("description", "query", "summary", "report")
_EXTRA_PROPERTIES = ("category", "tag", "kind", "source_kind", "source_key", "source_label", "uri", "aliases")

Successors = Callable[[Collection[str]], Iterable[Edge]]
"""The SUPERSEDES relations that leave the given nodes."""


@dataclass(frozen=True, slots=True)
class Written:
    """What happened to one entity or relation: "created", "updated" or "unchanged"."""

    item: str
    reference: str
    outcome: str
    dropped: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """One row of an answer; `dropped` names properties that only we may set."""
        row: dict[str, Json] = {"id": self.item, "name": self.reference, "outcome": self.outcome}
        return {**row, "dropped": list(self.dropped)} if self.dropped else row


def write_entities(
    drafts: Sequence[EntityDraft], found: Mapping[str, Item], encounter: Node, now: int, by: Provenance
) -> tuple[Changes, tuple[Written, ...]]:
    """Create or update by (type, name). A node keeps its first anchor; an update appends the former version.

    `found` holds the nodes of these drafts that exist. Raises `InvalidBatch` when trust forbids an update, or when a
    node to update is gone and the draft is too little to create it.
    """
    put: list[Item] = []
    written: list[Written] = []
    errors: list[InvalidInput] = []
    for index, draft in enumerate(drafts):
        known = found.get(node_id(draft.type, draft.name))
        if isinstance(known, Node):
            merged = {**properties(known), **draft.properties, "name": known.name}  # the first spelling stays
            if merged == dict(properties(known)):
                written.append(Written(known.id, reference(known), "unchanged", draft.dropped))
                continue
            if trust(known) > by.trust:
                errors.append(_outranked(f"entities[{index}]", known, by))
                continue
            put += [_version(known), _updated(known, merged, now, by)]
            written.append(Written(known.id, reference(known), "updated", draft.dropped))
        else:
            errors += missing(f"entities[{index}] ({draft.type})", NODE_TYPES[draft.type].properties, draft.properties)
            node = _created(draft, encounter, now, by)
            put += [node, *_anchor(node, encounter, now, by)]
            written.append(Written(node.id, reference(node), "created", draft.dropped))
    if errors:
        raise InvalidBatch("entities", errors)
    return Changes(put=(*put, touch(encounter, now))), tuple(written)


def _created(draft: EntityDraft, encounter: Node, now: int, by: Provenance) -> Node:
    return Node(
        id=node_id(draft.type, draft.name),
        family=FAMILY,
        label=draft.type,
        scope=REPOSITORY,
        name=draft.name,
        body={
            "properties": dict(draft.properties),
            "tick": number(encounter, "tick"),
            "encounter": encounter.id,
            "by": {**by.to_json()},
            "version": 1,
            "t_created": shown(now),
        },
        tokens=node_tokens(draft.name, draft.properties),
        created=now,
        updated=now,
    )


def _updated(known: Node, merged: Mapping[str, Json], now: int, by: Provenance) -> Node:
    body: dict[str, Json] = {
        **known.body,
        "properties": {**merged},
        "by": {**by.to_json()},
        "version": number(known, "version") + 1,
    }
    return replace(known, body=body, tokens=node_tokens(known.name, merged), updated=now)


def _version(known: Node) -> Node:
    """The node as it was, kept for good under an id of its own."""
    return replace(
        known,
        id=version_id(known.id, number(known, "version")),
        family=HISTORY_FAMILY,
        body={**known.body, "of": known.id},
        tokens={},
    )


def _anchor(node: Node, encounter: Node, now: int, by: Provenance) -> list[Edge]:
    label = NODE_TYPES[node.label].anchor
    return [automatic(label, encounter.id, node.id, now, by, number(encounter, "tick"))] if label else []


def node_tokens(name: str, values: Mapping[str, Json]) -> dict[str, tuple[str, ...]]:
    """Search tokens of a node: its name, its texts, and its short properties."""
    fields = {
        "name": tuple(tokens(name)),
        "description": tuple(tokens(_joined(values, _TEXT_PROPERTIES))),
        "extra": tuple(tokens(_joined(values, _EXTRA_PROPERTIES))),
    }
    return {field: found for field, found in fields.items() if found}


def _joined(values: Mapping[str, Json], names: Iterable[str]) -> str:
    parts: list[str] = []
    for name in names:
        value = values.get(name)
        parts += [str(line) for line in value] if isinstance(value, list) else [value] if isinstance(value, str) else []
    return "\n".join(parts)


def write_relations(
    drafts: Sequence[RelationDraft],
    errors: Sequence[InvalidInput],
    found: Mapping[str, Item],
    known: Mapping[str, Item],
    successors: Successors,
    now: int,
    by: Provenance,
    tick: int,
) -> tuple[Changes, tuple[Written, ...]]:
    """Check ends, direction, time order, cycles and trust of a batch, then write it whole.

    `errors` are those of form, `found` the nodes that the names may mean, `known` what exists of `relation_ids`.
    """
    ends, unresolved = resolve((name for draft in drafts for name in (draft.source, draft.target)), found)
    problems = [*errors, *(InvalidInput("relations", str(error), allowed=error.advice) for error in unresolved)]
    edges: list[Edge] = []
    for index, draft in enumerate(drafts):
        source, target = ends.get(draft.source), ends.get(draft.target)
        if source is None or target is None:
            continue
        problem = _end_problem(f"relations[{index}]", draft.type, source, target, by)
        if problem is not None:
            problems.append(problem)
        edges.append(_relation(draft, source, target, now, by, tick))
    if not problems:
        problems += _cycles(edges, successors)
    if problems:
        raise InvalidBatch("relations", problems)
    return _merged(edges, known, {node.id: node for node in ends.values()})


def relation_ids(drafts: Iterable[RelationDraft], found: Mapping[str, Item]) -> list[str]:
    """Ids of the relations that the drafts would write, for those whose ends are found."""
    kept = list(drafts)
    ends, _ = resolve((name for draft in kept for name in (draft.source, draft.target)), found)
    return [
        relation_id(draft.type, ends[draft.source].id, ends[draft.target].id)
        for draft in kept
        if draft.source in ends and draft.target in ends
    ]


def _end_problem(field: str, label: str, source: Node, target: Node, by: Provenance) -> InvalidInput | None:
    relation = RELATIONS[label]
    shown_ends = f"{reference(source)} -> {reference(target)}"
    if ENCOUNTER in (source.label, target.label):
        return InvalidInput(field, f"{shown_ends}: encounters are related automatically only")
    if (source.label, target.label) not in relation.pairs:
        return InvalidInput(field, f"{label} cannot join {shown_ends}", allowed=relation.directions)
    if source.id == target.id:
        return InvalidInput(field, f"{label} joins {reference(source)} to itself", allowed="two different nodes")
    if label == REBINDS and _order(source) <= _order(target):
        return InvalidInput(field, f"{shown_ends}: the source is the earlier one", allowed="later -> earlier")
    if label in (SUPERSEDES, REBINDS) and trust(target) > by.trust:
        return _outranked(field, target, by)
    return None


def _order(node: Node) -> tuple[int, str]:
    """When a node was written; within one batch its own time decides."""
    return node.created, (text(node, "t_observed") or text(node, "t_raised")).rstrip("Z")


def _outranked(field: str, node: Node, by: Provenance) -> InvalidInput:
    mine, theirs = by.trust.name.lower(), trust(node).name.lower()
    return InvalidInput(field, f"{reference(node)} was written with higher trust ({theirs}) than yours ({mine})")


def _relation(draft: RelationDraft, source: Node, target: Node, now: int, by: Provenance, tick: int) -> Edge:
    return Edge(
        id=relation_id(draft.type, source.id, target.id),
        family=FAMILY,
        label=draft.type,
        scope=REPOSITORY,
        source=source.id,
        target=target.id,
        body={
            "properties": dict(draft.properties),
            "tick": tick,
            "by": {**by.to_json()},
            "t_created": shown(now),
        },
        created=now,
        updated=now,
    )


def _cycles(edges: Sequence[Edge], successors: Successors) -> list[InvalidInput]:
    """Errors for SUPERSEDES relations that would close a circle, also through others of the batch."""
    planned: dict[str, set[str]] = {}
    for edge in edges:
        if edge.label == SUPERSEDES:
            planned.setdefault(edge.source, set()).add(edge.target)
    problems: list[InvalidInput] = []
    for index, edge in enumerate(edges):
        if edge.label == SUPERSEDES and _reaches(edge.target, edge.source, planned, successors):
            problems.append(InvalidInput(f"relations[{index}]", "SUPERSEDES would run in a circle"))
    return problems


def _reaches(start: str, goal: str, planned: Mapping[str, set[str]], successors: Successors) -> bool:
    seen: set[str] = set()
    level = {start}
    while level:
        if goal in level:
            return True
        seen |= level
        nexts = {edge.target for edge in successors(sorted(level))}
        level = nexts.union(*(planned.get(node, set()) for node in level)) - seen
    return False


def _merged(
    edges: Sequence[Edge], known: Mapping[str, Item], nodes: Mapping[str, Node]
) -> tuple[Changes, tuple[Written, ...]]:
    put: dict[str, Edge] = {}
    written: list[Written] = []
    for edge in edges:
        before = put.get(edge.id, known.get(edge.id))
        name = f"{reference(nodes[edge.source])} -{edge.label}-> {reference(nodes[edge.target])}"
        if before is None:
            put[edge.id] = edge
        elif dict(properties(before)) != dict(properties(edge)):
            body = {**edge.body, "t_created": before.body.get("t_created", ""), "tick": before.body.get("tick", 0)}
            put[edge.id] = replace(edge, body=body, created=before.created)
        outcome = "created" if before is None else "updated" if put.get(edge.id) is not before else "unchanged"
        outcome = "unchanged" if edge.id not in put else outcome
        written.append(Written(edge.id, name, outcome))
    return Changes(put=tuple(put.values())), tuple(written)
