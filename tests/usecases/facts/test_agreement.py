"""Whatever happens to facts, the engines hold the same, and what is found is what is there."""

import random

import pytest

from facts_shelf import ends_known
from fakes.clock import FakeClock
from fakes.memory_store import MemoryStore
from remora.adapters.sqlite.store import open_store
from remora.core.errors import InvalidBatch, NotFound
from remora.core.facts.batch import Triple
from remora.core.facts.layout import ALIAS, ENTITY, FACT, read_entity
from remora.core.scope import REPOSITORY, operator_grant
from remora.usecases.forget import ForgetRequest, forget
from remora.usecases.remember import RememberRequest, remember
from remora.usecases.search_nodes import SearchNodesRequest, search_nodes
from store_shapes import REPO

GRANT = operator_grant()
NAMES = ["Billing", "billing service", "Ledger", "Postgres", "pg", "Redis", "Ann", "Bob", "checkout-api", "東京", "C++"]
PREDICATES = ["uses", "owned by", "runs on", "SAME_AS"]


class Twin:
    """The same calls on two stores."""

    def __init__(self, folder):
        clock = FakeClock()
        self.clock, self.repository, self.redact = clock, REPO, str
        self.stores = [MemoryStore(REPO, clock), open_store(folder / "s.sqlite3", REPO, clock)]

    def both(self, act):
        outcomes = []
        for store in self.stores:
            self.store = store
            try:
                outcomes.append(act(self))
            except (InvalidBatch, NotFound) as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        return outcomes[0]

    def snapshots(self):
        views = []
        for store in self.stores:
            with store.read(GRANT) as view:
                views.append(view.snapshot(("facts",), (REPOSITORY,)))
        return views


def step(dice, twin):
    triples = [
        Triple(subject=dice.choice(NAMES), predicate=dice.choice(PREDICATES), object=dice.choice(NAMES))
        for _ in range(dice.randint(1, 3))
    ]
    roll = dice.random()
    if roll < 0.75:
        request = RememberRequest(triples=triples, replace=dice.random() < 0.3)
        twin.both(lambda bag: remember(bag, GRANT, request).to_json())
    elif roll < 0.9:
        name = dice.choice(NAMES)
        twin.both(lambda bag: forget(bag, GRANT, ForgetRequest(entities=[name])).to_json())
    else:
        said = (triples[0].subject, "uses", triples[0].object)
        twin.both(lambda bag: forget(bag, GRANT, ForgetRequest(triples=[said])).to_json())


@pytest.mark.parametrize("seed", range(4))
def test_random_writes_leave_the_engines_equal_and_the_index_true(tmp_path, seed):
    dice = random.Random(seed)
    twin = Twin(tmp_path)
    for _ in range(120):
        step(dice, twin)
        twin.clock.advance(1)
    one, other = twin.snapshots()
    assert one == other
    entities = [read_entity(item) for item in one if item.label == ENTITY]
    aliases = {item.name: item.body["entity"] for item in one if item.label == ALIAS}
    assert aliases == {name: entity.id for entity in entities for name in entity.names}
    assert ends_known(item for item in one if item.label == FACT) <= {entity.id for entity in entities}
    for name in NAMES:
        asked = SearchNodesRequest(query=name, limit=50)
        found = twin.both(lambda bag, asked=asked: search_nodes(bag, GRANT, asked).to_json())
        known = {entity.name for entity in entities}
        assert {node["name"] for node in found["nodes"]} <= known
        if name in aliases:
            assert aliases[name] in {node["id"] for node in found["nodes"]}
    twin.stores[1].close()
