"""Records over HTTP: a server without checkouts, stores that push and pull, corrections, peers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from http_server import Server, running, serving
from remora.adapters.record_server import HttpRecordServer
from remora.bootstrap import open_directory, open_ports
from remora.config import Settings
from remora.core.errors import InvalidInput, NotFound, Unavailable
from remora.core.ids import repo_id
from remora.core.records.exchange import Taken
from remora.core.records.outcome import OutcomeRequest
from remora.core.records.revision import linking
from remora.core.records.search import RecordQuery
from remora.core.scope import operator_grant
from remora.usecases.admit_member import admit_member
from remora.usecases.grant_repository import grant_repository
from remora.usecases.import_records import import_from_server
from remora.usecases.ingest_git import IngestRequest, ingest_git
from remora.usecases.issue_key import KeyRequest, issue_key
from remora.usecases.push_records import push_records
from remora.usecases.record_outcome import record_outcome
from remora.usecases.revise_record import revise_record
from remora.usecases.search_records import search_records

OPERATOR = operator_grant()

ADDRESS = "https://example.org/team/parser"
HOSTED = repo_id(ADDRESS)
SHARED = ("--scope", "repository")


def record(world: Any, key: str, *more: str) -> str:
    done = world.remora(
        "records", "record", "--json", "--idempotency-key", key, "--title", f"Parser {key}", "--summary", "It broke.",
        "--outcome", "failed", "--source-uri", f"agent://task/{key}", *more,
    )  # fmt: skip
    assert done.code == 0, done.err
    return str(done.json["id"])


def run(world: Any, *args: str, **env: str) -> Any:
    done = world.remora("memory", *args, "--json", **env)
    assert done.code == 0, done.out + done.err
    return done.json


def found(world: Any, query: str = "parser") -> set[str]:
    return {row["id"] for row in run(world, "search", query)["records"]}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[tuple[Any, Server, dict[str, str]]]:
    """A server that hosts the repository without its files, and the keys of two members."""
    world = make_world(tmp_path_factory.mktemp("town") / "server")
    desk, keys = open_directory(Settings(data_dir=world.place / "data")), {}
    run_file = f"../data/hosted/{HOSTED}.git/remora/cache/run.json"
    with running(world, "--hosted", f"{ADDRESS}.git", "--allow-memory-write", run_file=run_file) as server:
        for member in ("team/ann", "team/bob"):
            admit_member(desk, OPERATOR, member)
            grant_repository(desk, OPERATOR, HOSTED, member, "write")
            keys[member] = issue_key(desk, OPERATOR, KeyRequest(member=member, name="laptop", right="write")).text
        yield world, server, keys


@pytest.fixture
def desk(tmp_path: Path, make_world: Any) -> Any:
    """Makes checkouts of the repository, each with a store of its own."""

    def make(name: str) -> Any:
        made = make_world(tmp_path / name)
        made.commit("Add parser", parser__py="def parse(text):\n    return text\n")
        made.git("remote", "add", "origin", f"{ADDRESS}.git")
        return made

    return make


class Shop:
    """A checkout of the repository with a store of its own, used in this process."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.ports = open_ports(Settings(data_dir=world.place / "data"), world.repo)

    def record(self, key: str, scope: str = "repository") -> str:
        request = OutcomeRequest(
            idempotency_key=key, title=f"Parser {key}", summary="It broke.", outcome="failed",
            source_uri=f"agent://task/{key}", scope=scope,
        )  # fmt: skip
        return record_outcome(self.ports, OPERATOR, request).record.id

    def push(self, server: Server, key: str) -> Taken:
        return push_records(self.ports, OPERATOR, self._at(server, key))

    def pull(self, server: Server, key: str) -> int:
        done = import_from_server(self.ports, OPERATOR, self._at(server, key))
        assert done.bad == ()
        return done.recorded

    def _at(self, server: Server, key: str) -> HttpRecordServer:
        return HttpRecordServer(f"http://127.0.0.1:{server.port}", key, (self.ports.repository.identity,))

    def titles(self, text: str = "parser") -> list[str]:
        found = search_records(self.ports, OPERATOR, RecordQuery(text)).hits
        return sorted(hit.record.title for hit in found)

    def ids(self) -> set[str]:
        return {hit.record.id for hit in search_records(self.ports, OPERATOR, RecordQuery("parser")).hits}


@pytest.fixture
def shop(desk: Any) -> Iterator[Any]:
    made: list[Shop] = []

    def make(name: str) -> Shop:
        made.append(Shop(desk(name)))
        return made[-1]

    yield make
    for each in made:
        each.ports.record_index.close()


def test_members_exchange_through_a_server_without_checkouts(town: Any, shop: Any) -> None:
    _, server, keys = town
    hers, his = keys["team/ann"], keys["team/bob"]
    ann, bob = shop("ann"), shop("bob")
    shared, private = ann.record("shared"), ann.record("private", "private")
    ingest_git(ann.ports, OPERATOR, IngestRequest())
    revise_record(ann.ports, OPERATOR, shared, linking("similar_to", private))
    assert ann.push(server, hers) == Taken(recorded=4)
    assert ann.push(server, hers) == Taken()
    assert ann.pull(server, hers) == 0  # what is there under her key is hers already
    assert bob.pull(server, his) == 3  # the private one is nobody else's
    assert bob.titles() == ["Add parser", "Parser shared"]  # what the linked one supersedes is hidden there, too
    assert bob.pull(server, his) == 0
    bob.record("from bob")
    assert bob.push(server, his) == Taken(recorded=1)
    assert ann.pull(server, hers) == 1
    assert "Parser from bob" in ann.titles("from bob")


def test_the_servers_own_operator_exchanges_with_the_same_ids(shop: Any) -> None:
    central, other = shop("central"), shop("other")
    first, second = central.record("one"), other.record("two")
    with serving(central.world, "--allow-memory-write") as server:
        assert other.push(server, server.token) == Taken(recorded=1)
        assert central.ids() == {first, second}
        assert other.pull(server, server.token) == 1
        assert other.ids() == {first, second}


def test_a_server_takes_records_only_when_it_was_started_so(desk: Any) -> None:
    central, other = desk("central"), desk("other")
    record(central, "one", *SHARED)
    record(other, "two", *SHARED)
    with serving(central) as server:
        at = f"http://127.0.0.1:{server.port}"
        refused = other.remora("memory", "push", "--server", at, REMORA_API_TOKEN=server.token)
        assert (refused.code, "--allow-memory-write" in refused.err) == (1, True)
        assert run(other, "pull", "--server", at, REMORA_API_TOKEN=server.token)["recorded"] == 1
        assert run(central, "push", "--server", at)["recorded"] == 0  # the run file of its own opens it
        unknown = other.remora("memory", "pull", "--server", at, REMORA_API_TOKEN="k" * 40)
        assert (unknown.code, "does not know the key" in unknown.err) == (1, True)


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org",
        "ftp://127.0.0.1",
        "example.org",
        "https://u:p@example.org",
        "http://[",
        "",
        "http://a:99999",
    ],
)
def test_a_key_never_goes_to_a_place_where_it_could_be_read(address: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        HttpRecordServer(address, "secret-key-0123456789", (ADDRESS,))
    assert "secret-key" not in str(caught.value)


ODD = [
    b"",
    b"{",
    b"[1]",
    b'{"repositories": 3}',
    b"\xff" * 2_000,
    b'{"repositories": [{"identity": 4}]}',
    b"[" * 90_000,
]


@pytest.mark.parametrize("answer", ODD)
def test_whatever_a_server_says_is_a_plain_refusal(answer: bytes) -> None:
    class Odd(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with HTTPServer(("127.0.0.1", 0), Odd) as odd:
        threading.Thread(target=odd.serve_forever, daemon=True).start()
        asked = HttpRecordServer(f"http://127.0.0.1:{odd.server_port}", "k" * 40, (ADDRESS,))
        with pytest.raises((NotFound, Unavailable)):
            asked.listing()
        odd.shutdown()
    with pytest.raises(Unavailable, match="does not answer"):
        asked.listing()


# --- Routes -----------------------------------------------------------------------------------------------------------


def test_records_are_written_read_and_revised_over_http(town: Any) -> None:
    _, server, keys = town
    ann, bob = keys["team/ann"], keys["team/bob"]
    body = {
        "idempotency_key": "task-7", "title": "Queue lock", "summary": "Deadlock under load.", "outcome": "failed",
        "source_uri": "agent://task/7", "symbols": ["Queue.push"],
    }  # fmt: skip

    def post(path: str, given: Any = None, token: str = ann) -> Any:
        return server.post(f"/repos/{HOSTED}/records{path}", given, token=token)

    first = post("", body).json()["id"]
    one = server.get(f"/repos/{HOSTED}/records/{first}", token=ann).json()
    assert (one["record"]["title"], one["superseded_by"]) == ("Queue lock", "")
    assert server.get(f"/repos/{HOSTED}/records/{first}", token=bob).status_code == 404
    assert post(f"/{first}/promote", token=bob).status_code == 404
    shared = post(f"/{first}/promote").json()["id"]
    right = post(f"/{shared}/correct", {"title": "Queue lock in push", "confidence": 0.9}, token=bob).json()["id"]
    linked = post(f"/{right}/link", {"relation": "motivated_by", "target": "https://example.org/7"}).json()["id"]
    history = server.get(f"/repos/{HOSTED}/records/history?subject=Queue.push", token=bob).json()
    assert [row["id"] for row in history["records"]] == [linked]
    assert server.get(f"/repos/{HOSTED}/records?query=queue", token=bob).json()["records"][0]["id"] == linked
    assert post(f"/{linked}/retract", {"reason": "It was the disk."}).json()["outcome"] == "recorded"
    back = post(f"/{linked}/reactivate").json()["id"]
    assert (
        server.get(f"/repos/{HOSTED}/records/pitfalls?subject=Queue.push", token=bob).json()["records"][0]["id"] == back
    )
    assert post(f"/{back}/correct").json()["code"] == "invalid_input"
    assert post("/mem_xyz/retract").json()["code"] == "invalid_input"


def test_bundles_travel_over_http_filtered_by_the_key(town: Any) -> None:
    _, server, keys = town
    for number in range(3):
        body = {"idempotency_key": f"bundle-{number}", "title": f"Bundle {number}", "summary": "x", "outcome": "failed",
                "source_uri": "agent://b", "scope": "repository" if number else "private"}  # fmt: skip
        assert server.post(f"/repos/{HOSTED}/records", body, token=keys["team/ann"]).status_code == 200

    def ids(member: str) -> set[str]:
        cursor, found = "", set()
        while True:
            page = server.get(
                f"/repos/{HOSTED}/records/ids?limit=2&cursor={cursor}"
                if cursor
                else f"/repos/{HOSTED}/records/ids?limit=2",
                token=keys[member],
            ).json()
            assert page["principal"] == member
            found |= set(page["ids"])
            cursor = page["next_cursor"]
            if not cursor:
                return found

    hers, his = ids("team/ann"), ids("team/bob")
    hidden = hers - his
    assert hidden
    bundle = server.post(f"/repos/{HOSTED}/records/export", {"ids": sorted(hers)}, token=keys["team/bob"]).json()[
        "bundle"
    ]
    assert {row["id"] for row in json.loads(bundle)["records"]} == hers & his
    damaged = bundle.replace("Bundle 1", "Bundle 9")
    assert (
        server.post(f"/repos/{HOSTED}/records/import", {"bundle": damaged}, token=keys["team/bob"]).status_code == 400
    )
    done = server.post(f"/repos/{HOSTED}/records/import", {"bundle": bundle}, token=keys["team/bob"]).json()
    assert (done["recorded"], done["already_present"]) == (0, len(hers & his))


def test_peers_of_a_server_are_read_with_its_own(desk: Any) -> None:
    central, peer = desk("central"), desk("peer")
    ours, theirs = record(central, "one", *SHARED), record(peer, "two", *SHARED)
    with serving(central, "--memory-peer", str(peer.repo)) as server:
        rows = server.get(server.repo("/records?query=parser")).json()["records"]
        assert {row["id"] for row in rows} == {ours, theirs}
    assert found(central) == {ours}
