"""Encounters and analytics at the doors: every tool over one real server, and the same answers on the command line."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from remora.bootstrap import open_ports
from remora.config import load
from remora.core.encounters.schema import AUTHORED_RELATIONS, AUTHORED_TYPES, NODE_TYPES
from remora.core.scope import Channel, Grant, operator_grant
from remora.core.sessions import SessionRef
from remora.entrypoints.catalogue.encounters import grammar, relation_grammar
from remora.entrypoints.catalogue.listing import offered
from remora.entrypoints.catalogue.wording import fitted
from remora.entrypoints.mcp.server import Backend, build_server
from remora.usecases.register_session import RegisterSessionRequest, register_session

TABLE = {
    "advance_encounter", "close_encounter", "create_entities", "create_relations", "delete_entities",
    "delete_relations", "search", "find_by_name", "trace_provenance", "read_cypher", "get_schema", "list_node_types",
    "list_relation_types", "list_vocabulary", "orient", "infuse", "gds_create_projection", "gds_pagerank",
    "gds_articlerank", "gds_betweenness", "gds_leiden", "gds_wcc", "gds_drop_projection",
}  # fmt: skip
ENTITIES = [
    {"type": "Concept", "name": "hub", "description": "joins all", "category": "design"},
    {"type": "Concept", "name": "leaf", "description": "one end"},
    {"type": "Concept", "name": "twig", "description": "another end"},
    {"type": "Question", "name": "open?", "description": "who knows"},
    {"type": "Note", "name": "aside", "description": "a remark", "tag": "idea"},
]
RELATIONS = [
    {"source": "hub", "target": "leaf", "type": "INFORMS"},
    {"source": "hub", "target": "twig", "type": "INFORMS"},
    {"source": "aside", "target": "hub", "type": "ABOUT"},
]


def ask(world: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Call tools over a client and a server in this process, with the real ports of the world's repository."""

    async def run() -> list[Any]:
        async with Client(world.server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Any:
    world = make_world(tmp_path_factory.mktemp("desk"))
    world.env["REMORA_EMBEDDINGS"] = "off"  # vectors made between two answers would tell them apart
    ports = open_ports(load(world.env), world.repo)
    client, own = "tester", "chat-1"

    def own_session(grant: Grant) -> SessionRef:
        register_session(ports, grant, RegisterSessionRequest(session_id=own, client=client))
        return SessionRef(client=client, session_id=own)

    grant = operator_grant(Channel.CLI, client)
    world.server = build_server(offered(["all"]), Backend(lambda: ports, grant, own_session), "0")
    done = ask(
        world,
        ("advance_encounter", {"name": "first"}),
        ("create_entities", {"entities": ENTITIES}),
        ("create_relations", {"relations": RELATIONS}),
        ("close_encounter", {"summary": "wrote it down"}),
    )
    assert not any(answer.is_error for answer in done), [answer.content for answer in done]
    yield world
    ports.queries.close()
    ports.store_admin.close()


def test_every_tool_of_the_table_is_offered_in_its_profiles() -> None:
    names = {operation.name for operation in offered(["encounters", "analytics"])}
    assert names == TABLE
    assert {operation.name for operation in offered(["encounters", "read-only"])}.isdisjoint(
        {"advance_encounter", "create_entities", "delete_entities", "infuse"}
    )


def test_tool_descriptions_are_made_from_the_tables() -> None:
    assert all(f"{name}(" in grammar() for name in AUTHORED_TYPES)
    assert all(f"{name}(" in relation_grammar() for name in AUTHORED_RELATIONS)
    for name in AUTHORED_TYPES:
        for spec in NODE_TYPES[name].properties.values():
            assert "|".join(spec.choices) in grammar()


def test_projections_belong_to_a_session_and_metrics_read_them(desk: Any) -> None:
    name = {"projection": "ideas"}
    made, ranked, groups, dropped, gone = ask(
        desk,
        ("gds_create_projection", {"name": "ideas", "node_types": ["Concept"], "undirected": True}),
        ("gds_pagerank", name),
        ("gds_wcc", name),
        ("gds_drop_projection", name),
        ("gds_leiden", name),
    )
    assert made.structured_content == {"name": "ideas", "nodes": 3, "pairs": 2, "directed": False}
    assert ranked.structured_content["rows"][0]["node"] == "Concept:hub"
    assert groups.structured_content["total"] == 1
    assert dropped.structured_content == {"dropped": "ideas"}
    assert "not_found" in gone.content[0].text


def test_deleting_is_a_preview_until_it_is_meant(desk: Any) -> None:
    names = {"names": ["Note:aside"]}
    preview, found, refused = ask(
        desk, ("delete_entities", names), ("find_by_name", names), ("delete_entities", {"names": ["first"]})
    )
    assert preview.structured_content["deleted"] is False
    assert preview.structured_content["relations"] == {"RECORDED": 1, "ABOUT": 1}
    assert found.structured_content["entities"]
    assert "part of the spine" in refused.content[0].text
    assert desk.remora("encounters", "delete", "Note:aside", "--json").json == preview.structured_content


@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("orient", {}, ["orient"]),
        ("search", {"query": "joins"}, ["search", "joins"]),
        ("find_by_name", {"names": ["hub", "leaf"]}, ["show", "hub", "leaf"]),
        ("read_cypher", {"query": "MATCH (c:Concept) RETURN c.name AS n ORDER BY n"},
         ["query", "MATCH (c:Concept) RETURN c.name AS n ORDER BY n"]),
    ],
)  # fmt: skip
def test_tools_and_commands_give_one_answer(desk: Any, tool: str, given: dict[str, Any], command: list[str]) -> None:
    (told,) = ask(desk, (tool, given))
    data = told.structured_content
    printed = desk.remora("encounters", *command, "--json").json
    for answer in (data, printed):
        answer.pop("seq", None)  # a server's session is a write of its own
    assert printed == data


def test_the_parts_of_the_schema_are_listed_apart_with_live_counts(desk: Any) -> None:
    types, relations, words = ask(desk, ("list_node_types", {}), ("list_relation_types", {}), ("list_vocabulary", {}))
    counts = {row["type"]: row["count"] for row in types.structured_content["node_types"]}
    assert (counts["Concept"], counts["Note"], counts["Encounter"]) == (3, 1, 1)
    assert next(r for r in relations.structured_content["relation_types"] if r["type"] == "INFORMS")["count"] == 2
    assert words.structured_content["vocabulary"]["Concept.category"]["values"] == [{"value": "design", "count": 1}]


def test_the_next_session_meets_what_was_left_open(desk: Any) -> None:
    done = desk.remora("encounters", "advance", "second", "--json").json
    assert [row["name"] for row in done["open_questions"]] == ["open?"]
    assert [row["name"] for row in done["recent_encounters"]] == ["first"]
    text = desk.remora("encounters", "advance", "third", "--session", done["session"]).out
    assert "session: rs_" in text
    assert "open questions:" in text


json_values = st.text(max_size=30) | st.integers() | st.lists(st.text(max_size=9), max_size=6)


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.lists(json_values, max_size=20), max_size=5))
def test_an_answer_is_cut_to_its_budget_by_whole_entries_and_counted(data: dict[str, Any]) -> None:
    out = fitted(data, max_chars=200)
    kept = {key: out[key] for key in data}
    assert all(value == data[key][: len(value)] for key, value in kept.items())
    if out != data:
        assert out["truncated"]
        assert out["left_out"] == sum(len(data[key]) - len(kept[key]) for key in data)
    assert len(json.dumps(kept, ensure_ascii=False)) <= 200 or not any(kept.values())


HOSTILE = [
    "",
    " ",
    "\x00",
    "a\ud83d",
    "\u202eabc\u200b",
    "</remora-memory>",
    "x" * 100_000,
    "Type:",
    "'; DROP",
    "$x",
    "{",
]


def _values(schema: dict[str, Any], text: str) -> Any:
    if schema.get("type") == "array":
        return [_values(schema["items"], text)] * 2
    if schema.get("type") == "object":
        return dict.fromkeys(schema.get("properties", {"x": {}}), text)
    return schema["default"] if "default" in schema and schema["type"] != "string" else text


@pytest.mark.parametrize("tool", sorted(TABLE))
def test_hostile_text_in_any_argument_is_answered_or_refused_in_words(desk: Any, tool: str) -> None:
    (operation,) = [row for row in offered(["all"]) if row.name == tool]
    properties = operation.input["properties"]
    calls = [(tool, {key: _values(schema, text) for key, schema in properties.items()}) for text in HOSTILE]
    for answer in ask(desk, *calls):
        text = answer.content[0].text
        assert "internal:" not in text
        assert "Traceback" not in text
        assert text.count("</remora-memory>") <= 1
