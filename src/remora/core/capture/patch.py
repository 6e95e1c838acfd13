"""Reads `git log -p -U0 --full-index` output: which lines of which blobs a commit touched."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from remora.core.policy import PATCH_LINES_MAX

PATCH_FORMAT = "commit %H"
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")


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
    """One file of a commit by its blobs; a blob of zeros is an absent side. Binary files have no hunks."""

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
        elif line.startswith(b"index ") and commit.files and (match := _INDEX.match(line)):
            commit.files[-1].old_blob, commit.files[-1].new_blob = match[1].decode(), match[2].decode()
        elif line.startswith(b"@@ ") and commit.files and (match := _HUNK.match(line)):
            size = _read_hunk(match, lines, commit, room=PATCH_LINES_MAX - kept)
            kept += size
    if commit is not None:
        yield commit


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
