"""Arguments are checked against their schema: every error named, nothing coerced, defaults filled in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.errors import InvalidBatch, InvalidInput
from remora.core.schema import checked

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 5},
        "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "scope": {"type": "string", "enum": ["session", "repository"]},
        "rows": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {"n": {"type": "number"}}}},
    },
}


def test_defaults_are_filled_in_and_absent_optional_arguments_stay_absent() -> None:
    assert checked(SCHEMA, {"query": "x"}) == {"query": "x", "limit": 3}


@pytest.mark.parametrize(
    ("arguments", "field", "allowed"),
    [
        ({}, "query", "string"),
        (None, "query", "string"),
        ({"query": 7}, "query", "string"),
        ({"query": "abcdef"}, "query", "1 to 5 characters"),
        ({"query": "x", "limit": True}, "limit", "integer"),
        ({"query": "x", "limit": 10}, "limit", "1 to 9"),
        ({"query": "x", "scope": "all"}, "scope", "session, repository"),
        ({"query": "x", "unknown": 1}, "unknown", "query, limit, scope, rows"),
        ({"query": "x", "rows": [1]}, "rows[0]", "object"),
        ({"query": "x", "rows": [{"n": float("nan")}]}, "rows[0].n", "None to None"),
    ],
)
def test_an_error_names_the_field_and_what_is_allowed(arguments: object, field: str, allowed: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(SCHEMA, arguments)
    assert caught.value.field == field
    assert allowed in str(caught.value)


def test_every_error_of_a_call_is_listed_at_once() -> None:
    with pytest.raises(InvalidBatch) as caught:
        checked(SCHEMA, {"limit": 0, "scope": "x", "other": 1})
    assert {error.field for error in caught.value.errors} == {"limit", "scope", "other", "query"}


def test_thousands_of_errors_are_counted_not_recited() -> None:
    many = {"type": "object", "properties": {"kinds": {"type": "array", "items": {"enum": ["a"]}}}}
    with pytest.raises(InvalidBatch) as caught:
        checked(many, {"kinds": ["x"] * 10_000})
    assert len(caught.value.errors) == 10_000
    assert len(str(caught.value)) < 4_000
    assert str(caught.value).endswith("more")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_accepted_or_refused_with_a_field(value: object) -> None:
    try:
        out = checked(SCHEMA, value)
    except InvalidInput as error:
        out = {"query": error.field}
        assert str(error).startswith(error.field)  # noqa: PT017  # either outcome is right; each has its own law
    assert out["query"]
