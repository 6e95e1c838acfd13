"""Locating speaks only of what the caller may see, follows files to their present names, and says why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from git_shapes import ENVIRON, History
from remora.adapters.git.checkout import discover
from remora.adapters.git.reader import GitReader
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.contents_index import SqliteContentsIndex
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.system import SystemClock
from remora.core.errors import InvalidInput, SourceFailed
from remora.core.records.model import PRIVATE, SHARED, AccessScope, PathChange, Record, SourceArtifact
from remora.core.records.vocabulary import PathChangeKind, RecordKind
from remora.core.scope import operator_grant, restricted_grant
from remora.ports import Repository
from remora.usecases.locate import locate

OPERATOR = operator_grant()


@dataclass
class SomePorts:
    """The part of the bag that the verb needs, over a real repository, log and indexes."""

    folder: Path

    def __post_init__(self) -> None:
        self.clock = SystemClock()
        checkout = discover(self.folder, ENVIRON, self.clock)
        self.repository: Repository = checkout.repository
        self.git = GitReader(checkout, ENVIRON)
        self.records = FileRecordLog(checkout.home)
        cache = self.folder / ".remora" / "cache"
        self.record_index = SqliteRecordIndex(cache / "records.sqlite3", self.records)
        self.contents = SqliteContentsIndex(cache / "contents.sqlite3", partial(self.git.blobs, max_bytes=10_000))

    def redact(self, text: str) -> str:
        return text

    def tell(
        self, key: str, title: str, *paths: str, at: int = 1, scope: AccessScope = SHARED, owner: str = ""
    ) -> None:
        changes = [PathChange(PathChangeKind.MODIFIED, path, path) for path in paths]
        self._append(key, title, changes, at, scope, owner)

    def move(self, key: str, old: str, new: str, *, at: int) -> None:
        self._append(key, "Tidy the tree", [PathChange(PathChangeKind.RENAMED, old, new)], at, SHARED, "")

    def _append(
        self, key: str, title: str, changes: Sequence[PathChange], at: int, scope: AccessScope, owner: str
    ) -> None:
        record = Record.create(
            idempotency_key=key, kind=RecordKind.CHANGE_EPISODE, title=title, summary="", occurred_at=at, owner=owner,
            repository=self.repository.identity, sources=(SourceArtifact("agent", f"agent://{key}"),),
            path_changes=changes, access_scope=scope,
        )  # fmt: skip
        self.records.append(OPERATOR, record)


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[SomePorts]:
    history = History()
    history.commit("Start", {
        "lib/cookies.py": b"def parse_cookie():\n    pass\n", "http.py": b"def send():\n    pass\n",
        "notes.md": b"Nothing of note.\n", "logo.png": b"\0\1\2",
    })  # fmt: skip
    made = SomePorts(history.write(tmp_path / "repo"))
    yield made
    made.record_index.close()
    made.contents.close()


def test_a_past_change_of_like_words_brings_its_file_under_its_present_name(ports: SomePorts) -> None:
    ports.tell("a", "Quote values that hold a semicolon", "cookies.py", at=1)
    ports.move("b", "cookies.py", "lib/cookies.py", at=2)
    first = locate(ports, OPERATOR, "semicolon in a value").files[0]
    assert first.path == "lib/cookies.py"
    reason = next(reason for reason in first.reasons if reason.leg == "lineage")
    assert "Quote values" in reason.detail
    assert reason.source == "agent://a"


def test_contents_alone_find_a_file_without_any_record(ports: SomePorts) -> None:
    first = locate(ports, OPERATOR, "cookie parsing").files[0]
    assert (first.path, first.line) == ("lib/cookies.py", 1)
    assert {"declares", "text", "path"} <= {reason.leg for reason in first.reasons}


def test_a_hidden_record_changes_nothing(ports: SomePorts) -> None:
    stranger = restricted_grant("ann", repository_claims=("*",), workspace_claims=(), allow_private=False)
    ports.tell("a", "Semicolon of values", "http.py")
    before = locate(ports, stranger, "semicolon")
    ports.tell("b", "Semicolon of values again", "notes.md", scope=PRIVATE, owner="bob", at=5)
    assert locate(ports, stranger, "semicolon") == before
    assert locate(ports, OPERATOR, "semicolon") != before


def test_files_that_are_gone_and_words_that_nothing_holds_are_not_told(ports: SomePorts) -> None:
    ports.tell("a", "Zeppelin lands", "gone.py")
    found = locate(ports, OPERATOR, "zeppelin")
    assert (found.files, found.total, found.unread) == ((), 4, 1)


def test_equal_questions_get_equal_answers(ports: SomePorts) -> None:
    ports.tell("a", "Send a cookie", "http.py", "lib/cookies.py")
    assert locate(ports, OPERATOR, "cookie send") == locate(ports, OPERATOR, "cookie send")


@pytest.mark.parametrize(("text", "limit"), [("", 5), ("(#1)", 5), ("cookie", 0), ("cookie", 100_000)])
def test_questions_without_words_and_wrong_limits_are_refused(ports: SomePorts, text: str, limit: int) -> None:
    with pytest.raises(InvalidInput):
        locate(ports, OPERATOR, text, limit=limit)


@pytest.mark.parametrize(
    "text", ["\x00\ud800 cookie", "cookie " * 20_000, "../../etc/passwd", "a" * 100_000, "'; DROP x"]
)
def test_hostile_questions_do_no_harm(ports: SomePorts, text: str) -> None:
    assert locate(ports, OPERATOR, text).total == 4


def test_a_repository_without_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match="no file"):
        locate(SomePorts(History().write(tmp_path / "empty")), OPERATOR, "cookie")
