"""What a record log speaks of: units that hold records, what was read from them, and outcomes of writes."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from remora.core.records.model import Record

Progress = Callable[[int, int], None]
"""Called with (done, total) during long work; total is 0 when unknown."""


class AppendOutcome(StrEnum):
    """What an append did."""

    RECORDED = "recorded"
    ALREADY_PRESENT = "already_present"


@dataclass(frozen=True, slots=True)
class LogUnit:
    """One thing that holds records: a loose file or a segment. `stamp` changes when its content may have changed.

    An unsettled unit is so young that a later change could leave the stamp as it is: it must be read again next time.
    """

    name: str
    stamp: str
    settled: bool = True


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it lies in the log: its bytes, its checksum, and whether the bytes carried one (that held)."""

    record: Record
    data: bytes
    verified: bool
    digest: str


@dataclass(frozen=True, slots=True)
class BadRecord:
    """Something in the log that cannot be served: where it lies, which record if known, and what is wrong."""

    unit: str
    problem: str
    record_id: str = ""


@dataclass(frozen=True, slots=True)
class UnitContent:
    """What one unit holds: every good record, and a name for every bad one. `digest` identifies the bytes."""

    unit: str
    digest: str
    records: tuple[StoredRecord, ...] = ()
    bad: tuple[BadRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class BulkAppended:
    """Outcome of a bulk append. `conflicts` names the keys that already stand for something else."""

    recorded: int = 0
    already_present: int = 0
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compacted:
    """Outcome of a compaction; `kept` counts loose records that were left where they are."""

    folded: int = 0
    segments: int = 0
    kept: int = 0
    bad: tuple[BadRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class LogReport:
    """Outcome of checking every byte of the log. `unverifiable` counts records that never carried a checksum."""

    records: int = 0
    units: int = 0
    unverifiable: int = 0
    bad: tuple[BadRecord, ...] = ()
