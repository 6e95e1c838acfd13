"""Records of documents keep up with the documents."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import git_shapes as shapes
from git_shapes import ENVIRON, git
from remora.adapters.git.checkout import discover
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.walk import SourceTree
from remora.core.capture.documents import is_document
from remora.core.clients.marked_block import MARKDOWN, put_block
from remora.core.errors import Denied
from remora.core.records.codec import parse
from remora.core.records.indexed import Narrowing
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
from remora.core.records.vocabulary import Relation
from remora.core.scope import operator_grant, restricted_grant
from remora.ports import Clock, RecordIndex, RecordLog, Repository, SourceFiles
from remora.usecases.ingest_docs import IngestDocsResult, ingest_docs


@dataclass
class TickingClock:
    """A second passes at every look."""

    seconds: int = 1_700_000_000

    def now(self) -> int:
        self.seconds += 1
        return self.seconds * 1_000_000

    def token(self, size_bytes: int) -> str:
        return "0" * (2 * size_bytes)


CLOCK = TickingClock()


@dataclass
class SomePorts:
    """The part of the bag that the verb needs, over a real folder, a real log and a real index."""

    repository: Repository
    documents: SourceFiles
    records: RecordLog
    record_index: RecordIndex
    clock: Clock = field(default_factory=lambda: CLOCK)

    def redact(self, text: str) -> str:
        return text.replace("hunter2", "[redacted]")

    def symbol(self, name: str) -> tuple[str, str] | None:
        return ("n1", "store.py") if name == "Store" else None


Opened = Callable[[], SomePorts]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = shapes.simple(tmp_path / "repo", remote="https://github.com/acme/api")
    write(folder, "docs/adr/0001-wal.md", "# Use a log\n\nIt is safe.\n\nRemora-Symbols: Store, gone\n")
    write(folder, "CONTRIBUTING.md", "# Contributing\n\nOpen an issue first.\n")
    return folder


@pytest.fixture
def opened(repo: Path) -> Iterator[Opened]:
    index: list[SqliteRecordIndex] = []

    def open_ports(folder: Path = repo) -> SomePorts:
        checkout = discover(folder, ENVIRON, CLOCK)
        log = FileRecordLog(checkout.home)
        index.append(SqliteRecordIndex(checkout.root / ".remora/cache/records.sqlite3", log))
        return SomePorts(checkout.repository, SourceTree(folder, is_document), log, index[-1])

    yield open_ports
    for each in index:
        each.close()


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(text.encode())


def ingest(ports: SomePorts) -> IngestDocsResult:
    return ingest_docs(ports, operator_grant())


def standing(ports: SomePorts) -> dict[str, Record]:
    """Title -> record, of those that ordinary reads show."""
    with ports.record_index.view(operator_grant()) as view:
        items, _ = view.newest(Narrowing(), limit=1_000)
        superseded = superseders(items, view.linking)
        return {r.title: r for r in (parse(i.data).record for i in items if not hidden(i, superseded))}


def test_decisions_and_conventions_are_recorded_with_their_grounds(opened: Opened) -> None:
    ports = opened()
    result = ingest(ports)
    assert (result.seen, result.recorded, result.unchanged, result.skipped) == (2, 2, 0, 0)
    record = standing(ports)["Use a log"]
    assert record.summary == "It is safe."
    assert record.sources[0].uri == "docs/adr/0001-wal.md"
    assert [(anchor.node_id, anchor.confidence) for anchor in record.affected_symbols] == [("n1", 1.0), ("gone", 0.5)]


def test_a_second_look_writes_nothing(opened: Opened, repo: Path) -> None:
    ingest(opened())
    before = sorted((path, path.stat().st_mtime_ns) for path in (repo / ".remora/memory").rglob("*"))
    result = ingest(opened())
    assert (result.recorded, result.unchanged, result.removed) == (0, 2, 0)
    assert sorted((path, path.stat().st_mtime_ns) for path in (repo / ".remora/memory").rglob("*")) == before


def test_a_change_supersedes_and_a_return_to_the_first_text_stands(opened: Opened, repo: Path) -> None:
    ports = opened()
    ingest(ports)
    first = standing(ports)["Contributing"]
    write(repo, "CONTRIBUTING.md", "# Contributing\n\nJust send it.\n")
    assert ingest(ports).changed == 1
    assert standing(ports)["Contributing"].summary == "Just send it."
    write(repo, "CONTRIBUTING.md", "# Contributing\n\nOpen an issue first.\n")
    assert ingest(ports).changed == 1
    again = standing(ports)["Contributing"]
    assert again.summary == "Open an issue first."
    assert again.id != first.id
    assert again.targets(Relation.DERIVED_FROM) == (first.id,)
    assert ingest(ports).recorded == 0


def test_line_ends_are_no_change(opened: Opened, repo: Path) -> None:
    ingest(opened())
    write(repo, "CONTRIBUTING.md", "# Contributing\r\n\r\nOpen an issue first.\r\n")
    assert ingest(opened()).recorded == 0


def test_a_removed_document_no_longer_stands_and_may_come_back(opened: Opened, repo: Path) -> None:
    ports = opened()
    ingest(ports)
    (repo / "CONTRIBUTING.md").unlink()
    assert ingest(ports).removed == 1
    assert set(standing(ports)) == {"Use a log"}
    assert ingest(ports).removed == 0
    write(repo, "CONTRIBUTING.md", "# Contributing\n\nOpen an issue first.\n")
    assert ingest(ports).recorded == 1
    assert "Contributing" in standing(ports)


def test_secrets_are_taken_out(opened: Opened, repo: Path) -> None:
    write(repo, "docs/runbooks/login.md", "# Log in as hunter2\n\nThe password is hunter2.\n")
    ports = opened()
    ingest(ports)
    assert standing(ports)["Log in as [redacted]"].summary == "The password is [redacted]."


def test_what_cannot_be_read_is_counted_and_not_taken_back(opened: Opened, repo: Path) -> None:
    write(repo, "docs/adr/0002-binary.md", "\0\0")
    write(repo, "docs/adr/0003-empty.md", "")
    write(repo, "AGENTS.md", put_block(None, MARKDOWN, "Use the memory.\n"))
    result = ingest(opened())
    assert (result.recorded, result.skipped) == (2, 3)
    assert dict(result.skipped_by_reason) == {"empty, not text, or only Remora's own block": 3}


def test_links_and_loops_are_not_followed(opened: Opened, repo: Path) -> None:
    (repo / "docs/adr/loop.md").symlink_to("loop.md")
    (repo / "docs/adr/out.md").symlink_to("/etc/hostname")
    (repo / "docs/decisions").symlink_to("..", target_is_directory=True)
    result = ingest(opened())
    assert result.recorded == 2


def test_odd_names_are_recorded(opened: Opened, repo: Path) -> None:
    for name in ("a b.md", 'q"uote.md', "new\nline.md", "\u202edm.md", "-rf.md", "é.md"):
        write(repo, f"docs/adr/{name}", f"# Title of {name!a}\n\nProse.\n")
    (repo / "docs/adr" / b"bad-\xff.md".decode("utf-8", "surrogateescape")).write_bytes(b"# Bad name\n\nProse.\n")
    ports = opened()
    assert ingest(ports).recorded == 9
    assert standing(ports)["Bad name"].sources[0].uri == "docs/adr/bad-\\xff.md"
    assert ingest(ports).unchanged == 9


def test_a_folder_that_is_not_git_is_read_too(tmp_path: Path, opened: Callable[[Path], SomePorts]) -> None:
    write(tmp_path / "plain", "adr/0001.md", "# Plain\n\nProse.\n")
    assert ingest(opened(tmp_path / "plain")).recorded == 1


def test_a_principal_without_the_right_writes_nothing(opened: Opened) -> None:
    with pytest.raises(Denied):
        ingest_docs(opened(), restricted_grant("eve", repository_claims=["other"]))
    assert ingest(opened()).recorded == 2


def test_the_worktree_stays_clean(opened: Opened, repo: Path) -> None:
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Add documents")
    ingest(opened())
    assert git(repo, "status", "--porcelain") == ""
