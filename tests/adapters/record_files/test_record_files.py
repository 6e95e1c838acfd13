"""Faults of real disks: damage, crashes, races, links and full file systems leave the log whole."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remora.adapters.record_files.disk import Disk
from remora.adapters.record_files.log import FileRecordLog
from remora.core.errors import Conflict, Corrupt, InvalidInput, Unavailable
from remora.core.records import codec
from remora.core.records.log import AppendOutcome
from remora.core.records.model import SHARED, Record, SourceArtifact
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import operator_grant

OPERATOR = operator_grant()


def a_record(key: str = "k", **changes: object) -> Record:
    fields: dict[str, object] = {
        "idempotency_key": key,
        "kind": RecordKind.CHANGE_EPISODE,
        "title": f"Title of {key}",
        "summary": "Something happened.",
        "repository": "repo",
        "occurred_at": 1_700_000_000,
        "sources": (SourceArtifact("agent", "agent://task/1"),),
    }
    return Record.create(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / ".remora"


@pytest.fixture
def log(home: Path) -> FileRecordLog:
    return FileRecordLog(home)


def loose_path(home: Path, record: Record) -> Path:
    return home / "memory" / "records" / f"{record.id}.json"


def good_ids(log: FileRecordLog) -> set[str]:
    names = [unit.name for unit in log.units()]
    return {stored.record.id for content in log.read(names) for stored in content.records}


def test_the_folder_ignores_itself_and_leaves_a_tracked_folder_visible(home: Path, log: FileRecordLog) -> None:
    subprocess.run(["git", "init", "-q", str(home.parent)], check=True, timeout=30)
    log.append(OPERATOR, a_record("git:1", commit="1"))
    status = ["git", "-C", str(home.parent), "status", "--porcelain", "-uall"]
    assert subprocess.run(status, check=True, timeout=30, capture_output=True, text=True).stdout == ""
    log.prepare(share=True)
    authored = a_record("authored", access_scope=SHARED)
    derived = a_record("git:2", commit="2", access_scope=SHARED)
    log.append(OPERATOR, authored)
    log.append(OPERATOR, derived)
    log.append(OPERATOR, a_record("private"))
    shown = subprocess.run(status, check=True, timeout=30, capture_output=True, text=True).stdout
    assert shown == f"?? .remora/shared/records/{authored.id}.json\n"
    assert log.get(OPERATOR, authored.id) == authored


def test_a_private_record_in_the_shared_folder_is_named_and_not_served(home: Path, log: FileRecordLog) -> None:
    folder = log.prepare(share=True) / "shared" / "records"
    record = a_record()
    (folder / f"{record.id}.json").write_bytes(codec.encode_file(record))
    report = log.verify()
    assert "repository scope" in report.bad[0].problem
    assert good_ids(log) == set()


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"\xef\xbb\xbf", b"  \n", b"\0" * 600])
def test_a_damaged_file_is_named_left_alone_and_the_others_are_served(
    home: Path, log: FileRecordLog, damage: bytes
) -> None:
    for key in ("a", "b", "c"):
        log.append(OPERATOR, a_record(key))
    path = loose_path(home, a_record("b"))
    path.write_bytes(damage)
    report = log.verify()
    assert [bad.record_id for bad in report.bad] == [a_record("b").id]
    assert good_ids(log) == {a_record("a").id, a_record("c").id}
    with pytest.raises(Corrupt, match=path.name):
        log.append(OPERATOR, a_record("b"))
    assert log.compact().bad == report.bad
    assert path.read_bytes() == damage


def test_garbage_after_a_record_is_damage(home: Path, log: FileRecordLog) -> None:
    log.append(OPERATOR, a_record())
    with loose_path(home, a_record()).open("ab") as file:
        file.write(b"0123456789")
    assert len(log.verify().bad) == 1


def test_a_loose_record_cut_at_any_byte_is_one_named_damage(home: Path, log: FileRecordLog) -> None:
    log.append(OPERATOR, a_record("a"))
    log.append(OPERATOR, a_record("b"))
    path = loose_path(home, a_record("a"))
    data = path.read_bytes()
    for length in range(len(data) - 1):  # without its last newline the document is still whole
        path.write_bytes(data[:length])
        report = log.verify()
        assert [bad.record_id for bad in report.bad] == [a_record("a").id]
        assert report.records == 1


def test_a_damaged_segment_serves_every_record_whose_own_checksum_holds(home: Path, log: FileRecordLog) -> None:
    records = [a_record(f"k{number}") for number in range(80)]
    log.append_many(OPERATOR, records)
    (path,) = (home / "memory" / "segments").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'Title of k7"', b'Title of kX"'))
    assert good_ids(log) == {record.id for record in records} - {a_record("k7").id}
    assert a_record("k7").id in {bad.record_id for bad in log.verify().bad}
    with pytest.raises(Corrupt):
        log.get(OPERATOR, a_record("k7").id)
    assert log.get(OPERATOR, a_record("k8").id) == a_record("k8")
    for length in range(0, len(whole) - 1, 397):
        path.write_bytes(whole[:length])
        complete = whole[:length].count(b"\n")
        assert len(good_ids(log)) >= min(complete, 80)
        assert log.verify().bad


def test_single_byte_changes_never_alter_what_is_served(home: Path, log: FileRecordLog) -> None:
    record = a_record(branch="main", owner="ann", commit="abc")
    log.append(OPERATOR, record)
    path = loose_path(home, record)
    data = bytearray(path.read_bytes())
    for at in range(len(data)):
        for flip in (0x01, 0x20, 0x80):
            data[at] ^= flip
            path.write_bytes(data)
            for content in log.read([f"records/{path.name}"]):
                for stored in content.records:
                    assert stored.record == record or not stored.verified
            data[at] ^= flip


def test_links_pipes_and_folders_are_not_records(home: Path, log: FileRecordLog, tmp_path: Path) -> None:
    log.append(OPERATOR, a_record("a"))
    outside = tmp_path / "outside.json"
    outside.write_bytes(codec.encode_file(a_record("b")))
    loose_path(home, a_record("b")).symlink_to(outside)
    os.mkfifo(loose_path(home, a_record("c")))
    loose_path(home, a_record("d")).mkdir()
    report = log.verify()
    assert report.records == 1
    assert {bad.problem for bad in report.bad} == {"not a regular file"}
    assert len(report.bad) == 3


@pytest.mark.parametrize("name", ["records/../../x.json", "segments/../x", "shared//etc/passwd", "x", "records/.tmp-1"])
def test_a_unit_name_never_leads_outside(log: FileRecordLog, name: str) -> None:
    with pytest.raises(InvalidInput):
        list(log.read([name]))


@pytest.mark.parametrize("place", ["memory", "memory/records", "memory/segments", "shared", "shared/records"])
def test_records_are_never_written_through_a_link(home: Path, log: FileRecordLog, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (home / place).parent.mkdir(parents=True, exist_ok=True)
    (home / place).symlink_to(outside)
    with pytest.raises(Unavailable, match="link"):
        log.append(OPERATOR, a_record("k", access_scope=SHARED))
    assert list(outside.iterdir()) == []


def test_a_file_of_another_name_than_its_record_is_damage(home: Path, log: FileRecordLog) -> None:
    log.append(OPERATOR, a_record("a"))
    source = loose_path(home, a_record("a"))
    loose_path(home, a_record("b")).write_bytes(source.read_bytes())
    (source.parent / "notes.json").write_bytes(source.read_bytes())
    assert len(log.verify().bad) == 2
    assert good_ids(log) == {a_record("a").id}


def test_a_same_length_replacement_with_the_old_time_restored_changes_the_stamp(home: Path, log: FileRecordLog) -> None:
    first, second = a_record("k", summary="old words"), a_record("k", summary="new words")
    log.append(OPERATOR, first)
    path = loose_path(home, first)
    before = {unit.name: unit.stamp for unit in log.units()}
    state = path.stat()
    path.write_bytes(codec.encode_file(second))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert path.stat().st_mtime_ns == state.st_mtime_ns
    after = log.units()
    assert before[after[0].name] != after[0].stamp or not after[0].settled


def test_a_young_unit_is_unsettled_and_settles(home: Path, log: FileRecordLog) -> None:
    log.append(OPERATOR, a_record())
    later = FileRecordLog(home, now_ns=lambda: time.time_ns() + 3_000_000_000)
    assert [unit.settled for unit in later.units()] == [True]
    path = loose_path(home, a_record())
    at_once = FileRecordLog(home, now_ns=lambda: path.stat().st_ctime_ns + 1)
    assert [unit.settled for unit in at_once.units()] == [False]


# --- Failing systems --------------------------------------------------------------------------------------------------


class FailingDisk(Disk):
    """Fails one operation with one errno; half a write is done before."""

    def __init__(self, operation: str, code: int) -> None:
        self.operation, self.code = operation, code

    def _maybe(self, operation: str) -> None:
        if operation == self.operation:
            raise OSError(self.code, os.strerror(self.code))

    def write(self, descriptor: int, data: bytes) -> None:
        if self.operation == "write":
            os.write(descriptor, data[: len(data) // 2])
        self._maybe("write")
        super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self._maybe("sync")
        super().sync(descriptor)

    def link(self, temporary: Path, target: Path) -> None:
        self._maybe("link")
        super().link(temporary, target)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EXDEV, errno.EDQUOT])
@pytest.mark.parametrize("operation", ["write", "sync", "link"])
def test_a_refusal_of_the_system_is_a_typed_error_and_leaves_no_trace(
    home: Path, log: FileRecordLog, operation: str, code: int
) -> None:
    log.append(OPERATOR, a_record("old"))
    failing = FileRecordLog(home, disk=FailingDisk(operation, code))
    with pytest.raises(Unavailable, match=os.strerror(code)):
        failing.append(OPERATOR, a_record("new"))
    with pytest.raises(Unavailable):
        failing.append_many(OPERATOR, [a_record(f"b{number}") for number in range(100)])
    assert good_ids(log) == {a_record("old").id}
    names = {path.name for path in (home / "memory").rglob("*") if path.is_file()}
    assert names == {f"{a_record('old').id}.json", ".lock"}
    assert log.append(OPERATOR, a_record("new")) is AppendOutcome.RECORDED


def test_a_file_size_limit_is_a_typed_error(home: Path, log: FileRecordLog) -> None:
    log.append(OPERATOR, a_record("old"))
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from remora.adapters.record_files.log import FileRecordLog\n"
        "from remora.core.records import codec\n"
        "from remora.core.scope import operator_grant\n"
        "record = codec.parse(sys.stdin.buffer.read()).record\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try: FileRecordLog(Path(sys.argv[1])).append(operator_grant(), record)\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)],
        input=codec.encode_line(a_record("new")), capture_output=True, check=True, timeout=30,
    )  # fmt: skip
    assert done.stdout == b"Unavailable\n"
    assert good_ids(log) == {a_record("old").id}


# --- Several processes ------------------------------------------------------------------------------------------------


_RUN = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("target", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
getattr(module, sys.argv[2])(*sys.argv[3:])
"""


def start(function: str, *arguments: object) -> subprocess.Popen[str]:
    """Run one function of this file in a process of its own."""
    argv = [sys.executable, "-c", _RUN, __file__, function, *map(str, arguments)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def result(worker: subprocess.Popen[str]) -> list[str]:
    """The lines that a worker printed; it must have ended well."""
    lines = worker.communicate(timeout=60)[0].splitlines()
    assert worker.returncode == 0
    return lines


def append_same_keys(home: str, writer: str) -> None:
    log = FileRecordLog(Path(home))
    for number in range(25):
        try:
            print(log.append(OPERATOR, a_record(f"k{number}", summary=f"by {writer}")).value)
        except Conflict:
            print("conflict")


def test_of_several_processes_with_one_key_and_different_content_exactly_one_wins(home: Path) -> None:
    workers = [start("append_same_keys", home, writer) for writer in range(4)]
    outcomes = [result(worker) for worker in workers]
    for of_key in zip(*outcomes, strict=True):
        assert sorted(of_key) == ["conflict", "conflict", "conflict", "recorded"]
    assert len(good_ids(FileRecordLog(home))) == 25


def append_until_killed(home: str, first: str, kind: str) -> None:
    log = FileRecordLog(Path(home))
    number = int(first)
    while True:
        if kind == "bulk":
            log.append_many(OPERATOR, [a_record(f"k{number + extra}") for extra in range(70)])
            number += 70
        else:
            log.append(OPERATOR, a_record(f"k{number}"))
            number += 1
        if number % 20 == 0:
            log.compact()
        print(number, flush=True)


def _kill_rounds(home: Path, rounds: int) -> None:
    for round_number in range(rounds):
        first = round_number * 100_000
        worker = start("append_until_killed", home, first, "bulk" if round_number % 2 else "loose")
        assert worker.stdout is not None
        worker.stdout.readline()
        time.sleep(0.01 + 0.013 * (round_number % 9))
        worker.send_signal(signal.SIGKILL)
        lines = worker.communicate(timeout=30)[0].split()
        last = int(lines[-1]) if lines else first
        log = FileRecordLog(home)
        wanted = {a_record(f"k{number}").id for number in range(first, last)}
        assert wanted <= log.present(wanted)
        assert log.verify().bad == ()


def test_kill_9_during_appends_and_compactions_loses_nothing_acknowledged(home: Path) -> None:
    _kill_rounds(home, 6)


@pytest.mark.slow
def test_kill_9_many_times_loses_nothing_acknowledged(home: Path) -> None:
    _kill_rounds(home, 300)


def read_always(home: str) -> None:
    log = FileRecordLog(Path(home))
    ids = [a_record(f"k{number}").id for number in range(0, 70, 7)]
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        for record_id in ids:
            log.get(OPERATOR, record_id)
        assert len(log.present(ids)) == len(ids)
    print("all found")


def test_readers_miss_nothing_while_others_compact_and_append(home: Path, log: FileRecordLog) -> None:
    for number in range(70):
        log.append(OPERATOR, a_record(f"k{number}"))
    reader = start("read_always", home)
    for turn in range(12):
        log.append(OPERATOR, a_record(f"x{turn}"))
        log.compact()
        time.sleep(0.1)
    assert result(reader) == ["all found"]
    assert len(good_ids(log)) == 82


def test_compaction_keeps_foreign_and_diverging_files(home: Path, log: FileRecordLog) -> None:
    log.append(OPERATOR, a_record("a"))
    foreign = a_record("foreign")
    loose_path(home, foreign).write_text(json.dumps(codec.undigested(foreign)), encoding="utf-8")
    done = log.compact()
    assert (done.folded, done.kept) == (1, 1)
    assert loose_path(home, foreign).exists()
    assert log.verify().unverifiable == 1


def test_leftovers_of_killed_writers_are_never_read_and_go_with_the_next_compaction(
    home: Path, log: FileRecordLog
) -> None:
    log.append(OPERATOR, a_record("a"))
    leftover = home / "memory" / "records" / ".tmp-1-abc"
    leftover.write_bytes(b"{")
    os.utime(leftover, (1, 1))
    assert log.verify().bad == ()
    log.compact()
    assert not leftover.exists()


def test_a_backfill_costs_as_much_per_record_however_many_there_are(tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        records = [a_record(f"git:{number:040x}") for number in range(count)]
        log, started = FileRecordLog(tmp_path / str(count)), time.process_time()
        for start in range(0, count, 500):  # as an ingest that was stopped and went on
            log.append_many(OPERATOR, records[start : start + 500])
        return time.process_time() - started

    seconds(500)
    assert seconds(8_000) < 8 * seconds(2_000)  # four times as many; sixteen times the work if it were the square
