"""Count what a caller may see: facts and entities of the repository, nodes and relations by type, records."""

from dataclasses import dataclass
from typing import Protocol

from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.encounters.schema import NODE_TYPES, RELATIONS
from remora.core.facts.layout import ENTITY, FACT
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.scope import REPOSITORY, Grant
from remora.ports import RecordIndex, Store


class CountPorts(Protocol):
    """The part of the bag that counting needs."""

    @property
    def store(self) -> Store:
        """Facts and encounters."""
        ...

    @property
    def record_index(self) -> RecordIndex:
        """Records."""
        ...


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of visible items; closed facts count too. `seq` is the store's sequence."""

    records: int
    facts: int
    entities: int
    encounter_nodes: dict[str, int]
    encounter_relations: dict[str, int]
    seq: int


def count_items(ports: CountPorts, grant: Grant) -> Counts:
    """The counts. Raises `Denied` without the read right."""
    with ports.store.read(grant) as view:
        held = {(family, label): count for (family, label, _), count in view.counts((REPOSITORY,)).items()}
        seq = view.seq
    with ports.record_index.view(grant) as records:
        total = records.total
    return Counts(
        records=total,
        facts=held.get((FACTS, FACT), 0),
        entities=held.get((FACTS, ENTITY), 0),
        encounter_nodes={name: held[ENCOUNTERS, name] for name in NODE_TYPES if (ENCOUNTERS, name) in held},
        encounter_relations={name: held[ENCOUNTERS, name] for name in RELATIONS if (ENCOUNTERS, name) in held},
        seq=seq,
    )
