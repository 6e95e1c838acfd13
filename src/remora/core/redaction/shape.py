"""How a secret's shape is found: by a literal, cheap to search for, and expressions tried only where it stands."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from remora.core.policy import REDACTION_JUDGED_CHARS, REDACTION_MAX_NESTED

_BEFORE_CHARS = 240


class Shape(NamedTuple):
    """One shape of one kind. Every quantifier is bounded, so that hostile text costs little.

    `regex` is matched at each occurrence of a literal; the secret is its group `value`, else the whole match, begun
    earlier by the group-less `before` (which must end where the literal starts). `judge` may refuse the value.
    """

    kind: str
    literals: tuple[str, ...]
    regex: re.Pattern[str]
    before: re.Pattern[str] | None = None
    judge: Callable[[str], bool] | None = None


def shape_spans(shapes: Iterable[Shape], text: str, searched: str) -> Iterator[tuple[int, int, str]]:
    """Spans (start, end, kind) of the shapes in the text; literals are looked for in `searched`, same positions."""
    for shape in shapes:
        for literal in shape.literals:
            for start, end in _spans(shape, literal, text, searched):
                yield start, end, shape.kind


def _spans(shape: Shape, literal: str, text: str, searched: str) -> Iterator[tuple[int, int]]:
    reach = nested = 0
    at = searched.find(literal)
    while at >= 0:
        match = shape.regex.match(text, at)
        nested = nested + 1 if at < reach else 0
        reach = max(reach, match.end()) if match else reach
        span = _span(shape, text, match) if match and nested <= REDACTION_MAX_NESTED else None
        if span:
            yield span
        at = searched.find(literal, max(at + 1, span[1] if span else 0))


def _span(shape: Shape, text: str, match: re.Match[str]) -> tuple[int, int] | None:
    start, end = match.span("value" if "value" in shape.regex.groupindex else 0)
    if start < 0:
        return None
    if shape.judge:
        value = text[start:end].rstrip(",;:)]}")
        end = start + len(value)
        if not shape.judge(value[:REDACTION_JUDGED_CHARS]):
            return None
    if not shape.before:
        return start, end
    before = shape.before.search(text, max(0, match.start() - _BEFORE_CHARS), match.start())
    if not before:
        return None
    return (start if "value" in shape.regex.groupindex else before.start()), end
