"""Search entities by words over name, description and short properties, with the engine that recall uses."""

from collections.abc import Sequence
from dataclasses import dataclass

from remora.core.encounters.cards import card
from remora.core.encounters.schema import FAMILY, NODE_TYPES
from remora.core.encounters.search import current_first, find_nodes
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidInput
from remora.core.graph import Json, Node
from remora.core.policy import SEARCH_LIMIT_MAX
from remora.core.recall.notice import NOTICE
from remora.core.recall.vector_leg import similar
from remora.core.recall.vector_state import asked
from remora.core.scope import REPOSITORY, Grant
from remora.core.text import parse_query
from remora.ports import EncounterPorts


@dataclass(frozen=True, slots=True)
class Matches:
    """Cards with `score` and `why`, best first (superseded ones last); `total` counts what matched."""

    entities: tuple[Json, ...]
    total: int
    truncated: bool
    notice: str = NOTICE


def search_encounters(
    ports: EncounterPorts,
    grant: Grant,
    query: str,
    *,
    types: Sequence[str] = (),
    limit: int = 10,
) -> Matches:
    """Entities of the given types (all when empty) that match. A query without words finds nothing."""
    if not 1 <= limit <= SEARCH_LIMIT_MAX:
        raise InvalidInput("limit", f"{limit} is out of range", allowed=f"1 to {SEARCH_LIMIT_MAX}")
    unknown = [name for name in types if name not in NODE_TYPES]
    if unknown:
        raise InvalidInput("types", f"{unknown[0][:60]!r} is unknown", allowed=", ".join(NODE_TYPES))
    parsed = parse_query(query)
    scrub = scrubber(ports.redact)
    with ports.store.read(grant) as view:
        if parsed.empty:
            return Matches((), 0, truncated=False)
        meaning = asked(view, ports.embedder, parsed.text)
        scored, _, total = find_nodes(
            view,
            parsed,
            labels=tuple(types),
            similar={item.id: score for item, score in similar(view, (FAMILY,), REPOSITORY, meaning.vector)},
        )
        kept = current_first(view, scored[: 2 * limit])[:limit]
    rows: list[Json] = []
    for row in kept:
        assert isinstance(row.item, Node)
        rows.append({**card(row.item, scrub), "score": round(row.score, 3), "why": ", ".join(row.why)})
    return Matches(tuple(rows), total, truncated=total > len(rows))
