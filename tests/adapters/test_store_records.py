"""Records in the store engine: an index follows them, writers and compaction lose nothing, damage is named."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from fakes.clock import FakeClock
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.sqlite.store import open_store
from remora.adapters.store_records import StoreRecordLog
from remora.core import policy
from remora.core.errors import Conflict, Corrupt, InvalidInput
from remora.core.graph import Changes
from remora.core.records import in_store
from remora.core.records.log import AppendOutcome
from remora.core.records.model import SHARED, Record, SourceArtifact
from remora.core.records.search import RecordQuery, search
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import operator_grant
from store_shapes import REPO

OPERATOR = operator_grant()


def a_record(key: str, **changes: Any) -> Record:
    fields: dict[str, Any] = {
        "idempotency_key": key, "kind": RecordKind.CHANGE_EPISODE, "title": f"Title of {key}", "summary": "Went.",
        "repository": "repo", "occurred_at": 1_700_000_000, "sources": (SourceArtifact("agent", f"agent://{key}"),),
        "access_scope": SHARED,
    }  # fmt: skip
    return Record.create(**(fields | changes))


class Place:
    """A store file with any number of openers."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "store.sqlite3"
        self.opened: list[Any] = []

    def log(self) -> StoreRecordLog:
        store = open_store(self.path, REPO, FakeClock())
        self.opened.append(store)
        return StoreRecordLog(lambda: store)

    def index(self, log: StoreRecordLog) -> SqliteRecordIndex:
        index = SqliteRecordIndex(self.path.with_name(f"index{len(self.opened)}.sqlite3"), log)
        self.opened.append(index)
        return index


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    for one in reversed(made.opened):
        one.close()


def found(index: SqliteRecordIndex, text: str) -> list[str]:
    with index.view(OPERATOR) as view:
        return [hit.record.idempotency_key for hit in search(view, RecordQuery(text, limit=500)).hits]


def test_an_index_over_the_store_answers_like_one_over_files(place: Place, tmp_path: Path) -> None:
    log, files = place.log(), FileRecordLog(tmp_path / ".remora")
    records = [a_record(f"k{number}", title=f"cache {number % 7} lock") for number in range(150)]
    for each in (log, files):
        each.append_many(OPERATOR, records[:100])
        for record in records[100:]:
            each.append(OPERATOR, record)
    over_files = SqliteRecordIndex(tmp_path / "files.sqlite3", files)
    assert found(place.index(log), "cache 3") == found(over_files, "cache 3")
    over_files.close()


def test_what_another_process_appends_is_seen_by_the_next_query(place: Place) -> None:
    mine, theirs = place.log(), place.log()
    index = place.index(mine)
    assert found(index, "title") == []
    for number in range(policy.RECORD_STORE_NEWEST_MAX + 5):  # over the border at which the newest become a list
        theirs.append(OPERATOR, a_record(f"k{number}"))
        if number % 20 == 0:
            assert len(found(index, "title")) == number + 1
    assert len(found(index, "title")) == policy.RECORD_STORE_NEWEST_MAX + 5
    assert len(mine.units()) == 2
    theirs.compact()
    assert len(mine.units()) == 1
    assert len(found(index, "title")) == policy.RECORD_STORE_NEWEST_MAX + 5


def test_writers_and_a_compaction_at_once_lose_nothing(place: Place) -> None:
    logs = [place.log() for _ in range(4)]
    done, errors = threading.Event(), []

    def write(log: StoreRecordLog, name: str) -> None:
        try:
            for number in range(40):
                log.append(OPERATOR, a_record(f"{name}{number}"))
                if number % 10 == 0:
                    log.append_many(OPERATOR, [a_record(f"{name}b{number}.{each}") for each in range(70)])
        except Exception as error:  # noqa: BLE001  # shown below, from the main thread
            errors.append(error)

    def compact() -> None:
        while not done.is_set():
            logs[0].compact()

    writers = [threading.Thread(target=write, args=(log, name)) for log, name in zip(logs[1:], "abc", strict=True)]
    care = threading.Thread(target=compact)
    for thread in (care, *writers):
        thread.start()
    for thread in writers:
        thread.join(60)
    done.set()
    care.join(60)
    assert errors == []
    report = logs[0].verify()
    assert (report.records, report.bad) == (3 * (40 + 4 * 70), ())


def test_a_damaged_document_is_named_and_every_other_one_is_served(place: Place) -> None:
    log = place.log()
    records = [a_record(f"k{number}") for number in range(80)]
    log.append_many(OPERATOR, records)
    con = apsw.Connection(str(place.path))
    con.execute(
        "UPDATE item SET payload = CAST(replace(CAST(payload AS TEXT), 'Title', 'Titel') AS BLOB) WHERE id = ?",
        (records[3].id,),
    )
    con.close()
    assert log.get(OPERATOR, records[4].id) == records[4]
    with pytest.raises(Corrupt):
        log.get(OPERATOR, records[3].id)
    with pytest.raises(Conflict):
        log.append(OPERATOR, records[3])
    done = log.append_many(OPERATOR, records)
    assert (done.already_present, done.conflicts) == (79, ("k3",))
    report = log.verify()
    assert report.records == 79
    assert [item.record_id for item in report.bad] == [records[3].id]
    index = place.index(log)
    assert len(found(index, "title")) == 79
    with index.view(OPERATOR) as view:
        assert [item.record_id for item in view.state.bad] == [records[3].id]


def test_a_document_that_holds_another_record_is_damage(place: Place) -> None:
    log = place.log()
    one, other = a_record("one"), a_record("other")
    log.append(OPERATOR, one)

    def swap(view: Any, now: int) -> Changes:
        item = view.get([one.id], ("system",))[one.id]
        line = in_store.line_of(item).decode().replace('"one"', '"two"')
        return Changes(
            put=(type(item)(**{**{name: getattr(item, name) for name in item.__slots__}, "body": {"line": line}}),)
        )

    place.opened[0].apply(OPERATOR, swap)
    with pytest.raises(Corrupt):
        log.get(OPERATOR, one.id)
    assert log.append(OPERATOR, other) is AppendOutcome.RECORDED


def test_a_document_in_no_list_is_named(place: Place) -> None:
    log = place.log()
    log.append(OPERATOR, a_record("listed"))
    stray = a_record("stray")
    place.opened[0].apply(OPERATOR, lambda view, now: Changes(put=in_store.appended(view, now, stray).put[:1]))
    assert [item.record_id for item in log.verify().bad] == [stray.id]


def test_there_is_no_folder_to_share(place: Place) -> None:
    assert place.log().prepare() is None
    with pytest.raises(InvalidInput, match="checkout"):
        place.log().prepare(share=True)
