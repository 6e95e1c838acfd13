"""Resources and prompts of the MCP door, in both protocol eras, over a real server process."""

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from remora.entrypoints.catalogue.howto import HOWTO
from remora.entrypoints.catalogue.listing import OPERATIONS
from remora.entrypoints.mcp.prompts import WORDINGS
from remora.entrypoints.mcp.resources import HOWTO_URI, OFFERS, RECENT_URI, STATS_URI

ERAS = ["auto", "legacy"]


def serve(world: Any, talk: Callable[[Client], Awaitable[Any]], mode: str = "auto", *args: str, **env: str) -> Any:
    async def run() -> Any:
        command = ["-m", "remora", "mcp", "--repo", str(world.repo), *args]
        server = StdioServerParameters(command=sys.executable, args=command, env=world.env | env)
        async with Client(server, mode=mode) as client:
            return await talk(client)

    return asyncio.run(run())


@pytest.mark.parametrize("mode", ERAS)
def test_the_manual_the_counts_and_the_newest_encounters_can_be_read(world: Any, mode: str) -> None:
    async def talk(client: Client) -> tuple[list[str], list[str]]:
        listed = [str(row.uri) for row in (await client.list_resources()).resources]
        await client.call_tool("advance_encounter", {"name": "Look around"})
        texts = [(await client.read_resource(uri)).contents[0].text for uri in (HOWTO_URI, STATS_URI, RECENT_URI)]
        return listed, texts

    listed, (howto, stats, recent) = serve(world, talk, mode)
    assert listed == [offer.uri for offer in OFFERS]
    assert howto == HOWTO == world.remora("howto").out
    assert json.loads(stats)["encounter_nodes"] == {"Encounter": 1}
    assert "Encounter:Look around" in recent
    assert recent.startswith("<remora-memory>")


@pytest.mark.parametrize("mode", ERAS)
def test_prompts_are_constant_words_around_the_callers_own(world: Any, mode: str) -> None:
    async def talk(client: Client) -> tuple[list[str], str]:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        told = await client.get_prompt("trace_decision", {"subject": "src/app.py"})
        return names, told.messages[0].content.text

    names, text = serve(world, talk, mode)
    assert names == [wording.name for wording in WORDINGS]
    assert "src/app.py" in text
    assert "trace_provenance" in text


@pytest.mark.parametrize(
    ("method", "given"),
    [("read_resource", ("agent-memory://nothing",)), ("get_prompt", ("nothing",)), ("get_prompt", ("review_change",))],
)
def test_what_is_not_there_is_an_error_that_names_what_is(world: Any, method: str, given: tuple[Any, ...]) -> None:
    async def talk(client: Client) -> str:
        try:
            await getattr(client, method)(*given)
        except MCPError as error:
            return str(error)
        return ""

    told = serve(world, talk)
    assert "not_found" in told or "invalid_input" in told


def test_switched_off_memory_leaves_the_manual(world: Any) -> None:
    async def talk(client: Client) -> tuple[str, str]:
        howto = (await client.read_resource(HOWTO_URI)).contents[0].text
        try:
            await client.read_resource(STATS_URI)
        except MCPError as error:
            return howto, str(error)
        return howto, ""

    howto, told = serve(world, talk, "auto", "--no-allow-memory")
    assert howto == HOWTO
    assert "denied" in told


def test_the_manual_is_short_and_names_only_tools_that_exist() -> None:
    assert len(HOWTO) <= 5_000
    known = {operation.name for operation in OPERATIONS}
    named = set(re.findall(r"`([a-z]+_[a-z_]+)(?:\(|`)", HOWTO))
    arguments = {name for operation in OPERATIONS for name in operation.input["properties"]}
    assert named - arguments - {"revision_why", "source_kind", "source_key"} <= known
    for wording in WORDINGS:
        spoken = {word for word in re.findall(r"\b[a-z]+_[a-z_]+\b", wording.text) if not word.startswith("memory_")}
        assert spoken <= known
