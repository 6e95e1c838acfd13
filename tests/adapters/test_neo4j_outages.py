"""The server killed, restarted, cut off, slowed and garbled in the middle of writes: nothing lost, nothing twice."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import server_engine
from fakes.clock import FakeClock
from remora.adapters.neo4j.address import parse_address
from remora.adapters.neo4j.link import Link
from remora.adapters.neo4j.store import ServerStore, open_store
from remora.core.errors import Unavailable
from remora.core.graph import Changes
from remora.ports import Repository
from servers.bolt_server import running
from servers.tcp_proxy import proxied
from store_shapes import OPERATOR, SHARED, edge, node, plan

pytestmark = pytest.mark.neo4j
REPO = Repository("example.org/outage", "r_outage")


class Ledger:
    """Writers that note what was acknowledged to them, and what ended with an error."""

    def __init__(self, url: str, repository: Repository, *, deadline_seconds: float) -> None:
        self.link = Link(parse_address(url), deadline_seconds=deadline_seconds)
        self.store = open_store(self.link, repository, FakeClock())
        self.acknowledged: list[tuple[str, int]] = []
        self.failed: list[str] = []
        self.errors: list[Exception] = []

    def write(self, writer: str, until: threading.Event, *, keyed: bool) -> None:
        """Pairs with an edge, counted in the same write; a keyed one is sent again until it is acknowledged."""
        number = 0
        while not until.is_set():
            number += 1
            name = f"{writer}-{number}"

            def decide(view, moment, name=name):
                former = view.get(["counter"], SHARED)
                count = former["counter"].body["count"] + 1 if former else 1
                pair = (node(f"l{name}", "w one"), node(f"r{name}", "w two"), edge(f"l{name}", f"r{name}", words="x"))
                return Changes(put=(node("counter", count=count), *pair), result=count)

            while True:
                try:
                    done = self.store.apply(OPERATOR, decide, idempotency_key=name if keyed else "")
                except Unavailable as error:
                    self.errors.append(error)
                    if keyed:
                        continue
                    self.failed.append(name)
                else:
                    self.acknowledged.append((name, int(done.result)))
                break

    def check(self, store: ServerStore) -> None:
        """All acknowledged pairs are there whole and once; nothing is half; the count is that of the pairs."""
        with store.read(OPERATOR) as view:
            ids = {item.id for item in view.snapshot(["facts"], SHARED)}
            count = view.get(["counter"], SHARED)["counter"].body["count"]
        there = {item[1:] for item in ids if item.startswith("l") and "-USES-" not in item}
        acknowledged = {name for name, _ in self.acknowledged}
        assert acknowledged <= there, acknowledged - there
        assert there <= acknowledged | set(self.failed)
        assert all({f"l{name}", f"r{name}", f"l{name}-USES-r{name}"} <= ids for name in there)
        assert count == len(there), "a write was carried out twice, or its count was lost"
        numbers = [number for _, number in self.acknowledged]
        assert len(numbers) == len(set(numbers))
        assert store.verify() == ()


def storm(ledger: Ledger, disturb, *, keyed: bool, writers: int = 4) -> None:
    stop = threading.Event()
    with ThreadPoolExecutor(writers) as threads:
        work = [threads.submit(ledger.write, f"w{number}", stop, keyed=keyed) for number in range(writers)]
        try:
            disturb()
        finally:
            stop.set()
        for one in work:
            one.result(120)


def wait_for_more(ledger: Ledger, count: int = 8) -> None:
    """Until as many more writes were acknowledged."""
    wanted, end = len(ledger.acknowledged) + count, time.monotonic() + 100
    while len(ledger.acknowledged) < wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert len(ledger.acknowledged) >= wanted, "writing did not go on"


@pytest.mark.parametrize("keyed", [False, True])
def test_a_line_that_is_cut_slowed_garbled_and_goes_deaf_loses_and_doubles_nothing(keyed):
    straight = server_engine.partition(REPO, FakeClock())
    port = int(server_engine.URL.rpartition(":")[2])
    chance = random.Random(keyed)
    with proxied(port) as proxy:
        ledger = Ledger(proxy.url, straight._repository, deadline_seconds=20)

        def disturb() -> None:
            for mode in ("deaf", "closed", "slow", "deaf", "garbage", "deaf", "closed", "deaf") * 2:
                proxy.mode = mode
                time.sleep(0.1 + chance.random() * 0.3)
                proxy.mode = "pass"
                time.sleep(0.2 + chance.random() * 0.4)

        storm(ledger, disturb, keyed=keyed)
        ledger.check(straight)
        assert len(ledger.acknowledged) > 10
        assert not ledger.errors, "all of it passed before the deadline"
        ledger.link.close()


def test_a_silent_server_is_a_typed_error_at_the_deadline_and_the_next_call_works():
    straight = server_engine.partition(REPO, FakeClock())
    with proxied(int(server_engine.URL.rpartition(":")[2])) as proxy:
        link = Link(parse_address(proxy.url), deadline_seconds=2)
        store = open_store(link, straight._repository, FakeClock())
        store.apply(OPERATOR, plan(node("a", "fox")))
        for call in (lambda: store.apply(OPERATOR, plan(node("b"))), lambda: store.read(OPERATOR).__enter__()):
            proxy.mode = "silent"
            began = time.monotonic()
            with pytest.raises(Unavailable):
                call()
            assert time.monotonic() - began < 8
            proxy.mode = "pass"
        with store.read(OPERATOR) as view:
            assert "a" in view.get(["a"], SHARED)
        proxy.mode = "closed"
        with pytest.raises(Unavailable, match="does not answer"):
            store.apply(OPERATOR, plan(node("c")))
        proxy.mode = "pass"
        assert store.apply(OPERATOR, plan(node("c"))).seq >= 2
        link.close()


def test_a_read_that_had_begun_goes_on_after_the_line_was_cut_and_still_sees_its_own_moment():
    straight = server_engine.partition(REPO, FakeClock())
    with proxied(int(server_engine.URL.rpartition(":")[2])) as proxy:
        link = Link(parse_address(proxy.url), deadline_seconds=20)
        store = open_store(link, straight._repository, FakeClock())
        store.apply(OPERATOR, plan(node("a", "fox")))
        with store.read(OPERATOR) as view:
            straight.apply(OPERATOR, plan(node("b", "fox"), drop=["a"]))
            proxy.cut()
            time.sleep(0.1)
            assert set(view.get(["a", "b"], SHARED)) == {"a"}
            proxy.cut()
            assert [i.id for i in view.text_candidates(["facts"], SHARED, ["fox"], limit=5).items] == ["a"]
        link.close()


def test_a_server_that_is_killed_and_started_again_loses_nothing_and_needs_no_new_process():
    with running() as server:
        ledger = Ledger(server.url, REPO, deadline_seconds=90)

        def disturb() -> None:
            for end in (server.kill, server.stop):
                wait_for_more(ledger)
                end()
                server.start()
            wait_for_more(ledger)

        storm(ledger, disturb, keyed=True)
        ledger.check(ledger.store)
        ledger.link.close()


def test_what_does_not_fit_is_a_clear_error_at_start():
    nowhere = Link(parse_address("bolt://127.0.0.1:1"), deadline_seconds=1)
    with pytest.raises(Unavailable, match=r"bolt://127.0.0.1:1 does not answer"):
        open_store(nowhere, REPO, FakeClock())
    link = server_engine.link()
    link.once("MATCH (s:RemoraSchema {name: 'store'}) SET s.layout = 99", read=False)
    try:
        other = Link(link.address, deadline_seconds=5)
        with pytest.raises(Unavailable, match="layout 99"):
            open_store(other, REPO, FakeClock())
        other.close()
    finally:
        link.once("MATCH (s:RemoraSchema {name: 'store'}) SET s.layout = 1", read=False)
