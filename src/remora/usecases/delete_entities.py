"""Remove entities for good, with their relations and earlier versions; a preview unless it is meant."""

from collections.abc import Sequence
from dataclasses import dataclass

from remora.core.encounters.identity import all_candidate_ids, resolve, version_id
from remora.core.encounters.nodes import number, reference, trust
from remora.core.encounters.schema import ENCOUNTER, RELATIONS
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidBatch, InvalidInput, RemoraError
from remora.core.graph import Changes, Json, Node
from remora.core.infusion.meanings import meaning_id
from remora.core.policy import ENTITY_BATCH_MAX, RELATIONS_PER_STEP_MAX
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.ports import EncounterPorts, StoreRead


@dataclass(frozen=True, slots=True)
class Deletion:
    """Typed names of the entities, and how many relations go with them (by label). `deleted` is False for a preview.

    `at_least` says that there were more relations than are counted; all of them go.
    """

    deleted: bool
    entities: tuple[str, ...]
    relations: dict[str, Json]
    at_least: bool = False


def delete_entities(ports: EncounterPorts, grant: Grant, names: Sequence[str], *, dry_run: bool = True) -> Deletion:
    """Delete by name or `Type:name`. Refuses encounters, and what was written with higher trust.

    Raises `InvalidBatch` with every name that cannot be deleted; nothing is deleted then.
    """
    if not dry_run:
        grant.require(ports.repository.identity, Right.WRITE)
    if not names or len(names) > ENTITY_BATCH_MAX:
        raise InvalidInput("names", f"has {len(names)} entries", allowed=f"1 to {ENTITY_BATCH_MAX} entries")
    ids = all_candidate_ids(names)

    def decide(view: StoreRead, _now: int) -> Changes:
        nodes = _deletable(names, *resolve(names, view.get(ids, (REPOSITORY,))), grant)
        around = view.expand(
            [node.id for node in nodes],
            (REPOSITORY,),
            labels=tuple(RELATIONS),
            per_node=RELATIONS_PER_STEP_MAX,
            limit=RELATIONS_PER_STEP_MAX * len(nodes),
        )
        counts: dict[str, Json] = {
            label: count for label in RELATIONS if (count := sum(edge.label == label for edge in around.edges))
        }
        meanings = view.get([meaning_id(node.id) for node in nodes], (SYSTEM,))
        gone = [*(item for node in nodes for item in (node.id, *_versions(node))), *meanings]
        result: Json = {
            "entities": [reference(node) for node in nodes],
            "relations": counts,
            "at_least": around.truncated,
        }
        return Changes(drop=() if dry_run else tuple(gone), result=result)

    if dry_run:
        with ports.store.read(grant) as view:
            result = decide(view, 0).result
    else:
        result = ports.store.apply(grant, decide).result
    assert isinstance(result, dict)
    scrub = scrubber(ports.redact)
    entities, relations = result["entities"], result["relations"]
    assert isinstance(entities, list)
    assert isinstance(relations, dict)
    return Deletion(not dry_run, tuple(scrub(str(name)) for name in entities), relations, result["at_least"] is True)


def _deletable(names: Sequence[str], found: dict[str, Node], errors: Sequence[RemoraError], grant: Grant) -> list[Node]:
    problems = [InvalidInput("names", str(error), allowed=error.advice) for error in errors]
    for name, node in found.items():
        where = f"names[{names.index(name)}]"
        if node.label == ENCOUNTER:
            problems.append(InvalidInput(where, f"{reference(node)} is part of the spine and stays"))
        elif trust(node) > grant.trust:
            problems.append(InvalidInput(where, f"{reference(node)} was written with higher trust than yours"))
    if problems:
        raise InvalidBatch("names", problems)
    return list({node.id: node for node in found.values()}.values())


def _versions(node: Node) -> list[str]:
    return [version_id(node.id, version) for version in range(1, number(node, "version"))]
