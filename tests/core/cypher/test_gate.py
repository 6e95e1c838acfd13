"""The gate lets reading statements through unchanged and stops everything else before any engine sees it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.cypher.gate import gated
from remora.core.cypher.normalise import named, rewritten, value
from remora.core.cypher.tokens import Kind, tokens
from remora.core.errors import InvalidInput
from remora.core.policy import CYPHER_MAX_CHARS

FIXTURES = Path(__file__).parents[2] / "fixtures" / "cypher"
READING = [row["query"] for row in json.loads((FIXTURES / "queries.json").read_text())["queries"]]
HOSTILE = json.loads((FIXTURES / "hostile.json").read_text())["queries"]
LEFT_TO_THE_ENGINE = {
    "RETURN",
    "MATCH",
    "MATCH (n RETURN n",
    "MATCH (n) RETURN n.name AS n' OR '1'='1",
    "RETURN $absent",
}


@pytest.mark.parametrize("query", READING)
def test_a_reading_query_passes_and_keeps_its_words(query: str) -> None:
    run = rewritten(gated(query))
    assert tokens(named(run)) == tokens(query)


@pytest.mark.parametrize(
    "query", [row["query"] for row in HOSTILE if row["ends"] == "refused" and row["query"] not in LEFT_TO_THE_ENGINE]
)
def test_a_query_that_does_more_than_read_is_refused_with_what_is_allowed(query: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        gated(query)
    assert caught.value.field == "query"
    assert caught.value.allowed


def test_a_too_long_query_is_refused() -> None:
    with pytest.raises(InvalidInput, match="characters"):
        gated("RETURN 1 " + " " * CYPHER_MAX_CHARS)


@given(st.text(max_size=200))
def test_no_text_breaks_the_gate(query: str) -> None:
    try:
        found = gated(query)
    except InvalidInput:
        return
    assert tokens(rewritten(found))


WORDS = """MATCH (n) RETURN n SET LOAD CSV 'a' `b` CALL { } // /* \\u0053 ; n.name = 1 CREATE keys(n) $p""".split()


@given(st.lists(st.sampled_from([*WORDS, " ", "\n"]), max_size=12))
def test_what_passes_the_gate_holds_no_writing_word_outside_of_texts(words: list[str]) -> None:
    try:
        found = gated(" ".join(words))
    except InvalidInput:
        return
    shown = {token.text.upper() for token in found if token.kind is not Kind.TEXT}
    assert not shown & {"SET", "LOAD", "CSV", "CREATE", ";"}


def test_invented_properties_are_taken_out_of_answers() -> None:
    node = {"id": 7, "labels": ["B", "A"], "properties": {"id": 7, "title": "x", "type": "A", "name": "x", "uid": "u"}}
    assert value(node) == {"labels": ["A", "B"], "properties": {"name": "x", "uid": "u"}}
    assert value(node["properties"]) == {"name": "x", "uid": "u"}
    assert value({"uid": "u", "type": "mine"}) == {"uid": "u", "type": "mine"}
    assert value([float("nan"), float("inf"), 1.5]) == [None, None, 1.5]
