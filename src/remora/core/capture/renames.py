"""Which definitions of a file a commit renamed: told by the lines that declare them, their bodies and their names."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import product

from remora.core.capture.declarations import DeclarationPair, declaration_pairs
from remora.core.capture.patch import FilePatch, Hunk, Span
from remora.core.policy import (
    RENAME_BODY_CONFIDENCE,
    RENAME_BODY_LINES_MIN,
    RENAME_BODY_SHARE_MIN,
    RENAME_GUESSED_CONFIDENCE,
    RENAME_PAIRS_MAX,
    RENAME_PARSED_CONFIDENCE,
    RENAME_WORD_MIN_CHARS,
)
from remora.core.text import tokens

Rename = tuple[Span, Span, float]
"""(definition before, definition after, how sure)."""

_EVERYWHERE = frozenset({"test", "tests", "get", "set", "has", "new", "old", "add", "the", "and", "for", "with"})
"""Words of names that say nothing of what is named."""


def guessed_renames(hunks: Sequence[Hunk]) -> Iterator[Rename]:
    """Renames in a file that no parser knows, as its lines alone show them."""
    for pair in declaration_pairs(hunks):
        if pair.alone:
            yield Span(pair.old, 0, 0), Span(pair.new, 0, 0), RENAME_GUESSED_CONFIDENCE


def parsed_renames(file: FilePatch, old: Sequence[Span], new: Sequence[Span]) -> Iterator[Rename]:
    """Renames that the definitions of both sides show, each with those of its members."""
    told: set[str] = set()
    for before, after, sure in (*_declared(file.hunks, old, new), *_carried(file.hunks, old, new)):
        for former, present in ((before, after), *_members(before, after, old, new)):
            if former.qualified not in told:
                told.add(former.qualified)
                yield former, present, sure


def _declared(hunks: Sequence[Hunk], old: Sequence[Span], new: Sequence[Span]) -> Iterator[Rename]:
    """Declarations that are alike but for the name. Three things speak for a rename:

    both names stand on one side alone and half of the body was kept, or the names share a word; or the body went along
    although one of the names is used again for something else.
    """
    kept = _KeptLines(hunks)
    former, present = {span.qualified for span in old}, {span.qualified for span in new}
    for pair in declaration_pairs(hunks):
        before, after = _at(old, pair.old_line, pair.old), _at(new, pair.new_line, pair.new)
        if before is None or after is None or before.qualified == after.qualified:
            continue
        gone, fresh = before.qualified not in present, after.qualified not in former
        lines = kept.between(before, after)
        enough = 1 if gone and fresh else RENAME_BODY_LINES_MIN
        if gone and fresh and pair.alone and _kept_body(hunks, before, after):
            yield before, after, RENAME_PARSED_CONFIDENCE
        elif (gone or fresh) and ((lines >= enough and _went_along(lines, before)) or (gone and fresh and akin(pair))):
            yield before, after, RENAME_BODY_CONFIDENCE


def _carried(hunks: Sequence[Hunk], old: Sequence[Span], new: Sequence[Span]) -> Iterator[Rename]:
    """Bodies that stand unchanged under another name, whatever became of the line that declares them."""
    former, present = {span.qualified for span in old}, {span.qualified for span in new}
    gone = [span for span in old if span.qualified not in present and _last(span.qualified)]
    fresh = [span for span in new if span.qualified not in former]
    if not gone or not fresh or len(gone) * len(fresh) > RENAME_PAIRS_MAX:
        return
    kept = _KeptLines(hunks)
    for before, after in product(gone, fresh):
        lines = kept.between(before, after)
        untouched = lines > height(before)  # then the line that names it is the same, too
        if untouched or lines < RENAME_BODY_LINES_MIN or _last(before.qualified) == _last(after.qualified):
            continue
        if _went_along(lines, before) and _went_along(lines, after):
            yield before, after, RENAME_BODY_CONFIDENCE


def _members(before: Span, after: Span, old: Sequence[Span], new: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Definitions inside a renamed one that are on both sides: their qualified names changed with it."""
    head, tail = f"{before.qualified}.", {span.qualified: span for span in new}
    for span in old:
        if span.qualified.startswith(head):
            renamed = tail.get(f"{after.qualified}.{span.qualified[len(head) :]}")
            if renamed:
                yield span, renamed


def akin(pair: DeclarationPair) -> bool:
    """Whether its two names share a word that says something, so that one may well be the other's next."""
    return not _telling(pair.old).isdisjoint(_telling(pair.new))


def _telling(name: str) -> frozenset[str]:
    words = {word for word in tokens(name) if len(word) >= RENAME_WORD_MIN_CHARS}
    return frozenset(words - _EVERYWHERE - {name.casefold()} or {name.strip("_").casefold()})


# --- Lines ------------------------------------------------------------------------------------------------------------


class _KeptLines:
    """Which lines of a file are on both sides, as runs (first line before, first line after, how many)."""

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        self._runs: list[tuple[int, int, float]] = []
        before, after = 1, 1
        for hunk in sorted(hunks, key=lambda each: (each.old_start, each.new_start)):
            start = hunk.old_start + (not hunk.old_count)  # of a side without lines git names the one in front
            self._runs.append((before, after, start - before))
            before = start + hunk.old_count
            after = hunk.new_start + (not hunk.new_count) + hunk.new_count
        self._runs.append((before, after, float("inf")))
        self._starts = [start for start, _, _ in self._runs]

    def between(self, before: Span, after: Span) -> int:
        """How many lines of the one definition are unchanged lines of the other."""
        count = 0.0
        for start, moved, length in self._runs[max(0, bisect_right(self._starts, before.start_line) - 1) :]:
            if start > before.end_line:
                break
            shift = moved - start
            first = max(before.start_line, after.start_line - shift, start)
            last = min(before.end_line, after.end_line - shift, start + length - 1)
            count += max(0, last - first + 1)
        return int(count)


def _went_along(lines: int, span: Span) -> bool:
    """Whether so many kept lines are most of what the definition holds below its first line."""
    return lines > 0 and lines >= RENAME_BODY_SHARE_MIN * height(span)


def _kept_body(hunks: Sequence[Hunk], before: Span, after: Span) -> bool:
    """Whether about half of each definition below its first line was left alone: else one replaced the other."""
    deleted = sum(_within(before, hunk.old_start, hunk.old_count) for hunk in hunks)
    added = sum(_within(after, hunk.new_start, hunk.new_count) for hunk in hunks)
    return 2 * (deleted - 1) <= height(before) + 1 and 2 * (added - 1) <= height(after) + 1


def _within(span: Span, start: int, count: int) -> int:
    """How many of the lines lie in the span."""
    return max(0, min(span.end_line, start + count - 1) - max(span.start_line, start) + 1)


def height(span: Span) -> int:
    """Lines of a definition below its first one."""
    return span.end_line - span.start_line


def _at(spans: Sequence[Span], line: int, name: str) -> Span | None:
    """The innermost definition called `name` that holds the line."""
    inside = [span for span in spans if span.start_line <= line <= span.end_line and _last(span.qualified) == name]
    return min(inside, key=height, default=None)


def _last(qualified: str) -> str:
    return qualified.rsplit(".", 1)[-1].rsplit("::", 1)[-1]
