"""Cleaning and name keys: what is one name stays one, what differs stays apart."""

from unicodedata import category, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.text import clean, fold_name, name_key

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
WORD = st.text(st.sampled_from("abcXYZéÉßñÑ東京Отдел５Ａａ가각İıΣςﬁ ́̈"), max_size=12)


@given(ANY_TEXT)
def test_cleaning_is_idempotent_and_leaves_no_control_or_surrogate(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert normalize("NFC", once) == once
    assert not [char for char in once if category(char) in ("Cc", "Cs") and char not in "\n\t"]


@given(ANY_TEXT)
def test_a_key_is_its_own_key(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)


@given(WORD)
def test_forms_and_case_do_not_change_a_key(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert name_key(normalize(form, text)) == name_key(text)
    assert name_key(text.casefold()) == name_key(text)


@pytest.mark.parametrize("text", ["MyService", "myservice", "  MYSERVICE ", "ＭｙＳｅｒｖｉｃｅ", "My\u200bService"])
def test_variants_of_one_name_have_one_key(text: str) -> None:
    assert name_key(text) == "myservice"


@pytest.mark.parametrize(
    "names", [("Отдел 5", "Кабинет 5"), ("東京, Japan", "大阪, Japan"), ("C", "C++", "C#"), ("e", "é")]
)
def test_different_names_stay_apart(names: tuple[str, ...]) -> None:
    assert len({name_key(name) for name in names}) == len(names)


def test_inner_white_space_of_a_name_is_one_space() -> None:
    assert fold_name("  Auth\t\n service　two ") == "Auth service two"


def test_surrogate_pairs_are_joined_and_lone_ones_replaced() -> None:
    assert clean("\ud83d\ude00 \ud83d \udc95x") == "😀 \ufffd \ufffdx"


def test_line_ends_become_newlines_and_unseen_characters_go() -> None:
    assert clean("a\r\nb\rc\u2028d\x0be\x00f\u202eg\u200bh\U000e0041i\ufeff") == "a\nb\nc\nd\nefghi"


def test_tabs_and_newlines_stay() -> None:
    assert clean("a\tb\nc") == "a\tb\nc"
