"""Remove authored relations; a preview unless it is meant."""

from collections.abc import Sequence
from dataclasses import dataclass

from remora.core.encounters.drafts import RelationDraft, relation_drafts
from remora.core.encounters.identity import all_candidate_ids
from remora.core.encounters.nodes import trust
from remora.core.encounters.values import scrubber
from remora.core.encounters.writing import relation_ids
from remora.core.errors import InvalidBatch, InvalidInput
from remora.core.graph import Changes, Json
from remora.core.scope import REPOSITORY, Grant, Right
from remora.ports import EncounterPorts, StoreRead


@dataclass(frozen=True, slots=True)
class RelationDeletion:
    """The relations, as `source -TYPE-> target`. `deleted` is False for a preview."""

    deleted: bool
    relations: tuple[str, ...]


def delete_relations(
    ports: EncounterPorts, grant: Grant, relations: object, *, dry_run: bool = True
) -> RelationDeletion:
    """Delete relations named by {source, target, type}; ends are names or `Type:name`.

    Automatic relations and those written with higher trust stay. Raises `InvalidBatch` with every relation that cannot
    be deleted; nothing is deleted then.
    """
    if not dry_run:
        grant.require(ports.repository.identity, Right.WRITE)
    drafts, errors = relation_drafts(relations, scrubber(ports.redact), named_only=True)
    names = all_candidate_ids(name for draft in drafts for name in (draft.source, draft.target))

    def decide(view: StoreRead, _now: int) -> Changes:
        gone = _deletable(view, drafts, errors, names, grant)
        rows: list[Json] = [f"{draft.source} -{draft.type}-> {draft.target}" for draft in drafts]
        return Changes(drop=() if dry_run else tuple(gone), result=rows)

    if dry_run:
        with ports.store.read(grant) as view:
            result = decide(view, 0).result
    else:
        result = ports.store.apply(grant, decide).result
    assert isinstance(result, list)
    return RelationDeletion(not dry_run, tuple(str(row) for row in result))


def _deletable(
    view: StoreRead,
    drafts: Sequence[RelationDraft],
    errors: Sequence[InvalidInput],
    names: Sequence[str],
    grant: Grant,
) -> list[str]:
    found = view.get(names, (REPOSITORY,))
    problems = list(errors)
    gone: dict[str, None] = {}
    for index, draft in enumerate(drafts):
        for item in relation_ids([draft], found) or [""]:
            edge = view.get((item,), (REPOSITORY,)).get(item) if item else None
            if edge is None:
                shown = f"{draft.source} -{draft.type}-> {draft.target}"[:200]
                problems.append(InvalidInput(f"relations[{index}]", f"{shown} does not exist"))
            elif trust(edge) > grant.trust:
                problems.append(InvalidInput(f"relations[{index}]", "was written with higher trust than yours"))
            else:
                gone[item] = None
    if problems:
        raise InvalidBatch("relations", problems)
    return list(gone)
