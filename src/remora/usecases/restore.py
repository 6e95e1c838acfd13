"""Restore a backup into a repository that has no store yet; records are merged, nothing is ever overwritten."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from remora.core.errors import Corrupt, Denied, InvalidInput
from remora.core.records.log import Progress
from remora.core.records.model import Record
from remora.core.scope import Grant
from remora.ports import BackupFolder, RecordLog, Repository

_SCHEMA = "remora.backup/v1"


class RestorePorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def repository(self) -> Repository: ...
    @property
    def records(self) -> RecordLog: ...


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back; `already_present` records were there."""

    records: int
    already_present: int
    items: int
    made_at: str
    conflicts: tuple[str, ...] = ()


def restore(ports: RestorePorts, grant: Grant, folder: BackupFolder, progress: Progress | None = None) -> Restored:
    """Check every byte of the backup, then put it in place. The operator's.

    Raises `Corrupt` for a backup that is not what was written, `InvalidInput` for one of another repository,
    `Conflict` when this repository has a store already.
    """
    if not grant.operator:
        raise Denied("only the operator may restore a memory")
    manifest = _manifest(folder.read_manifest())
    names = (ports.repository.identity, *ports.repository.aliases)
    if manifest["identity"] not in names:
        raise InvalidInput("backup", f"is of {manifest['identity']!r}", allowed=f"one of {names[0]!r}")
    report = folder.records.verify()
    if report.bad or report.records != manifest["records"]:
        raise Corrupt(f"the backup holds {report.records} good records, {manifest['records']} were written")
    if folder.store_digest() != manifest["store_digest"]:
        raise Corrupt("the backup's store is not what was written")
    folder.put_store(ports.repository)
    done = ports.records.append_many(grant, _all(folder.records), progress)
    return Restored(
        done.recorded, done.already_present, int(str(manifest["items"])), str(manifest["made_at"]), done.conflicts
    )


def _manifest(data: bytes) -> dict[str, object]:
    try:
        body = json.loads(data)
    except ValueError:
        body = None
    fields = {"schema", "identity", "made_at", "records", "items", "store_digest"}
    if not isinstance(body, dict) or body.get("schema") != _SCHEMA or not fields <= body.keys():
        raise InvalidInput("backup", "has no manifest that can be read", allowed="a folder that `remora backup` made")
    return body


def _all(log: RecordLog) -> Iterator[Record]:
    for content in log.read(unit.name for unit in log.units()):
        yield from (stored.record for stored in content.records)
