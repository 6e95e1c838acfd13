"""How a secret's shape is found: by a literal, cheap to search for, and expressions tried only where it stands."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from remora.core.policy import REDACTION_JUDGED_CHARS, REDACTION_MAX_NESTED

_BEFORE_CHARS = 240


class Shape(NamedTuple):
    """One shape of one kind. Every quantifier is bounded, so that hostile text costs little.

    `regex` is matched at each occurrence of a literal; the secret is its group `value`, else the whole match, begun
    earlier by the group-less `before`, which ends where the literal starts. `judge` may refuse the value.
    Expressions are compiled at first need: most runs of the program never meet most kinds.
    """

    kind: str
    literals: tuple[str, ...]
    regex: str
    before: str = ""
    judge: Callable[[str], bool] | None = None


@cache
def compiled(expression: str) -> re.Pattern[str]:
    """The compiled expression, kept for the process: there are as many as there are shapes."""
    return re.compile(expression)


def shape_spans(shapes: Iterable[Shape], text: str, searched: str) -> Iterator[tuple[int, int, str]]:
    """Spans (start, end, kind) of the shapes in the text; literals are looked for in `searched`, same positions."""
    for shape in shapes:
        for literal in shape.literals:
            for start, end in _spans(shape, literal, text, searched):
                yield start, end, shape.kind


def _spans(shape: Shape, literal: str, text: str, searched: str) -> Iterator[tuple[int, int]]:
    reach = nested = 0
    at = searched.find(literal)
    regex = compiled(shape.regex) if at >= 0 else None
    while at >= 0 and regex:
        match = regex.match(text, at)
        nested = nested + 1 if at < reach else 0
        reach = max(reach, match.end()) if match else reach
        span = _span(shape, text, match) if match and nested <= REDACTION_MAX_NESTED else None
        if span:
            yield span
        at = searched.find(literal, max(at + 1, span[1] if span else 0))


def _span(shape: Shape, text: str, match: re.Match[str]) -> tuple[int, int] | None:
    named = "value" in match.re.groupindex
    start, end = match.span("value" if named else 0)
    if start < 0:
        return None
    if shape.judge:
        value = text[start:end].rstrip(",;:)]}")
        end = start + len(value)
        if not shape.judge(value[:REDACTION_JUDGED_CHARS]):
            return None
    if not shape.before:
        return start, end
    before = compiled(shape.before).search(text, max(0, match.start() - _BEFORE_CHARS), match.start())
    if not before:
        return None
    return (start if named else before.start()), end
