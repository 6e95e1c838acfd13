"""Lexical ranking: rare words weigh more, fields weigh as told, exact beats begun, and coverage is a share."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.graph import TermStats
from remora.core.recall.bm25 import bm25, coverage, fuse, idf
from remora.core.text import parse_query, tokens

WEIGHTS = {"title": 2.0, "body": 1.0}
STATS = TermStats(
    1000, {"title": 4.0, "body": 40.0}, {"token": 100, "refresh": 10, "refreshtoken": 2, "tokenizer": 5, "tok": 120}
)


def score(fields: Mapping[str, Sequence[str]], *terms: str, prefixes: Sequence[str] = ()) -> float:
    return bm25(fields, terms, prefixes, STATS, WEIGHTS)


def test_a_rare_word_weighs_more_than_a_usual_one() -> None:
    assert idf("refreshtoken", STATS) > idf("refresh", STATS) > idf("token", STATS) > 0
    assert idf("never-seen", STATS) >= idf("refreshtoken", STATS)


def test_a_word_that_every_document_holds_still_weighs_something() -> None:
    assert idf("x", TermStats(3, {}, {"x": 3})) > 0
    assert idf("x", TermStats(0, {}, {})) > 0


def test_a_title_hit_beats_a_body_hit() -> None:
    assert score({"title": ["token"], "body": ["a"]}, "token") > score({"title": ["a"], "body": ["token"]}, "token")


def test_a_field_of_weight_zero_is_not_searched() -> None:
    assert bm25({"body": ["token"]}, ["token"], ["tok"], STATS, {"body": 0.0}) == 0.0


def test_more_mentions_help_less_and_less() -> None:
    one, two, nine, ten = (score({"body": ["token"] * n + ["a"] * (40 - n)}, "token") for n in (1, 2, 9, 10))
    assert two - one > ten - nine > 0


def test_a_longer_document_with_the_same_hits_scores_less() -> None:
    assert score({"body": ["token", *["a"] * 20]}, "token") > score({"body": ["token", *["a"] * 200]}, "token")


def test_an_exact_hit_beats_a_begun_one() -> None:
    exact = score({"body": ["token"]}, "token", prefixes=["token"])
    begun = score({"body": ["tokenizer"]}, "token", prefixes=["token"])
    assert exact > begun > 0


def test_a_word_is_not_counted_as_exact_and_begun() -> None:
    plain = score({"body": ["token"]}, "token")
    assert score({"body": ["token"]}, "token", prefixes=["token"]) == plain
    assert score({"body": ["token"]}, "token", prefixes=["tok"]) == plain


def test_no_query_and_no_document_score_nothing() -> None:
    assert score({}, "token") == 0.0
    assert score({"body": ["token"]}) == 0.0
    assert score({"body": []}, "token", prefixes=["tok"]) == 0.0


@given(
    st.dictionaries(st.sampled_from(["title", "body"]), st.lists(st.sampled_from(["a", "b", "token", "refresh"]))),
    st.lists(st.sampled_from(["a", "token", "refresh", "zz"]), unique=True),
)
def test_a_further_query_word_never_lowers_a_score(fields: dict[str, list[str]], terms: list[str]) -> None:
    scores = [score(fields, *terms[:n]) for n in range(len(terms) + 1)]
    assert scores == sorted(scores)


def covered(document: str, query: str) -> float:
    asked = parse_query(query)
    return coverage({"body": tokens(document)}, asked.groups, asked.prefixes, STATS)


def test_coverage_is_the_share_of_the_query_that_a_document_holds() -> None:
    assert covered("refresh the token", "token refresh") == pytest.approx(1.0)
    assert covered("nothing here", "token refresh") == 0.0
    assert 0.0 < covered("a token", "token refresh") < 0.5 < covered("a refresh", "token refresh") < 1.0


def test_function_words_neither_cover_nor_ask() -> None:
    assert covered("the token", "what is the token of it?") == pytest.approx(1.0)


def test_a_compound_word_is_covered_by_its_whole_or_by_its_parts() -> None:
    assert covered("refreshToken()", "refreshToken") == pytest.approx(1.0)
    assert covered("refresh that token", "refreshToken") == pytest.approx(1.0)
    assert 0.0 < covered("a refresh", "refreshToken") < 1.0


def test_an_unknown_word_lowers_coverage_most() -> None:
    assert covered("refresh", "refresh zanzibar") < covered("refresh", "refresh token")


def test_a_begun_word_covers_in_part() -> None:
    assert 0.0 < covered("tokenizer", "tok") < 1.0


@given(st.text(max_size=40), st.text(max_size=40))
def test_coverage_stays_between_zero_and_one(document: str, query: str) -> None:
    assert 0.0 <= covered(document, query) <= 1.0 + 1e-9


def test_fusion_prefers_what_several_rankings_agree_on() -> None:
    assert [key for key, _ in fuse([["a", "b", "c"], ["b", "d"]], k=10)] == ["b", "a", "d", "c"]


def test_fusion_breaks_ties_by_key_and_counts_a_repeat_once() -> None:
    assert fuse([["z"], ["a"]], k=10) == [("a", 1 / 11), ("z", 1 / 11)]
    assert fuse([["a", "a", "b"]], k=1) == [("a", 1 / 2), ("b", 1 / 3)]
    assert fuse([], k=10) == []


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=4))
def test_fusion_does_not_depend_on_the_order_of_rankings(rankings: list[list[str]]) -> None:
    forward, backward = fuse(rankings, k=10), fuse(rankings[::-1], k=10)
    assert forward == backward
    assert {key for key, _ in forward} == {key for ranking in rankings for key in ranking}
