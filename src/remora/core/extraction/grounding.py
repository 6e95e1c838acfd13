"""What was said: names in a triple must occur in the turns, or belong to an entity of which another name occurs."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from remora.core.facts.batch import Triple
from remora.core.facts.words import SAME_AS, USER
from remora.core.text import name_key
from remora.core.text.query import STOP_WORDS

NamesOf = Callable[[str], Iterable[str]]
"""Name key -> the known names of the entity that it means, none for an unknown one."""

_OF_USER = ("i", "me", "my", "user", "the user")
_REDACTED = re.compile(r"\[redacted:", re.IGNORECASE)
_UNSPACED = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)


class Heard:
    """The turns as one text in which names are looked for; case, width and white space do not matter."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = "\n".join(name_key(text) for text in texts)
        self._known: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Whether a name occurs as words of its own: `C` does not occur in `C++` or `cat`."""
        key = name_key(name)
        if key not in self._known:
            self._known[key] = bool(key) and self._occurs(key)
        return self._known[key]

    def _occurs(self, key: str) -> bool:
        text, at = self._text, self._text.find(key)
        while at >= 0:
            end = at + len(key)
            before, after = text[at - 1 : at] if at else "", text[end : end + 1]
            if not _joined(before, key[0]) and not _joined(key[-1], after):
                return True
            at = text.find(key, at + 1)
        return False


def _joined(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    if not left or not right or _UNSPACED.match(left) or _UNSPACED.match(right):
        return False
    word = (left.isalnum() or left == "_") and (right.isalnum() or right in "_+#")
    return word or (left in "+#" and right == left)


@dataclass(frozen=True, slots=True)
class Grounded:
    """The triples whose names were said, and how many of the others were dropped, by reason."""

    triples: tuple[Triple, ...]
    dropped: Counter[str]


def grounded(triples: Sequence[Triple], heard: Heard, names_of: NamesOf) -> Grounded:
    """Keep what was said. A merge of names is kept only when both were said themselves, for it moves facts."""
    kept: list[Triple] = []
    dropped: Counter[str] = Counter()
    for triple in triples:
        ends = (triple.subject, triple.object)
        merges = triple.predicate.strip().upper().replace(" ", "_") == SAME_AS
        if any(_REDACTED.search(end) for end in (*ends, triple.predicate)):
            dropped["redacted"] += 1
        elif not all(_said(end, heard, None if merges else names_of) for end in ends):
            dropped["ungrounded"] += 1
        elif any(_vague(end) for end in ends):
            dropped["vague"] += 1
        elif name_key(ends[0]) == name_key(ends[1]):
            dropped["same_name"] += 1
        else:
            kept.append(triple)
    return Grounded(tuple(kept), dropped)


def _vague(name: str) -> bool:
    """Whether a name is made of words that name nothing: `it`, `the`, `of this`."""
    key = name_key(name)
    return key not in _OF_USER and all(word in STOP_WORDS for word in key.split())


def _said(name: str, heard: Heard, names_of: NamesOf | None) -> bool:
    if heard.has(name):
        return True
    key = name_key(name)
    if key in _OF_USER or key == name_key(USER):
        return any(heard.has(word) for word in _OF_USER)
    return names_of is not None and any(heard.has(other) for other in names_of(key))
