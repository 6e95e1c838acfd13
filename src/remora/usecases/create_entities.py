"""Write what was understood: entities, anchored to the session's open encounter, all of a batch or none."""

from dataclasses import dataclass, replace

from remora.core.encounters import spine
from remora.core.encounters.drafts import drafted_ids, entity_drafts
from remora.core.encounters.identity import node_id
from remora.core.encounters.nodes import number
from remora.core.encounters.values import scrubber
from remora.core.encounters.writing import write_entities
from remora.core.errors import InvalidInput
from remora.core.graph import Changes, Json, Node
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.core.sessions import SessionRef, resolve
from remora.core.source import Provenance
from remora.ports import EncounterPorts, StoreRead


@dataclass(frozen=True, slots=True)
class Entities:
    """The encounter they were anchored to, and per entity {id, name, outcome, dropped?}."""

    encounter: str
    tick: int
    entities: tuple[Json, ...]


def create_entities(ports: EncounterPorts, grant: Grant, entities: object, session: SessionRef) -> Entities:
    """Create or update entities by (type, name): a list of {type, name, properties}, or properties beside the name.

    Raises `InvalidBatch` with every error before anything is written, `NotFound` without an open session of this
    caller's, `InvalidInput` when that session has no open encounter.
    """
    grant.require(ports.repository.identity, Right.WRITE)
    if not session.given:
        raise InvalidInput("session", "is missing", allowed="the handle that advance_encounter returned")
    scrub = scrubber(ports.redact)
    ids = drafted_ids(entities, scrub)
    with ports.store.read(grant) as view:
        known = view.get(ids, (REPOSITORY,))
    drafts = entity_drafts(entities, scrub, partial=lambda node_type, name: node_id(node_type, name) in known)

    def decide(view: StoreRead, now: int) -> Changes:
        owner = resolve(view, grant, session, now)
        by = replace(Provenance.of(grant, session=owner.id), client=owner.client)
        encounter = _open_encounter(view, owner.id)
        changes, written = write_entities(drafts, view.get(ids, (REPOSITORY,)), encounter, now, by)
        rows: list[Json] = [row.to_json() for row in written]
        result: Json = {"encounter": encounter.name, "tick": number(encounter, "tick"), "entities": rows}
        return Changes(put=changes.put, result=result)

    result = ports.store.apply(grant, decide).result
    assert isinstance(result, dict)
    rows = result["entities"]
    assert isinstance(rows, list)
    return Entities(str(result["encounter"]), int(str(result["tick"])), tuple(rows))


def _open_encounter(view: StoreRead, session: str) -> Node:
    pointer = spine.Pointer.of(session, view.get((spine.pointer_id(session),), (SYSTEM,)))
    encounter = view.get((pointer.open,), (REPOSITORY,)).get(pointer.open) if pointer.open else None
    if not isinstance(encounter, Node):
        raise InvalidInput("session", "has no open encounter", allowed="advance_encounter opens one")
    return encounter
