"""Resources of the MCP door: the manual, the counts, the newest encounters."""

from dataclasses import asdict, dataclass

from remora.core.errors import Denied, NotFound
from remora.entrypoints.catalogue.howto import HOWTO
from remora.entrypoints.catalogue.operation import Call

HOWTO_URI = "agent-memory://howto"
STATS_URI = "agent-memory://stats"
RECENT_URI = "agent-memory://encounters/recent"


@dataclass(frozen=True, slots=True)
class Offer:
    """One resource as it is listed."""

    uri: str
    name: str
    description: str
    mime_type: str


OFFERS = (
    Offer(HOWTO_URI, "howto", "The short manual: how to work with this memory.", "text/markdown"),
    Offer(STATS_URI, "stats", "How much is held: records, facts, entities, encounters.", "application/json"),
    Offer(RECENT_URI, "recent encounters", "The newest encounters, newest first, as data.", "text/plain"),
)


def manual(uri: str) -> str | None:
    """What needs no memory to be read: the manual. None for every other resource."""
    return HOWTO if uri == HOWTO_URI else None


def contents(uri: str, call: Call) -> str:
    """The text of a resource read from memory. Raises `NotFound` for an unknown one, `Denied` while memory is off."""
    import json

    if uri not in {offer.uri for offer in OFFERS}:
        raise NotFound(f"no resource {uri[:80]!r}", advice=", ".join(offer.uri for offer in OFFERS))
    if not call.memory:
        raise Denied("memory is switched off")
    if uri == STATS_URI:
        from remora.usecases.count_items import count_items

        return json.dumps(asdict(count_items(call.ports, call.grant)), indent=1)
    from remora.entrypoints.catalogue import wording
    from remora.usecases.list_encounters import list_encounters

    return wording.recent(list_encounters(call.ports, call.grant))
