"""How a secret's shape is found: by a literal, cheap to search for, and expressions tried only where it stands."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

_BEFORE_CHARS = 400


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
            at = searched.find(literal)
            while at >= 0:
                span = _span(shape, text, at)
                if span:
                    yield *span, shape.kind
                at = searched.find(literal, max(at + 1, span[1] if span else 0))


def _span(shape: Shape, text: str, at: int) -> tuple[int, int] | None:
    match = shape.regex.match(text, at)
    if not match:
        return None
    begin = at
    if shape.before:
        before = shape.before.search(text[max(0, at - _BEFORE_CHARS) : at])
        if not before:
            return None
        begin -= len(before.group())
    if "value" not in shape.regex.groupindex:
        return begin, match.end()
    start, end = match.span("value")
    if start < 0 or not shape.judge:
        return (start, end) if start >= 0 else None
    value = match["value"].rstrip(",;:)]}")
    return (start, start + len(value)) if shape.judge(value) else None
