"""Walk down the grounding of one entity: which observations and citations it stands on, and where it stands on none."""

from collections.abc import Collection
from dataclasses import dataclass

from remora.core.encounters.cards import Card, card
from remora.core.encounters.identity import candidate_ids, only
from remora.core.encounters.nodes import reference
from remora.core.encounters.provenance import INCOMING_LABELS, OUTGOING_LABELS, Path, Trace, trace
from remora.core.encounters.values import Scrub, scrubber
from remora.core.errors import InvalidInput
from remora.core.graph import Json, Neighbourhood
from remora.core.policy import TRACE_DEPTH_MAX, TRACE_FAN_OUT, TRACE_NODES_MAX
from remora.core.scope import REPOSITORY, Grant
from remora.ports import EncounterPorts


@dataclass(frozen=True, slots=True)
class Grounding:
    """The entity, every path down (steps and how it ends), cards of the nodes met, whether bounds cut something."""

    entity: Card
    grounded: bool
    paths: tuple[Json, ...]
    nodes: tuple[Json, ...]
    truncated: bool


def trace_provenance(ports: EncounterPorts, grant: Grant, name: str, *, depth: int = 3) -> Grounding:
    """Trace one entity, by name or `Type:name`. Raises `InvalidInput`, `NotFound` or `Ambiguous`."""
    if not 1 <= depth <= TRACE_DEPTH_MAX:
        raise InvalidInput("depth", f"{depth} is out of range", allowed=f"1 to {TRACE_DEPTH_MAX}")
    scrub = scrubber(ports.redact)
    with ports.store.read(grant) as view:

        def expand(ids: Collection[str], outgoing: bool) -> Neighbourhood:
            return view.expand(
                ids,
                (REPOSITORY,),
                labels=OUTGOING_LABELS if outgoing else INCOMING_LABELS,
                outgoing=outgoing,
                incoming=not outgoing,
                per_node=TRACE_FAN_OUT,
                limit=TRACE_FAN_OUT * TRACE_NODES_MAX,
            )

        start = only(name, view.get(candidate_ids(name), (REPOSITORY,)))
        found = trace(start, expand, depth=depth, nodes_max=TRACE_NODES_MAX)
    return Grounding(
        entity=card(start, scrub),
        grounded=found.grounded,
        paths=tuple(_path(path, found, scrub) for path in found.paths),
        nodes=tuple(card(node, scrub) for item, node in found.nodes.items() if item != start.id),
        truncated=found.truncated,
    )


def _path(path: Path, found: Trace, scrub: Scrub) -> Json:
    steps: list[Json] = []
    for at, item in enumerate(path.nodes):
        step: dict[str, Json] = {"node": scrub(reference(found.nodes[item]))}
        if at:
            step["by"] = path.relations[at - 1]
        steps.append(step)
    return {"steps": steps, "ends": path.end}
