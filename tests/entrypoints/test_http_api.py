"""The HTTP API as a client meets it: a real server process, real requests."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from http_server import Server, serving
from remora.core.errors import InvalidInput
from remora.core.recall.notice import NOTICE
from remora.core.sessions import checked_names
from remora.entrypoints.http.app import operations
from remora.entrypoints.http.openapi import document


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Server]:
    world = make_world(tmp_path_factory.mktemp("http") / "world")
    world.commit("Add billing", **{"billing.py": "def charge():\n    return 1\n\n\ndef pay():\n    return charge()\n"})
    assert world.remora("index").code == 0
    with serving(world, "--profile", "all", "--allow-memory-write") as running:
        running.post(running.repo("/facts"), {"triples": [triple("Billing", "USES", "Postgres")]})
        yield running


def triple(subject: str, predicate: str, target: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": target}


def problem(answer: Any, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert {"type", "title", "detail", "code"} <= body.keys()
    return dict(body)


def test_what_was_saved_is_recalled_with_its_source_and_the_notice(server: Server) -> None:
    told = server.post(server.repo("/recall"), {"query": "what does billing use", "memory_scope": "repository"}).json()
    assert told["hits"][0]["title"] == "Billing USES Postgres"
    assert "via http" in told["hits"][0]["source"]
    assert told["notice"] == NOTICE


def test_a_query_string_is_typed_by_the_operations_schema(server: Server) -> None:
    path = server.repo("/subgraph")
    told = server.get(path, params=[("entities", "Billing"), ("entities", "Postgres"), ("hops", "2")]).json()
    assert {node["name"] for node in told["nodes"]} == {"Billing", "Postgres"}
    assert problem(server.get(path, params={"entities": "a", "hops": "two"}), 400)["errors"][0]["field"] == "hops"
    assert problem(server.get(path, params=[("entities", "a"), ("hops", "1"), ("hops", "1")]), 400)
    assert problem(server.get(path, params={"entities": "a", "colour": "red"}), 400)["errors"][0]["field"] == "colour"


def test_every_wrong_value_of_a_call_is_listed_in_one_problem(server: Server) -> None:
    body = {"query": 5, "limit": 0, "hops": 9}
    told = problem(server.post(server.repo("/recall"), body), 400)
    assert {error["field"] for error in told["errors"]} == {"query", "limit", "hops"}


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"query": NaN}', "application/json", 400),
        (b'{"query": "a", "query": "b"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"query": "\xff"}', "application/json", 400),
        (b'["query"]', "application/json", 400),
        (b'{"limit": ' + b"9" * 5_000 + b"}", "application/json", 400),
        (b'{"query": "a"', "application/json", 400),
        (b"query=a", "application/x-www-form-urlencoded", 415),
        (b'{"query": "\\ud83d", "memory_scope": "repository"}', "application/json", 200),
    ],
)
def test_bodies_are_strict_json(server: Server, content: bytes, kind: str, status: int) -> None:
    answer = server.request("POST", server.repo("/recall"), content=content, headers={"content-type": kind})
    assert answer.status_code == status, answer.text


HOSTILE = ("%00", "%ff", "a" * 50_000, "%F0%9F%98", "..%2f..%2fetc%2fpasswd", "%E2%80%AE", "'%22%60%3B--", "%0d%0aX:1")


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: value[:12])
def test_no_parameter_of_any_route_makes_a_server_error(server: Server, value: str) -> None:
    seen = set()
    for operation in operations():
        properties = operation.input.get("properties", {})
        texts = [name for name, schema in properties.items() if schema.get("type") == "string"]
        for names in [[name] for name in properties] if value == "%00" else [texts]:
            answer = send_hostile(server, *operation.http, names, value)
            seen.add(answer.status_code)
            assert answer.status_code < 500, (operation.name, names, answer.text)
    assert 400 in seen


def send_hostile(server: Server, method: str, path: str, names: list[str], value: str) -> Any:
    path = server.repo(path.replace("{id}", value[:2_000]))
    if method != "POST":
        fitting = value[: 60_000 // max(1, len(names))]  # the client itself refuses longer addresses
        return server.request(method, path + "?" + "&".join(f"{name}={fitting}" for name in names))
    text = value.replace("%00", "\\u0000").replace("%ff", "\\udcff").replace("%22", '\\"')
    body = "{" + ", ".join(f'"{name}": "{text}"' for name in names) + "}"
    return server.request(method, path, content=body.encode(), headers={"content-type": "application/json"})


def test_strange_paths_are_not_found_and_never_an_error(server: Server) -> None:
    for path in (
        "/repos/%00/facts",
        "/repos/r_0/facts",
        "/repos/..%2f/facts",
        "/nothing",
        f"/repos/{'a' * 9000}/facts",
    ):
        assert problem(server.get(path), 404)["code"] == "not_found"
    assert problem(server.request("PUT", server.repo("/facts")), 405)["code"] == "method_not_allowed"


def test_lists_are_paged_by_cursors_without_gaps_or_repeats(server: Server) -> None:
    rows = [triple(f"Page{n}", "HAS", f"Value{n}") for n in range(12)]
    assert server.post(server.repo("/facts"), {"triples": rows}).status_code == 200
    seen: list[str] = []
    cursor = ""
    for _ in range(20):
        page = server.get(server.repo("/facts"), params={"limit": 5, "predicate": "HAS", "cursor": cursor}).json()
        seen += [fact["subject"] for fact in page["facts"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert sorted(seen) == sorted(row["subject"] for row in rows)
    assert problem(server.get(server.repo("/facts"), params={"cursor": "nonsense"}), 400)
    assert problem(server.get(server.repo("/sessions"), params={"cursor": "ses_nonsense"}), 400)


def test_sessions_are_registered_listed_shown_used_promoted_and_revoked(server: Server) -> None:
    headers = {"Remora-Session-Id": "chat-1", "Remora-Client": "tester"}
    made = server.post(server.repo("/sessions"), headers=headers).json()
    listed = server.get(server.repo("/sessions")).json()["sessions"]
    assert [row["session_id"] for row in listed if row["id"] == made["id"]] == ["chat-1"]
    assert server.get(server.repo(f"/sessions/{made['id']}")).json()["state"] == "open"
    private = {"triples": [triple("Secretary", "LIKES", "Tea")], "memory_scope": "session"}
    saved = server.post(server.repo("/facts"), private, headers=headers).json()
    question = {"query": "what does Secretary like"}
    by_headers = server.post(server.repo("/recall"), question, headers=headers).json()
    by_handle = server.post(server.repo("/recall"), {**question, "session": made["session"]}).json()
    assert by_headers["hits"] == by_handle["hits"] != []
    durable = {**question, "memory_scope": "repository"}
    assert server.post(server.repo("/recall"), durable).json()["hits"] == []
    promoted = server.post(
        server.repo("/sessions/promote"), {"facts": [saved["outcomes"][0]["id"]]}, headers=headers
    ).json()
    assert promoted["promoted"][0]["outcome"] == "created"
    assert server.post(server.repo("/recall"), durable).json()["hits"][0]["title"] == "Secretary LIKES Tea"
    gone = server.request("DELETE", server.repo(f"/sessions/{made['id']}")).json()
    assert gone["items_deleted"] >= 3
    assert problem(server.post(server.repo("/recall"), question, headers=headers), 404)
    assert problem(server.post(server.repo("/sessions"), headers=headers), 409)["code"] == "conflict"


def test_an_identity_header_and_an_argument_that_disagree_are_refused(server: Server) -> None:
    one = {"Remora-Session-Id": "chat-a", "Remora-Client": "tester"}
    other = {"Remora-Session-Id": "chat-b", "Remora-Client": "tester"}
    handle = server.post(server.repo("/sessions"), headers=one).json()["session"]
    server.post(server.repo("/sessions"), headers=other)
    body = {"query": "what does anything use", "session": handle}
    assert server.post(server.repo("/recall"), body, headers=one).status_code == 200
    assert problem(server.post(server.repo("/recall"), body, headers=other), 400)["errors"][0]["field"] == "session"
    assert problem(server.post(server.repo("/sessions"), {"session_id": "chat-c"}, headers=one), 400)
    assert problem(server.get(server.repo("/facts"), headers={"Remora-Session-Id": "chat-a"}), 400)
    called = server.tool("recall_context", body, headers=other)
    assert called["isError"]


def test_a_durable_write_remembers_the_session_that_the_headers_name(server: Server) -> None:
    headers = {"Remora-Session-Id": "origin-1", "Remora-Client": "tester"}
    made = server.post(server.repo("/sessions"), headers=headers).json()
    server.post(server.repo("/facts"), {"triples": [triple("Origin", "IS", "Kept")]}, headers=headers)
    fact = server.get(server.repo("/facts"), params={"entity": "Origin"}).json()["facts"][0]
    assert fact["provenance"]["session"] == made["id"]
    assert fact["provenance"]["client"] == "tester"


def test_forgetting_takes_a_fact_away_and_a_dry_run_does_not(server: Server) -> None:
    server.post(server.repo("/facts"), {"triples": [triple("Gone", "WAS", "Here")]})
    for dry, left in ((True, 1), (False, 0)):
        done = server.post(server.repo("/facts/forget"), {"entities": ["Gone"], "dry_run": dry}).json()
        assert done["facts_forgotten"] == 1
        assert len(server.get(server.repo("/facts"), params={"entity": "Gone"}).json()["facts"]) == left


def test_history_shows_closed_facts(server: Server) -> None:
    for value in ("Red", "Blue"):
        server.post(server.repo("/facts"), {"triples": [triple("Wall", "COLOUR", value)], "replace": True})
    shown = server.get(server.repo("/facts/history"), params={"entity": "Wall"}).json()["facts"]
    assert {(row["object"], row["current"]) for row in shown} == {("Red", False), ("Blue", True)}


def test_a_record_is_found_shown_and_unknown_ones_look_alike(server: Server) -> None:
    made = server.post(
        server.repo("/records"),
        {"idempotency_key": "k1", "title": "Retry failed", "summary": "Backoff was wrong", "outcome": "failed",
         "source_uri": "https://example.org/run/1"},
    )  # fmt: skip
    assert made.status_code == 200, made.text
    shown = server.get(server.repo(f"/records/{made.json()['id']}")).json()
    assert shown["record"]["title"] == "Retry failed"
    assert problem(server.get(server.repo("/records/mem_000000000000000000000000")), 404)
    assert server.get(server.repo("/records/pitfalls"), params={"subject": "Retry"}).status_code == 200


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("recall_context", {"query": "what does Billing use", "memory_scope": "repository"}),
    ("search_graph_nodes", {"query": "Billing"}),
    ("query_subgraph", {"entities": ["Billing"]}),
    ("search_memory", {"query": "billing"}),
    ("explain_history", {"subject": "billing.py"}),
    ("known_pitfalls", {"subject": "billing.py"}),
    ("affected", {"symbol": "charge"}),
    ("get_node", {"symbol": "charge"}),
    ("affected", {"symbol": "no_such_symbol"}),
    ("query_subgraph", {"entities": ["Billing"], "hops": 7}),
]


@pytest.mark.parametrize(("name", "given"), CALLS, ids=lambda value: value if isinstance(value, str) else "")
def test_http_and_mcp_answer_alike(server: Server, name: str, given: dict[str, Any]) -> None:
    operation = next(row for row in operations() if row.name == name)
    method, path = operation.http
    answer = server.get(server.repo(path), params=given) if method == "GET" else server.post(server.repo(path), given)
    called = server.tool(name, given)
    if answer.status_code == 200:
        assert called["structuredContent"] == answer.json()
    else:
        assert called["isError"]
        assert answer.json()["detail"] in called["content"][0]["text"]


def test_every_operation_of_the_catalogue_has_a_route_and_a_row_in_the_document(server: Server) -> None:
    document = server.get("/openapi.json", token="").json()
    assert document["openapi"] == "3.1.0"
    rows = {
        (method.upper(), path): row for path, methods in document["paths"].items() for method, row in methods.items()
    }
    for operation in operations():
        method, path = operation.http
        row = rows[(method, "/api/v1/repos/{repo}" + path)]
        assert row["operationId"] == operation.name
        named = {parameter["name"] for parameter in row["parameters"]}
        assert set(operation.input["properties"]) <= named or method == "POST"
    names = [row["operationId"] for row in rows.values()]
    assert len(names) == len(set(names))


def test_no_body_of_the_document_asks_for_what_stands_in_the_path(server: Server) -> None:
    document = server.get("/openapi.json", token="").json()
    for path, methods in document["paths"].items():
        for row in methods.values():
            in_path = {one["name"] for one in row.get("parameters", ()) if one["in"] == "path"}
            assert in_path == set(re.findall(r"\{([a-z]+)\}", path))
            for body in row.get("requestBody", {}).get("content", {}).values():
                assert not in_path & (set(body["schema"]["properties"]) | set(body["schema"].get("required", ())))


NAMES = st.text(st.sampled_from("aZ9._:@+=-/ é\n\x00"), max_size=6) | st.integers(60, 130).map("a".__mul__)


@settings(max_examples=300, deadline=None)
@given(client=NAMES, session=NAMES)
@example(client="a" * 65, session="a" * 129)
@example(client="a..b", session="a..b")
def test_the_document_says_exactly_which_identity_headers_are_taken(client: str, session: str) -> None:
    row = document(operations(), "1")["paths"]["/api/v1/repos/{repo}/facts"]["get"]
    forms = {one["name"]: one["schema"]["pattern"] for one in row["parameters"] if one["in"] == "header"}
    told = re.search(forms["Remora-Client"].replace("$", r"\Z"), client) is not None
    told &= re.search(forms["Remora-Session-Id"].replace("$", r"\Z"), session) is not None
    try:
        taken = checked_names(client, session) == (client, session)
    except InvalidInput:
        taken = False
    assert told == taken


@pytest.mark.parametrize("query", ["entity=A&ent%00ity=B", "ent%E2%80%AEity=A&entity=B", "entity=A&entity=A"])
def test_an_argument_is_taken_once_however_its_name_is_disguised(server: Server, query: str) -> None:
    found = problem(server.get(server.repo(f"/facts?{query}")), 400)
    assert "given twice" in found["detail"]


def test_tools_over_http_are_those_of_the_profile_and_take_no_repository(server: Server) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"accept": "application/json, text/event-stream"}
    tools = server.post(server.repo("/mcp"), message, headers=accept).json()["result"]["tools"]
    assert {"recall_context", "upsert_graph_triples", "affected"} <= {tool["name"] for tool in tools}
    assert all("repo" not in tool["inputSchema"].get("properties", {}) for tool in tools)
    assert problem(server.get(server.repo("/mcp"), headers=accept), 405)
    assert problem(server.post("/repos/r_0000000000000000/mcp", message, headers=accept), 404)
    assert problem(server.post(server.repo("/mcp"), message, headers=accept, token=""), 401)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_own_client_works_in_both_eras(server: Server, mode: Any) -> None:
    async def session() -> tuple[list[str], Any]:
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {server.token}"}, trust_env=False) as http:
            transport = streamable_http_client(
                f"http://127.0.0.1:{server.port}/api/v1{server.repo('/mcp')}", http_client=http
            )
            async with Client(transport, mode=mode) as client:
                tools = await client.list_tools()
                told = await client.call_tool("search_graph_nodes", {"query": "Billing"})
                return [tool.name for tool in tools.tools], told.structured_content

    names, told = anyio.run(session)
    assert "recall_context" in names
    assert told["nodes"][0]["name"] == "Billing"


def test_version_and_health_are_open_and_say_nothing_of_anyone(server: Server) -> None:
    assert server.get("/health", token="").json() == {"status": "ok"}
    assert set(server.get("/version", token="").json()) == {"name", "version", "api"}


def test_memory_switched_off_leaves_only_the_code_graph(tmp_path: Path, make_world: Any) -> None:
    world = make_world(tmp_path / "world")
    world.commit("Add", **{"a.py": "def f():\n    return 1\n"})
    assert world.remora("index").code == 0
    with serving(world, "--no-allow-memory") as server:
        told = problem(server.post(server.repo("/recall"), {"query": "anything here"}), 403)
        assert "memory is switched off" in told["detail"]
        assert server.get(server.repo("/graph/node"), params={"symbol": "f"}).status_code == 200
        assert json.loads(server.get("/health").text) == {"status": "ok"}
