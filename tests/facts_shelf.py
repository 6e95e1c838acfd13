"""A shelf of facts: the smallest thing that plans can be applied to."""

from remora.core.facts.batch import Batch, Triple
from remora.core.facts.decide import decide
from remora.core.facts.draft import Writer
from remora.core.facts.forget import forget
from remora.core.facts.layout import ALIAS, ENTITY, FACT, TOMBSTONE, read_entity, read_fact
from remora.core.graph import Edge, Neighbourhood
from remora.core.scope import REPOSITORY, Channel, Trust
from remora.core.source import Provenance


class Shelf:
    def __init__(self, scope=REPOSITORY):
        self.items = {}
        self.now = 1_000
        self.scope = scope

    def get(self, ids, scopes):
        return {item: self.items[item] for item in ids if item in self.items and self.items[item].scope in scopes}

    def expand(self, ids, scopes, *, labels, names=(), outgoing=True, incoming=True, hops=1, per_node, limit):
        edges = [
            edge
            for edge in self.items.values()
            if isinstance(edge, Edge)
            and (not names or edge.name in names)
            and ((outgoing and edge.source in ids) or (incoming and edge.target in ids))
        ]
        ends = dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))
        return Neighbourhood(tuple(self.items[end] for end in ends), tuple(edges))

    def counts(self, scopes):
        found = {}
        for item in self.items.values():
            key = (item.family, item.label, item.scope)
            found[key] = found.get(key, 0) + 1
        return found

    def apply(self, changes):
        kept = {item.id for item in changes.put}
        assert len(kept) == len(changes.put), "an item is put twice"
        assert not kept & set(changes.drop), "an item is put and dropped"
        for item in changes.drop:
            self.items.pop(item, None)
        self.items.update({item.id: item for item in changes.put})
        for item in self.items.values():
            if isinstance(item, Edge):
                assert item.source in self.items, "an edge hangs in the air"
                assert item.target in self.items, "an edge hangs in the air"

    def say(self, *triples, replacing=False, extracted=False, trust=Trust.AGENT, principal="ann", key="", user="User"):
        self.now += 1
        batch = Batch.resolve(
            [
                triple
                if isinstance(triple, Triple)
                else Triple(subject=triple[0], predicate=triple[1], object=triple[2])
                for triple in triples
            ],
            scope=self.scope,
            user=user,
            redact=lambda text: text,
            replacing=replacing,
            extracted=extracted,
        )
        writer = Writer(Provenance(principal, Channel.MCP, "test", trust=trust), key)
        made = decide(self, batch, writer, self.now)
        self.apply(made.changes)
        return made

    def outcomes(self, *triples, **options):
        return [planned.outcome.value for planned in self.say(*triples, **options).outcomes]

    def forget(self, *, facts=(), entities=(), trust=Trust.AGENT):
        self.now += 1
        changes = forget(self, self.scope, facts=facts, entities=entities, trust=trust, now=self.now)
        self.apply(changes)
        return changes.result

    def entities(self):
        return [read_entity(item) for item in self.items.values() if item.label == ENTITY]

    def facts(self):
        return [read_fact(item) for item in self.items.values() if item.label == FACT]

    def fact(self, subject, predicate, target):
        names = {entity.id: entity.name for entity in self.entities()}
        [found] = [
            f for f in self.facts() if (names[f.subject], f.predicate, names[f.object]) == (subject, predicate, target)
        ]
        return found

    def current(self, at=None):
        names = {entity.id: entity.name for entity in self.entities()}
        return {(names[f.subject], f.predicate, names[f.object]) for f in self.facts() if f.holds(at)}

    def names(self):
        return {entity.name: set(entity.names[1:]) for entity in self.entities()}

    def aliases(self):
        return {item.name: item.body["entity"] for item in self.items.values() if item.label == ALIAS}

    def tombstones(self):
        return {item.body["item"]: item.body.get("into") for item in self.items.values() if item.label == TOMBSTONE}


def ends_known(edges):
    """The entity ids at the ends of some facts."""
    return {end for edge in edges for end in (edge.source, edge.target)}
