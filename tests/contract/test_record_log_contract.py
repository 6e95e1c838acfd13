"""What every record log keeps: append once, conflicts, bulk, reading, compaction, hidden like absent."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contract.conftest import store_engines
from fakes.clock import FakeClock
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.store_records import StoreRecordLog
from remora.core import policy
from remora.core.errors import Conflict, Denied, InvalidInput, NotFound
from remora.core.records.log import AppendOutcome
from remora.core.records.model import SHARED, Record, SourceArtifact
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import Right, operator_grant, restricted_grant
from remora.ports import RecordLog
from store_shapes import REPO

OPERATOR = operator_grant()
MakeLog = Callable[[], RecordLog]


@pytest.fixture(params=["files", *sorted(store_engines())])
def make_log(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[MakeLog]:
    """Opens the same log each time, as another process would."""
    if request.param == "files":
        yield lambda: FileRecordLog(tmp_path / ".remora")
        return
    maker, opened = store_engines()[request.param], []

    def make() -> RecordLog:
        if request.param != "memory" or not opened:  # what is in memory is there for one opener
            opened.append(maker(tmp_path, REPO, clock))
        return StoreRecordLog(lambda: opened[-1])

    yield make
    for store in opened:
        store.close()


def a_record(key: str = "k", **changes: object) -> Record:
    fields: dict[str, object] = {
        "idempotency_key": key,
        "kind": RecordKind.FAILED_ATTEMPT,
        "title": f"Title of {key}",
        "summary": "Something happened.",
        "repository": "repo",
        "occurred_at": 1_700_000_000,
        "sources": (SourceArtifact("agent", "agent://task/1"),),
        "owner": "ann",
    }
    return Record.create(**(fields | changes))  # type: ignore[arg-type]


def everything(log: RecordLog) -> dict[str, Record]:
    names = [unit.name for unit in log.units()]
    return {stored.record.id: stored.record for content in log.read(names) for stored in content.records}


def test_a_record_is_stored_once_and_read_by_another_process(make_log: MakeLog) -> None:
    record = a_record()
    assert make_log().append(OPERATOR, record) is AppendOutcome.RECORDED
    assert make_log().append(OPERATOR, record) is AppendOutcome.ALREADY_PRESENT
    assert make_log().get(OPERATOR, record.id) == record
    assert everything(make_log()) == {record.id: record}


def test_a_key_that_says_something_else_is_a_conflict_and_the_first_content_stays(make_log: MakeLog) -> None:
    record = a_record()
    make_log().append(OPERATOR, record)
    with pytest.raises(Conflict):
        make_log().append(OPERATOR, a_record(summary="Something else."))
    assert make_log().get(OPERATOR, record.id) == record


def test_a_bulk_append_is_idempotent_and_reports_conflicts_without_losing_the_rest(make_log: MakeLog) -> None:
    log = make_log()
    log.append(OPERATOR, a_record("k7"))
    batch = [a_record(f"k{n}") for n in range(300)]
    batch[5] = a_record("k5", summary="first")
    batch.append(a_record("k5", summary="second"))
    outcome = log.append_many(OPERATOR, iter(batch))
    assert (outcome.recorded, outcome.already_present, outcome.conflicts) == (299, 1, ("k5",))
    again = make_log().append_many(OPERATOR, batch)
    assert (again.recorded, again.already_present, again.conflicts) == (0, 300, ("k5",))
    assert len(everything(make_log())) == 300
    with pytest.raises(Conflict):
        log.append(OPERATOR, a_record("k9", summary="other"))
    assert log.append(OPERATOR, a_record("k9")) is AppendOutcome.ALREADY_PRESENT


@pytest.mark.slow
def test_a_bulk_append_longer_than_a_unit_makes_two(make_log: MakeLog) -> None:
    few_units(make_log, policy.SEGMENT_RECORDS_MAX + 500, units=2)


def test_a_bulk_append_makes_few_units_and_reports_progress(make_log: MakeLog) -> None:
    few_units(make_log, policy.RECORD_STORE_BATCH + 500, units=1)


def few_units(make_log: MakeLog, count: int, *, units: int) -> None:
    seen: list[int] = []
    records = (a_record(f"k{n}") for n in range(count))
    make_log().append_many(OPERATOR, records, lambda done, total: seen.append(done))
    assert len(make_log().units()) == units
    assert seen[-1] == count
    last = f"k{count - 100}"
    assert make_log().get(OPERATOR, a_record(last).id).idempotency_key == last


def test_compaction_changes_units_and_never_content(make_log: MakeLog) -> None:
    log = make_log()
    for number in range(20):
        log.append(OPERATOR, a_record(f"k{number}"))
    log.append_many(OPERATOR, [a_record(f"b{number}") for number in range(100)])
    before = everything(log)
    done = log.compact()
    assert (done.folded, done.segments, done.kept, done.bad) == (20, 1, 0, ())
    assert everything(make_log()) == before
    assert len(log.units()) == 1
    assert log.compact().folded == 0
    for record in before.values():
        assert log.get(OPERATOR, record.id) == record


def test_present_names_what_the_log_holds_in_any_kind_of_unit(make_log: MakeLog) -> None:
    log = make_log()
    log.append(OPERATOR, a_record("loose"))
    log.append_many(OPERATOR, [a_record(f"b{number}") for number in range(100)])
    wanted = [a_record(key).id for key in ("loose", "b7", "absent")]
    assert log.present(wanted) == frozenset(wanted[:2])
    many = wanted + [a_record(f"b{number}").id for number in range(100)]
    assert len(log.present(many)) == 101


def test_a_hidden_record_looks_absent_and_foreign_scopes_are_not_written(make_log: MakeLog) -> None:
    log = make_log()
    bob = restricted_grant("bob", repository_claims=["repo"], right=Right.READ)
    ann = restricted_grant("ann", repository_claims=["repo"])
    private = a_record("private")
    log.append(ann, private)
    for record_id in (private.id, a_record("absent").id):
        with pytest.raises(NotFound, match=f"no record {record_id}"):
            log.get(bob, record_id)
    assert log.get(ann, private.id) == private
    with pytest.raises(Denied):
        log.append(bob, a_record("as-ann"))
    with pytest.raises(Denied):
        log.append(bob, a_record("shared", access_scope=SHARED))
    assert log.append(ann, a_record("shared", access_scope=SHARED)) is AppendOutcome.RECORDED
    with pytest.raises(Denied):
        log.append_many(ann, [a_record("elsewhere", repository="other", access_scope=SHARED)])


@pytest.mark.parametrize(
    "name",
    ["../../victim", "/etc/passwd", "..%2f", "a/../../b", "mem_\0", "C:\\x", "~", "m" * 300, "", "mem_" + "A" * 24],
)
def test_an_id_never_becomes_a_path(make_log: MakeLog, name: str) -> None:
    with pytest.raises(InvalidInput):
        make_log().get(OPERATOR, name)
    assert make_log().present([name]) == frozenset()
