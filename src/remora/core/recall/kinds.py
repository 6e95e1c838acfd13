"""What kind of answer a question wants (who, where, when, how many), and whether a fact's words are of that kind."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from remora.core.text import tokens


class Kind(StrEnum):
    """Kinds of answers that question words ask for."""

    PERSON = "who"
    PLACE = "where"
    TIME = "when"
    NUMBER = "how many"


_ASKED: Final = (
    (
        Kind.TIME,
        re.compile(r"\b(?:when|how (?:long|often|frequently|soon|old)|what time|which (?:day|date))\b", re.IGNORECASE),
    ),
    (Kind.NUMBER, re.compile(r"\bhow (?:many|much|big|large|small|fast|high|low|far)\b", re.IGNORECASE)),
    (Kind.PLACE, re.compile(r"\bwhere\b", re.IGNORECASE)),
    (Kind.PERSON, re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)),
)


def _stems(words: str) -> frozenset[str]:
    return frozenset(token for word in words.split() for token in tokens(word))


_PREDICATES: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.PERSON: _stems(
        "by own owner lead led manage maintain author assigned reports contact reviewer responsible role"
    ),
    Kind.PLACE: _stems(
        "in on at to from under runs hosts hosted located deployed lives stored stores path url address region copied "
        "into"
    ),
    Kind.TIME: _stems(
        "every at after before until since expires due deadline scheduled starts ends on date timeout retains for"
    ),
    Kind.NUMBER: frozenset(),
}
_NUMBERS: Final = _stems(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand million half "
    "twice"
)
_TIMES: Final = _stems(
    "second seconds minute minutes hour hours day days week weeks month months year years daily weekly monthly hourly "
    "nightly morning noon midnight monday tuesday wednesday thursday friday saturday sunday january february march "
    "april "
    "june july august september october november december quarter sprint"
)


def asked_kind(text: str) -> Kind | None:
    """The kind of answer that the question's words want, if they say."""
    return next((kind for kind, form in _ASKED if form.search(text[:_LOOKED_AT])), None)


_LOOKED_AT: Final = 500
"""A question word stands near the start; a longer text is no question."""


def fits(kind: Kind | None, fields: Mapping[str, Sequence[str]]) -> bool:
    """Whether a fact's predicate or object is of the kind."""
    if kind is None:
        return False
    if not _PREDICATES[kind].isdisjoint(fields.get("predicate", ())):
        return True
    if kind in (Kind.NUMBER, Kind.TIME):
        words = fields.get("object", ())
        counted = any(word[:1].isdigit() for word in words) or not _NUMBERS.isdisjoint(words)
        return counted or (kind is Kind.TIME and not _TIMES.isdisjoint(words))
    return False
