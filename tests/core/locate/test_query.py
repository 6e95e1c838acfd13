"""Descriptions as queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.locate.query import locate_query, without_file_names


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("fix crash in src/app.py on reload", "fix crash in on reload"),
        ("README.md: typo", ": typo"),
        ("parse v1.2 and e.g. dots", "parse v1.2 and e.g. dots"),
        ("move docs/guides/ away", "move away"),
    ],
)
def test_file_names_and_paths_are_taken_out_and_other_words_stay(text: str, bare: str) -> None:
    assert without_file_names(text) == bare


def test_numbers_of_issues_are_no_words() -> None:
    assert "123" not in locate_query("Fix redirect loop (#123), see GH-77").terms


def test_a_text_without_words_is_empty() -> None:
    assert locate_query(" (#12) ...").empty


@given(st.text(max_size=200))
def test_any_text_is_a_query(text: str) -> None:
    assert all(locate_query(text).terms)
    assert isinstance(without_file_names(text), str)
