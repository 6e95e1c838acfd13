"""The newest encounters of the spine, newest first."""

from remora.core.encounters import spine
from remora.core.encounters.cards import Card
from remora.core.encounters.reentry import encounter_card
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidInput
from remora.core.graph import Node
from remora.core.policy import RECENT_ENCOUNTERS_MAX
from remora.core.scope import REPOSITORY, SYSTEM, Grant
from remora.ports import EncounterPorts


def list_encounters(ports: EncounterPorts, grant: Grant, *, limit: int = 20) -> list[Card]:
    """Cards of at most `limit` encounters."""
    if not 1 <= limit <= RECENT_ENCOUNTERS_MAX:
        raise InvalidInput("limit", f"{limit} is out of range", allowed=f"1 to {RECENT_ENCOUNTERS_MAX}")
    scrub = scrubber(ports.redact)
    with ports.store.read(grant) as view:
        ids = spine.Head.of(view.get((spine.HEAD_ID,), (SYSTEM,))).recent[:limit]
        found = view.get(ids, (REPOSITORY,))
    return [encounter_card(node, scrub) for item in ids if isinstance(node := found.get(item), Node)]
