"""Members of organisations on the page: each sees what it is granted, and what is another's is absent."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from http_server import Server, serving
from page_browser import Browser
from remora.bootstrap import open_directory, open_ports
from remora.config import load
from remora.core.scope import operator_grant
from remora.usecases.admit_member import admit_member
from remora.usecases.grant_repository import grant_repository
from remora.usecases.issue_key import KeyRequest, issue_key
from remora.usecases.know_repository import know_repository
from remora.usecases.revoke_key import revoke_key

OPERATOR = operator_grant()


@dataclass
class Town:
    """A server with one repository for everyone of acme and one for the operator alone."""

    server: Server
    desk: Any
    shared: str
    hidden: str
    keys: dict[str, str]

    def sign_in(self, name: str) -> Browser:
        return Browser(self.server).signed_in(self.keys[name])


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Town]:
    world = make_world(tmp_path_factory.mktemp("town") / "world")
    other = world.place / "other"
    other.mkdir()
    world.git("init", "-q", cwd=other)
    with serving(world) as server:
        hidden = server.repository  # the only one so far
        settings = load(world.env)
        desk = open_directory(settings)
        shared = know_repository(desk, OPERATOR, open_ports(settings, other).checkout).id
        keys = {}
        for name, right in (("ann", "write"), ("bob", "read"), ("eve", "write")):
            admit_member(desk, OPERATOR, f"acme/{name}")
            grant_repository(desk, OPERATOR, shared, f"acme/{name}", right)
            keys[name] = issue_key(desk, OPERATOR, KeyRequest(member=f"acme/{name}", name="k", right="write")).text
        for repository, subject in ((shared, "Open plan"), (hidden, "Secret plan")):
            row = {"subject": subject, "predicate": "IS", "object": f"thing of {subject}"}
            assert server.post(f"/repos/{repository}/facts", {"triples": [row]}).status_code == 200
        yield Town(server, desk, shared, hidden, keys)
        desk.directory.close()
    for browser in Browser.made:
        browser.client.close()


def test_a_member_sees_its_repository_and_the_other_is_absent_with_everything_in_it(town: Town) -> None:
    operator = Browser(town.server).signed_in(town.server.token)
    text = operator.get(f"/r/{town.hidden}").text
    assert "Secret plan" in text
    secret = re.search(r'row-(fct_[0-9a-f]+)"', text).group(1)  # type: ignore[union-attr]
    ann = town.sign_in("ann")
    assert ann.base == f"/r/{town.shared}"
    assert "Open plan" in ann.get(ann.base).text
    for path in (
        "",
        f"/items/{secret}",
        f"/items/{secret}/why?why=x",
        "/graph",
        "/graph.json",
        "/sessions",
        "/timeline",
    ):
        refused, absent = ann.get(f"/r/{town.hidden}{path}"), ann.get(f"/r/r_{'0' * 16}{path}")
        assert (refused.status_code, refused.text) == (404, absent.text), path
    assert ann.post(f"/r/{town.hidden}/items/{secret}/pin").status_code == 404
    mine, never = ann.get(f"{ann.base}/items/{secret}"), ann.get(f"{ann.base}/items/fct_{'0' * 24}")
    assert (mine.status_code, mine.text) == (never.status_code, never.text)


def test_who_may_read_is_offered_and_allowed_no_change(town: Town) -> None:
    bob, ann = town.sign_in("bob"), town.sign_in("ann")
    (fact,) = bob.items()
    assert "Forget" not in bob.get(f"{bob.base}/items/{fact}").text
    for verb in ("forget", "pin", "bury", "retract", "correct"):
        assert bob.post(f"{bob.base}/items/{fact}/{verb}", {"object": "x"}).status_code == 403, verb
    assert ann.post(f"{ann.base}/items/{fact}/pin").status_code == 303
    assert ann.post(f"{ann.base}/items/{fact}/release").status_code == 303
    assert ann.post(f"{ann.base}/items/{fact}/forget").status_code == 403  # the operator saved it, with higher trust


def test_a_member_learns_nothing_of_the_machine_and_of_others_chats(town: Town) -> None:
    ann, eve = town.sign_in("ann"), town.sign_in("eve")
    report = ann.get(f"{ann.base}/health/report").text
    assert "/other" not in report
    headers = {"remora-session-id": "chat-eve", "remora-client": "test"}
    path = f"/repos/{town.shared}"
    made = town.server.post(path + "/sessions", {"session_id": "chat-eve", "client": "test"}, token=town.keys["eve"])
    row = {"subject": "Eve", "predicate": "THINKS", "object": "a private thought"}
    body = {"triples": [row], "memory_scope": "session"}
    assert town.server.post(path + "/facts", body, token=town.keys["eve"], headers=headers).status_code == 200
    session = made.json()["id"]
    assert "a private thought" in eve.get(f"{eve.base}/sessions/{session}").text
    (fact,) = eve.items("?scope=chat")
    assert ann.items("?scope=chat") == []
    assert "chat-eve" not in ann.get(f"{ann.base}/sessions?everyone=1&closed=1").text
    for path in (f"/sessions/{session}", f"/items/{fact}"):
        assert ann.get(ann.base + path).status_code == 404
    assert ann.post(f"{ann.base}/sessions/{session}/revoke").status_code == 404
    assert ann.post(f"{ann.base}/items/{fact}/forget").status_code == 404


def test_a_revoked_key_ends_its_sessions_at_once(town: Town) -> None:
    eve, bob = town.sign_in("eve"), town.sign_in("bob")
    key = next(row.id for row in town.desk.directory.listing().keys if row.member == member_of(town, "eve"))
    revoke_key(town.desk, OPERATOR, key)
    assert eve.get(eve.base).status_code == 303
    assert bob.get(bob.base).status_code == 200


def member_of(town: Town, name: str) -> str:
    return next(row.id for row in town.desk.directory.listing().members if row.name == name)


def test_members_get_no_link_of_the_operators(town: Town) -> None:
    assert town.server.post("/page/links", token=town.keys["ann"]).status_code == 403
