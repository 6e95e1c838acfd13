"""`StoreRead`, on every engine."""

import math

import pytest

from remora.core.errors import InvalidInput
from remora.core.scope import session_scope
from store_shapes import OPERATOR, SHARED, edge, floats, node, plan, vector

MINE, THEIRS = session_scope("s1"), session_scope("s2")


def ids(items):
    return [item.id for item in items]


def test_only_items_in_the_given_scopes_are_returned_or_counted(store):
    store.apply(OPERATOR, plan(node("a", "fox"), node("m", "fox", scope=MINE), node("t", "fox", scope=THEIRS)))
    store.apply(OPERATOR, plan(vectors=[vector("a", 1, 0), vector("m", 1, 0), vector("t", 1, 0)]))
    with store.read(OPERATOR) as view:
        assert set(view.get(["a", "m", "t"], (MINE,))) == {"m"}
        assert ids(view.scan("facts", "entity", (MINE,), limit=9)[0]) == ["m"]
        found = view.text_candidates(["facts"], (MINE, *SHARED), ["fox"], limit=9)
        assert (ids(found.items), found.total, found.stats.frequency, found.stats.documents) == (
            ["a", "m"],
            2,
            {"fox": 2},
            2,
        )
        assert [i.id for i, _ in view.vector_candidates(["facts"], (MINE,), "m", floats(1, 0), floor=0, limit=9)] == [
            "m"
        ]
        assert ids(view.snapshot(["facts"], (THEIRS,))) == ["t"]
        assert view.counts((MINE,)) == {("facts", "entity", MINE): 1}
        assert view.counts(()) == {}
        assert ids(view.vectors_missing(["facts"], (MINE,), "other", limit=9)) == ["m"]


def test_a_view_does_not_change_while_others_write(store):
    store.apply(OPERATOR, plan(node("a", "fox")))
    with store.read(OPERATOR) as view:
        store.apply(OPERATOR, plan(node("b", "fox"), drop=["a"]))
        assert view.seq == 1
        assert set(view.get(["a", "b"], SHARED)) == {"a"}
        assert view.counts(SHARED) == {("facts", "entity", "repository"): 1}
        assert ids(view.text_candidates(["facts"], SHARED, ["fox"], limit=9).items) == ["a"]
        assert [line.item for line in view.changes(0, limit=9)] == ["a"]
        with store.read(OPERATOR) as later:
            assert later.seq == 2
            assert set(later.get(["a", "b"], SHARED)) == {"b"}


def test_a_scan_pages_by_id_and_by_time(store):
    times = {"a": 5, "b": 9, "c": 5, "d": -1, "e": 9}
    store.apply(OPERATOR, plan(*(node(name, updated=time) for name, time in times.items()), node("x", label="other")))
    with store.read(OPERATOR) as view:
        for newest, expected in ((False, "abcde"), (True, "beacd")):
            seen, after = [], ""
            while True:
                page, after = view.scan("facts", "entity", SHARED, after=after, limit=2, newest_first=newest)
                seen += ids(page)
                if not after:
                    break
            assert "".join(seen) == expected
        assert view.scan("facts", "entity", SHARED, limit=5)[1] == ""
        assert view.scan("facts", "entity", SHARED, limit=0) == ((), "")
        assert view.scan("facts", "entity", SHARED, after="z", limit=5) == ((), "")


def test_a_scan_merges_several_scopes_in_one_order(store):
    store.apply(OPERATOR, plan(node("a", updated=1), node("b", updated=2, scope=MINE), node("c", updated=3)))
    with store.read(OPERATOR) as view:
        page, after = view.scan("facts", "entity", (*SHARED, MINE), limit=2, newest_first=True)
        assert ids(page) == ["c", "b"]
        assert ids(view.scan("facts", "entity", (*SHARED, MINE), after=after, limit=2, newest_first=True)[0]) == ["a"]


@pytest.mark.parametrize("cursor", ["x", "1", ":a", "--1:a", "9" * 30 + ":a", "١:a", "1.5:a"])
def test_a_cursor_that_is_none_is_refused(store, cursor):
    store.apply(OPERATOR, plan(node("a"), node("b")))
    with store.read(OPERATOR) as view, pytest.raises(InvalidInput):
        view.scan("facts", "entity", SHARED, after=cursor, limit=1, newest_first=True)


def test_terms_match_exactly_and_prefixes_from_the_start_of_a_token(store):
    store.apply(
        OPERATOR, plan(node("a", "fox"), node("b", "foxes"), node("c", "Fox"), node("d", "fo x"), node("e", "z foxy"))
    )
    with store.read(OPERATOR) as view:

        def search(terms, prefixes=()):
            found = view.text_candidates(["facts"], SHARED, terms, prefixes, limit=9)
            return ids(found.items), dict(found.stats.frequency)

        assert search(["fox"]) == (["a"], {"fox": 1})
        assert search([], ["fox"]) == (["a", "b", "e"], {"fox": 3})
        assert search(["fox"], ["fox"]) == (["a", "b", "e"], {"fox": 3})
        assert search(["foxes", "absent"], ["foxy"]) == (["b", "e"], {"foxes": 1, "absent": 0, "foxy": 1})
        assert search([], [""]) == ([], {})
        assert search([]) == ([], {})
        assert search(["\ud800", "fox\0", "%", "_", "f*"], ["\udfff"])[0] == []


@pytest.mark.parametrize("prefix", ["é", "日本", "\ud7ff", "\U0010ffff", "a\U0010ffff", "\U0001f600", "zz"])
def test_prefixes_work_at_the_edges_of_unicode(store, prefix):
    words = [prefix, prefix + "x", prefix + "\U0010ffff", "x" + prefix, "\ue000", "\U0010ffff\U0010ffff", "ab"]
    store.apply(OPERATOR, plan(*(node(f"n{index}", word) for index, word in enumerate(words))))
    expected = [f"n{index}" for index, word in enumerate(words) if word.startswith(prefix)]
    with store.read(OPERATOR) as view:
        assert ids(view.text_candidates(["facts"], SHARED, [], [prefix], limit=9).items) == expected


def test_search_narrows_to_families_and_labels_and_its_figures_follow(store):
    store.apply(
        OPERATOR,
        plan(node("a", "fox red"), node("b", "fox", label="other"), node("c"), edge("a", "b", words="fox fox den")),
    )
    with store.read(OPERATOR) as view:
        whole = view.text_candidates(["facts"], SHARED, ["fox"], limit=9)
        assert whole.stats.documents == 3
        assert whole.stats.length == {"text": pytest.approx(2.0)}
        one = view.text_candidates(["facts"], SHARED, ["fox"], labels=["fact"], limit=9)
        assert (ids(one.items), one.stats.documents, dict(one.stats.length)) == (["a-USES-b"], 1, {"text": 3.0})
        none = view.text_candidates(["records"], SHARED, ["fox"], limit=9)
        assert (none.items, none.total, none.stats.documents, dict(none.stats.length)) == ((), 0, 0, {})


def test_the_cap_takes_the_rarest_terms_first_and_within_a_term_the_lowest_ids(store):
    common = [node(f"c{index:02}", "fox") for index in range(20)]
    store.apply(OPERATOR, plan(*common, node("y1", "rare"), node("y2", "rare"), node("z", "fox other")))
    with store.read(OPERATOR) as view:
        found = view.text_candidates(["facts"], SHARED, ["fox", "rare", "other"], limit=5)
        assert (ids(found.items), found.total) == (["c00", "c01", "y1", "y2", "z"], 23)
        assert found.stats.frequency == {"fox": 21, "rare": 2, "other": 1}
        assert ids(view.text_candidates(["facts"], SHARED, ["fox", "rare", "other"], limit=2).items) == ["y1", "z"]
        nothing = view.text_candidates(["facts"], SHARED, ["fox"], limit=0)
        assert (nothing.items, nothing.total) == ((), 21)


def test_vectors_are_ranked_by_exact_cosine_with_ties_by_id(store):
    near, far, opposite = vector("b", 2, 0), vector("c", 1, 1), vector("d", -1, 0)
    store.apply(OPERATOR, plan(*(node(name, "w") for name in "abcd"), vectors=[vector("a", 1, 0), near, far, opposite]))
    with store.read(OPERATOR) as view:

        def search(floor, limit, query=None):
            query = floats(3, 0) if query is None else query
            found = view.vector_candidates(["facts"], SHARED, "m", query, floor=floor, limit=limit)
            return [(item.id, score) for item, score in found]

        assert search(-1, 9) == [("a", 1.0), ("b", 1.0), ("c", pytest.approx(math.sqrt(0.5))), ("d", -1.0)]
        assert [name for name, _ in search(0.5, 9)] == ["a", "b", "c"]
        assert [name for name, _ in search(0, 1)] == ["a"]
        assert search(0, 0) == []
        for unusable in (floats(0, 0), floats(math.nan, 1), floats(math.inf, 1), floats(1), b"", b"123"):
            assert search(-1, 9, unusable) == []


def test_unusable_vectors_are_never_in_a_result(store):
    bad = [
        vector("a", 0, 0),
        vector("b", math.nan, 1),
        vector("c", math.inf, 1),
        vector("d", 1, 2, 3),
        vector("e", 1, 0),
    ]
    store.apply(OPERATOR, plan(*(node(name, "w") for name in "abcde"), vectors=bad))
    with store.read(OPERATOR) as view:
        found = view.vector_candidates(["facts"], SHARED, "m", floats(1, 0), floor=-1, limit=9)
        assert [item.id for item, _ in found] == ["e"]


def test_vectors_of_several_models_live_side_by_side(store):
    store.apply(OPERATOR, plan(node("a", "w"), vectors=[vector("a", 1, 0), vector("a", 1, 2, 3, model="n")]))
    store.apply(OPERATOR, plan(vectors=[vector("a", 0, 1)]))
    with store.read(OPERATOR) as view:
        assert view.vector_candidates(["facts"], SHARED, "m", floats(0, 1), floor=0.9, limit=9)[0][1] == 1.0
        assert view.vector_candidates(["facts"], SHARED, "n", floats(1, 2, 3), floor=0.9, limit=9)[0][
            1
        ] == pytest.approx(1)
        assert view.vector_candidates(["facts"], SHARED, "absent", floats(1), floor=-1, limit=9) == ()


def test_a_vector_goes_when_the_words_change_and_stays_when_they_do_not(store):
    store.apply(OPERATOR, plan(node("a", "red fox"), node("b", "hen"), node("silent"), vectors=[vector("a", 1.0)]))
    store.apply(OPERATOR, plan(node("a", "red fox", confirmed=2, updated=7)))
    with store.read(OPERATOR) as view:
        assert ids(view.vectors_missing(["facts"], SHARED, "m", limit=9)) == ["b"]
        assert ids(view.vectors_missing(["facts"], SHARED, "n", limit=1)) == ["a"]
        assert ids(view.vectors_missing(["facts"], SHARED, "m", labels=["entity"], limit=9)) == ["b"]
        assert ids(view.vectors_missing(["facts"], SHARED, "m", labels=["fact"], limit=9)) == []
    store.apply(OPERATOR, plan(node("a", "blue fox")))
    with store.read(OPERATOR) as view:
        assert ids(view.vectors_missing(["facts"], SHARED, "m", limit=9)) == ["a", "b"]
        assert view.vector_candidates(["facts"], SHARED, "m", floats(1), floor=-1, limit=9) == ()


def test_expansion_follows_edges_in_rounds(store):
    chain = [edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("x", "a"), edge("a", "y", label="other")]
    store.apply(OPERATOR, plan(*(node(name) for name in "abcdxy"), *chain))
    with store.read(OPERATOR) as view:

        def walk(hops, **more):
            found = view.expand(["a"], SHARED, labels=["fact"], hops=hops, per_node=9, limit=9, **more)
            return ids(found.nodes), ids(found.edges), found.truncated

        assert walk(0) == ([], [], False)
        assert walk(1) == (["a", "b", "x"], ["a-USES-b", "x-USES-a"], False)
        assert walk(1, incoming=False) == (["a", "b"], ["a-USES-b"], False)
        assert walk(2, outgoing=False) == (["a", "x"], ["x-USES-a"], False)
        assert walk(2)[0] == ["a", "b", "c", "x"]
        assert walk(9)[0] == ["a", "b", "c", "d", "x"]
        assert walk(1, names=["OWNS"]) == ([], [], False)
        assert walk(1, names=["USES", "\ud800"])[1] == ["a-USES-b", "x-USES-a"]
        assert view.expand(["absent", "\ud800"], SHARED, labels=["fact"], per_node=9, limit=9).edges == ()
        assert view.expand(["a"], SHARED, labels=[], per_node=9, limit=9).edges == ()


def test_expansion_keeps_the_newest_edges_of_a_hub_and_says_that_it_cut(store):
    spokes = [edge("hub", f"n{index}", updated=index % 7) for index in range(20)]
    store.apply(OPERATOR, plan(node("hub"), *(node(f"n{index}") for index in range(20)), *spokes))
    with store.read(OPERATOR) as view:
        found = view.expand(["hub"], SHARED, labels=["fact"], per_node=3, limit=9)
        assert (ids(found.edges), found.truncated) == (["hub-USES-n12", "hub-USES-n13", "hub-USES-n6"], True)
        found = view.expand(["hub"], SHARED, labels=["fact"], per_node=20, limit=2)
        assert (ids(found.edges), found.truncated) == (["hub-USES-n13", "hub-USES-n6"], True)
        assert not view.expand(["hub"], SHARED, labels=["fact"], per_node=20, limit=20).truncated


def test_expansion_never_tells_of_what_is_hidden(store):
    store.apply(OPERATOR, plan(node("a"), node("b"), node("m", scope=MINE)))
    store.apply(OPERATOR, plan(edge("a", "m"), edge("m", "b", scope=MINE), edge("a", "b", scope=MINE), edge("b", "b")))
    with store.read(OPERATOR) as view:
        found = view.expand(["a", "m", "b"], SHARED, labels=["fact"], hops=3, per_node=1, limit=9)
        assert (ids(found.nodes), ids(found.edges), found.truncated) == (["b"], ["b-USES-b"], False)
        assert len(view.expand(["a"], (*SHARED, MINE), labels=["fact"], hops=3, per_node=9, limit=9).edges) == 4


def test_the_change_feed_tells_each_item_once_and_never_splits_a_write(store):
    store.apply(OPERATOR, plan(node("a"), node("b")))
    store.apply(OPERATOR, plan(node("c"), node("d"), node("e")))
    store.apply(OPERATOR, plan(node("b"), drop=["d"]))

    with store.read(OPERATOR) as view:

        def feed(since, limit):
            return [(line.seq, line.item, line.dropped) for line in view.changes(since, limit=limit)]

        assert feed(0, 1) == [(1, "a", False)]
        assert feed(1, 1) == [(2, "c", False), (2, "e", False)]
        assert feed(1, 3) == [(2, "c", False), (2, "e", False), (3, "b", False), (3, "d", True)]
        assert feed(0, 99) == [(1, "a", False), *feed(1, 99)]
        assert feed(3, 99) == []
        assert feed(0, 0) == []


def test_hostile_words_are_stored_and_found(store):
    words = [
        "'; DROP TABLE item; --",
        '"',
        "x" * 100_000,
        "\u202eevil",
        "\x01\x1b",
        "NULL",
        "\ufeff",
        "ａ",
        "𝔘",
        "e\u0301",
    ]
    items = [node(f"n{index}").__class__(
        id=f"n{index}", family="facts", label="entity", scope="repository", name=word, tokens={"text": (word, word)}
    ) for index, word in enumerate(words)]  # fmt: skip
    store.apply(OPERATOR, plan(*items))
    with store.read(OPERATOR) as view:
        for index, word in enumerate(words):
            assert ids(view.text_candidates(["facts"], SHARED, [word], limit=9).items) == [f"n{index}"]
            assert ids(view.text_candidates(["facts"], SHARED, [], [word[:50]], limit=9).items) == [f"n{index}"]
        assert view.snapshot(["facts"], SHARED) == tuple(items)
