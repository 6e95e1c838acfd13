"""Reads `git log -p -U0 --full-index` output: which lines of which blobs a commit touched."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from remora.core.capture.paths import stored_path
from remora.core.policy import PATCH_LINES_MAX

PATCH_FORMAT = "commit %H"
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_QUOTED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


class Span(NamedTuple):
    """A definition's lines in one file, 1-based, both ends included; `node_id` is its id in the code graph."""

    qualified: str
    start_line: int
    end_line: int
    node_id: str = ""


@dataclass(slots=True)
class Hunk:
    """Lines that changed together: 1-based starts, counts, and the lines themselves (without their ends)."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    deleted: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)


@dataclass(slots=True)
class FilePatch:
    """One file of a commit; an absent side has no path and a blob of zeros. Binary files have no paths, no hunks."""

    old_path: str = ""
    new_path: str = ""
    old_blob: str = ""
    new_blob: str = ""
    hunks: list[Hunk] = field(default_factory=list)


@dataclass(slots=True)
class CommitPatch:
    """What a commit did to lines. `truncated` counts the lines above the limit that were not kept."""

    sha: str
    files: list[FilePatch] = field(default_factory=list)
    truncated: int = 0


def split_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their newline, from chunks cut anywhere."""
    rest: list[bytes] = []
    for chunk in chunks:
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            rest.append(chunk)
            continue
        yield b"".join(rest) + lines[0]
        yield from lines[1:-1]
        rest = [lines[-1]]
    if last := b"".join(rest):
        yield last


def parse_patches(lines: Iterator[bytes]) -> Iterator[CommitPatch]:
    """Commits of a stream. Content lines are taken by the hunk's own counts, so no content can pose as structure."""
    commit: CommitPatch | None = None
    kept = 0
    for line in lines:
        if line.startswith(b"commit "):
            if commit is not None:
                yield commit
            commit, kept = CommitPatch(line[7:].decode("ascii")), 0
        elif commit is None:
            continue
        elif line.startswith(b"diff "):
            commit.files.append(FilePatch())
        elif line.startswith(b"@@ ") and commit.files and (match := _HUNK.match(line)):
            kept += _read_hunk(match, lines, commit, room=PATCH_LINES_MAX - kept)
        elif commit.files:
            _read_header(line, commit.files[-1])
    if commit is not None:
        yield commit


def _read_header(line: bytes, file: FilePatch) -> None:
    if line.startswith(b"index ") and (match := _INDEX.match(line)):
        file.old_blob, file.new_blob = match[1].decode(), match[2].decode()
    elif line.startswith(b"--- "):
        file.old_path = _side(line[4:], b"a/")
    elif line.startswith(b"+++ "):
        file.new_path = _side(line[4:], b"b/")


def _side(name: bytes, prefix: bytes) -> str:
    """A path of a `---` or `+++` line in stored form; "" for an absent side."""
    if name.startswith(b'"') and name.endswith(b'"'):
        name = _QUOTED.sub(_unquoted, name[1:-1])
    else:
        name = name.removesuffix(b"\t")  # git's mark after a name with blanks
    return stored_path(name.removeprefix(prefix)) if name.startswith(prefix) else ""


def _unquoted(match: re.Match[bytes]) -> bytes:
    text = match[1]
    return bytes([int(text, 8)]) if text.isdigit() else _ESCAPES.get(text, text)


def _read_hunk(match: re.Match[bytes], lines: Iterator[bytes], commit: CommitPatch, *, room: int) -> int:
    old_count, new_count = (1 if match[group] is None else int(match[group]) for group in (2, 4))
    hunk = Hunk(int(match[1]), old_count, int(match[3]), new_count)
    commit.files[-1].hunks.append(hunk)
    left = old_count + new_count
    while left:
        line = next(lines, None)
        if line is None:
            break
        if line.startswith(b"\\"):  # "\ No newline at end of file" counts for neither side
            continue
        left -= 1
        if room > 0:
            room -= 1
            (hunk.deleted if line.startswith(b"-") else hunk.added).append(line[1:])
        else:
            commit.truncated += 1
    return len(hunk.deleted) + len(hunk.added)
