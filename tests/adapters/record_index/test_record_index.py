"""The record index changes speed and never results: it follows the log, survives damage, and can be deleted."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core.records import codec
from remora.core.records.explain import explain_history
from remora.core.records.model import (
    SHARED,
    AccessScope,
    Link,
    PathChange,
    Record,
    SourceArtifact,
    SymbolAnchor,
    Verification,
)
from remora.core.records.search import RecordQuery, search
from remora.core.records.vocabulary import PathChangeKind, RecordKind, Relation, ScopeKind, VerificationStatus
from remora.core.scope import Grant, operator_grant, restricted_grant

OPERATOR = operator_grant()


def a_record(key: str = "k", **changes: object) -> Record:
    fields: dict[str, object] = {
        "idempotency_key": key,
        "kind": RecordKind.CHANGE_EPISODE,
        "title": f"Title of {key}",
        "summary": "Something happened.",
        "repository": "repo",
        "occurred_at": 1_700_000_000,
        "sources": (SourceArtifact("agent", f"agent://task/{key}"),),
        "access_scope": SHARED,
    }
    return Record.create(**(fields | changes))  # type: ignore[arg-type]


class Place:
    """One log with its index, opened anew on demand."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = FileRecordLog(home)
        self.path = home / "cache" / "records.sqlite3"
        self.index = SqliteRecordIndex(self.path, self.log)

    def found(self, text: str = "", grant: Grant = OPERATOR, **query: object) -> list[str]:
        with self.index.view(grant) as view:
            result = search(view, RecordQuery(text, **query))  # type: ignore[arg-type]
        return [hit.record.idempotency_key for hit in result.hits]

    def loose(self, record: Record) -> Path:
        return self.home / "memory" / "records" / f"{record.id}.json"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / ".remora")
    yield made
    made.index.close()


def test_a_record_appended_by_another_process_is_seen_by_the_next_query(place: Place) -> None:
    place.log.append(OPERATOR, a_record("first"))
    assert place.found("first") == ["first"]
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from remora.adapters.record_files.log import FileRecordLog\n"
        "from remora.core.records import codec\n"
        "from remora.core.scope import operator_grant\n"
        "FileRecordLog(Path(sys.argv[1])).append(operator_grant(), codec.parse(sys.stdin.buffer.read()).record)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(place.home)],
        input=codec.encode_line(a_record("second")), check=True, timeout=60,
    )  # fmt: skip
    assert place.found("second") == ["second"]


def test_the_state_says_whether_the_index_was_ready(place: Place) -> None:
    place.log.append(OPERATOR, a_record("first"))
    time.sleep(0.06)
    origins = []
    for _ in range(2):
        with place.index.view(OPERATOR) as view:
            origins.append(view.state.origin)
    place.log.append(OPERATOR, a_record("second"))
    with place.index.view(OPERATOR) as view:
        origins.append(view.state.origin)
        assert view.state.records == view.total == 2
    assert origins == ["built", "unchanged", "folded"]


def test_a_same_length_replacement_with_its_old_time_restored_is_seen(place: Place) -> None:
    old, new = a_record("k", summary="alpha words"), a_record("k", summary="omega words")
    place.log.append(OPERATOR, old)
    assert place.found("alpha") == ["k"]
    state = place.loose(old).stat()
    place.loose(old).write_bytes(codec.encode_file(new))
    os.utime(place.loose(old), ns=(state.st_atime_ns, state.st_mtime_ns))
    assert place.found("omega") == ["k"]
    assert place.found("alpha") == []


DAMAGES = ["delete", "delete folder", "garbage", "truncate", "zero page", "empty", "other", "flipped text"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_any_damage_to_the_index_file_changes_no_answer(place: Place, damage: str) -> None:
    for number in range(5):
        place.log.append(OPERATOR, a_record(f"key{number}", summary="shared words"))
    before = place.found("shared words")
    if damage != "delete":
        place.index.close()
    if damage == "delete":
        place.path.unlink()
    elif damage == "delete folder":
        for path in place.path.parent.iterdir():
            path.unlink()
        place.path.parent.rmdir()
    elif damage == "garbage":
        place.path.write_bytes(b"no database at all" * 1000)
    elif damage == "truncate":
        os.truncate(place.path, place.path.stat().st_size // 2)
    elif damage == "zero page":
        data = bytearray(place.path.read_bytes())
        data[4096 : 4096 * 6] = bytes(4096 * 5)
        place.path.write_bytes(data)
    elif damage == "flipped text":
        data = place.path.read_bytes()
        place.path.write_bytes(data.replace(b"mem_", b"m\xfd\xfe_"))
    elif damage == "other":
        data = place.path.read_bytes().replace(b"CREATE TABLE doc(", b"CREATE TABLE cod(")
        place.path.write_bytes(data)
    else:
        place.path.write_bytes(b"")
    assert place.found("shared words") == before
    place.log.append(OPERATOR, a_record("late", summary="shared words"))
    assert sorted(place.found("shared words")) == sorted([*before, "late"])


def test_an_index_that_cannot_be_written_lives_in_memory(tmp_path: Path) -> None:
    log = FileRecordLog(tmp_path / ".remora")
    log.append(OPERATOR, a_record("k"))
    (tmp_path / "cache").write_text("a file where the folder should be", encoding="utf-8")
    index = SqliteRecordIndex(tmp_path / "cache" / "records.sqlite3", log)
    for _ in range(2):
        with index.view(OPERATOR) as view:
            assert view.total == 1
    index.close()


def test_copies_that_differ_are_withheld_and_named_and_all_others_are_served(place: Place) -> None:
    batch = [a_record(f"b{number}") for number in range(80)]
    place.log.append_many(OPERATOR, batch)
    other = a_record("b7", title="A different story")
    place.loose(other).write_bytes(codec.encode_file(other))
    with place.index.view(OPERATOR) as view:
        assert view.total == 79
        assert [bad.record_id for bad in view.state.bad] == [other.id]
        assert "records/" in view.state.bad[0].unit
        assert "segments/" in view.state.bad[0].unit
    place.loose(other).unlink()
    with place.index.view(OPERATOR) as view:
        assert view.total == 80
        assert view.state.bad == ()


def test_the_same_record_in_two_units_is_one_record(place: Place) -> None:
    batch = [a_record(f"b{number}") for number in range(80)]
    place.log.append_many(OPERATOR, batch)
    place.loose(batch[3]).write_bytes(codec.encode_file(batch[3]))
    assert place.found("b3", limit=1) == ["b3"]
    with place.index.view(OPERATOR) as view:
        assert view.total == 80
    (segment,) = (place.home / "memory" / "segments").iterdir()
    segment.unlink()
    with place.index.view(OPERATOR) as view:
        assert view.total == 1


def _random_record(dice: random.Random, number: int) -> Record:
    words = ["token", "refresh", "session", "lock", "cache", "index", "parse", "login"]
    path = f"src/{dice.choice('abc')}/{dice.choice('xyz')}.py"
    target = f"src/{dice.choice('abc')}/{dice.choice('xyz')}.py"
    kind = PathChangeKind.RENAMED if path != target and dice.random() < 0.4 else PathChangeKind.MODIFIED
    older = a_record(f"r{dice.randrange(max(1, number))}")
    return a_record(
        f"r{number}",
        kind=dice.choice([RecordKind.CHANGE_EPISODE, RecordKind.REGRESSION, RecordKind.CONVENTION]),
        title=" ".join(dice.choices(words, k=3)),
        summary=" ".join(dice.choices(words, k=8)),
        occurred_at=1_700_000_000 + dice.randrange(50),
        path_changes=(PathChange(kind, path, target),),
        affected_symbols=(SymbolAnchor(f"n{number}", dice.choice(["refreshToken", "login", "Cache.get"]), path),),
        verification=Verification(dice.choice(list(VerificationStatus))),
        links=(Link(dice.choice([Relation.SUPERSEDES, Relation.FIXED]), older.id),) if dice.random() < 0.3 else (),
        access_scope=dice.choice([SHARED, AccessScope(), AccessScope(ScopeKind.WORKSPACE, "w")]),
        owner=dice.choice(["ann", "bob"]),
    )


_QUESTIONS = [("refresh token", ""), ("", "refreshToken"), ("lock", "src/a/x.py"), ("", ""), ("tok", "")]


def _answers(index: SqliteRecordIndex, grant: Grant) -> object:
    with index.view(grant) as view:
        found = [
            search(view, RecordQuery(text, symbol=symbol, include_superseded=everything, ranking=ranking)).hits
            for text, symbol in [
                ("refresh token", ""),
                ("", "refreshToken"),
                ("lock", "src/a/x.py"),
                ("", ""),
                ("tok", ""),
            ]
            for everything in (False, True)
            for ranking in ("default", "v1")
        ]
        return found, explain_history(view, "src/b/y.py", include_superseded=True, limit=50), view.total


@pytest.mark.parametrize("seed", range(2))
def test_an_index_that_followed_every_change_answers_like_one_built_afresh(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    place = Place(tmp_path / ".remora")
    bob = restricted_grant("bob", repository_claims=["repo"])
    for turn in range(7):
        number = turn * 100
        step = dice.choice(["append", "append", "bulk", "compact", "remove", "replace"])
        loose = sorted((place.home / "memory" / "records").glob("*.json"))
        if step == "bulk":
            place.log.append_many(OPERATOR, [_random_record(dice, number + extra) for extra in range(70)])
        elif step == "compact":
            place.log.compact()
        elif step == "remove" and loose:
            dice.choice(loose).unlink()
        elif step == "replace" and loose:
            path = dice.choice(loose)
            record = codec.parse(path.read_bytes()).record
            changed = a_record(record.idempotency_key, title="token lock")
            path.write_bytes(codec.encode_file(changed))
        else:
            for extra in range(3):
                place.log.append(OPERATOR, _random_record(dice, number + extra))
        fresh = SqliteRecordIndex(tmp_path / f"fresh{turn}" / "records.sqlite3", place.log)
        for grant in (OPERATOR, bob):
            assert _answers(place.index, grant) == _answers(fresh, grant), (turn, step)
        fresh.close()
    place.index.close()


def test_a_hidden_record_changes_nothing_that_can_be_seen(tmp_path: Path) -> None:
    bob = restricted_grant("bob", repository_claims=["repo"])
    dice = random.Random(5)
    visible = [_random_record(dice, number) for number in range(40)]
    visible = [record for record in visible if record.access_scope == SHARED or record.owner == "bob"]
    visible = [record for record in visible if record.access_scope.scope is not ScopeKind.WORKSPACE]
    target = next(record for record in visible if record.access_scope == SHARED)
    hidden = [
        a_record(f"h{number}", title="refresh token lock", access_scope=AccessScope(), owner="ann", kind=target.kind,
                 links=(Link(Relation.SUPERSEDES, target.id),))
        for number in range(30)
    ]  # fmt: skip
    places = Place(tmp_path / "with"), Place(tmp_path / "without")
    for place in places:
        for record in visible:
            place.log.append(OPERATOR, record)
    for record in hidden:
        places[0].log.append(OPERATOR, record)
    seen = [_answers(place.index, bob) for place in places]
    assert seen[0] == seen[1]
    for place in places:
        place.index.close()


_WORKER = """
import sys
from pathlib import Path
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core.records.model import Record, SourceArtifact
from remora.core.records.search import RecordQuery, search
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import operator_grant
home, name = Path(sys.argv[1]), sys.argv[2]
log = FileRecordLog(home)
index = SqliteRecordIndex(home / "cache" / "records.sqlite3", log)
for number in range(15):
    key = f"{name}x{number}"
    log.append(operator_grant(), Record.create(idempotency_key=key, kind=RecordKind.ISSUE, title=key, summary="",
        repository="repo", occurred_at=1, sources=[SourceArtifact("a", "b")]))
    with index.view(operator_grant()) as view:
        hits = search(view, RecordQuery(key)).hits
        assert hits[0].record.idempotency_key == key, (key, hits)
    if number == 7:
        log.compact()
"""


def test_processes_that_append_compact_and_query_at_once_all_see_their_own_writes(place: Place) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", _WORKER, str(place.home), name], stderr=subprocess.PIPE, text=True)
        for name in ("ann", "bob", "cid")
    ]
    for worker in workers:
        _, errors = worker.communicate(timeout=120)
        assert worker.returncode == 0, errors
    with place.index.view(OPERATOR) as view:
        assert view.total == 45
        assert view.state.bad == ()


def test_hostile_names_and_words_are_indexed_and_found(place: Place) -> None:
    path = "bad-\udcff.py"
    place.log.append(OPERATOR, a_record("bytes", path_changes=(PathChange(PathChangeKind.ADDED, new_path=path),)))
    place.log.append(OPERATOR, a_record("long", summary="w" * 15_000, title="a \x00 \u202e b"))
    assert place.found(symbol=path) == ["bytes"]
    assert place.found("w" * 100_000) == ["long"]
    for text in ("", " ", "*", "AND", "NEAR(", "a:b", "(", "^", "\0", '"', "';--", "\ud83d", "%", "_"):
        place.found(text)
        place.found(symbol=text)


def test_progress_is_told_during_a_rebuild(tmp_path: Path) -> None:
    log = FileRecordLog(tmp_path)
    log.append_many(OPERATOR, [a_record(f"k{number}") for number in range(1_500)])
    seen: list[int] = []
    index = SqliteRecordIndex(tmp_path / "cache" / "x.sqlite3", log, progress=lambda done, total: seen.append(done))
    with index.view(OPERATOR) as view:
        assert view.total == 1_500
    assert seen == [1_000]
    index.close()


class Branches:
    """Stands in for git: commits that branches hold, and commits that are there."""

    def __init__(self) -> None:
        self.held, self.kept = {"a" * 40}, {"a" * 40}

    def tips(self) -> tuple[str, ...]:
        return tuple(sorted(self.held))

    def dropped(self, starts: Collection[str], tips: Sequence[str]) -> frozenset[str]:
        return frozenset(starts) & self.kept - set(tips)

    def there(self, commits: Collection[str]) -> frozenset[str]:
        return frozenset(commits) & self.kept


def test_a_commit_that_nothing_holds_any_more_is_kept_and_left_out_of_ordinary_reads(tmp_path: Path) -> None:
    log, branches, sha = FileRecordLog(tmp_path), Branches(), "a" * 40
    log.append(OPERATOR, a_record(f"git:{sha}", commit=sha, title="policy"))
    log.append(OPERATOR, a_record("other", commit=sha, title="policy"))
    index = SqliteRecordIndex(tmp_path / "cache" / "x.sqlite3", log, reach=branches)

    def shown() -> set[str]:
        with index.view(OPERATOR) as view:
            return {hit.record.idempotency_key for hit in search(view, RecordQuery("policy")).hits}

    assert shown() == {f"git:{sha}", "other"}
    branches.held.clear()
    assert shown() == {"other"}
    with index.view(OPERATOR) as view:
        hits = search(view, RecordQuery("policy", include_superseded=True)).hits
        assert {hit.record.idempotency_key: hit.unreachable for hit in hits} == {f"git:{sha}": True, "other": False}
    branches.kept.clear()  # pruned: it stays as it was judged
    branches.held.add("b" * 40)
    assert shown() == {"other"}
    branches.kept.add(sha)
    branches.held.add(sha)
    assert shown() == {f"git:{sha}", "other"}
    index.close()


def test_a_view_within_a_view_sees_the_same_state(place: Place) -> None:
    place.log.append(OPERATOR, a_record("first"))
    with place.index.view(OPERATOR) as outer:
        with place.index.view(OPERATOR) as inner:
            assert inner.total == 1
        assert outer.total == 1
        assert search(outer, RecordQuery("first")).total == 1
