"""Write how entities bear on each other: authored relations, direction and type checked, all of a batch or none."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from remora.core.encounters import spine
from remora.core.encounters.drafts import relation_drafts
from remora.core.encounters.identity import all_candidate_ids
from remora.core.encounters.schema import SUPERSEDES
from remora.core.encounters.values import scrubber
from remora.core.encounters.writing import relation_ids, write_relations
from remora.core.graph import Changes, Edge, Json
from remora.core.policy import RELATIONS_PER_STEP_MAX
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.core.sessions import SessionRef, resolve
from remora.core.source import Provenance
from remora.ports import EncounterPorts, StoreRead

NO_SESSION = SessionRef()


@dataclass(frozen=True, slots=True)
class Relations:
    """Per relation {id, name, outcome}, in the order given."""

    relations: tuple[Json, ...]


def create_relations(
    ports: EncounterPorts, grant: Grant, relations: object, session: SessionRef = NO_SESSION
) -> Relations:
    """Create relations: a list of {source, target, type, properties?}; ends are names or `Type:name`.

    With a session the relations carry the session. Raises `InvalidBatch` with every error before anything is
    written, `NotFound` when the session named is not an open one of this caller's.
    """
    grant.require(ports.repository.identity, Right.WRITE)
    drafts, errors = relation_drafts(relations, scrubber(ports.redact))
    names = all_candidate_ids(name for draft in drafts for name in (draft.source, draft.target))

    def decide(view: StoreRead, now: int) -> Changes:
        by = Provenance.of(grant)
        if session.given:
            owner = resolve(view, grant, session, now)
            by = replace(Provenance.of(grant, session=owner.id), client=owner.client)
        found = view.get(names, (REPOSITORY,))
        known = view.get(relation_ids(drafts, found), (REPOSITORY,))
        tick = spine.Head.of(view.get((spine.HEAD_ID,), (SYSTEM,))).tick
        changes, written = write_relations(
            drafts, errors, found, known, lambda ids: _superseded(view, ids), now, by, tick
        )
        rows: list[Json] = [row.to_json() for row in written]
        return Changes(put=changes.put, result=rows)

    result = ports.store.apply(grant, decide).result
    assert isinstance(result, list)
    return Relations(tuple(result))


def _superseded(view: StoreRead, ids: Collection[str]) -> Sequence[Edge]:
    around = view.expand(
        ids,
        (REPOSITORY,),
        labels=(SUPERSEDES,),
        incoming=False,
        per_node=RELATIONS_PER_STEP_MAX,
        limit=RELATIONS_PER_STEP_MAX * max(1, len(ids)),
    )
    return around.edges
