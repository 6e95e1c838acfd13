"""What the hook and a server tell each other through files of the memory's home: the run file, marks and the journal.

The hook's own house (`remora_hook`) writes and reads these without this module; the tests hold both to one form.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

RUN_FILE = "cache/run.json"
"""Below the home; mode 0600, made whole before it gets its name, removed when the server ends."""
JOURNAL_FILES = ("cache/hook.log.1", "cache/hook.log")
"""Older part first."""
GIT_JOURNAL_FILE = "cache/git-hook.log"
MARKS_FOLDER = "cache/hooks"
"""One empty file per client and event, `<client>.<event>`; its time of change is the hook's last success."""
GIT_MARK = "git.commit"
"""The mark of the git hooks: set when every commit of a run was recorded."""
BACKUP_MARK = "backup.whole"
"""The mark of a backup that was verified."""
HOOK_ROUTE = "/api/v1/hook"

_LINE = re.compile(r"(\S+) (skipped|noted) client=(\S+) event=(\S+) reason=(\S+)")


def run_file(port: int, token: str, process: int, *, deadline_ms: int = 0) -> bytes:
    """The run file's content. `token` is letters and digits; `deadline_ms` is given when a model is routed."""
    body: dict[str, int | str] = {"port": port, "token": token, "pid": process}
    if deadline_ms:
        body["deadline_ms"] = deadline_ms
    return json.dumps(body).encode("ascii") + b"\n"


def run_process(content: bytes) -> int:
    """The number of the process that a run file names; 0 when it is none."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return 0
    process = told.get("pid") if isinstance(told, dict) else None
    return process if type(process) is int and 0 < process < 1 << 31 else 0


@dataclass(frozen=True, slots=True)
class Trail:
    """What a journal holds: how often each (client, event, reason) was skipped, and the last line's time."""

    skipped: tuple[tuple[tuple[str, str, str], int], ...] = ()
    last: str = ""
    unreadable: int = 0


def read_journal(lines: Iterable[str]) -> Trail:
    """Count a journal's lines, most frequent first."""
    counts: Counter[tuple[str, str, str]] = Counter()
    last, unreadable = "", 0
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            unreadable += bool(line.strip())
            continue
        last = match.group(1)
        if match.group(2) == "skipped":
            counts[match.group(3), match.group(4), match.group(5)] += 1
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return Trail(tuple(ordered), last, unreadable)


def mark_of(name: str) -> tuple[str, str]:
    """(client, event) of a mark's file name."""
    client, _, event = name.partition(".")
    return client, event
