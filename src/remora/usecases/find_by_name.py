"""Look entities up by name, with the relations among them."""

from collections.abc import Sequence
from dataclasses import dataclass

from remora.core.encounters.cards import cards, relation_cards
from remora.core.encounters.identity import all_candidate_ids, named
from remora.core.encounters.schema import RELATIONS
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidInput
from remora.core.graph import Json, Node
from remora.core.policy import ENTITY_BATCH_MAX, RELATIONS_PER_STEP_MAX
from remora.core.scope import REPOSITORY, Grant
from remora.core.text import fold_name
from remora.ports import EncounterPorts


@dataclass(frozen=True, slots=True)
class Found:
    """Entity cards, relations among them, names that mean nothing here, and whether the limit left some out."""

    entities: tuple[Json, ...]
    relations: tuple[Json, ...]
    unknown: tuple[str, ...]
    truncated: bool = False


def find_by_name(ports: EncounterPorts, grant: Grant, names: Sequence[str], *, limit: int = 20) -> Found:
    """Every entity that any of the names means; a bare name may mean several, `Type:name` means one."""
    if not names or len(names) > ENTITY_BATCH_MAX:
        raise InvalidInput("names", f"has {len(names)} entries", allowed=f"1 to {ENTITY_BATCH_MAX} entries")
    scrub = scrubber(ports.redact)
    with ports.store.read(grant) as view:
        found = view.get(all_candidate_ids(names), (REPOSITORY,))
        nodes: dict[str, Node] = {node.id: node for name in names for node in named(name, found)}
        kept = dict(list(nodes.items())[: max(limit, 1)])
        around = view.expand(
            list(kept),
            (REPOSITORY,),
            labels=tuple(RELATIONS),
            incoming=False,
            per_node=RELATIONS_PER_STEP_MAX,
            limit=RELATIONS_PER_STEP_MAX * max(1, len(kept)),
        )
    among = [edge for edge in around.edges if edge.target in kept]
    return Found(
        entities=tuple(cards(kept.values(), scrub)),
        relations=tuple(relation_cards(among, kept, scrub)),
        unknown=tuple(scrub(fold_name(name)[:80]) for name in names if not named(name, found)),
        truncated=len(kept) < len(nodes) or around.truncated,
    )
