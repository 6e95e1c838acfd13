"""Organisations, members, keys and grants on a real server: nothing crosses, no key is wider than its grants."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pytest

from http_server import Server, serving
from remora.bootstrap import DirectoryDesk, open_directory, open_ports
from remora.config import Settings
from remora.core.errors import RemoraError
from remora.core.scope import operator_grant, restricted_grant
from remora.entrypoints.http.app import operations
from remora.usecases.admit_member import admit_member
from remora.usecases.grant_repository import grant_repository
from remora.usecases.issue_key import KeyRequest, issue_key
from remora.usecases.know_repository import know_repository
from remora.usecases.remove_member import remove_member
from remora.usecases.revoke_key import revoke_key

ORGANISATIONS = ("acme", "globex", "initech")
OPERATOR = operator_grant()


@dataclass
class Town:
    """One server, three organisations with a repository each, and keys by member."""

    server: Server
    world: Any
    repositories: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    @cached_property
    def settings(self) -> Settings:
        return Settings(data_dir=self.world.place / "data")

    @cached_property
    def desk(self) -> DirectoryDesk:
        return open_directory(self.settings)

    def key(self, member: str, name: str, right: str = "write", repositories: tuple[str, ...] = ()) -> str:
        request = KeyRequest(member=member, name=name, right=right, repositories=repositories)
        return issue_key(self.desk, OPERATOR, request).text

    def grant(self, subject: str, right: str, organisation: str) -> None:
        grant_repository(self.desk, OPERATOR, self.repositories[organisation], subject, right)

    def recall(self, repository: str, token: str, query: str = "what is the secret of the house") -> Any:
        body = {"query": query, "memory_scope": "repository"}
        return self.server.post(f"/repos/{repository}/recall", body, token=token)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Town]:
    world = make_world(tmp_path_factory.mktemp("keys") / "world")
    with serving(world) as server:
        town = Town(server, world)
        for name in ORGANISATIONS:
            folder = world.place / name
            folder.mkdir()
            world.git("init", "-q", cwd=folder)
            checkout = open_ports(town.settings, folder).checkout
            town.repositories[name] = know_repository(town.desk, OPERATOR, checkout).id
            for member in ("ann", "bob"):
                admit_member(town.desk, OPERATOR, f"{name}/{member}")
                town.keys[f"{name}/{member}"] = town.key(f"{name}/{member}", "laptop")
            town.grant(name, "read", name)
            town.grant(f"{name}/ann", "write", name)
            row = {"subject": "House", "predicate": "SECRET", "object": f"Word of {name}"}
            path = f"/repos/{town.repositories[name]}/facts"
            saved = server.post(path, {"triples": [row]}, token=town.keys[f"{name}/ann"])
            assert saved.status_code == 200, saved.text
        yield town


def test_nothing_crosses_between_organisations_on_any_route(town: Town) -> None:
    for owner, repository in town.repositories.items():
        for member, key in town.keys.items():
            listed = town.server.get("/repos", token=key).json()["repositories"]
            assert [row["id"] for row in listed] == [town.repositories[member.partition("/")[0]]]
            if member.startswith(owner):
                continue
            absent = town.recall("r_0000000000000000", key)
            hidden = town.recall(repository, key)
            assert (hidden.status_code, hidden.json()) == (absent.status_code, absent.json())
    stranger = town.keys["globex/ann"]
    for row in operations():
        path = row.http[1].replace("{id}", "x")
        answer = town.server.request(row.http[0], f"/repos/{town.repositories['acme']}{path}", token=stranger)
        unknown = town.server.request(row.http[0], f"/repos/r_ffffffffffffffff{path}", token=stranger)
        assert answer.status_code == 404, row.name
        assert answer.content == unknown.content


def test_every_member_reads_its_own_organisations_memory_and_only_that(town: Town) -> None:
    for member, key in town.keys.items():
        organisation = member.partition("/")[0]
        hits = town.recall(town.repositories[organisation], key).json()["hits"]
        assert [hit["title"] for hit in hits] == [f"House SECRET Word of {organisation}"]


def test_a_right_to_read_does_not_write_by_http_or_mcp(town: Town) -> None:
    repository, key = town.repositories["acme"], town.keys["acme/bob"]
    triples = {"triples": [{"subject": "Bob", "predicate": "WROTE", "object": "This"}]}
    refused = town.server.post(f"/repos/{repository}/facts", triples, token=key)
    assert (refused.status_code, refused.json()["code"]) == (403, "denied")
    told = town.server.tool("upsert_graph_triples", triples, repository, token=key)
    assert told["isError"]
    assert "denied" in told["content"][0]["text"]
    assert town.recall(repository, key, "what did Bob write").json()["hits"] == []


def test_provenance_is_the_members_own_whatever_a_caller_claims(town: Town) -> None:
    repository, key = town.repositories["acme"], town.keys["acme/ann"]
    row = {"subject": "me", "predicate": "LIKES", "object": "Tea"}
    town.server.post(f"/repos/{repository}/facts", {"triples": [row]}, token=key)
    fact = town.server.get(f"/repos/{repository}/facts", params={"predicate": "LIKES"}, token=key).json()["facts"][0]
    assert fact["subject"] == "User:acme/ann"
    assert fact["provenance"]["principal"] == "acme/ann"
    assert fact["trust"] == "member"


def test_private_sessions_of_one_member_are_nothing_to_another(town: Town) -> None:
    repository, ann, bob = town.repositories["acme"], town.keys["acme/ann"], town.keys["acme/bob"]
    headers = {"Remora-Session-Id": "shared-id", "Remora-Client": "tester"}
    path = f"/repos/{repository}"
    made = town.server.post(f"{path}/sessions", token=ann, headers=headers).json()
    row = {"subject": "Diary", "predicate": "SAYS", "object": "Hush"}
    town.server.post(f"{path}/facts", {"triples": [row], "memory_scope": "session"}, token=ann, headers=headers)
    question = {"query": "what does Diary say", "session": made["session"]}
    assert town.server.post(f"{path}/recall", question, token=ann).json()["hits"]
    assert town.server.post(f"{path}/recall", question, token=bob).status_code == 404
    town.server.post(f"{path}/sessions", token=bob, headers=headers)
    same_id = town.server.post(f"{path}/recall", {"query": "what does Diary say"}, token=bob, headers=headers)
    assert same_id.json()["hits"] == []
    assert town.server.get(f"{path}/sessions/{made['id']}", token=bob).status_code == 404
    assert town.server.request("DELETE", f"{path}/sessions/{made['id']}", token=bob).status_code == 404
    assert town.server.get(f"{path}/sessions?everyone=true", token=bob).status_code == 403
    assert town.server.post(f"{path}/recall", question).status_code == 404  # the operator reads no one's session either


def test_a_key_may_be_narrower_than_its_member(town: Town) -> None:
    repository = town.repositories["acme"]
    reader = town.key("acme/ann", "reader", right="read")
    triples = {"triples": [{"subject": "A", "predicate": "B", "object": "C"}]}
    assert town.server.post(f"/repos/{repository}/facts", triples, token=reader).status_code == 403
    town.grant("acme/ann", "read", "globex")
    everywhere = town.key("acme/ann", "two")
    elsewhere = town.key("acme/ann", "one", repositories=(town.repositories["globex"],))
    assert len(town.server.get("/repos", token=everywhere).json()["repositories"]) == 2
    listed = town.server.get("/repos", token=elsewhere).json()["repositories"]
    assert [row["id"] for row in listed] == [town.repositories["globex"]]
    town.grant("acme/ann", "none", "globex")
    assert town.server.get("/repos", token=elsewhere).json()["repositories"] == []


def test_a_revoked_key_closes_at_once_and_no_list_or_file_holds_its_text(town: Town) -> None:
    text = town.key("acme/bob", "lost")
    assert town.server.get("/repos", token=text).status_code == 200
    row = next(key for key in town.desk.directory.listing().keys if key.name == "lost")
    assert row.last_used
    revoke_key(town.desk, OPERATOR, row.id)
    assert town.server.get("/repos", token=text).status_code == 401
    told = town.world.remora("keys", "list", "--all", "--json")
    assert row.id in told.out
    assert text not in told.out
    data = town.world.place / "data"
    assert not any(text.encode() in path.read_bytes() for path in data.rglob("*") if path.is_file())
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in data.glob("directory.*")}
    assert set(modes.values()) == {"0o600"}, modes


def test_a_removed_member_is_out_and_its_words_stay(town: Town) -> None:
    admit_member(town.desk, OPERATOR, "initech/eve")
    town.grant("initech/eve", "write", "initech")
    eve = town.key("initech/eve", "laptop")
    row = {"subject": "Eve", "predicate": "PLANTED", "object": "Tree"}
    path = f"/repos/{town.repositories['initech']}/facts"
    assert town.server.post(path, {"triples": [row]}, token=eve).status_code == 200
    assert remove_member(town.desk, OPERATOR, "initech/eve") == 1
    assert town.server.get("/repos", token=eve).status_code == 401
    told = town.recall(town.repositories["initech"], town.keys["initech/ann"], "what did Eve plant").json()
    assert told["hits"][0]["title"] == "Eve PLANTED Tree"


def test_keeping_the_directory_refuses_what_makes_no_sense(town: Town) -> None:
    before = town.desk.directory.listing()
    here = town.repositories["acme"]
    for member in ("acme", "../x/y", "a b/c", "acme/operator", "acme/ann", "ACME/Ann", "a/b/c", "é/x", "a/" + "b" * 65):
        with pytest.raises(RemoraError):
            admit_member(town.desk, OPERATOR, member)
    for repository, subject, right in (
        (here, "nobody", "read"), (here, "acme", "own"), ("r_0", "acme", "read"), (here, "acme/nobody", "read"),
    ):  # fmt: skip
        with pytest.raises(RemoraError):
            grant_repository(town.desk, OPERATOR, repository, subject, right)
    for request in (
        KeyRequest(member="acme/nobody", name="k"), KeyRequest(member="acme/ann", name=""),
        KeyRequest(member="acme/ann", name="k", days=-1), KeyRequest(member="acme/ann", name="k", right="all"),
        KeyRequest(member="acme/ann", name="k", repositories=("r_0",)),
    ):  # fmt: skip
        with pytest.raises(RemoraError):
            issue_key(town.desk, OPERATOR, request)
    with pytest.raises(RemoraError):
        revoke_key(town.desk, OPERATOR, "key_0")
    with pytest.raises(RemoraError):
        admit_member(town.desk, restricted_grant("mallory", repository_claims=["*"]), "acme/mallory")
    assert town.desk.directory.listing() == before


def test_the_commands_make_a_member_with_a_key(world: Any) -> None:
    assert world.remora("org", "add", "acme/ann").code == 0
    assert world.remora("org", "grant", "acme", "read", "--json").json["right"] == "read"
    made = world.remora("keys", "create", "acme/ann", "--name", "laptop", "--days", "30", "--json").json
    assert made["key"].startswith("rmk_")
    assert made["expires"]
    shown = world.remora("org", "list", "--json").json
    assert (shown["members"], shown["grants"][0]["subject"]) == (["acme/ann"], "acme")
    assert world.remora("keys", "revoke", made["id"]).code == 0
    assert world.remora("keys", "list").out.strip() == "no keys"
    refused = world.remora("org", "list", "--principal", "mallory", "--repository-claim", "*")
    assert (refused.code, refused.out) == (1, "")


def test_a_read_only_server_is_a_ceiling_for_every_key(town: Town) -> None:
    with serving(town.world, "--read-only") as ceiling:
        path = f"/repos/{town.repositories['acme']}"
        triples = {"triples": [{"subject": "A", "predicate": "B", "object": "C"}]}
        for token in (town.keys["acme/ann"], ceiling.token):
            assert ceiling.post(f"{path}/facts", triples, token=token).status_code == 403
        told = ceiling.get(f"{path}/facts", token=town.keys["acme/ann"])
        assert told.status_code == 200
        assert "House" in told.text
