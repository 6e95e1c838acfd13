"""Damage at scale: every planted corruption is named, all else is served; compaction among writers loses nothing."""

import random
import threading
from pathlib import Path

import pytest

from remora.adapters.record_files.log import FileRecordLog
from remora.core.records.model import Record, SourceArtifact
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import operator_grant

OPERATOR = operator_grant()


def a_record(key: str) -> Record:
    return Record.create(
        idempotency_key=key, kind=RecordKind.CHANGE_EPISODE, title=f"Title of {key}", summary="Something happened.",
        repository="repo", occurred_at=1_700_000_000, sources=[SourceArtifact("agent", f"agent://{key}")],
    )  # fmt: skip


def _damaged(line: bytes, at: random.Random) -> bytes:
    """The bytes with one of them changed, behind the id by which they are named."""
    start = line.index(b'"title"')
    place = at.randrange(start, len(line))
    return line[:place] + bytes([line[place] ^ (1 << at.randrange(7))]) + line[place + 1 :]


def _plant(home: Path, records: list[Record], count: int, at: random.Random) -> set[str]:
    """Damage so many records, a tenth of them loose; returns their ids."""
    loose = home / "memory" / "records"
    chosen = at.sample([path for path in sorted(loose.iterdir()) if path.suffix == ".json"], count // 10)
    for path in chosen:
        data = path.read_bytes()
        path.write_bytes(at.choice([data[: at.randrange(1, len(data) - 3)], b"\0" * len(data), _damaged(data, at)]))
    hit = {path.stem for path in chosen}
    in_segments = [record.id for record in records if not (loose / f"{record.id}.json").exists()]
    wanted = set(at.sample(in_segments, count - len(hit)))
    for path in (home / "memory" / "segments").iterdir():
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join(_damaged(each, at) if each[19:47].decode() in wanted else each for each in lines))
    return hit | wanted


def _every_one_is_named(home: Path, records: int, corruptions: int) -> None:
    log, at = FileRecordLog(home), random.Random(11)
    kept = [a_record(f"k{number}") for number in range(records)]
    log.append_many(OPERATOR, kept[: -corruptions // 5])
    for record in kept[-corruptions // 5 :]:
        log.append(OPERATOR, record)
    planted = _plant(home, kept, corruptions, at)
    assert len(planted) == corruptions
    report = log.verify()
    assert planted <= {item.record_id for item in report.bad}
    assert {item.record_id for item in report.bad} - planted == {""}  # segments that no longer verify as a whole
    served = {s.record.id: s.record for c in log.read(unit.name for unit in log.units()) for s in c.records}
    assert served == {record.id: record for record in kept if record.id not in planted}
    assert report.records == records - corruptions


def test_every_planted_corruption_is_named_and_all_else_is_served(tmp_path: Path) -> None:
    _every_one_is_named(tmp_path / ".remora", records=1_500, corruptions=100)


@pytest.mark.slow
def test_every_one_of_a_thousand_corruptions_among_a_hundred_thousand_records_is_named(tmp_path: Path) -> None:
    _every_one_is_named(tmp_path / ".remora", records=100_000, corruptions=1_000)


def test_a_compaction_among_writers_loses_nothing(tmp_path: Path) -> None:
    lost: list[str] = []

    def write(name: str) -> None:
        log = FileRecordLog(tmp_path)
        for number in range(60):
            log.append(OPERATOR, a_record(f"{name}{number}"))
            if number % 20 == 0:
                log.append_many(OPERATOR, [a_record(f"{name}.{number}.{each}") for each in range(80)])
            if log.get(OPERATOR, a_record(f"{name}0").id).idempotency_key != f"{name}0":
                lost.append(name)

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in writers:
        thread.start()
    care = FileRecordLog(tmp_path)
    while any(thread.is_alive() for thread in writers):
        care.compact()
    care.compact()
    report = care.verify()
    assert (report.records, report.bad, lost) == (3 * (60 + 3 * 80), (), [])
