"""The open set of chats: most of what they settle is kept by rules alone, and nothing that they only mention."""

import json
from pathlib import Path

import pytest

from remora.core.clients.turns import Turn
from remora.core.extraction.rules import rule_triples

CHATS = json.loads(
    (Path(__file__).parents[3] / "benchmarks/open_sets/extraction/chats.json").read_text(encoding="utf-8")
)


def held(said: list[str], parts: list[str]) -> bool:
    return any(all(part.lower() in text for part in parts) for text in said)


@pytest.mark.parametrize("chat", CHATS, ids=[chat["name"] for chat in CHATS])
def test_a_chat_keeps_what_it_settles_and_nothing_that_it_mentions(chat: dict[str, list[list[str]]]) -> None:
    triples = rule_triples([Turn("user" if role == "user" else "assistant", text) for role, text in chat["turns"]])
    said = [f"{t.subject} {t.predicate} {t.object}".lower() for t in triples]
    kept = [row for row in chat["facts"] if held(said, row)]
    assert len(kept) >= 0.8 * len(chat["facts"])
    assert not [row for row in chat["traps"] if held(said, row)]
