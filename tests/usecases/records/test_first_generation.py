"""Stores and files in the public layouts of the first generation are read; written by hand from their field lists."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from remora.adapters.record_files.federation import open_peer
from remora.core.errors import Corrupt
from remora.core.records import codec
from remora.core.records.model import AccessScope, PathChange
from remora.core.records.vocabulary import (
    Lifecycle,
    PathChangeKind,
    RecordKind,
    Relation,
    ScopeKind,
    VerificationStatus,
)
from remora.core.scope import operator_grant
from remora.usecases.evaluate_records import evaluate_records
from remora.usecases.explain_history import explain_history
from remora.usecases.export_records import export_records
from remora.usecases.import_artifacts import ImportArtifactsRequest, import_artifacts
from remora.usecases.import_records import import_bundle, import_store
from remora.usecases.known_pitfalls import known_pitfalls

HERE = Path(__file__).resolve().parents[2] / "fixtures" / "first_generation"
RECORDS = {json.loads(path.read_text())["version"]: path for path in (HERE / "memory" / "records").iterdir()}
OPERATOR = operator_grant()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A checkout as the first generation leaves it, snapshot of its index included."""
    shutil.copytree(HERE / "memory", tmp_path / "checkout" / ".synaptic" / "memory")
    return tmp_path / "checkout"


def test_every_field_of_version_three_is_read_and_written_back_as_it_was() -> None:
    data = RECORDS[3].read_bytes()
    parsed = codec.parse(data)
    record = parsed.record
    assert not parsed.verified
    assert codec.undigested(record) == json.loads(data)
    assert list(codec.undigested(record)) == list(json.loads(data))
    assert (record.kind, record.lifecycle, record.owner) == (RecordKind.FAILED_ATTEMPT, Lifecycle.ACTIVE, "ann")
    assert record.access_scope == AccessScope(ScopeKind.WORKSPACE, "core")
    assert record.verification.status is VerificationStatus.FAILED
    assert record.symbol_changes[0].new.label == "refresh_session"
    assert record.path_changes[0] == PathChange(PathChangeKind.RENAMED, "src/auth.rs", "src/session.rs")
    assert record.targets(Relation.FAILED_BECAUSE) == ("https://github.com/acme/api/issues/7",)


def test_the_first_layouts_are_read_with_the_narrowest_scope() -> None:
    first, second = (codec.parse(RECORDS[version].read_bytes()).record for version in (1, 2))
    assert first.access_scope.scope is ScopeKind.PRIVATE
    assert (first.confidence, first.lifecycle) == (1.0, Lifecycle.ACTIVE)
    assert second.access_scope.scope is ScopeKind.REPOSITORY
    assert second.paths == ("src/lock.rs",)


def test_a_store_is_imported_whole_and_only_once(make_bag: Callable[[str], Any], store: Path) -> None:
    bag = make_bag("ours")
    assert import_store(bag, OPERATOR, open_peer(store)).recorded == 3
    again = import_store(bag, OPERATOR, open_peer(store))
    assert (again.recorded, again.already_present, again.conflicts, again.bad) == (0, 3, (), ())
    report = bag.records.verify()
    assert (report.records, report.unverifiable) == (3, 0)
    hits = explain_history(bag, OPERATOR, "refresh_session").hits
    assert [hit.record.idempotency_key for hit in hits] == ["agent-task-42"]


def test_a_bundle_is_read_and_a_changed_one_refused(make_bag: Callable[[str], Any]) -> None:
    data = (HERE / "bundle.json").read_bytes()
    bag = make_bag("ours")
    assert import_bundle(bag, OPERATOR, data).recorded == 3
    with pytest.raises(Corrupt):
        import_bundle(bag, OPERATOR, data.replace(b"deadlocked", b"unlocked"))
    back = json.loads(export_records(bag, OPERATOR, legacy=True))
    given = json.loads(data)
    assert back["schema"] == given["schema"]
    assert [row["id"] for row in back["records"]] == [row["id"] for row in given["records"]]
    newest = next(row for row in given["records"] if row["version"] == 3)
    assert newest in back["records"]


def test_every_kind_of_artifact_is_read(make_bag: Callable[[str], Any]) -> None:
    bag = make_bag("ours")
    bag.checkout, bag.symbol = SimpleNamespace(root=bag.home.parent), lambda name: None
    data = (HERE / "artifacts.json").read_bytes()
    done = import_artifacts(bag, OPERATOR, ImportArtifactsRequest(data=data))
    assert (done.recorded, done.bad, done.ignored_fields) == (10, (), ())
    kinds = {item["kind"] for item in json.loads(data)["artifacts"]}
    with bag.record_index.view(OPERATOR) as view:
        assert view.total == len(kinds) == 10
    (run,) = [hit.record for hit in known_pitfalls(bag, OPERATOR, "refresh_token").hits]
    assert (run.kind, run.branch, run.verification.commands) == (RecordKind.CI_RUN, "main", ("cargo test",))
    assert run.paths == ("src/auth.rs",)


def test_a_benchmark_is_read_and_run(make_bag: Callable[[str], Any]) -> None:
    bag = make_bag("ours")
    import_bundle(bag, OPERATOR, (HERE / "bundle.json").read_bytes())
    report = evaluate_records(bag, OPERATOR, (HERE / "benchmark.json").read_bytes())
    assert (report.cases, report.recall_at_1, report.misses) == (2, 1.0, ())
