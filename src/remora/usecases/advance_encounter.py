"""Open a session's next encounter and hand back what it needs to go on: the re-entry payload."""

from dataclasses import dataclass, field, replace

from remora.core.encounters import spine
from remora.core.encounters.cards import Card, cards
from remora.core.encounters.identity import node_id
from remora.core.encounters.nodes import status
from remora.core.encounters.reentry import concept_rows, encounter_card, open_threads, unsealed_cards
from remora.core.encounters.schema import (
    AUTHORED_RELATIONS,
    CHALLENGES,
    CONCEPT,
    ENCOUNTER,
    FAMILY,
    HYPOTHESIS,
    QUESTION,
    REBINDS,
    RESOLVES,
    SPINE_FAMILY,
    SUPERSEDES,
    SUPPORTS,
)
from remora.core.encounters.values import Scrub, name_of, scrubber
from remora.core.graph import Changes, Item, Json, Node
from remora.core.policy import (
    FRONTIER_SCAN_MAX,
    RECENT_ENCOUNTERS_MAX,
    REENTRY_LIMIT_MAX,
    REENTRY_RELATIONS_PER_CONCEPT,
)
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.core.sessions import HANDLE_BYTES, HANDLE_PREFIX, SessionRef, register, resolve, session_node_id
from remora.core.source import Provenance
from remora.ports import EncounterPorts, StoreRead

_PAGE = 200
_ENDINGS_PER_NODE = 20
_ENDINGS = (RESOLVES, REBINDS, SUPERSEDES, SUPPORTS, CHALLENGES)


@dataclass(frozen=True, slots=True)
class AdvanceRequest:
    """Without a handle in `session` the chat is registered, under the runtime's id and client (made up if empty)."""

    name: str
    session: SessionRef = field(default_factory=SessionRef)
    recent: int = 5
    limit: int = 20


@dataclass(frozen=True, slots=True)
class Advanced:
    """The handle to pass on, the encounter, whether this call opened it (False: a retry), and the payload."""

    session: str
    encounter: Card
    opened: bool
    registered: bool
    payload: dict[str, Json] = field(default_factory=dict)


def advance_encounter(ports: EncounterPorts, grant: Grant, request: AdvanceRequest) -> Advanced:
    """Take the next tick and open an encounter in one serialised write; then read the re-entry payload.

    Raises `InvalidInput`, `NotFound` (no such session for this caller) or `Conflict` (the name is taken).
    """
    grant.require(ports.repository.identity, Right.WRITE)
    scrub = scrubber(ports.redact)
    name = name_of(request.name, "name", scrub)
    ref = request.session
    handle = ref.handle or HANDLE_PREFIX + ports.clock.token(HANDLE_BYTES)
    session_id = ref.session_id or f"chat-{ports.clock.token(8)}"
    client = ref.client or grant.client or "agent"

    def decide(view: StoreRead, now: int) -> Changes:
        begun = Changes()
        if ref.handle:
            session = resolve(view, grant, ref, now)
            owner, client_name = session.id, session.client
        else:
            begun = register(view, grant, client, session_id, handle, now)
            owner, client_name = session_node_id(grant.principal, client, session_id), client
        by = replace(Provenance.of(grant, session=owner), client=client_name)
        found = view.get((spine.HEAD_ID, spine.pointer_id(owner), node_id(ENCOUNTER, name)), (REPOSITORY, SYSTEM))
        step = spine.advance(found, _head(view, found), now, name=name, session=owner, by=by)
        return Changes(
            put=(*begun.put, *step.changes.put),
            drop=begun.drop,
            result={"encounter": step.encounter.id, "opened": step.opened},
        )

    result = ports.store.apply(grant, decide).result
    assert isinstance(result, dict)
    with ports.store.read(grant) as view:
        encounter = view.get((str(result["encounter"]),), (REPOSITORY,))[str(result["encounter"])]
        assert isinstance(encounter, Node)
        payload = _payload(view, encounter, request, scrub)
    return Advanced(
        session=handle,
        encounter=encounter_card(encounter, scrub),
        opened=bool(result["opened"]),
        registered=not ref.handle,
        payload=payload,
    )


def _head(view: StoreRead, found: dict[str, Item]) -> spine.Head:
    if spine.HEAD_ID in found:
        return spine.Head.of(found)
    encounters: list[Node] = []
    cursor = ""
    while True:
        page, cursor = view.scan(FAMILY, ENCOUNTER, (REPOSITORY,), after=cursor, limit=_PAGE)
        encounters += [item for item in page if isinstance(item, Node)]
        if not cursor:
            return spine.Head.rebuilt(encounters)


def _payload(view: StoreRead, encounter: Node, request: AdvanceRequest, scrub: Scrub) -> dict[str, Json]:
    limit = min(max(request.limit, 1), REENTRY_LIMIT_MAX)
    head = spine.Head.of(view.get((spine.HEAD_ID,), (SYSTEM,)))
    others = [item for item in head.recent if item != encounter.id]
    wanted = others[: min(max(request.recent, 0), RECENT_ENCOUNTERS_MAX)]
    recent = view.get(wanted, (REPOSITORY,))
    questions, more_questions = _threads(view, QUESTION, limit)
    hypotheses, more_hypotheses = _threads(view, HYPOTHESIS, limit)
    page, more_concepts = view.scan(FAMILY, CONCEPT, (REPOSITORY,), limit=limit, newest_first=True)
    concepts = [item for item in page if isinstance(item, Node) and status(item) != "retired"]
    around = view.expand(
        [concept.id for concept in concepts],
        (REPOSITORY,),
        labels=AUTHORED_RELATIONS,
        per_node=REENTRY_RELATIONS_PER_CONCEPT,
        limit=limit * REENTRY_RELATIONS_PER_CONCEPT,
    )
    rows, coherence = concept_rows(concepts, around, scrub)
    unsealed, more_unsealed = _unsealed(view, encounter.id, limit, scrub)
    return {
        "recent_encounters": [
            encounter_card(node, scrub) for item in wanted if isinstance(node := recent.get(item), Node)
        ],
        "open_questions": cards(questions, scrub),
        "live_hypotheses": cards(hypotheses, scrub),
        "recent_concepts": rows,
        "coherence": coherence,
        "unsealed": unsealed,
        "more": {
            "open_questions": more_questions,
            "live_hypotheses": more_hypotheses,
            "recent_concepts": bool(more_concepts),
            "relations": around.truncated,
            "unsealed": more_unsealed,
        },
    }


def _threads(view: StoreRead, label: str, limit: int) -> tuple[list[Node], bool]:
    """Open questions or live hypotheses, newest first, and whether there may be more of them."""
    found: list[Node] = []
    cursor, looked_at = "", 0
    while len(found) < limit and looked_at < FRONTIER_SCAN_MAX:
        page, cursor = view.scan(FAMILY, label, (REPOSITORY,), after=cursor, limit=_PAGE, newest_first=True)
        nodes = [item for item in page if isinstance(item, Node)]
        around = view.expand(
            [node.id for node in nodes],
            (REPOSITORY,),
            labels=_ENDINGS,
            outgoing=False,
            per_node=_ENDINGS_PER_NODE,
            limit=_PAGE * _ENDINGS_PER_NODE,
        )
        questions, hypotheses = open_threads(nodes, around, limit=_PAGE)
        found += questions if label == QUESTION else hypotheses
        looked_at += len(nodes)
        if not cursor:
            break
    return found[:limit], bool(cursor) or len(found) > limit


def _unsealed(view: StoreRead, besides: str, limit: int, scrub: Scrub) -> tuple[list[Json], bool]:
    page, more = view.scan(SPINE_FAMILY, spine.OPEN_LABEL, (SYSTEM,), limit=limit + 1, newest_first=True)
    markers = [item for item in page if isinstance(item, Node)]
    encounters = view.get([str(marker.body.get("encounter", "")) for marker in markers], (REPOSITORY,))
    rows = unsealed_cards(markers, encounters, scrub, besides=besides)
    return rows[:limit], bool(more) or len(rows) > limit
