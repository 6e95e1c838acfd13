"""Families of ranked hits become one answer."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from remora.core.recall.families import Hit, fuse_families


def ranked(family, count, score=1.0):
    return [
        Hit(family=family, id=f"{family}{n:03}", title=f"{family} {n}", score=score / (n + 1), updated=n)
        for n in range(count)
    ]


def families(fused):
    return [hit.family for hit in fused.hits]


def test_a_crowd_of_one_family_never_hides_another():
    fused = fuse_families([ranked("records", 50, 900.0), ranked("facts", 3, 0.5)], limit=8, max_chars=6_000)
    assert families(fused).count("facts") == 3
    assert fused.left_out == 45
    assert fused.truncated


def test_scores_of_different_families_are_never_compared():
    low, high = ranked("facts", 4, 0.1), ranked("records", 4, 1_000.0)
    assert families(fuse_families([low, high], limit=8, max_chars=6_000)) == families(
        fuse_families([low, ranked("records", 4, 0.001)], limit=8, max_chars=6_000)
    )


def test_the_floor_gives_way_when_there_are_more_families_than_places():
    fused = fuse_families([ranked("a", 5), ranked("b", 5), ranked("c", 5)], limit=2, max_chars=6_000)
    assert len(fused.hits) == 2


def test_whole_hits_are_left_out_when_the_budget_is_used_up():
    hits = ranked("facts", 10)
    for budget in range(1, 900, 37):
        fused = fuse_families([hits], limit=10, max_chars=budget)
        assert sum(len(json.dumps(hit.to_json())) for hit in fused.hits) <= budget
        assert fused.left_out == 10 - len(fused.hits)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=4), st.integers(1, 20))
def test_each_family_keeps_its_order_and_nothing_comes_twice(counts, limit):
    rankings = [ranked(f"f{n}", count) for n, count in enumerate(counts)]
    fused = fuse_families(rankings, limit=limit, max_chars=100_000)
    ids = [hit.id for hit in fused.hits]
    assert len(ids) == len(set(ids)) == min(limit, sum(counts))
    for ranking in rankings:
        mine = [item for item in ids if item.startswith(ranking[0].family)] if ranking else []
        assert mine == [hit.id for hit in ranking][: len(mine)]


def test_a_hit_is_strict_json_even_with_a_score_that_is_no_number():
    hit = Hit(family="facts", id="x", title="t", score=math.nan)
    assert json.loads(json.dumps(hit.to_json(), allow_nan=False))["score"] == 0.0
