"""From touched lines to changed symbols: diffs as people paste them, and who owns the lines that they touch."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.capture.patch import CommitPatch, FilePatch, Hunk, Span, parse_patches
from remora.core.capture.symbols import Spans
from remora.core.errors import InvalidInput

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a change. `change` is added, modified, deleted, renamed, copied or type_changed."""

    path: str
    change: str
    old_path: str = ""


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One symbol of a change: added, modified or deleted. The module stands for lines outside of every declaration."""

    path: str
    qualified: str
    change: str
    line: int


# --- Diffs as text ----------------------------------------------------------------------------------------------------


def read_diff(text: str) -> CommitPatch:
    """The files and touched lines of a unified diff with or without context; raises `InvalidInput` for other text."""
    if not text.strip() or len(text) > policy.DIFF_MAX_CHARS:
        raise InvalidInput("diff", "is empty or too long", allowed=f"1 to {policy.DIFF_MAX_CHARS} characters")
    lines = text.replace("\r\n", "\n").encode("utf-8", "surrogateescape" if _escaped(text) else "replace").split(b"\n")
    patch = next(parse_patches(_without_context(iter(lines))), None)
    if patch is None or not any(file.old_path or file.new_path for file in patch.files):
        raise InvalidInput("diff", "names no file", allowed="a unified diff (`git diff`)")
    return patch


def _escaped(text: str) -> bool:
    return all(not 0xD800 <= ord(char) <= 0xDFFF or 0xDC80 <= ord(char) <= 0xDCFF for char in text)


def _without_context(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The same diff as `git diff -U0` would print it, as one commit."""
    yield b"commit 0"
    announced = False
    for line in lines:
        if line.startswith(b"diff "):
            announced = True
            yield line
        elif line.startswith((b"--- ", b"+++ ")):
            if line.startswith(b"--- ") and not announced:
                yield b"diff"
            announced = announced and line.startswith(b"--- ")
            yield line[:4] + _prefixed(line[4:], b"a/" if line.startswith(b"-") else b"b/")
        elif match := _HUNK.match(line):
            announced = False
            yield from _runs(match, lines)


def _prefixed(name: bytes, prefix: bytes) -> bytes:
    name = name.partition(b"\t")[0]
    return name if name.startswith((b"a/", b"b/", b'"', b"/dev/null")) else prefix + name


def _runs(match: re.Match[bytes], lines: Iterator[bytes]) -> Iterator[bytes]:
    """Each run of changed lines of one hunk as a hunk of its own; the hunk's own counts say where it ends."""
    old, new = int(match[1]), int(match[3])
    left_old, left_new = (1 if match[group] is None else int(match[group]) for group in (2, 4))
    old, new = old + (not left_old), new + (not left_new)
    deleted: list[bytes] = []
    added: list[bytes] = []
    while left_old > 0 or left_new > 0:
        line = next(lines, None)
        if line is None:
            break
        if line.startswith(b"-"):
            deleted.append(line)
            left_old -= 1
        elif line.startswith(b"+"):
            added.append(line)
            left_new -= 1
        elif not line.startswith(b"\\"):
            yield from _run(old, deleted, new, added)
            old, new = old + len(deleted) + 1, new + len(added) + 1
            left_old, left_new = left_old - 1, left_new - 1
            deleted, added = [], []
    yield from _run(old, deleted, new, added)


def _run(old: int, deleted: Sequence[bytes], new: int, added: Sequence[bytes]) -> Iterator[bytes]:
    if deleted or added:
        old, new = old - (not deleted), new - (not added)
        yield b"@@ -%d,%d +%d,%d @@" % (old, len(deleted), new, len(added))
        yield from deleted
        yield from added


def is_applied(file: FilePatch, text: bytes) -> bool:
    """Whether the text is what the diff leads to, and not what it starts from."""
    lines = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    return _fits(lines, file.hunks, new=True) and not _fits(lines, file.hunks, new=False)


def _fits(lines: Sequence[bytes], hunks: Iterable[Hunk], *, new: bool) -> bool:
    for hunk in hunks:
        start, wanted = (hunk.new_start, hunk.added) if new else (hunk.old_start, hunk.deleted)
        if wanted and list(lines[start - 1 : start - 1 + len(wanted)]) != list(wanted):
            return False
    return True


# --- Owners of lines --------------------------------------------------------------------------------------------------


def owners(spans: Iterable[Span], hunks: Iterable[Hunk], *, new: bool) -> set[str]:
    """Qualified names of the innermost declarations that own touched lines of one side; "" owns what lies outside.

    Where a side has no lines, the place between two of them belongs to the innermost declaration around it.
    """
    ordered = sorted(spans, key=lambda span: (span.start_line, -span.end_line))
    found: set[str] = set()
    for hunk in hunks:
        start, count = (hunk.new_start, hunk.new_count) if new else (hunk.old_start, hunk.old_count)
        if count:
            found |= _owning(ordered, start, start + count - 1)
        else:
            around = [span for span in ordered if span.start_line <= start < span.end_line]
            found.add(min(around, key=_height, default=Span("", 0, 0)).qualified)
    return found


def _owning(ordered: Sequence[Span], first: int, last: int) -> set[str]:
    """Sweep over the lines from the innermost declarations outwards: each takes what no inner one took."""
    touched = [span for span in ordered if span.start_line <= last and span.end_line >= first]
    found: set[str] = set()
    taken: list[tuple[int, int]] = []
    for span in sorted(touched, key=_height):
        begin, end = max(span.start_line, first), min(span.end_line, last)
        if not _covered(begin, end, taken):
            found.add(span.qualified)
            taken.append((begin, end))
    if not _covered(first, last, taken):
        found.add("")
    return found


def _covered(first: int, last: int, taken: Iterable[tuple[int, int]]) -> bool:
    for begin, end in sorted(taken):
        if begin > first:
            return False
        first = max(first, end + 1)
        if first > last:
            return True
    return first > last


def _height(span: Span) -> int:
    return span.end_line - span.start_line


def changed_symbols(file: FilePatch, old: Sequence[Span], new: Sequence[Span]) -> list[ChangedSymbol]:
    """Symbols of one file that a change added, modified or deleted, from the declarations on both sides."""
    before, after = {span.qualified: span for span in old}, {span.qualified: span for span in new}
    path = file.new_path or file.old_path
    touched = owners(new, file.hunks, new=True) | owners(old, file.hunks, new=False)
    moved = bool(file.old_path and file.new_path and file.old_path != file.new_path)
    if not file.new_path:
        touched = {"", *before}
    elif not file.old_path or moved:
        touched |= {"", *(after if not file.old_path else ())}
    found = []
    for name in touched:
        if not name:
            change = "deleted" if not file.new_path else "modified" if file.old_path else "added"
            found.append(ChangedSymbol(path, "", change, 1))
        elif name in after:
            found.append(ChangedSymbol(path, name, "modified" if name in before else "added", after[name].start_line))
        else:
            found.append(ChangedSymbol(file.old_path or path, name, "deleted", before[name].start_line))
    return sorted(found, key=lambda symbol: (symbol.path, symbol.line, symbol.qualified))


def planned_symbols(file: FilePatch, spans: Sequence[Span], *, applied: bool) -> list[ChangedSymbol]:
    """Symbols that a diff changes, from the declarations of the present text alone; a span that it takes away whole is
    deleted."""
    path = file.new_path if applied else file.old_path or file.new_path
    lines = {span.qualified: span for span in spans}
    found = []
    for name in owners(spans, file.hunks, new=applied):
        span = lines.get(name)
        gone = span is not None and not applied and any(_holds(hunk, span) for hunk in file.hunks)
        found.append(ChangedSymbol(path, name, "deleted" if gone else "modified", span.start_line if span else 1))
    return sorted(found, key=lambda symbol: (symbol.path, symbol.line, symbol.qualified))


def _holds(hunk: Hunk, span: Span) -> bool:
    return (
        not hunk.new_count
        and hunk.old_start <= span.start_line
        and span.end_line <= hunk.old_start + hunk.old_count - 1
    )


# --- Whole changes ----------------------------------------------------------------------------------------------------


def symbols_of(
    files: Iterable[ChangedFile], patch: CommitPatch, spans: Spans, present: Callable[[str], Sequence[Span] | None]
) -> tuple[list[ChangedSymbol], int]:
    """Changed symbols of a whole change, and how many files of it have none because they could not be parsed.

    `spans` are the declarations per (path, blob); `present` gives those of a file as it lies in the working tree, None
    when it is no source file.
    """
    found: list[ChangedSymbol] = []
    unparsed = 0
    seen: set[str] = set()
    for file in patch.files[: policy.IMPACT_FILES_MAX]:
        seen |= {file.new_path, file.old_path}
        old = spans.get((file.old_path, file.old_blob))
        new = spans.get((file.new_path, file.new_blob)) or (present(file.new_path) if file.new_path else None)
        if old is None and new is None:
            unparsed += 1
        else:
            found += changed_symbols(file, old or (), new or ())
    for changed in list(files)[: policy.IMPACT_FILES_MAX]:
        if changed.path not in seen:
            declared = present(changed.path)
            unparsed += declared is None
            found += _whole(changed, declared)
    return found, unparsed + max(0, len(patch.files) - policy.IMPACT_FILES_MAX)


def _whole(changed: ChangedFile, declared: Sequence[Span] | None) -> list[ChangedSymbol]:
    """Symbols of a file without touched lines: a new one has all of its own, a renamed one took its module away."""
    if declared is None:
        return []
    change = "added" if changed.change == "added" else "modified"
    found = [ChangedSymbol(changed.path, "", change, 1)]
    if changed.change == "added":
        found += [ChangedSymbol(changed.path, span.qualified, "added", span.start_line) for span in declared]
    if changed.old_path and changed.change == "renamed":
        found.append(ChangedSymbol(changed.old_path, "", "deleted", 1))
    return found
