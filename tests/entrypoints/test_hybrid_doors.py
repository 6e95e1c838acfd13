"""Recall by meaning through the doors, with the real builtin model: asked for, requested by saves, told in doctor."""

import time
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from http_server import Server, serving

QUESTION = "which doctor treats the kids"
FACT = ("Paediatrician", "LOOKS_AFTER", "children")
TITLE = "Paediatrician LOOKS_AFTER children"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Any:
    made = make_world(tmp_path_factory.mktemp("hybrid") / "world")
    made.commit("Add billing", **{"billing.py": "def charge():\n    return 1\n"})
    assert made.remora("init", "--no-git-hooks").code == 0
    return made


def recalled(world: Any) -> Any:
    return world.remora("recall", QUESTION, "--json").json


def vectors(world: Any) -> Any:
    parts = world.remora("doctor", "--json").json["parts"]
    return next(part for part in parts if part["part"] == "vectors")


def test_the_command_line_finds_by_meaning_what_reindex_gave_vectors(world: Any) -> None:
    assert world.remora("remember", *FACT).code == 0
    assert recalled(world)["legs"] == ["lexical"]
    assert vectors(world)["figures"]["missing"] == 1
    assert world.remora("reindex", "--vectors").code == 0
    told = recalled(world)
    assert [hit["title"] for hit in told["hits"]] == [TITLE]
    assert told["legs"] == ["lexical", "vector"]
    figures = vectors(world)["figures"]
    assert (figures["vectors"], figures["missing"], figures["refused"]) == (1, 0, 0)
    assert figures["last"]


def test_embeddings_that_are_switched_off_leave_words(world: Any) -> None:
    done = world.remora("recall", QUESTION, "--json", REMORA_EMBEDDINGS="off")
    assert done.json["legs"] == ["lexical"]
    assert done.json["hits"] == []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Any:
    made = make_world(tmp_path_factory.mktemp("hybrid-http") / "world")
    made.commit("Add billing", **{"billing.py": "def charge():\n    return 1\n"})
    assert made.remora("index").code == 0
    with serving(made, "--profile", "all") as running:
        yield running


def asked(server: Server, question: str = QUESTION) -> Any:
    return server.post(server.repo("/recall"), {"query": question, "memory_scope": "repository"}).json()


def test_the_index_route_makes_vectors_with_the_callers_rights(server: Server) -> None:
    triple = dict(zip(("subject", "predicate", "object"), FACT, strict=True))
    server.post(server.repo("/facts"), {"triples": [triple]})
    assert asked(server)["legs"] == ["lexical"]
    told = server.post(server.repo("/memory/index"), {}).json()
    assert (told["embedded"], told["missing"], told["refused"]) == (1, 0, 0)
    assert [hit["title"] for hit in asked(server)["hits"]] == [TITLE]
    assert server.post(server.repo("/memory/index"), {}, token="").status_code == 401


def test_a_durable_save_over_mcp_asks_for_its_vector_and_does_not_wait(server: Server) -> None:
    async def save() -> None:
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {server.token}"}, trust_env=False) as http:
            url = f"http://127.0.0.1:{server.port}/api/v1{server.repo('/mcp')}"
            async with Client(streamable_http_client(url, http_client=http)) as client:
                triple = {"subject": "Night backup", "predicate": "COPIES_TO", "object": "cold storage in Oslo"}
                await client.call_tool("upsert_graph_triples", {"triples": [triple]})

    anyio.run(save)
    deadline = time.monotonic() + 30
    question, title = "where do we keep archives of the data", "Night backup COPIES_TO cold storage in Oslo"
    while time.monotonic() < deadline and title not in [hit["title"] for hit in asked(server, question)["hits"]]:
        time.sleep(0.2)
    assert title in [hit["title"] for hit in asked(server, question)["hits"]]


def test_a_fact_and_its_vector_leave_no_byte_when_it_is_forgotten(world: Any) -> None:
    from remora.adapters.local_embedder.model import LocalEmbedder
    from remora.core.embedding import TextKind

    row = LocalEmbedder().embed(["Paediatrician looks after children"], TextKind.PASSAGE)[0]

    def lies_there() -> bool:
        files = [path for path in Path(world.env["REMORA_DATA_DIR"]).rglob("*.sqlite3*") if path.is_file()]
        return any(row in path.read_bytes() for path in files)

    assert world.remora("remember", *FACT).code == 0
    assert world.remora("reindex", "--vectors").code == 0
    assert lies_there()
    assert world.remora("facts", "forget", "Paediatrician", "--yes").code == 0
    assert not lies_there()
