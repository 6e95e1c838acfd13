"""Back up a repository's memory: a verified copy of its store and of its record log, in a folder of their own."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from remora.core.clients.hook_trail import BACKUP_MARK
from remora.core.encounters.times import shown
from remora.core.errors import Corrupt, Denied
from remora.core.records.log import BadRecord, Progress
from remora.core.records.model import Record
from remora.core.scope import Grant
from remora.ports import BackupFolder, Clock, HookTrail, RecordLog, Repository, StoreAdmin

BACKUP_SCHEMA = "remora.backup/v1"


class BackupPorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def repository(self) -> Repository: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def store_admin(self) -> StoreAdmin: ...
    @property
    def records(self) -> RecordLog: ...
    @property
    def hook_trail(self) -> HookTrail: ...


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What the copy holds. `bad` names damaged records of the log, which no copy can hold; `conflicts` keys that
    stand for several things.
    """

    records: int
    items: int
    conflicts: tuple[str, ...] = ()
    bad: tuple[BadRecord, ...] = ()


def back_up(ports: BackupPorts, grant: Grant, folder: BackupFolder, progress: Progress | None = None) -> BackedUp:
    """Copy everything while others write, then check every byte of the copy. The operator's.

    Raises `Conflict` when the folder holds something, `Corrupt` when the copy is not what was read; it then has no
    manifest, so that it cannot be taken for a backup.
    """
    if not grant.operator:
        raise Denied("only the operator may back up a memory: it holds what belongs to everyone")
    ports.store_admin.backup(folder.begin())
    bad: list[BadRecord] = []
    done = folder.records.append_many(grant, _all(ports.records, bad), progress)
    report = folder.records.verify()
    if report.bad or report.records != done.recorded:
        raise Corrupt(f"{done.recorded} records were copied and {report.records} of them can be read back")
    store = folder.open_store(ports.repository)
    try:
        problems, items = store.verify(), int(store.health()["items"])
    finally:
        store.close()
    if problems:
        raise Corrupt(f"the copy of the store is damaged: {problems[0]}", advice="run `remora doctor`")
    manifest = {
        "schema": BACKUP_SCHEMA, "identity": ports.repository.identity, "made_at": shown(ports.clock.now()),
        "records": done.recorded, "items": items, "store_digest": folder.store_digest(),
    }  # fmt: skip
    folder.write_manifest(json.dumps(manifest, indent=2).encode("utf-8") + b"\n")
    ports.hook_trail.mark(BACKUP_MARK)
    return BackedUp(done.recorded, items, done.conflicts, tuple(bad))


def _all(log: RecordLog, bad: list[BadRecord]) -> Iterator[Record]:
    for content in log.read(unit.name for unit in log.units()):
        bad += content.bad
        yield from (stored.record for stored in content.records)
