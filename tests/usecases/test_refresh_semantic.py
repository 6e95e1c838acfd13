"""Parts of the code keep their identity, and their summaries keep up with the code and say nothing twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change_desk import Desk
from code_checkout import GRANT
from remora.core.codegraph.communities import stable_ids
from remora.core.errors import Denied, NotFound
from remora.core.records.codec import parse
from remora.core.records.indexed import Narrowing
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import Right, restricted_grant
from remora.usecases.get_community import CommunityRequest, get_community
from remora.usecases.refresh_semantic import refresh_semantic


def cluster(name: str, size: int = 6) -> str:
    """A file whose functions all call the first one."""
    first = f'def {name}_core():\n    """Centre of {name}."""\n'
    return first + "".join(f"def {name}_{i}():\n    return {name}_core()\n" for i in range(size))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "repo")
    made.put("shop/cart.py", cluster("cart")).put("shop/pay.py", cluster("pay"))
    made.put("mail/send.py", cluster("send"))
    made.commit("Start")
    made.index()
    yield made
    made.record_index.close()


def told(desk: Desk) -> dict[str, Record]:
    """Title -> summary, of those that ordinary reads show."""
    with desk.record_index.view(GRANT) as view:
        items, _ = view.newest(Narrowing(kinds=frozenset({RecordKind.SEMANTIC_SUMMARY})), limit=1_000)
        superseded = superseders(items, view.linking)
        return {r.title: r for r in (parse(i.data).record for i in items if not hidden(i, superseded))}


def part_of(desk: Desk, name: str) -> str:
    return get_community(desk, GRANT, CommunityRequest(name)).parts[0].id


def test_parts_are_found_with_labels_and_members(desk: Desk) -> None:
    answer = get_community(desk, GRANT, CommunityRequest())
    assert {part.label for part in answer.parts} == {"shop: cart_core", "shop: pay_core", "mail: send_core"}
    (part,) = get_community(desk, GRANT, CommunityRequest("cart_core")).parts
    assert part.files == ("shop/cart.py",)
    assert part.central[0] == "python:shop/cart.py#cart_core"
    assert "python:shop/cart.py#cart_3" in part.members
    assert get_community(desk, GRANT, CommunityRequest(part.id)).parts[0].members == part.members
    with pytest.raises(NotFound):
        get_community(desk, GRANT, CommunityRequest("nothing"))


def test_ids_survive_edits_and_follow_the_larger_share(desk: Desk) -> None:
    before = {name: part_of(desk, f"{name}_core") for name in ("cart", "pay", "send")}
    desk.put("shop/cart.py", cluster("cart", 9)).put("mail/other.py", cluster("other"))
    assert {name: part_of(desk, f"{name}_core") for name in before} == before
    assert part_of(desk, "other_core") not in before.values()


def test_two_builds_find_the_same_parts(desk: Desk, tmp_path: Path) -> None:
    first = get_community(desk, GRANT, CommunityRequest(budget_chars=100_000)).parts
    (desk.root / ".remora/cache/communities.json").unlink()
    desk.index(full=True)
    assert get_community(desk, GRANT, CommunityRequest(budget_chars=100_000)).parts == first


def test_a_damaged_cache_is_the_same_as_none(desk: Desk) -> None:
    part_of(desk, "cart_core")
    path = desk.root / ".remora/cache/communities.json"
    for data in (b"", b"{", b"[]", b'{"layout": 1}', path.read_bytes()[:-40]):
        path.write_bytes(data)
        assert desk.communities.load() is None
        assert part_of(desk, "cart_core")


def test_summaries_cite_their_part_and_write_nothing_when_nothing_changed(desk: Desk) -> None:
    first = refresh_semantic(desk, GRANT)
    assert (first.parts, first.recorded, first.unchanged, first.removed) == (3, 3, 0, 0)
    record = told(desk)["Part of the code: shop: cart_core"]
    assert record.sources[0].uri == f"graph:community/{part_of(desk, 'cart_core')}"
    assert record.sources[0].revision == desk.git.resolve("HEAD")
    assert len(record.sources[0].digest) == 64
    assert "Centre of cart." in record.summary
    assert record.affected_symbols[0].node_id == "python:shop/cart.py#cart_core"
    again = refresh_semantic(desk, GRANT)
    assert (again.recorded, again.unchanged, again.removed) == (0, 3, 0)
    desk.put("shop/pay.py", cluster("pay") + "# a remark\n")
    assert refresh_semantic(desk, GRANT).recorded == 0


def test_a_changed_part_supersedes_and_may_come_back(desk: Desk) -> None:
    refresh_semantic(desk, GRANT)
    text = cluster("cart")
    desk.put("shop/cart.py", text.replace("Centre of cart.", "Heart of cart."))
    changed = refresh_semantic(desk, GRANT)
    assert (changed.recorded, changed.changed) == (1, 1)
    assert "Heart" in told(desk)["Part of the code: shop: cart_core"].summary
    desk.put("shop/cart.py", text)
    assert refresh_semantic(desk, GRANT).recorded == 1
    assert "Centre" in told(desk)["Part of the code: shop: cart_core"].summary
    assert len(told(desk)) == 3


def test_a_vanished_part_is_taken_back_once_and_may_return(desk: Desk) -> None:
    refresh_semantic(desk, GRANT)
    (desk.root / "mail/send.py").unlink()
    gone = refresh_semantic(desk, GRANT)
    assert (gone.removed, gone.recorded) == (1, 0)
    assert len(told(desk)) == 2
    assert refresh_semantic(desk, GRANT).removed == 0
    desk.put("mail/send.py", cluster("send"))
    back = refresh_semantic(desk, GRANT)
    assert (back.recorded, back.removed) == (1, 0)
    assert len(told(desk)) == 3


def test_a_lost_cache_gives_no_part_a_new_name(desk: Desk) -> None:
    refresh_semantic(desk, GRANT)
    desk.put("shop/cart.py", cluster("cart", 9))
    refresh_semantic(desk, GRANT)
    before = set(told(desk))
    (desk.root / ".remora/cache/communities.json").unlink()
    after = refresh_semantic(desk, GRANT)
    assert (after.recorded, after.removed) == (0, 0)
    assert set(told(desk)) == before


def test_secrets_in_docs_stay_out_of_summaries(desk: Desk) -> None:
    desk.put("shop/cart.py", cluster("cart").replace("Centre of cart.", "Password hunter2."))
    refresh_semantic(desk, GRANT)
    assert "hunter2" not in told(desk)["Part of the code: shop: cart_core"].summary


def test_nobody_writes_summaries_without_the_right(desk: Desk) -> None:
    reader = restricted_grant("eve", repository_claims=["*"], right=Right.READ)
    with pytest.raises(Denied):
        refresh_semantic(desk, reader)


@given(st.lists(st.sets(st.text("abcdefghij", min_size=1, max_size=2), min_size=1), max_size=8))
def test_ids_are_never_given_twice_and_an_equal_part_keeps_its_own(sets: list[set[str]]) -> None:
    groups: list[list[str]] = []
    seen: set[str] = set()
    for found in sets:
        if found - seen:
            groups.append(sorted(found - seen))
            seen |= found
    first = stable_ids(groups, {})
    assert len(set(first)) == len(groups)
    assert stable_ids(groups, dict(zip(first, groups, strict=True))) == first
