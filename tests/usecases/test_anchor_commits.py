"""Commits that were recorded in bulk get their symbols later, and no record is touched for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import git_shapes as shapes
from git_shapes import ENVIRON
from remora.adapters.git.checkout import discover
from remora.adapters.git.reader import GitReader
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core.capture.patch import Span
from remora.core.errors import Denied
from remora.core.records.explain import explain_history
from remora.core.scope import operator_grant, restricted_grant
from remora.ports import Clock, Git, RecordIndex, RecordLog, SpanSource
from remora.usecases.anchor_commits import AnchorRequest, AnchorResult, anchor_commits
from remora.usecases.ingest_git import IngestRequest, ingest_git


class StillClock:
    """A clock that nothing here depends on."""

    def now(self) -> int:
        return shapes.EPOCH * 1_000_000

    def token(self, size_bytes: int) -> str:
        return "0" * (2 * size_bytes)


class DefSpans:
    """Python definitions of one line and their bodies up to the next one."""

    def knows(self, path: str) -> bool:
        return path.endswith(".py")

    def spans(self, path: str, data: bytes) -> Sequence[Span]:
        lines = data.decode("utf-8", "replace").splitlines()
        starts = [number for number, line in enumerate(lines, 1) if line.startswith("def ")]
        ends = [*(start - 1 for start in starts[1:]), len(lines)]
        return [Span(lines[a - 1][4:].partition("(")[0], a, b) for a, b in zip(starts, ends, strict=True)]


@dataclass
class SomePorts:
    """The part of the bag that both verbs need, over a real repository, log and index."""

    git: Git
    records: RecordLog
    record_index: RecordIndex
    spans: SpanSource
    clock: Clock
    redact: Callable[[str], str] = str


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[SomePorts]:
    history = shapes.History()
    history.commit("Add auth", {"auth.py": b"def refresh_token(user):\n    return user\n", "x.txt": b"1"})
    history.commit("Rename it", {"auth.py": b"def refresh_session(user):\n    return user\n"})
    history.commit("Only text", {"x.txt": b"2"})
    folder = history.write(tmp_path)
    checkout = discover(folder, ENVIRON, StillClock())
    log = FileRecordLog(checkout.home)
    index = SqliteRecordIndex(folder / ".remora/cache/records.sqlite3", log)
    yield SomePorts(GitReader(checkout, ENVIRON), log, index, DefSpans(), StillClock())
    index.close()


def anchor(ports: SomePorts, **asked: int) -> AnchorResult:
    return anchor_commits(ports, operator_grant(), AnchorRequest(**asked))


def titles(ports: SomePorts, subject: str) -> list[str]:
    with ports.record_index.view(operator_grant()) as view:
        found = explain_history(view, subject, include_superseded=False, limit=10)
    return [hit.record.title for hit in found.hits]


def test_symbols_are_found_in_commits_recorded_without_them(ports: SomePorts) -> None:
    ingest_git(ports, operator_grant(), IngestRequest(history=True))
    assert titles(ports, "refresh_session") == []
    assert anchor(ports) == AnchorResult(seen=3, looked_at=3, anchored=2)
    assert titles(ports, "refresh_session") == ["Rename it", "Add auth"]
    assert titles(ports, "auth.py") == ["Rename it", "Add auth"]


def test_a_second_time_writes_nothing(ports: SomePorts) -> None:
    ingest_git(ports, operator_grant(), IngestRequest(history=True))
    anchor(ports)
    before = [(unit.name, unit.stamp) for unit in ports.records.units()]
    assert anchor(ports).anchored == 0
    assert [(unit.name, unit.stamp) for unit in ports.records.units()] == before


def test_commits_that_have_symbols_are_left_alone(ports: SomePorts) -> None:
    ingest_git(ports, operator_grant(), IngestRequest(history=True, anchors=10))
    assert anchor(ports) == AnchorResult(seen=3, looked_at=1, anchored=0)


def test_only_recorded_commits_are_anchored_and_no_more_than_asked(ports: SomePorts) -> None:
    assert anchor(ports) == AnchorResult(seen=3)
    ingest_git(ports, operator_grant(), IngestRequest(history=True))
    assert anchor(ports, newest=2) == AnchorResult(seen=2, looked_at=2, anchored=1)


def test_a_principal_without_the_right_adds_nothing(ports: SomePorts) -> None:
    with pytest.raises(Denied):
        anchor_commits(ports, restricted_grant("eve", repository_claims=["other"]), AnchorRequest())
