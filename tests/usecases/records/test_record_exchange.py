"""Revising records and exchanging them: new records instead of edits, bundles, foreign stores, peers, evaluation."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.adapters.record_files.federation import FederatedRecordLog, open_peer
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core import ids
from remora.core.errors import Conflict, Corrupt, Denied, InvalidInput, NotFound
from remora.core.records import codec
from remora.core.records.bundle import encode_bundle
from remora.core.records.evaluation import Gates
from remora.core.records.indexed import Narrowing
from remora.core.records.log import AppendOutcome
from remora.core.records.model import SHARED, AccessScope, Link, Record, SourceArtifact
from remora.core.records.revision import Correction, correction, linking, promotion, reactivation, retraction
from remora.core.records.search import RecordQuery, search
from remora.core.records.vocabulary import Lifecycle, RecordKind, Relation, ScopeKind
from remora.core.scope import Grant, operator_grant, restricted_grant
from remora.usecases.evaluate_records import evaluate_records
from remora.usecases.export_records import export_records
from remora.usecases.get_record import get_record
from remora.usecases.import_records import import_bundle, import_store
from remora.usecases.revise_record import revise_record

OPERATOR = operator_grant()
REPO = "https://github.com/acme/api"
MakeBag = Callable[[str], Any]


@pytest.fixture
def bag(make_bag: MakeBag) -> Any:
    return make_bag("one")


def found(bag: Any, text: str, grant: Grant = OPERATOR, **query: object) -> list[str]:
    names: list[str] = bag.search(text, grant=grant, **query)
    return names


# --- Revising ---------------------------------------------------------------------------------------------------------


def test_a_retraction_hides_its_record_and_is_itself_not_shown(bag: Any) -> None:
    record = bag.add("it", title="policy")
    done = revise_record(bag, OPERATOR, record.id, retraction("It was a misreading."))
    assert done.record.idempotency_key == f"it:retract:{record.id}"
    assert (done.record.kind, done.record.lifecycle) == (record.kind, Lifecycle.RETRACTED)
    assert found(bag, "policy") == []
    assert get_record(bag, OPERATOR, record.id).record == record
    again = revise_record(bag, OPERATOR, record.id, retraction("It was a misreading."))
    assert again.outcome is AppendOutcome.ALREADY_PRESENT


def test_a_correction_takes_its_place_and_retracting_it_brings_the_first_back(bag: Any) -> None:
    record = bag.add("it", title="policy", summary="old words")
    change = Correction(summary="new words", confidence=0.7, verification_status="passed", source_uri="https://x/1")
    corrected = revise_record(bag, OPERATOR, record.id, correction(change)).record
    assert found(bag, "policy") == [corrected.idempotency_key]
    assert corrected.sources == (*record.sources, SourceArtifact("correction", "https://x/1"))
    revise_record(bag, OPERATOR, corrected.id, retraction("wrong"))
    assert found(bag, "policy") == ["it"]


def test_a_chain_of_many_corrections_keeps_its_key_short_and_shows_the_last(bag: Any) -> None:
    record = bag.add("it", title="policy")
    for number in range(40):
        record = revise_record(bag, OPERATOR, record.id, correction(Correction(summary=f"v{number}"))).record
    assert len(record.idempotency_key) < 60
    assert found(bag, "policy") == [record.idempotency_key]


def test_a_retracted_record_comes_back_as_a_new_one_derived_from_it(bag: Any) -> None:
    record = bag.add("it", title="policy")
    revise_record(bag, OPERATOR, record.id, retraction("no"))
    back = revise_record(bag, OPERATOR, record.id, reactivation()).record
    assert back.targets(Relation.DERIVED_FROM) == (record.id,)
    assert found(bag, "policy") == [back.idempotency_key]
    revise_record(bag, OPERATOR, back.id, retraction("no again"))
    revise_record(bag, OPERATOR, back.id, reactivation())
    assert len(found(bag, "policy")) == 1


def test_a_promotion_widens_the_audience_and_hides_the_private_record(bag: Any) -> None:
    ann = restricted_grant("ann", repository_claims=[REPO], workspace_claims=["w"])
    bob = restricted_grant("bob", repository_claims=[REPO])
    private = bag.add("it", title="policy", access_scope=AccessScope(), owner="ann")
    middle = revise_record(bag, ann, private.id, promotion("workspace", "w")).record
    assert found(bag, "policy", grant=bob) == []
    last = revise_record(bag, ann, middle.id, promotion("repository")).record
    for grant in (ann, bob, OPERATOR):
        assert found(bag, "policy", grant=grant) == [last.idempotency_key]
    with pytest.raises(InvalidInput, match="scope"):
        revise_record(bag, ann, last.id, promotion("private"))


def test_a_link_is_a_new_record_with_one_more_link(bag: Any) -> None:
    record = bag.add("it", title="policy", links=(Link(Relation.FIXED, "#1"),))
    linked = revise_record(bag, OPERATOR, record.id, linking("motivated_by", "https://x/2")).record
    assert linked.targets(Relation.MOTIVATED_BY) == ("https://x/2",)
    assert linked.targets(Relation.FIXED) == ("#1",)
    assert found(bag, "policy") == [linked.idempotency_key]
    with pytest.raises(InvalidInput, match="relation"):
        revise_record(bag, OPERATOR, linked.id, linking("likes", "x"))


def test_only_who_may_write_a_record_may_revise_it(bag: Any) -> None:
    reader = restricted_grant("bob", allow_private=True)
    private = bag.add("it", access_scope=AccessScope(), owner="ann")
    shared = bag.add("shared")
    with pytest.raises(Denied):
        revise_record(bag, reader, private.id, retraction("x"))
    for record_id in (shared.id, Record.create(idempotency_key="absent", kind=RecordKind.ISSUE, title="x", summary="",
                      repository=REPO, occurred_at=1, sources=[SourceArtifact("a", "b")]).id):  # fmt: skip
        with pytest.raises(NotFound):
            revise_record(bag, reader, record_id, retraction("x"))
    with pytest.raises(InvalidInput):
        revise_record(bag, OPERATOR, "../../x", retraction("x"))
    with pytest.raises(InvalidInput, match="nothing"):
        revise_record(bag, OPERATOR, shared.id, correction(Correction()))


# --- Bundles ----------------------------------------------------------------------------------------------------------


def test_a_bundle_carries_everything_visible_and_importing_it_twice_changes_nothing(make_bag: MakeBag) -> None:
    one, two = make_bag("one"), make_bag("two")
    for number in range(70):
        one.add(f"k{number}", title="policy")
    one.add("emoji 🚀", title="数据库")
    data = export_records(one, OPERATOR)
    first, second = import_bundle(two, OPERATOR, data), import_bundle(two, OPERATOR, data)
    assert (first.recorded, first.already_present) == (71, 0)
    assert (second.recorded, second.already_present) == (0, 71)
    assert export_records(two, OPERATOR) == data
    body = json.loads(data)
    assert [row["id"] for row in body["records"]] == sorted(row["id"] for row in body["records"])


def test_a_legacy_bundle_is_the_public_layout_and_both_layouts_are_read(make_bag: MakeBag) -> None:
    one, two = make_bag("one"), make_bag("two")
    one.add("k")
    data = export_records(one, OPERATOR, legacy=True)
    body = json.loads(data)
    assert body["schema"] == "synaptic.memory-bundle/v1"
    assert "digest" not in body["records"][0]
    assert import_bundle(two, OPERATOR, data).recorded == 1


def test_a_changed_bundle_is_refused_and_numbers_may_be_spelt_otherwise(make_bag: MakeBag) -> None:
    one, two = make_bag("one"), make_bag("two")
    one.add("k", confidence=0.5)
    data = export_records(one, OPERATOR)
    with pytest.raises(Corrupt):
        import_bundle(two, OPERATOR, data.replace(b"happened", b"happenec"))
    for wrong in (b"", b"{}", b'{"schema":"x"}', b'{"schema":"remora.memory-bundle/v1","records":3}'):
        with pytest.raises((Corrupt, InvalidInput)):
            import_bundle(two, OPERATOR, wrong)
    rows = json.dumps([codec.undigested(one.add("e"))], separators=(",", ":")).replace("1.0", "1e0")
    text = f'{{"schema":"remora.memory-bundle/v1","records":{rows},"digest":"{ids.digest(rows.encode())}"}}'
    assert import_bundle(two, OPERATOR, text.encode()).recorded == 1


def test_one_bad_record_of_a_bundle_loses_no_other(make_bag: MakeBag) -> None:
    one, two = make_bag("one"), make_bag("two")
    rows: list[Any] = [codec.to_json(one.add("k1")), codec.to_json(one.add("k2")), {"id": "mem_x"}, 3]
    rows[1]["kind"] = "rumour"
    body = {
        "schema": "remora.memory-bundle/v1",
        "records": rows,
        "digest": ids.digest(codec.canonical(rows)),
    }
    done = import_bundle(two, OPERATOR, json.dumps(body).encode())
    assert (done.recorded, len(done.bad)) == (1, 3)


def test_bundles_are_filtered_by_the_principal_both_ways_and_private_records_belong_to_their_importer(
    make_bag: MakeBag,
) -> None:
    one, two = make_bag("one"), make_bag("two")
    ann = restricted_grant("ann", repository_claims=[REPO])
    bob = restricted_grant("bob")
    one.add("private of ann", access_scope=AccessScope(), owner="ann", title="policy")
    one.add("private of eve", access_scope=AccessScope(), owner="eve", title="policy")
    one.add("shared", title="policy")
    exported = json.loads(export_records(one, ann))["records"]
    assert {row["idempotency_key"] for row in exported} == {"private of ann", "shared"}
    done = import_bundle(two, bob, export_records(one, OPERATOR))
    assert (done.recorded, done.denied) == (2, 1)
    assert sorted(found(two, "policy", grant=bob)) == ["private of ann:by:bob", "private of eve:by:bob"]
    again = import_bundle(two, bob, export_records(one, OPERATOR))
    assert (again.recorded, again.already_present, again.conflicts) == (0, 2, ())
    assert found(two, "policy", grant=ann) == []


@pytest.mark.parametrize("scope", [AccessScope(), SHARED, AccessScope(ScopeKind.WORKSPACE, "core")])
def test_a_crafted_bundle_learns_nothing_of_what_its_key_hides(make_bag: MakeBag, scope: AccessScope) -> None:
    """Whoever imports a record under the key of one that it may not see gets what it gets where there is none."""
    ann = restricted_grant("ann", repository_claims=[REPO], workspace_claims=["core"])
    guess = {"idempotency_key": "incident-7", "kind": RecordKind.INCIDENT, "title": "policy", "repository": REPO,
             "occurred_at": 5, "sources": [SourceArtifact("agent", "agent://x")]}  # fmt: skip
    for summary in ("the secret content", "another guess"):
        bundle = encode_bundle([Record.create(**guess, summary=summary, access_scope=scope)])
        seen = []
        for name in ("with", "without"):
            bag = make_bag(f"{name} {scope.scope} {summary}")
            if name == "with":
                hidden = Record.create(**guess, summary="the secret content", access_scope=AccessScope(), owner="eve")
                bag.records.append(OPERATOR, hidden)
            done = import_bundle(bag, ann, bundle)
            with bag.record_index.view(ann) as view:
                seen.append((done, [found.record for found in view.newest(Narrowing(), limit=9)[0]]))
        assert seen[0] == seen[1]


def test_secrets_are_redacted_on_the_way_in(make_bag: MakeBag) -> None:
    one, two = make_bag("one"), make_bag("two")
    one.add("k", summary="the password is hunter2")
    import_bundle(two, OPERATOR, export_records(one, OPERATOR))
    assert found(two, "password") == ["k"]
    assert all(b"hunter2" not in path.read_bytes() for path in two.home.rglob("*") if path.is_file())


# --- Foreign stores and peers -----------------------------------------------------------------------------------------


def a_foreign_store(folder: Path, *records: Record) -> Path:
    (folder / "records").mkdir(parents=True)
    for record in records:
        text = json.dumps(codec.undigested(record) | {"version": 2}, indent=2)
        (folder / "records" / f"{record.id}.json").write_text(text, encoding="utf-8")
    return folder


def test_a_store_of_the_first_generation_is_imported(make_bag: MakeBag, tmp_path: Path) -> None:
    one, two = make_bag("one"), make_bag("two")
    store = a_foreign_store(tmp_path / "checkout" / ".synaptic" / "memory", one.add("a"), one.add("b"))
    (store / "records" / "bad.json").write_text("{", encoding="utf-8")
    (store / "index.compact-v1.json").write_text("{}", encoding="utf-8")
    for place in (store, store.parent, store.parent.parent):
        done = import_store(two, OPERATOR, open_peer(place))
        assert done.recorded + done.already_present == 2
        assert len(done.bad) == 1
    assert two.records.verify().unverifiable == 0
    with pytest.raises(InvalidInput, match="peer"):
        open_peer(tmp_path / "nothing")


def federated(home: Path, own: FileRecordLog, *peers: Path) -> SqliteRecordIndex:
    log = FederatedRecordLog(own, [(str(peer), open_peer(peer)) for peer in peers])
    return SqliteRecordIndex(home / "cache" / "federated.sqlite3", log)


def test_peers_are_read_with_ours_and_equal_records_count_once(make_bag: MakeBag, tmp_path: Path) -> None:
    one, two = make_bag("one"), make_bag("two")
    shared = two.add("shared", title="policy")
    one.records.append(OPERATOR, shared)
    two.add("theirs", title="policy")
    one.add("ours", title="policy")
    index = federated(one.home, one.records, two.home)
    with index.view(OPERATOR) as view:
        hits = search(view, RecordQuery("policy")).hits
        assert {hit.record.idempotency_key for hit in hits} == {"shared", "theirs", "ours"}
        assert view.total == 3
    two.add("late", title="policy")
    with index.view(OPERATOR) as view:
        assert view.total == 4
    index.close()
    assert not (two.home / "cache").exists() or one.records.present([two.add("later").id]) == frozenset()


def test_what_stores_tell_differently_is_withheld_by_id_and_a_bad_peer_stops_nothing(
    make_bag: MakeBag, tmp_path: Path
) -> None:
    one, two = make_bag("one"), make_bag("two")
    record = one.add("same key", title="policy", summary="ours")
    two.add("same key", title="policy", summary="theirs")
    one.add("other", title="policy")
    broken = a_foreign_store(tmp_path / "broken")
    log = FederatedRecordLog(one.records, [("two", open_peer(two.home)), ("broken", open_peer(broken))])
    (broken / "records").rmdir()
    (broken / "records").write_text("not a folder", encoding="utf-8")
    index = SqliteRecordIndex(one.home / "cache" / "federated.sqlite3", log)
    for _ in range(2):
        with index.view(OPERATOR) as view:
            hits = search(view, RecordQuery("policy")).hits
            assert [hit.record.idempotency_key for hit in hits] == ["other"]
            bad = {item.record_id: item.unit for item in view.state.bad}
            assert "peer 1 (two)" in bad[record.id]
            assert "peer 2 (broken)" in bad[""]
    with pytest.raises(Conflict, match="peer 1"):
        log.get(OPERATOR, record.id)
    index.close()


# --- Evaluation -------------------------------------------------------------------------------------------------------


def test_a_manifest_is_judged_and_its_bars_are_a_gate(bag: Any) -> None:
    bag.add("lock", title="refresh lock deadlock")
    bag.add("cache", title="cache eviction")
    cases = [
        {"name": "hit", "query": "deadlock", "expected_sources": ["agent://task/lock"]},
        {"name": "miss", "query": "cache", "kinds": ["incident"], "expected_sources": ["agent://task/cache"]},
    ]
    manifest = json.dumps({"schema": "synaptic.memory-benchmark/v1", "cases": cases}).encode()
    report = evaluate_records(bag, OPERATOR, manifest, gates=Gates(0.4, 0.9, 0.1))
    assert (report.cases, report.recall_at_1, report.recall_at_5, report.mrr) == (2, 0.5, 0.5, 0.5)
    assert report.misses == ("miss",)
    assert [gate.split(":")[0] for gate in report.failed_gates] == ["min_mrr", "max_candidate_fraction"]


@pytest.mark.parametrize(
    "body",
    [
        {"schema": "x"}, {"schema": "remora.memory-benchmark/v1", "cases": []},
        {"schema": "remora.memory-benchmark/v1", "cases": [{"name": "a", "query": "b", "expected_sources": []}]},
        {"schema": "remora.memory-benchmark/v1", "cases": [{"name": 1, "query": "b", "expected_sources": ["x"]}]},
        {"schema": "remora.memory-benchmark/v1",
         "cases": [{"name": "a", "query": "b", "expected_sources": ["x"], "kinds": ["rumour"]}]},
    ],
)  # fmt: skip
def test_a_wrong_manifest_is_named(bag: Any, body: object) -> None:
    with pytest.raises(InvalidInput):
        evaluate_records(bag, OPERATOR, json.dumps(body).encode())
