"""Importing artifacts into a real log: once, superseding, private, without secrets, and with every fault told."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from remora.core.errors import InvalidInput
from remora.core.records.model import PRIVATE
from remora.core.records.schema import ARTIFACTS_SCHEMA
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import Grant, operator_grant, restricted_grant
from remora.usecases.import_artifacts import ImportArtifactsRequest, ImportArtifactsResult, import_artifacts
from remora.usecases.known_pitfalls import known_pitfalls

OPERATOR = operator_grant()
REPO = "https://github.com/acme/api"
Import = Callable[..., ImportArtifactsResult]


def an_item(number: int = 42, **changes: object) -> dict[str, object]:
    return {
        "kind": "issue",
        "external_id": str(number),
        "title": f"Refresh deadlocks {number}",
        "summary": "The session mutex is held across network I/O.",
        "source_uri": f"{REPO}/issues/{number}",
        "repository": "acme/api",
        "occurred_at": 1_700_000_000 + number,
    } | changes


@pytest.fixture
def take(bag: Any) -> Import:
    bag.checkout = SimpleNamespace(root=bag.home.parent)
    bag.symbol = lambda name: ("code:src/auth.py#refresh", "src/auth.py") if name == "refresh" else None

    def run(*items: object, grant: Grant = OPERATOR) -> ImportArtifactsResult:
        data = json.dumps({"schema": ARTIFACTS_SCHEMA, "artifacts": items}).encode()
        return import_artifacts(bag, grant, ImportArtifactsRequest(data=data))

    return run


def test_an_artifact_is_recorded_once_however_often_it_is_imported(take: Import, bag: Any) -> None:
    assert take(an_item()).recorded == 1
    again = take(an_item(), an_item(43))
    assert (again.recorded, again.already_present, again.changed) == (1, 1, 0)
    assert len(bag.search("refresh")) == 2


def test_a_changed_version_hides_the_former_one_and_may_come_back(take: Import, bag: Any) -> None:
    take(an_item())
    changed = take(an_item(title="Refresh is slow"))
    assert (changed.recorded, changed.changed) == (1, 1)
    assert len(bag.search()) == 1
    back = take(an_item())
    assert (back.recorded, back.changed, back.restored) == (1, 1, 1)
    assert take(an_item()).already_present == 1
    (key,) = bag.search()
    assert ":restore:mem_" in key
    assert len(bag.search(include_superseded=True)) == 3


def test_bad_items_are_told_with_place_and_field_and_lose_no_other(take: Import, bag: Any) -> None:
    done = take(an_item(1), an_item(2, kind="dream"), 7, an_item(3, external_id=" "), an_item(4))
    assert done.recorded == 2
    assert done.seen == 5
    assert [(bad.index, bad.field) for bad in done.bad] == [(1, "kind"), (2, "item"), (3, "external_id")]


def test_one_thing_twice_in_a_file_counts_once_and_two_versions_of_it_are_a_fault(take: Import, bag: Any) -> None:
    done = take(an_item(1), an_item(1), an_item(1, title="Other"))
    assert (done.recorded, done.already_present) == (1, 1)
    assert [(bad.index, bad.field) for bad in done.bad] == [(2, "external_id")]
    assert "item 0" in done.bad[0].problem


def test_secrets_stay_out_of_every_text_and_the_second_import_still_knows_the_first(take: Import, bag: Any) -> None:
    item = an_item(
        title="hunter2 leaks", summary="see hunter2", source_uri=f"{REPO}/issues/hunter2", status="open",
        verification_commands=["login hunter2"], verification_notes="hunter2", branch="hunter2",
        links=[{"relation": "fixed", "target": "x://hunter2"}], affected_symbols=["hunter2"],
        affected_files=["src/hunter2.py"], external_id="hunter2",
    )  # fmt: skip
    assert take(item).recorded == 1
    stored = b"".join(path.read_bytes() for path in bag.home.rglob("*") if path.is_file())
    assert b"hunter2" not in stored
    assert take(item).already_present == 1
    assert take(item | {"status": "closed"}).changed == 1


def test_imports_are_private_unless_the_item_says_else(take: Import, bag: Any) -> None:
    ann = restricted_grant("ann", repository_claims=[REPO])
    take(an_item(1), an_item(2, scope="repository"), grant=ann)
    bob = restricted_grant("bob", repository_claims=[REPO])
    assert len(bag.search(grant=ann)) == 2
    assert len(bag.search(grant=bob)) == 1


def test_who_imports_what_another_holds_in_private_sees_no_trace_of_it(take: Import, bag: Any) -> None:
    ann, bob = restricted_grant("ann"), restricted_grant("bob")
    take(an_item(), grant=ann)
    alone = take(an_item(7), grant=bob)
    done = take(an_item(), grant=bob)
    assert done == alone
    assert take(an_item(title="Changed"), grant=bob).changed == 1
    assert len(bag.search(grant=ann)) == 1
    assert take(an_item(), grant=ann).already_present == 1


def test_an_item_that_the_principal_may_not_write_is_told_and_loses_no_other(take: Import, bag: Any) -> None:
    reader = restricted_grant("ann")
    items = (an_item(1), an_item(2, scope="repository"), an_item(3, scope="workspace", workspace="core"))
    done = take(*items, grant=reader)
    assert done.recorded == 1
    assert [(bad.index, bad.field) for bad in done.bad] == [(1, "scope"), (2, "scope")]


def test_an_operator_imports_beside_a_private_record_that_has_the_same_key(
    take: Import, bag: Any, make_bag: Callable[[str], Any]
) -> None:
    take(an_item())
    (key,) = bag.search()
    other = make_bag("other")
    other.checkout, other.symbol = bag.checkout, bag.symbol
    other.add(key, kind=RecordKind.ISSUE, owner="ann", access_scope=PRIVATE)
    data = json.dumps({"schema": ARTIFACTS_SCHEMA, "artifacts": [an_item()]}).encode()
    first, second = (import_artifacts(other, OPERATOR, ImportArtifactsRequest(data=data)) for _ in range(2))
    assert (first.recorded, first.conflicts) == (1, ())
    assert (second.already_present, second.conflicts) == (1, ())


def test_pitfalls_of_a_file_and_of_a_symbol_come_from_artifacts(take: Import, bag: Any) -> None:
    take(
        an_item(1, kind="review_finding", status="rejected", affected_symbols=["refresh"]),
        an_item(2, kind="ci_run", verification_status="failed", affected_files=["src/auth.py"]),
        an_item(3, kind="ci_run", verification_status="passed", affected_files=["src/auth.py"]),
    )
    titles = [hit.record.title for hit in known_pitfalls(bag, OPERATOR, "src/auth.py").hits]
    assert sorted(titles) == ["Refresh deadlocks 1", "Refresh deadlocks 2"]


def test_many_artifacts_become_one_segment_and_import_again_as_present(take: Import, bag: Any) -> None:
    items = [an_item(number) for number in range(1_200)]
    assert take(*items).recorded == 1_200
    assert len(list((bag.home / "memory").rglob("*.json"))) == 0
    again = take(*items[:1_199], an_item(1_199, title="Changed"))
    assert (again.already_present, again.changed) == (1_199, 1)


def test_an_unknown_format_is_refused_with_those_that_are_known(bag: Any, take: Import) -> None:
    with pytest.raises(InvalidInput, match="junit"):
        import_artifacts(bag, OPERATOR, ImportArtifactsRequest(data=b"{}", format="jira"))


def test_a_test_that_passes_again_takes_the_place_of_its_failure(take: Import, bag: Any) -> None:
    def report(day: int, body: str) -> ImportArtifactsResult:
        case = f"<testcase classname='tests.test_a' name='test_one' file='tests/test_a.py'>{body}</testcase>"
        data = f"<testsuite name='s' timestamp='2024-05-0{day}T00:00:00'>{case}<testcase name='other'/></testsuite>"
        return import_artifacts(bag, OPERATOR, ImportArtifactsRequest(data=data.encode()))

    first = report(1, "")
    assert (first.seen, first.recorded) == (1, 1)
    assert report(2, "<failure message='no'/>").recorded == 2
    assert len(known_pitfalls(bag, OPERATOR, "tests/test_a.py").hits) == 2
    passed = report(3, "")
    assert (passed.seen, passed.recorded, passed.changed) == (2, 2, 2)
    assert known_pitfalls(bag, OPERATOR, "tests/test_a.py").hits == ()
    later = report(4, "")
    assert (later.seen, later.recorded, later.already_present) == (1, 1, 0)
