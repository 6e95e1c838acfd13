"""Validity intervals [from, to) in microseconds: sorted, never overlapping, the last one open while a fact holds."""

from collections.abc import Iterable
from typing import TypeAlias

Interval: TypeAlias = "tuple[int, int | None]"
Intervals: TypeAlias = "tuple[Interval, ...]"


def is_open(intervals: Intervals) -> bool:
    """Whether the fact holds now."""
    return bool(intervals) and intervals[-1][1] is None


def holds_at(intervals: Intervals, at: int | None) -> bool:
    """Whether the fact held at `at`; None asks for now."""
    if at is None:
        return is_open(intervals)
    return any(start <= at and (end is None or at < end) for start, end in intervals)


def opened(intervals: Intervals, now: int) -> Intervals:
    """The intervals with an open one at the end; a close in this very instant is taken back."""
    if is_open(intervals):
        return intervals
    if intervals and intervals[-1][1] == now:
        return (*intervals[:-1], (intervals[-1][0], None))
    return (*intervals, (now, None))


def closed(intervals: Intervals, now: int) -> Intervals:
    """The intervals with the open one ended at `now`; nothing of the past is lost."""
    if not is_open(intervals):
        return intervals
    return (*intervals[:-1], (intervals[-1][0], now))


def union(first: Intervals, second: Intervals) -> Intervals:
    """Every instant of both; overlapping and touching intervals become one."""
    merged: list[Interval] = []
    for start, end in sorted({*first, *second}, key=_by_start):
        if merged and _reaches(merged[-1][1], start):
            merged[-1] = (merged[-1][0], _later(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def parse(value: object) -> Intervals:
    """Read the stored form `[[from, to | null], ...]`; what is not an interval is left out."""
    rows: Iterable[object] = value if isinstance(value, list | tuple) else ()
    return tuple(
        (int(row[0]), None if row[1] is None else int(row[1]))
        for row in rows
        if isinstance(row, list | tuple) and len(row) == 2
    )


def _by_start(interval: Interval) -> tuple[int, bool, int]:
    return (interval[0], interval[1] is None, interval[1] or 0)


def _reaches(end: int | None, start: int) -> bool:
    return end is None or end >= start


def _later(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
