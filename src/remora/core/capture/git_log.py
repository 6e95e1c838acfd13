"""Reads the NUL-delimited stream of `git log`: commits with their messages and changed paths."""

from collections.abc import Iterator
from typing import NamedTuple

from remora.core.capture.paths import is_inside, stored_path
from remora.core.policy import PATH_MAX_CHARS
from remora.core.records.model import PathChange
from remora.core.records.vocabulary import PathChangeKind

LOG_FORMAT = "%x00%x00%H%x00T%ct%x00A%an%x00E%e%x00S%s%x00B%b"
"""No field is ever empty, so three NULs in a row occur between commits and nowhere else."""
_BETWEEN = b"\0\0\0"
_FIELDS = 6
_KINDS = {
    "A": PathChangeKind.ADDED,
    "M": PathChangeKind.MODIFIED,
    "D": PathChangeKind.DELETED,
    "T": PathChangeKind.TYPE_CHANGED,
    "R": PathChangeKind.RENAMED,
    "C": PathChangeKind.COPIED,
}


class RawCommit(NamedTuple):
    """One commit as git tells it. `time` is the committer's, in Unix seconds.

    `unsafe_paths` counts names that point out of the repository and were left out; `cut` says that its parents are not
    in this shallow clone, so that what it changed is unknown.
    """

    sha: str
    time: int
    author: str
    subject: str
    body: str
    changes: tuple[PathChange, ...] = ()
    unsafe_paths: int = 0
    cut: bool = False


class UnreadableCommit(NamedTuple):
    """A commit whose objects are missing or damaged."""

    sha: str
    reason: str


class LogParser:
    """Turns the stream's chunks into commits, whatever bytes they hold."""

    def __init__(self) -> None:
        self._rest = b""
        self.count = 0
        """How many commits came out."""

    def feed(self, chunk: bytes) -> Iterator[RawCommit]:
        """Commits that this chunk completes."""
        pieces = (self._rest + chunk).split(_BETWEEN)
        self._rest = pieces.pop()
        for piece in pieces:
            yield from self._commit(piece)

    def finish(self) -> Iterator[RawCommit]:
        """The last commit, when the stream has ended."""
        rest, self._rest = self._rest, b""
        yield from self._commit(rest)

    def _commit(self, piece: bytes) -> Iterator[RawCommit]:
        piece = piece.strip(b"\0")
        if piece:
            self.count += 1
            yield _parsed(piece)


def _parsed(piece: bytes) -> RawCommit:
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError:
        fields = _decoded(piece.split(b"\0"))
        odd = True
    else:
        fields = text.split("\0")
        odd = ".." in text or "\0/" in text or len(text) > PATH_MAX_CHARS
        if "\\x" in text:
            fields[_FIELDS:] = [stored_path(field.encode()) for field in fields[_FIELDS:]]
    changes = _changes(fields)
    kept = [change for change in changes if _is_safe(change)] if odd else changes
    return RawCommit(
        fields[0],
        int(fields[1][1:] or 0),
        fields[2][1:],
        fields[4][1:],
        fields[5][1:],
        tuple(kept),
        len(changes) - len(kept),
    )


def _changes(fields: list[str]) -> list[PathChange]:
    """The raw entries: `:modes blobs status`, then one path or, for renames and copies, two."""
    changes = []
    blobs: dict[int, tuple[str, str]] = {}
    at, end = _FIELDS, len(fields)
    while at < end:
        entry = fields[at].lstrip("\n")
        if not entry:  # combined diffs have one NUL more
            at += 1
            continue
        *_, old_blob, new_blob, status = entry.split(" ")
        letter = status[0]
        if letter in "RC":
            changes.append(PathChange(_KINDS[letter], fields[at + 1], fields[at + 2]))
            at += 3
            continue
        if len(status) > 1 and status.strip(letter):  # against each parent of a merge another status
            letter = "M"
        kind, path = _KINDS.get(letter, PathChangeKind.MODIFIED), fields[at + 1]
        if letter == "M":
            blobs[len(changes)] = old_blob, new_blob
        changes.append(PathChange(kind, "" if letter == "A" else path, "" if letter == "D" else path))
        at += 2
    if len(blobs) > 1:
        _find_traded(changes, blobs)
    return changes


def _find_traded(changes: list[PathChange], blobs: dict[int, tuple[str, str]]) -> None:
    """Files that traded contents among each other were renamed; git looks for that only at a high price."""
    before = {old: number for number, (old, _) in blobs.items()}
    after = {new for _, new in blobs.values()}
    if after.isdisjoint(before):
        return
    for number, (old, new) in blobs.items():
        source = before.get(new, number)
        if source != number and old != new and old in after:
            changes[number] = PathChange(PathChangeKind.RENAMED, changes[source].new_path, changes[number].new_path)


def _is_safe(change: PathChange) -> bool:
    return all(is_inside(path) for path in (change.old_path, change.new_path) if path)


def _decoded(fields: list[bytes]) -> list[str]:
    """Text of a commit that is not all UTF-8: messages by the commit's own encoding, else Latin-1; names escaped."""
    encoding = fields[3][1:].decode("ascii", "replace")
    head = [_text(field, encoding) for field in fields[:_FIELDS]]
    return head + [stored_path(field) for field in fields[_FIELDS:]]


def _text(field: bytes, encoding: str) -> str:
    for name in ("utf-8", encoding):
        try:
            return field.decode(name) if name else field.decode("latin-1")
        except (UnicodeDecodeError, LookupError):
            continue
    return field.decode("latin-1")
