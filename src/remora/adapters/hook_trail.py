"""What hooks left behind in the memory's home: marks of success, and journals of what was skipped."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from remora.core.clients.hook_trail import GIT_JOURNAL_FILE, JOURNAL_FILES, MARKS_FOLDER
from remora.core.policy import HOOK_JOURNAL_READ_BYTES


class HookTrailFiles:
    """Implements `ports.HookTrail` for one home. Nothing here ever fails: what cannot be read is not there."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def marks(self) -> dict[str, int]:
        """Name of each hook that ever worked -> when it last did, in microseconds UTC."""
        found: dict[str, int] = {}
        try:
            for mark in (self._home / MARKS_FOLDER).iterdir():
                found[mark.name] = mark.stat().st_mtime_ns // 1_000
        except OSError:
            return found
        return found

    def journal(self) -> Iterator[str]:
        """Lines of the client hooks' journal, older part first."""
        for name in JOURNAL_FILES:
            yield from self._lines(name)

    def git_journal(self) -> Iterator[str]:
        """Last lines of what the git hooks printed."""
        yield from self._lines(GIT_JOURNAL_FILE)

    def mark(self, name: str) -> None:
        """Note that `name` just worked; failing to note is no failure."""
        mark = self._home / MARKS_FOLDER / name
        with contextlib.suppress(OSError):
            for folder in (mark.parent.parent, mark.parent):
                folder.mkdir(0o700, parents=True, exist_ok=True)
            mark.touch(mode=0o600)

    def open_to_others(self) -> int:
        """How many files of records and of the cache others on this machine may read."""
        return sum(_readable_by_others(self._home / name) for name in ("memory", "cache"))

    def _lines(self, name: str) -> list[str]:
        try:
            with (self._home / name).open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - HOOK_JOURNAL_READ_BYTES))
                return file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return []


def _readable_by_others(place: Path) -> int:
    """Files that others may read below a folder that they may enter."""
    wide = 0
    for folder, folders, files in os.walk(place):
        if not _wide(folder):
            folders.clear()
            continue
        wide += sum(_wide(f"{folder}/{name}") for name in files)
    return wide


def _wide(path: str) -> bool:
    try:
        return os.name == "posix" and bool(os.lstat(path).st_mode & 0o077)
    except OSError:
        return False
