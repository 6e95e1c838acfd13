"""Loose files: listing them with stamps that show every change, and reading one."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from remora.adapters.record_files.disk import TEMPORARY_PREFIX, read_regular, translated
from remora.core import ids, policy
from remora.core.errors import Corrupt
from remora.core.records import codec
from remora.core.records.log import BadRecord, LogUnit, StoredRecord, UnitContent
from remora.core.records.vocabulary import ScopeKind

NAME = re.compile(r"mem_[0-9a-f]{24}\.json")
_SECOND_NS = 1_000_000_000


def list_loose(folder: Path, prefix: str, now_ns: int) -> list[LogUnit]:
    """Every JSON file of the folder as a unit with its stamp, by name; an absent folder holds none."""
    return sorted(_loose_units(folder, prefix, now_ns), key=lambda unit: unit.name)


def names(folders: Iterable[Path]) -> set[str]:
    """Ids that loose files of the folders are named by."""
    return {unit.name[1 : -len(".json")] for folder in folders for unit in _loose_units(folder, "", 0)}


def _loose_units(folder: Path, prefix: str, now_ns: int) -> Iterator[LogUnit]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and not entry.name.startswith("."):
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    yield _unit(f"{prefix}/{entry.name}", found, now_ns)
    except FileNotFoundError:
        return
    except OSError as error:
        raise translated(error, folder) from error


def _unit(name: str, found: os.stat_result, now_ns: int) -> LogUnit:
    stamp = f"{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_ino}"
    youngest = max(found.st_mtime_ns, found.st_ctime_ns)
    coarse = found.st_ctime_ns % _SECOND_NS == 0
    window = policy.STAMP_COARSE_SETTLED_SECONDS if coarse else policy.STAMP_SETTLED_SECONDS
    return LogUnit(name, stamp, settled=youngest + int(window * _SECOND_NS) < now_ns)


def read_loose(path: Path, unit: str, *, shared: bool) -> UnitContent:
    """The record of one loose file, or a name for what is wrong with it. Raises FileNotFoundError when it is gone."""
    stated = path.stem if NAME.fullmatch(path.name) else ""
    try:
        data = read_regular(path, policy.RECORD_FILE_MAX_BYTES)
    except Corrupt as error:
        return UnitContent(unit, "", bad=(BadRecord(unit, str(error), stated),))
    digest = ids.digest(data)
    try:
        stored = _checked(data, stated, shared)
    except Corrupt as error:
        return UnitContent(unit, digest, bad=(BadRecord(unit, str(error), stated),))
    return UnitContent(unit, digest, records=(stored,))


def _checked(data: bytes, stated: str, shared: bool) -> StoredRecord:
    parsed = codec.parse(data)
    if parsed.record.id != stated:
        raise Corrupt("the file is not named after the record in it")
    if shared and parsed.record.access_scope.scope is not ScopeKind.REPOSITORY:
        raise Corrupt("only records of repository scope belong in the shared folder")
    return StoredRecord(parsed.record, data, parsed.verified, parsed.digest)


def stale_temporaries(folder: Path, now_ns: int) -> list[Path]:
    """Unpublished files left by killed processes."""
    oldest = now_ns - int(policy.TEMPORARY_MAX_AGE_SECONDS * _SECOND_NS)
    found: list[Path] = []
    try:
        for path in folder.iterdir():
            if path.name.startswith(TEMPORARY_PREFIX):
                state = path.lstat()
                if stat.S_ISREG(state.st_mode) and state.st_mtime_ns < oldest:
                    found.append(path)
    except FileNotFoundError:
        pass
    return found
