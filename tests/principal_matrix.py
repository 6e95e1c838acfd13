"""Who may see and write what: one table, a world that holds every kind of place, and worlds without what is hidden.

A principal must get the same answers from the whole world as from one in which what is hidden never was.
"""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from remora.adapters.record_files.log import FileRecordLog
from remora.bootstrap import open_ports
from remora.config import Settings
from remora.core.errors import RemoraError
from remora.core.records.model import (
    PRIVATE,
    SHARED,
    AccessScope,
    Link,
    PathChange,
    Record,
    SourceArtifact,
    SymbolAnchor,
    SymbolChange,
    Verification,
)
from remora.core.records.vocabulary import PathChangeKind, RecordKind, Relation, ScopeKind, VerificationStatus
from remora.core.scope import Grant, Right, operator_grant, restricted_grant
from remora.ports import Ports

HERE = "https://github.com/acme/api"
OTHER = "https://github.com/acme/other"
OPERATOR = operator_grant()
ABSENT = "mem_" + "0" * 24


# --- The table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a record can be: who may see it, whose it is, which repository it is about."""

    name: str
    scope: AccessScope
    owner: str = ""
    repository: str = HERE


PLACES = (
    Place("alices", PRIVATE, "alice"),
    Place("bobs", PRIVATE, "bob"),
    Place("ownerless", PRIVATE),
    Place("shared", SHARED),
    Place("core", AccessScope(ScopeKind.WORKSPACE, "core"), "bob"),
    Place("design", AccessScope(ScopeKind.WORKSPACE, "design")),
    Place("elsewhere", SHARED, repository=OTHER),
    Place("alices_elsewhere", PRIVATE, "alice", OTHER),
)


@dataclass(frozen=True)
class Principal:
    """One row: who, with which claims, and for each place `w` sees and writes, `r` sees, `-` neither."""

    row: str
    cells: str
    name: str = ""
    repositories: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    private: bool = False
    right: Right = Right.WRITE

    @property
    def grant(self) -> Grant:
        """The grant of the row; a row without a name is the operator's."""
        if not self.name:
            return OPERATOR
        return restricted_grant(
            self.name,
            repository_claims=self.repositories,
            workspace_claims=self.workspaces,
            allow_private=self.private,
            right=self.right,
        )

    def options(self, prefix: str = "--") -> list[str]:
        """The row as options of the command line, or of a server with the prefix `--memory-`."""
        given = [f"{prefix}principal", self.name] if self.name else []
        given += [part for claim in self.repositories for part in (f"{prefix}repository-claim", claim)]
        given += [part for claim in self.workspaces for part in (f"{prefix}workspace-claim", claim)]
        return given + ([f"{prefix}allow-private"] if self.private else [])

    def cell(self, place: Place) -> str:
        """What the row may do in a place."""
        return self.cells.replace(" ", "")[PLACES.index(place)]

    def sees(self, record: Record) -> bool:
        """Whether the table lets the row see the record."""
        return self.cell(place_of(record)) != "-"


# One letter for each place, in the order of PLACES: three private ones (alice's, bob's, nobody's), the shared one, two
# workspaces (core, design), and of another repository the shared one and alice's.
MATRIX = (
    Principal("the operator", "www w ww ww"),
    Principal("the owner alone", "w-- - -- -w", "alice"),
    Principal("the owner with a claim", "w-- w -- -w", "alice", (HERE,)),
    Principal("a reader of this repository", "--- w -- --", "carol", (HERE,)),
    Principal("a reader of all", "--- w -- w-", "carol", ("*",)),
    Principal("a reader of another", "--- - -- w-", "carol", (OTHER,)),
    Principal("a member of core", "--- - w- --", "carol", (), ("core",)),
    Principal("a member of all", "--- - ww --", "carol", (), ("*",)),
    Principal("one let into private", "rrr - -- -r", "carol", (), (), True),
    Principal("one with every claim", "rrr w ww wr", "carol", ("*",), ("*",), True),
    Principal("nobody", "--- - -- --", "nobody"),
    Principal("one whose name is a star", "--- - -- --", "*"),
    Principal("one who only reads", "--- r -- --", "carol", (HERE,), right=Right.READ),
)
OF_THE_DOORS = tuple(row for row in MATRIX if row.right is Right.WRITE)
"""Rows that options can express; a right to read alone comes with a key."""


def place_of(record: Record) -> Place:
    """The place a record lies in."""
    return next(
        place
        for place in PLACES
        if (place.scope, place.owner, place.repository) == (record.access_scope, record.owner, record.repository)
    )


# --- The records ------------------------------------------------------------------------------------------------------

SYMBOL = SymbolAnchor("code:src/auth.py#refresh_token", "refresh_token", "src/auth.py")


def a_record(place: Place, key: str, at: int, kind: RecordKind = RecordKind.FAILED_ATTEMPT, **more: object) -> Record:
    """A record in a place; its words hold the place's name and words that all records share."""
    fields: dict[str, object] = {
        "idempotency_key": key,
        "kind": kind,
        "title": f"Refresh token deadlock {place.name}",
        "summary": f"The session mutex of {place.name} is held across the network.",
        "repository": place.repository,
        "occurred_at": 1_700_000_000 + at,
        "sources": (SourceArtifact("issue", f"https://tracker.example/{key}"),),
        "affected_symbols": (SYMBOL,),
        "access_scope": place.scope,
        "owner": place.owner,
    }
    return Record.create(**(fields | more))  # type: ignore[arg-type]


def all_records() -> list[Record]:
    """Every kind of record in every place, each linked to and superseding records of every other place."""
    return [record for number, place in enumerate(PLACES) for record in _of_place(place, 1_000 * number)]


def target_of(holder: Place, target: Place) -> Record:
    """The record in one place that a record of another (or the same) place supersedes."""
    return a_record(target, f"{target.name}:for:{holder.name}", 100 * PLACES.index(target) + PLACES.index(holder))


def _of_place(place: Place, at: int) -> Iterator[Record]:
    name = place.name
    yield a_record(place, f"task:{name}", at)
    yield a_record(place, f"decision:{name}", at + 1, RecordKind.ARCHITECTURE_DECISION)
    failed = Verification(VerificationStatus.FAILED, ("pytest",))
    yield a_record(place, f"run:{name}", at + 2, RecordKind.CI_RUN, verification=failed)
    links = [Link(Relation.FIXED, a_record(other, f"task:{other.name}", 0).id) for other in PLACES]
    links += [Link(Relation.MOTIVATED_BY, f"https://tracker.example/decision:{other.name}") for other in PLACES]
    old = replace(SYMBOL, node_id=f"code:src/{name}.py#old_{name}", label=f"old_{name}", source_file=f"src/{name}.py")
    yield a_record(
        place, f"change:{name}", at + 3, RecordKind.CHANGE_EPISODE, links=links,
        path_changes=(PathChange(PathChangeKind.RENAMED, f"src/{name}.py", "src/auth.py"),),
        symbol_changes=(SymbolChange(old, SYMBOL),),
    )  # fmt: skip
    for number, other in enumerate(PLACES):
        yield target_of(other, place)
        links = [Link(Relation.SUPERSEDES, target_of(place, other).id)]
        yield a_record(place, f"newer:{name}:{other.name}", at + 10 + number, links=links)


# --- The worlds -------------------------------------------------------------------------------------------------------


@dataclass
class FixedClock:
    """Time stands still, so that answers of two worlds can be compared."""

    def now(self) -> int:
        return 1_800_000_000_000_000

    def token(self, size_bytes: int) -> str:
        return "0" * (2 * size_bytes)


@dataclass
class Stage:
    """A repository with a record log, and its ports."""

    folder: Path
    ports: Ports
    env: dict[str, str] = field(default_factory=dict)

    @property
    def repo(self) -> Path:
        """The checkout."""
        return self.folder / "repo"

    def plain(self, told: str) -> str:
        """An answer without where this world lies."""
        return told.replace(str(self.folder), "PLACE")

    def close(self) -> None:
        """Release what was opened."""
        self.ports.record_index.close()


def stage(folder: Path, records: Iterable[Record], *, damaged: bool = False) -> Stage:
    """A world that holds these records; a damaged one also holds files that are no records."""
    repo = folder / "repo"
    repo.mkdir(parents=True)
    env = {key: os.environ[key] for key in ("PATH", "TMPDIR") if key in os.environ}
    env |= {"HOME": str(folder), "REMORA_DATA_DIR": str(folder / "data"), "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "A", f"GIT_{who}_EMAIL": "a@example.org", f"GIT_{who}_DATE": "@1700000000 +0000"}
    (repo / "src").mkdir()
    (repo / "src" / "auth.py").write_text("def refresh_token():\n    return 1\n")
    for command in (("init", "-q", "-b", "main"), ("remote", "add", "origin", HERE), ("add", "-A"),
                    ("commit", "-qm", "Add sign-in")):  # fmt: skip
        subprocess.run(["git", *command], cwd=repo, env=env, check=True, timeout=30, capture_output=True)
    ports = replace(open_ports(Settings(folder / "data"), repo), clock=FixedClock())
    log = FileRecordLog(ports.checkout.home)
    kept = list(records)
    log.append_many(OPERATOR, kept[: len(kept) // 2])
    for record in kept[len(kept) // 2 :]:
        log.append(OPERATOR, record)
    if damaged:
        (ports.checkout.home / "memory" / "records" / f"{ABSENT}.json").write_text("{ not json")
    return Stage(folder, ports, env)


Entry = Callable[[Stage, Grant], object]
"""Something a principal can ask for; what it returns or raises is compared."""


def of_each(asked: Iterable[str], ask: Callable[[Stage, Grant, str], object]) -> Entry:
    """An entry that asks for each of the texts, and takes an error of one as its answer."""

    def about(one: str) -> Entry:
        return lambda world, grant: ask(world, grant, one)

    return lambda world, grant: [told(world, grant, about(one)) for one in asked]


def told(stage: Stage, grant: Grant, entry: Entry) -> str:
    """What an entry says to a principal: its result, or its error with its words."""
    try:
        return stage.plain(repr(entry(stage, grant)))
    except RemoraError as error:
        return stage.plain(f"{type(error).__name__}: {error} | {error.advice}")
