"""`Store.apply` and its rules, on every engine."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from remora.core.errors import Denied, InvalidInput
from remora.core.graph import Changes
from remora.core.scope import Right, restricted_grant, session_scope
from remora.ports import Repository
from store_shapes import OPERATOR, REPO, SHARED, edge, node, plan, vector

READER = restricted_grant("rita", repository_claims=(REPO.identity,), right=Right.READ)
MINE = session_scope("s1")


def everything(store):
    with store.read(OPERATOR) as view:
        return {item.id for item in view.snapshot(("facts",), (*SHARED, MINE, "system"))}


def test_what_is_put_is_read_back_whole(store):
    item = node("a", "red fox", note=[1, 2.5, None, {"é\0": "\ud800"}], big=2**70)
    link = edge("a", "a", "KNOWS", "fox", since=3)
    assert store.apply(OPERATOR, plan(item, link, result={"ok": True})).result == {"ok": True}
    with store.read(OPERATOR) as view:
        assert view.get(["a", "a-KNOWS-a", "absent"], SHARED) == {"a": item, "a-KNOWS-a": link}


def test_putting_again_replaces_the_whole_item(store):
    store.apply(OPERATOR, plan(node("a", "red fox", colour="red")))
    store.apply(OPERATOR, plan(node("a", "blue fox", label="other")))
    with store.read(OPERATOR) as view:
        assert view.get(["a"], SHARED)["a"].body == {}
        assert view.text_candidates(["facts"], SHARED, ["red"], limit=9).total == 0
        assert view.text_candidates(["facts"], SHARED, ["blue"], limit=9).total == 1
        assert view.counts(SHARED) == {("facts", "other", "repository"): 1}


def test_dropping_a_node_takes_its_edges_along(store):
    store.apply(OPERATOR, plan(node("a"), node("b"), node("c"), edge("a", "b"), edge("c", "a"), edge("b", "c")))
    store.apply(OPERATOR, plan(drop=["a", "never-there"]))
    assert everything(store) == {"b", "c", "b-USES-c"}


def test_an_edge_may_be_moved_off_a_node_that_is_dropped_in_the_same_write(store):
    store.apply(OPERATOR, plan(node("a"), node("b"), node("c"), edge("a", "b")))
    moved = edge("c", "b").__class__(**{**_fields(edge("c", "b")), "id": "a-USES-b"})
    store.apply(OPERATOR, plan(moved, drop=["a"]))
    assert everything(store) == {"b", "c", "a-USES-b"}


def _fields(item):
    return {name: getattr(item, name) for name in item.__dataclass_fields__}


@pytest.mark.parametrize(
    "bad",
    [
        plan(edge("a", "nowhere")),
        plan(edge("a", "a-USES-a"), edge("a", "a")),
        plan(edge("a", "b"), drop=["b"]),
        plan(node("a"), drop=["a"]),
        plan(node("a"), node("a")),
        plan(node("")),
        plan(node("x", scope="")),
        plan(node("x\0y")),
        plan(node("\ud800")),
        plan(node("x", "\udfff")),
        plan(node("x", updated=2**63)),
        plan(node("x", body_value=float("nan"))),
        plan(vectors=[vector("nobody", 1.0)]),
        plan(vectors=[vector("a")]),
        plan(vectors=[vector("a", 1.0)], drop=["a"]),
        plan(edge("a", "b", label="x").__class__(**{**_fields(edge("a", "b")), "id": "a"})),
    ],
)
def test_changes_that_no_engine_keeps_are_refused_and_change_nothing(store, bad):
    store.apply(OPERATOR, plan(node("a", "fox"), node("b")))
    with pytest.raises(InvalidInput):
        store.apply(OPERATOR, bad)
    assert everything(store) == {"a", "b"}
    assert store.apply(OPERATOR, plan(node("c"))).seq == 2
    assert store.verify() == ()


def test_a_write_is_all_or_nothing_when_the_plan_fails(store):
    def fails(view, moment):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.apply(OPERATOR, fails)
    assert everything(store) == set()
    assert store.apply(OPERATOR, plan(node("a"))).seq == 1


def test_time_is_strictly_monotone_even_when_the_clock_stands_or_runs_back(store, clock):
    times = []

    def note(view, moment):
        times.append(moment)
        return Changes()

    def note_and_fail(view, moment):
        times.append(moment)
        raise ZeroDivisionError

    for step in (0, 0, -60, 5):
        clock.advance(step)
        store.apply(OPERATOR, note)
        with pytest.raises(ZeroDivisionError):
            store.apply(OPERATOR, note_and_fail)
    assert times == sorted(set(times))


def test_an_idempotency_key_answers_with_the_former_result_without_deciding(store):
    first = store.apply(OPERATOR, plan(node("a"), result={"made": ["a"]}), idempotency_key="k")

    def never(view, moment):
        raise AssertionError

    again = store.apply(OPERATOR, never, idempotency_key="k")
    assert (again.result, again.seq, again.replayed) == (first.result, first.seq, True)
    assert not first.replayed


def test_an_idempotency_key_belongs_to_its_principal(store):
    ann = restricted_grant("ann", repository_claims=("*",))
    bob = restricted_grant("bob", repository_claims=("*",))
    store.apply(ann, plan(node("a"), result="ann's"), idempotency_key="k")
    assert store.apply(bob, plan(node("b"), result="bob's"), idempotency_key="k").result == "bob's"


def test_a_kept_result_is_forgotten_with_the_item_it_tells_of(store):
    store.apply(OPERATOR, plan(node("a"), node("b"), result="a and b"), idempotency_key="k")
    store.apply(OPERATOR, plan(drop=["a"]))
    again = store.apply(OPERATOR, plan(node("a")), idempotency_key="k")
    assert (again.replayed, again.result) == (True, None)
    assert everything(store) == {"b"}


def test_an_empty_change_keeps_the_sequence_and_remembers_its_key(store):
    assert store.apply(OPERATOR, plan(result=1), idempotency_key="k").seq == 0
    assert store.apply(OPERATOR, plan(result=2), idempotency_key="k").result == 1


def test_the_plan_sees_what_was_written_before(store):
    store.apply(OPERATOR, plan(node("a")))

    def decide(view, moment):
        assert view.seq == 1
        return Changes(put=(node("b"),), result=sorted(view.get(["a", "b"], SHARED)))

    assert store.apply(OPERATOR, decide).result == ["a"]


def test_the_repository_scope_needs_the_write_right_and_private_scopes_the_read_right(store):
    store.apply(OPERATOR, plan(node("a"), node("b"), edge("a", "b")))
    store.apply(READER, plan(node("m", scope=MINE), node("s", scope="system")))
    for forbidden in (plan(node("c")), plan(drop=["a"]), plan(node("a", scope=MINE)), plan(node("m"))):
        with pytest.raises(Denied):
            store.apply(READER, forbidden)
    store.apply(READER, plan(drop=["m", "s"]))
    assert everything(store) == {"a", "b", "a-USES-b"}


def test_a_drop_may_not_take_along_an_edge_that_the_principal_may_not_drop(store):
    store.apply(READER, plan(node("m", scope=MINE)))
    store.apply(OPERATOR, plan(node("a"), edge("a", "m")))
    with pytest.raises(Denied):
        store.apply(READER, plan(drop=["m"]))


def test_nothing_is_read_or_written_without_a_right(store):
    nobody = restricted_grant("eve", repository_claims=("github.com/else/where",))
    with pytest.raises(Denied), store.read(nobody):
        raise AssertionError
    with pytest.raises(Denied):
        store.apply(nobody, plan(node("a", scope=MINE)))
    with pytest.raises(Denied):
        store.drop_scope(nobody, MINE)


def test_dropping_a_scope_removes_its_items_and_nothing_else(store):
    store.apply(OPERATOR, plan(node("a", "fox"), node("m", "fox", scope=MINE), node("n", scope=MINE)))
    store.apply(OPERATOR, plan(edge("m", "n", scope=MINE), edge("a", "n", scope="system"), vectors=[vector("m", 1.0)]))
    assert store.drop_scope(READER, MINE) == 3
    assert store.drop_scope(READER, MINE) == 0
    assert everything(store) == {"a"}
    with store.read(OPERATOR) as view:
        assert view.seq == 3
        assert {line.item for line in view.changes(2, limit=9) if line.dropped} == {"m", "n", "m-USES-n", "a-USES-n"}
        assert view.counts((*SHARED, MINE, "system")) == {("facts", "entity", "repository"): 1}
    assert store.verify() == ()


def test_emptying_the_repository_scope_needs_the_admin_right(store):
    store.apply(OPERATOR, plan(node("a")))
    writer = restricted_grant("wim", repository_claims=("*",))
    with pytest.raises(Denied):
        store.drop_scope(writer, "repository")
    assert store.drop_scope(OPERATOR, "repository") == 1


def test_a_lease_is_held_by_one_holder_until_it_runs_out(store, clock):
    assert store.lease("worker", "p1", 10)
    assert not store.lease("worker", "p2", 10)
    assert store.lease("other", "p2", 10)
    clock.advance(8)
    assert store.lease("worker", "p1", 10)
    clock.advance(8)
    assert not store.lease("worker", "p2", 10)
    clock.advance(2)
    assert store.lease("worker", "p2", 10)
    assert not store.lease("worker", "p1", 10)


def test_a_lease_of_no_time_gives_it_back(store):
    assert store.lease("worker", "p1", 10)
    assert store.lease("worker", "p1", 0)
    assert store.lease("worker", "p2", 10)


def test_writers_in_threads_are_served_one_after_the_other(store):
    def count(view, moment):
        former = view.get(["counter"], SHARED)
        number = former["counter"].body["count"] + 1 if former else 1
        return Changes(put=(node("counter", count=number, at=moment),), result=[number, moment])

    with ThreadPoolExecutor(4) as threads:
        results = [applied.result for applied in threads.map(lambda _: store.apply(OPERATOR, count), range(60))]
    assert sorted(number for number, _ in results) == list(range(1, 61))
    in_order = [moment for _, moment in sorted(results)]
    assert in_order == sorted(set(in_order))


def test_two_repositories_do_not_see_each_other(make_store):
    mine, other = make_store(), make_store(Repository(identity="other", id="r_other"))
    mine.apply(OPERATOR, plan(node("a")))
    assert everything(other) == set()
    assert other.apply(OPERATOR, plan(node("a"))).seq == 1
