"""A bag with the real record log and index, for the verbs of records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core.records.model import SHARED, Link, Record, SourceArtifact
from remora.core.records.search import RecordQuery
from remora.core.records.vocabulary import RecordKind, Relation
from remora.core.scope import Grant, operator_grant
from remora.ports import Repository
from remora.usecases.search_records import search_records

OPERATOR = operator_grant()
REPO = "https://github.com/acme/api"


@dataclass
class Ticking:
    """A clock that moves by a second on each look."""

    microseconds: int = 1_700_000_000_000_000

    def now(self) -> int:
        self.microseconds += 1_000_000
        return self.microseconds

    def token(self, size_bytes: int) -> str:
        return "0" * (2 * size_bytes)


@dataclass
class Bag:
    """What the verbs need, with the real log and index."""

    home: Path
    repository: Repository = field(default_factory=lambda: Repository(REPO, "r_1"))
    clock: Ticking = field(default_factory=Ticking)

    def redact(self, text: str) -> str:
        return text.replace("hunter2", "[redacted]")

    def __post_init__(self) -> None:
        self.records = FileRecordLog(self.home)
        self.record_index = SqliteRecordIndex(self.home / "cache" / "records.sqlite3", self.records)

    def add(self, key: str, **changes: object) -> Record:
        fields: dict[str, object] = {
            "idempotency_key": key,
            "kind": RecordKind.CHANGE_EPISODE,
            "title": f"Title of {key}",
            "summary": "Something happened.",
            "repository": REPO,
            "occurred_at": self.clock.now() // 1_000_000,
            "sources": (SourceArtifact("agent", f"agent://task/{key}"),),
            "access_scope": SHARED,
        }
        record = Record.create(**(fields | changes))  # type: ignore[arg-type]
        self.records.append(OPERATOR, record)
        return record

    def supersede(self, target: Record, key: str, **changes: object) -> Record:
        links = (Link(Relation.SUPERSEDES, target.id),)
        return self.add(key, **({"kind": target.kind, "links": links} | changes))

    def search(self, text: str = "", grant: Grant = OPERATOR, **query: object) -> list[str]:
        found = search_records(self, grant, RecordQuery(text, **query))  # type: ignore[arg-type]
        return [hit.record.idempotency_key for hit in found.hits]


@pytest.fixture
def make_bag(tmp_path: Path) -> Iterator[Callable[[str], Bag]]:
    """Makes bags of stores of their own, by name."""
    made: list[Bag] = []

    def make(name: str) -> Bag:
        made.append(Bag(tmp_path / name / ".remora"))
        return made[-1]

    yield make
    for bag in made:
        bag.record_index.close()


@pytest.fixture
def bag(make_bag: Callable[[str], Bag]) -> Bag:
    """One bag."""
    return make_bag("repo")
