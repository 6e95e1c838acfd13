"""Many writers at one partition of the server: everything has one winner, nothing is there twice."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

import server_engine
from encounter_desk import Desk
from fakes.clock import FakeClock
from remora.adapters.neo4j.address import parse_address
from remora.adapters.neo4j.link import Link
from remora.adapters.neo4j.store import ServerStore
from remora.core.errors import Unavailable
from remora.core.facts.batch import Triple
from remora.core.graph import Changes
from remora.ports import Repository
from remora.usecases.remember import RememberRequest, remember
from store_shapes import OPERATOR, REPO, SHARED, node, plan

pytestmark = pytest.mark.neo4j
CLIENTS = 16


@contextmanager
def clients(count=CLIENTS):
    """As many clients, each with connections of its own, of one fresh partition."""
    first = server_engine.partition(REPO, FakeClock())
    address = parse_address(server_engine.URL)
    links = [Link(address, deadline_seconds=60) for _ in range(count)]
    yield [ServerStore(link, first._repository, FakeClock()) for link in links]
    for link in links:
        link.close()


def at_once(stores, work):
    """Run `work(store, number)` for all at the same moment; returns the results."""
    gate = threading.Barrier(len(stores))

    def run(pair):
        gate.wait(30)
        return work(*pair)

    with ThreadPoolExecutor(len(stores)) as threads:
        return list(threads.map(run, [(store, number) for number, store in enumerate(stores)]))


def test_sixteen_clients_get_sequence_numbers_and_times_without_a_gap_or_a_double():
    def count(view, moment):
        former = view.get(["counter"], SHARED)
        number = former["counter"].body["count"] + 1 if former else 1
        return Changes(put=(node("counter", count=number), node(f"n{number}", "word")), result=[number, moment])

    with clients() as stores:
        outcomes = at_once(stores, lambda store, _: [store.apply(OPERATOR, count) for _ in range(4)])
        told = sorted((one.seq, *one.result) for row in outcomes for one in row)
        assert [seq for seq, _, _ in told] == [number for _, number, _ in told] == list(range(1, 65))
        assert [moment for *_, moment in told] == sorted({moment for *_, moment in told})
        assert stores[0].verify() == ()


def test_a_key_sent_by_sixteen_clients_is_carried_out_once():
    with clients() as stores:
        outcomes = at_once(
            stores,
            lambda store, number: store.apply(OPERATOR, plan(node(f"n{number}"), result=number), idempotency_key="k"),
        )
        assert len({(one.seq, one.result) for one in outcomes}) == 1
        assert sum(not one.replayed for one in outcomes) == 1
        with stores[0].read(OPERATOR) as view:
            assert len(view.snapshot(["facts"], SHARED)) == 1


def test_the_same_facts_saved_by_all_are_one_each_and_count_every_confirmation():
    class Bag:
        clock = FakeClock()
        repository = REPO
        redact = staticmethod(lambda text: text)
        embedder = None

        def __init__(self, store):
            self.store = store

    def save(store, number):
        triples = [Triple(subject=f"Name {i % 5}", predicate="USES", object=f"thing {i}") for i in range(12)]
        order = triples if number % 2 else triples[::-1]  # opposite orders are what deadlocks are made of
        return remember(Bag(store), OPERATOR, RememberRequest(triples=order, memory_scope="repository"))

    with clients() as stores:
        at_once(stores, save)
        with stores[0].read(OPERATOR) as view:
            counts = view.counts(SHARED)
            facts = [item for item in view.snapshot(["facts"], SHARED) if item.label == "FACT"]
        assert counts["facts", "FACT", "repository"] == 12
        assert counts["facts", "MemoryEntity", "repository"] == 17
        assert {fact.body["confirmations"] for fact in facts} == {CLIENTS}
        assert stores[0].verify() == ()


def test_ticks_of_encounters_are_unique_under_races():
    with clients(8) as stores:
        desks = [Desk(store=store, repository=REPO) for store in stores]
        at_once(desks, lambda desk, number: desk.advance(f"work {number}", session_id=f"s{number}", client="c"))
        rows = [item for item in desks[0].items() if item.label == "Encounter"]
        ticks = [item.body["tick"] for item in rows]
        assert len(rows) == 8
        assert sorted(ticks) == list(range(min(ticks), min(ticks) + 8))


def test_a_reader_sees_whole_writes_only_while_others_write():
    stop = threading.Event()

    def write(store, number):
        for step in range(25):
            store.apply(OPERATOR, plan(*(node(f"p{number}-{part}", f"w{step}", step=step) for part in range(6))))

    def watch(store):
        seen = 0
        while not stop.is_set():
            with store.read(OPERATOR) as view:
                before = view.counts(SHARED)
                items = view.snapshot(["facts"], SHARED)
                found = view.text_candidates(["facts"], SHARED, [f"w{step}" for step in range(25)], limit=999)
                again = view.get([item.id for item in items], SHARED)
            assert sum(before.values()) == len(items) == found.total == len(again)
            assert tuple(sorted(again.values(), key=lambda item: item.id)) == items
            groups = {}
            for item in items:
                groups.setdefault(item.id.split("-")[0], []).append(item.body["step"])
            assert all(len(row) == 6 and len(set(row)) == 1 for row in groups.values())
            seen += 1
        return seen

    with clients(6) as stores, ThreadPoolExecutor(2) as readers:
        watching = [readers.submit(watch, store) for store in stores[4:]]
        at_once(stores[:4], write)
        stop.set()
        assert all(watcher.result(60) > 3 for watcher in watching)


def test_former_versions_are_cleared_away_and_a_read_that_lasts_too_long_says_so():
    made = server_engine.partition(REPO, FakeClock())
    store = ServerStore(server_engine.link(), made._repository, FakeClock(), view_seconds=0.3, grace_seconds=0)
    for step in range(130):
        store.apply(OPERATOR, plan(node("a", f"w{step}")))
    assert store.health()["former_versions"] < 200
    with store.read(OPERATOR) as slow:
        time.sleep(0.4)
        with pytest.raises(Unavailable, match="took longer"):
            slow.get(["a"], SHARED)
    store.scrub()
    assert store.health()["former_versions"] == 0
    with made.read(OPERATOR) as fresh:
        assert fresh.get(["a"], SHARED)["a"].tokens == {"text": ("w129",)}


def test_a_dropped_scope_leaves_no_byte_of_its_items_in_the_database():
    store = server_engine.partition(REPO, FakeClock())
    store.apply(OPERATOR, plan(node("m", "unspeakable", scope="session:1", note="unspeakable"), node("k", "kept")))
    store.apply(OPERATOR, plan(node("m", "unspeakable twice", scope="session:1", note="unspeakable")))
    assert store.drop_scope(OPERATOR, "session:1") == 1
    query = (
        "MATCH (n) WHERE (n.repo = $repo OR n.place STARTS WITH $repo) AND"
        " any(k IN keys(n) WHERE valueType(n[k]) STARTS WITH 'STRING' AND n[k] CONTAINS 'unspeak') RETURN count(n)"
    )
    assert server_engine.link().once(query, {"repo": store._repository.id}) == [[0]]


def test_repositories_of_one_database_do_not_meet_even_with_the_same_ids_and_words():
    clock = FakeClock()
    stores = [server_engine.partition(Repository(f"example.org/{name}", f"r_{name}"), clock) for name in "abc"]
    for number, store in enumerate(stores):
        store.apply(OPERATOR, plan(node("same", "fox", number=number)))
    stores[0].apply(OPERATOR, plan(drop=["same"]))
    for number, store in enumerate(stores[1:], 1):
        with store.read(OPERATOR) as view:
            found = view.text_candidates(["facts"], SHARED, ["fox"], limit=9)
            assert [item.body["number"] for item in found.items] == [number]
            assert view.seq == 1
