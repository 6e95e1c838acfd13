"""Laws of the rules that all engines share."""

import contextlib
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.cosine import best, cosine, floats, squared_length
from remora.core.errors import Denied, InvalidBatch, InvalidInput
from remora.core.graph import Changes, Edge, Node
from remora.core.item_codec import decode_item, encode_item
from remora.core.scope import REPOSITORY, Right, operator_grant, restricted_grant
from remora.core.store_rules import authorise, capped, check, newest_cursor, right_to_change, storable, term_order

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
texts = st.text(min_size=1, max_size=5)
common = {
    "id": texts, "family": texts, "label": texts, "scope": texts, "name": st.text(max_size=5),
    "body": st.dictionaries(st.text(max_size=3), json_values, max_size=3),
    "tokens": st.dictionaries(texts, st.lists(texts, max_size=3).map(tuple), max_size=2),
    "created": st.integers(), "updated": st.integers(),
}  # fmt: skip
items = st.builds(Node, **common) | st.builds(Edge, source=texts, target=texts, **common)


@given(items)
def test_an_item_survives_its_stored_form(item):
    text = encode_item(item)
    assert text.isascii()
    assert decode_item(text) == item


@given(items, st.data())
def test_a_cut_or_padded_stored_form_is_an_error_and_no_crash(item, data):
    text = encode_item(item)
    cut = data.draw(st.integers(0, len(text) - 1))
    for bad in (text[:cut], text + "x"):
        with pytest.raises(ValueError, match=r".*"):
            decode_item(bad)


@pytest.mark.parametrize("bad", ["[]", "null", "[1]", '{"a":1}', "[1,2,3,4,5,6,7,8,9]", "9" * 5000, "[" * 90_000])
def test_what_is_no_item_is_an_error_and_no_crash(bad):
    with pytest.raises(ValueError, match=r".*"):
        decode_item(bad)


@pytest.mark.parametrize(("levels", "fine"), [(90, True), (150, False), (100_000, False)])
def test_a_body_may_nest_but_not_without_end(levels, fine):
    nested = []
    for _ in range(levels):
        nested = [nested]
    item = Node(id="n1", family="f", label="l", scope="s", name="", body={"x": nested})
    if fine:
        assert decode_item(encode_item(item)) == item
    else:
        with pytest.raises(InvalidInput, match="n1"):
            encode_item(item)


def test_a_body_that_is_no_json_is_named():
    item = Node(id="n1", family="f", label="l", scope="s", name="", body={"x": math.inf})
    with pytest.raises(InvalidInput, match="n1"):
        encode_item(item)


matches = st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from([f"i{n}" for n in range(12)])))


@given(matches, st.integers(0, 14))
def test_the_cap_keeps_as_many_as_allowed_and_prefers_rare_terms(found, limit):
    kept = capped(found, limit)
    everything = set().union(*found.values())
    assert kept == sorted(set(kept))
    assert len(kept) == min(limit, len(everything))
    assert set(kept) <= everything
    whole = term_order({term: len(ids) for term, ids in found.items()})
    taken = [found[term] <= set(kept) for term in whole]
    # once a term did not fit whole, only ids of rarer terms can complete a later one
    if False in taken:
        first = whole[taken.index(False)]
        rarer = set().union(*(found[term] for term in whole[: taken.index(False)]))
        assert set(kept) <= rarer | found[first]


@given(matches, st.integers(0, 14))
def test_the_cap_does_not_depend_on_the_order_of_terms(found, limit):
    assert capped(found, limit) == capped(dict(reversed(found.items())), limit)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "é\udfff", "\0"])
def test_text_that_some_engine_cannot_keep_is_known(text):
    assert not storable(text)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_all_other_text_can_be_kept(text):
    assert storable(text)


def test_a_check_lists_everything_that_is_wrong():
    bad = Node(id="a", family="", label="l", scope="s\0", name="", tokens={"t": ("\ud800",)}, updated=2**64)
    with pytest.raises(InvalidBatch) as caught:
        check(Changes(put=(bad, bad), drop=("a",)))
    assert len(caught.value.errors) == 11


def test_rights_follow_the_scope():
    reader = restricted_grant("r", repository_claims=("repo",), right=Right.READ)
    assert right_to_change(REPOSITORY) == Right.WRITE
    authorise(reader, "repo", ["session:x", "system"])
    for scopes, repository in (([REPOSITORY], "repo"), (["system", REPOSITORY], "repo"), ([], "other")):
        with pytest.raises(Denied):
            authorise(reader, repository, scopes)
    authorise(operator_grant(), "anything", [REPOSITORY])


@given(st.integers(-(2**63) + 1, 2**63 - 1), st.text())
def test_a_cursor_reads_back(time, item):
    assert newest_cursor(f"{time}:{item}") == (time, item)


@given(st.text())
def test_no_cursor_crashes(text):
    with contextlib.suppress(InvalidInput):
        newest_cursor(text)


numbers = st.floats(width=32)
rows = st.lists(numbers, min_size=1, max_size=5)


def packed(values):
    return struct.pack(f"<{len(values)}f", *values)


@given(rows)
def test_float32_bytes_are_read_back(values):
    assert struct.pack(f"<{len(values)}d", *floats(packed(values))) == struct.pack(f"<{len(values)}d", *values)


@given(rows, rows)
def test_a_cosine_is_symmetric_bounded_or_absent(left, right):
    a, b = floats(packed(left)), floats(packed(right))
    score = cosine(a, b)
    assert score == cosine(b, a)
    usable = len(a) == len(b) and squared_length(a) > 0 and squared_length(b) > 0
    assert (score is not None) == usable
    assert score is None or -1 <= score <= 1


@given(rows)
def test_a_vector_is_nearest_to_itself(values):
    vector = floats(packed(values))
    score = cosine(vector, vector)
    assert score is None or score == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("data", [b"", b"123", packed([0, 0]), packed([math.nan, 1]), packed([math.inf, -math.inf])])
def test_what_is_no_direction_has_no_length(data):
    assert squared_length(floats(data)) == 0


def test_the_best_are_above_the_floor_with_ties_by_id():
    scored = [("b", 0.5), ("a", 0.5), ("c", None), ("d", 0.9), ("e", 0.1)]
    assert best(scored, floor=0.5, limit=9) == [("d", 0.9), ("a", 0.5), ("b", 0.5)]
    assert best(scored, floor=0.5, limit=1) == [("d", 0.9)]
    assert best(scored, floor=0.5, limit=-1) == []
