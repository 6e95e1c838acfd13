"""Commits become records once, whatever is asked for, in whatever order and by however many at a time."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import git_shapes as shapes
from git_shapes import ENVIRON, git
from remora.adapters.git.checkout import discover
from remora.adapters.git.reader import GitReader
from remora.adapters.record_files.log import FileRecordLog
from remora.core.capture.git_commit import commit_record_id
from remora.core.capture.patch import Span
from remora.core.errors import Denied, InvalidInput, NotFound
from remora.core.records.model import Link, Record
from remora.core.records.vocabulary import PathChangeKind, RecordKind, Relation, ScopeKind
from remora.core.scope import operator_grant, restricted_grant
from remora.ports import Clock, Git, RecordLog, SpanSource
from remora.usecases.ingest_git import IngestRequest, IngestResult, ingest_git

IDENTITY = "https://github.com/acme/api"
ALL = IngestRequest(all_refs=True)


class FixedClock:
    """A clock that stands still a day after the last commit of the shapes."""

    def now(self) -> int:
        return (shapes.EPOCH + 86_400) * 1_000_000

    def token(self, size_bytes: int) -> str:
        return "0" * (2 * size_bytes)


class DefSpans:
    """Python definitions by their `def` lines and indentation: a parser that a test can read."""

    def knows(self, path: str) -> bool:
        return path.endswith(".py")

    def spans(self, path: str, data: bytes) -> Sequence[Span]:
        lines = data.decode("utf-8", "replace").splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith("def ")]
        ends = [*(start - 1 for start in starts[1:]), len(lines) - 1]
        names = [lines[start][4:].partition("(")[0] for start in starts]
        return [Span(name, start + 1, end + 1) for name, start, end in zip(names, starts, ends, strict=True)]


@dataclass
class SomePorts:
    """The part of the bag that the verb needs, over a real repository and a real log."""

    git: Git
    records: RecordLog
    spans: SpanSource
    clock: Clock
    redact: Callable[[str], str]


def redact(text: str) -> str:
    return text.replace("hunter2", "[redacted]")


def ports_of(folder: Path) -> SomePorts:
    checkout = discover(folder, ENVIRON, FixedClock())
    return SomePorts(GitReader(checkout, ENVIRON), FileRecordLog(checkout.home), DefSpans(), FixedClock(), redact)


def ingest(folder: Path, request: IngestRequest = ALL) -> IngestResult:
    return ingest_git(ports_of(folder), operator_grant(), request)


def records(folder: Path) -> Iterator[Record]:
    log = ports_of(folder).records
    for content in log.read(unit.name for unit in log.units()):
        assert not content.bad
        yield from (stored.record for stored in content.records)


def titled(folder: Path, title: str) -> Record:
    return next(record for record in records(folder) if record.title == title)


def test_a_commit_is_recorded_with_its_message_time_files_and_source(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path, remote=f"{IDENTITY}.git")
    result = ingest(folder, IngestRequest(revision="HEAD~2"))
    assert (result.seen, result.recorded, result.already_present, result.skipped) == (1, 1, 0, 0)
    (record,) = records(folder)
    sha = git(folder, "rev-parse", "HEAD~2")
    assert record.id == commit_record_id(IDENTITY, sha)
    assert record.idempotency_key == f"git:{sha}"
    assert (record.kind, record.title, record.summary) == (
        RecordKind.CHANGE_EPISODE,
        "Add the engine",
        "It starts and stops.",
    )
    assert (record.repository, record.commit, record.occurred_at) == (IDENTITY, sha, shapes.EPOCH + 60)
    assert record.access_scope.scope is ScopeKind.REPOSITORY
    assert [source.uri for source in record.sources] == [f"git:{sha}"]
    assert record.paths == ("README.md", "engine.py")


@pytest.mark.parametrize("name", sorted(shapes.SHAPES))
def test_every_shape_is_ingested_and_a_second_time_writes_nothing(tmp_path: Path, name: str) -> None:
    folder = shapes.SHAPES[name](tmp_path / "shape")
    first = ingest(folder)
    assert first.seen == first.recorded + first.skipped
    assert first.already_present == 0
    assert (first.skipped > 0) == name.startswith("missing_")
    assert first.history_incomplete == (name.startswith("shallow") or name == "missing_commit")
    home = ports_of(folder).git.checkout.home
    before = sorted((path, path.stat().st_mtime_ns) for path in home.rglob("*"))
    second = ingest(folder)
    assert (second.recorded, second.already_present) == (0, first.recorded)
    assert second.skipped_commits == first.skipped_commits
    assert sorted((path, path.stat().st_mtime_ns) for path in home.rglob("*")) == before
    ids = [record.id for record in records(folder)]
    assert len(ids) == len(set(ids)) == first.recorded


def test_one_commit_a_range_a_time_and_a_history_are_taken_as_asked(tmp_path: Path) -> None:
    assert ingest(shapes.simple(tmp_path / "one"), IngestRequest()).recorded == 1
    assert ingest(shapes.simple(tmp_path / "range"), IngestRequest(revision="HEAD~2..HEAD")).recorded == 2
    assert ingest(shapes.simple(tmp_path / "since"), IngestRequest(since="2020-09-13T12:28:30")).recorded == 2
    assert ingest(shapes.simple(tmp_path / "age"), IngestRequest(since="2 days ago")).recorded == 3
    assert ingest(shapes.simple(tmp_path / "history"), IngestRequest(history=True)).recorded == 3


def test_catching_up_takes_all_since_the_nearest_recorded_ancestor(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    hook = IngestRequest(revision=git(folder, "rev-parse", "HEAD"), catch_up=True)
    assert ingest(folder, hook).recorded == 1
    for number in range(3):
        git(folder, "commit", "-q", "--allow-empty", "-m", f"Pulled {number}")
    hook = IngestRequest(revision=git(folder, "rev-parse", "HEAD"), catch_up=True)
    assert ingest(folder, hook).recorded == 3
    assert ingest(folder, hook).recorded == 0


@pytest.mark.parametrize("revision", ["..HEAD", "A...B", "-rf", "", "a b\0"])
def test_ranges_that_are_none_are_refused(tmp_path: Path, revision: str) -> None:
    with pytest.raises(InvalidInput, match="revision"):
        ingest(shapes.simple(tmp_path), IngestRequest(revision=revision))


def test_unknown_revisions_and_times_are_refused_in_words(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    with pytest.raises(NotFound, match="no commit is named"):
        ingest(folder, IngestRequest(revision="nowhere"))
    with pytest.raises(InvalidInput, match="since"):
        ingest(folder, IngestRequest(since="whenever"))


def test_a_reader_may_not_ingest(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path, remote=IDENTITY)
    with pytest.raises(Denied):
        ingest_git(ports_of(folder), restricted_grant("eve", repository_claims=["other"]), ALL)
    assert list(records(folder)) == []


def test_reverts_fixes_reviews_and_people_become_links(tmp_path: Path) -> None:
    folder = shapes.reverts(tmp_path)
    git(folder, "remote", "add", "origin", IDENTITY)
    ingest(folder)
    culprit = titled(folder, "Add cache").id
    assert titled(folder, 'Revert "Add cache"').links == (Link(Relation.ROLLED_BACK_BY, culprit),)
    guard = titled(folder, "Guard the cache")
    assert set(guard.links) == {
        Link(Relation.FIXED, culprit),
        Link(Relation.FIXED, f"{IDENTITY}/issues/12"),
        Link(Relation.DERIVED_FROM, "person:Grace Hopper"),
        Link(Relation.REVIEWED_BY, "person:Alan"),
    }
    assert "@" not in guard.summary
    assert "Co-authored-by: Grace Hopper" in guard.summary
    assert set(titled(folder, "Pick the guard (#34)").links) == {
        Link(Relation.REVIEWED_BY, f"{IDENTITY}/pull/34"),
        Link(Relation.DERIVED_FROM, culprit),
        Link(Relation.FIXED, f"{IDENTITY}/issues/7"),
        Link(Relation.FIXED, "https://github.com/acme/web/issues/8"),
    }


def test_secrets_in_messages_are_not_stored(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    git(folder, "commit", "-q", "--allow-empty", "-m", "Use hunter2\n\nBecause hunter2 works.")
    ingest(folder)
    record = titled(folder, "Use [redacted]")
    assert record.summary == "Because [redacted] works."
    assert not any(b"hunter2" in path.read_bytes() for path in (folder / ".remora").rglob("*") if path.is_file())


def test_a_huge_commit_is_capped_with_its_count(tmp_path: Path) -> None:
    folder = shapes.ten_thousand_files(tmp_path)
    ingest(folder)
    record = titled(folder, "Import everything")
    assert len(record.path_changes) == 5_000
    assert "5000 of 10000 changed files kept" in record.verification.notes


def test_renames_that_git_did_not_look_for_are_flagged(tmp_path: Path) -> None:
    folder = shapes.big_rename(tmp_path / "many")
    ingest(folder)
    assert "renames_incomplete" in titled(folder, "Rename all").verification.notes
    folder = shapes.big_rename(tmp_path / "some", 300)
    ingest(folder)
    record = titled(folder, "Rename all")
    assert not record.verification.notes
    assert {change.kind for change in record.path_changes} == {PathChangeKind.RENAMED}


def test_the_edge_of_a_shallow_clone_is_marked(tmp_path: Path) -> None:
    folder = shapes.shallow(tmp_path)
    assert ingest(folder).history_incomplete
    (record,) = records(folder)
    assert "history_incomplete" in record.verification.notes
    assert record.path_changes == ()


def test_the_newest_commits_are_anchored_on_the_symbols_they_touched(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    result = ingest(folder, IngestRequest(history=True, anchors=10))
    assert result.anchored == 2
    assert [anchor.label for anchor in titled(folder, "Add the engine").affected_symbols] == ["start", "stop"]
    (anchor,) = titled(folder, "Return three from stop").affected_symbols
    assert (anchor.label, anchor.source_file, anchor.node_id) == ("stop", "engine.py", "code:engine.py#stop")


def test_a_symbol_that_changed_one_identifier_is_known_by_both(tmp_path: Path) -> None:
    history = shapes.History()
    history.commit("Add", {"auth.py": b"def refresh_token(user):\n    return user\n\n\ndef other():\n    pass\n"})
    history.commit("Rename", {"auth.py": b"def refresh_session(user):\n    return user\n\n\ndef other():\n    pass\n"})
    folder = history.write(tmp_path)
    ingest(folder, IngestRequest(history=True, anchors=2))
    (change,) = titled(folder, "Rename").symbol_changes
    assert (change.old.label, change.new.label) == ("refresh_token", "refresh_session")
    assert change.confidence == 0.9
    assert [anchor.label for anchor in titled(folder, "Rename").affected_symbols] == [
        "refresh_session",
        "refresh_token",
    ]


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    folder = shapes.merges(tmp_path)
    ingest_git(ports_of(folder), operator_grant(), ALL, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (10, 10)


def test_a_worktree_and_its_main_share_what_is_recorded(tmp_path: Path) -> None:
    linked = shapes.worktree(tmp_path)
    assert ingest(tmp_path / "main").recorded == 3
    assert ingest(linked).already_present == 3


def test_the_index_and_the_worktree_stay_as_they_are(tmp_path: Path) -> None:
    folder = shapes.simple(tmp_path)
    (folder / "README.md").write_text("edited\n")
    git(folder, "add", "README.md")
    (folder / "README.md").write_text("edited again\n")
    index = (folder / ".git/index").read_bytes()
    status = git(folder, "--no-optional-locks", "status", "--porcelain")
    ingest(folder, IngestRequest(history=True, anchors=10))
    assert (folder / ".git/index").read_bytes() == index
    assert git(folder, "--no-optional-locks", "status", "--porcelain") == status
    assert git(folder, "fsck", "--strict") == ""


RUN = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_ingest_git import ALL, ingest
print(ingest(Path(sys.argv[1]), ALL).recorded)
"""


def test_ingests_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    history = shapes.History()
    for number in range(150):
        history.commit(f"Commit {number}", {f"f{number % 7}.txt": b"%d\n" % number})
    folder = history.write(tmp_path)
    here = Path(__file__).parent
    argv = [sys.executable, "-c", RUN, str(folder), str(here), str(here.parent)]
    running = [subprocess.Popen(argv, stdout=subprocess.PIPE, env=dict(os.environ)) for _ in range(3)]
    counts = [int(process.communicate(timeout=60)[0]) for process in running]
    assert sum(counts) == 150
    ids = [record.id for record in records(folder)]
    assert len(ids) == len(set(ids)) == 150
