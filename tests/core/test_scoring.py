"""Figures of retrieval."""

from hypothesis import given
from hypothesis import strategies as st

from remora.core.scoring import bootstrap_interval, candidate_fraction, first_rank, mrr, recall_at, reciprocal_rank

RANKS = st.lists(st.integers(0, 30), min_size=1, max_size=40)


def test_the_first_wanted_item_gives_the_rank() -> None:
    assert first_rank(["a", "b", "c"], {"c", "b"}) == 2
    assert first_rank(["a"], {"b"}) == 0


def test_what_was_missed_counts_nothing() -> None:
    assert reciprocal_rank(0) == 0.0
    assert mrr([1, 2, 0]) == 0.5
    assert recall_at(5, [1, 6, 0, 5]) == 0.5


def test_figures_of_nothing_are_zero() -> None:
    assert (mrr([]), recall_at(5, []), candidate_fraction(0, 0), bootstrap_interval([])) == (0.0, 0.0, 0.0, (0.0, 0.0))


@given(RANKS)
def test_recall_grows_with_depth_and_bounds_the_reciprocal_rank(ranks: list[int]) -> None:
    assert recall_at(1, ranks) <= mrr(ranks) <= recall_at(30, ranks) <= 1.0
    assert recall_at(5, ranks) <= recall_at(10, ranks)


@given(RANKS)
def test_an_interval_holds_within_the_values_and_is_the_same_again(ranks: list[int]) -> None:
    values = [reciprocal_rank(rank) for rank in ranks]
    low, high = bootstrap_interval(values, rounds=50)
    assert min(values) - 1e-12 <= low <= high <= max(values) + 1e-12
    assert (low, high) == bootstrap_interval(values, rounds=50)
