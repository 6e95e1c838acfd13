"""Names cut out of a clause: articles off, what hangs on a noun off, pronouns and vague words refused."""
# ruff: noqa: E501 -- lists of words read best with many on a line

import re

from remora.core.policy import ENTITY_NAME_MAX_CHARS
from remora.core.text.query import STOP_WORDS

_OPEN = re.compile(
    r"^(?:(?:the|a|an|our|my|your|this|that|these|those|all|each|every|its|their|both|some|any|new|now|also|still|currently"
    r"|only|just|already|always|really|please|simply|mostly|mainly|exactly|own|actual)\s+)+",
    re.IGNORECASE,
)
_SHUT = re.compile(
    r"(?:,?\s+(?:now|too|as well|anymore|any more|today|here|already|currently|though|instead|again|everywhere|by default"
    r"|only|alone|please|from now on|going forward|right now|internally|under the hood|at the moment|of course|everywhere"
    r"|directly|exclusively|btw|by the way|fyi|thanks|anyway|after all|for now|in production|at all|yesterday|recently|(?:last|this|next) \w+"
    r"|(?:a|two|three|some|several|\d+) (?:day|week|month|year)s? ago|since (?:then|\w+ \d{4})))+$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:because|since|so|which|that|when|whenever|while|until|but|after|before|by|via|through|with|without|to|in order"
    r"|as|for|in|on|at|from|under|during|per|over|where|than|whose|thanks|unlike|like|including|except|rather|not)\b(?!-).*$"
    r"|\s+and\s+(?:we|it|the|i|they|that|this|is|are|uses?|then|not|never|have|has|will)\b.*$|\s*[,;:(—].*$|\s+-\s.*$",
    re.IGNORECASE | re.DOTALL,
)
_SOFT_TAIL = re.compile(
    r"\s+(?:because|since|so|which|that|when|whenever|while|until|but|where|than|thanks|unlike|rather|instead)\b(?!-).*$"
    r"|\s+and\s+(?:stays?|should|must|will|is|are|has|have|not|we|it)\b.*$|\s*[,;(—].*$|\s+-\s.*$",
    re.IGNORECASE | re.DOTALL,
)
_WRAPPED = re.compile(r"[`\"'“”‘’]([^`\"'“”‘’]{1,120})[`\"'“”‘’]")
_NO_NAME = frozenset(
    "idea pain mess mistake nightmare pleasure must joke blocker disaster shame question lie win surprise start good bad"
    " it them they this that something anything nothing everything thing things stuff lot lots way time more one ones same"
    " us me him her someone anyone everyone people both none other others another here there what which who whom case"
    " issue problem part kind sort bit bunch number couple fact example idea point result above below following first"
    " second last next previous former latter each all any some such few many much most several".split()
)
_VERBAL = frozenset(
    "is are was were be been being will can do does did have has had to if that which who what because when i we you"
    " they he she it there let let's make sure think know see want said says say get got go going please try need needs must"
    " should not never no don't doesn't isn't aren't won't can't cannot just how why where while as than then".split()
)
_IMPERATIVE = frozenset(
    "use using run prefer avoid add call put keep write set go take get have be do not never".split()
)
_LIST = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s*&\s*")
_WORDS_MAX = 6


def subject_name(raw: str) -> str:
    """A subject, "" when the words before the verb are none."""
    name = _trimmed(raw)
    words = name.split()
    if name.lower() in ("user", "me", "i"):  # a person is said by `I`; anybody's user is nobody
        return ""
    if any(word.lower() in _VERBAL for word in words) and (len(words) > 1 or "'" in name):
        return ""
    return name if _names(name) else ""


def object_name(raw: str, *, soft: bool = False) -> str:
    """An object without what hangs on it; `soft` keeps `in`, `for`, `to` and their like."""
    wrapped = _WRAPPED.match(raw.strip())
    if wrapped:
        return wrapped[1].strip() if _names(wrapped[1].strip()) else ""
    name = _trimmed((_SOFT_TAIL if soft else _TAIL).sub("", " " + raw.strip()).strip())
    return name if _names(name) else ""


def object_names(raw: str, *, soft: bool = False) -> list[str]:
    """The objects of a list such as `A, B and C`, or the one object."""
    head = _SOFT_TAIL.sub("", raw) if ", " not in raw else raw
    parts = [part for part in _LIST.split(head) if part.strip()]
    if 1 < len(parts) <= 6:
        names = [object_name(part, soft=soft) for part in parts]
        if all(name and len(name.split()) <= 3 for name in names):
            return names
    one = object_name(raw, soft=soft)
    return [one] if one else []


def phrase(raw: str) -> str:
    """A few words kept as they were said, "" when they are too many for a name."""
    text = _SHUT.sub("", raw.strip().strip("`\"'“” .,;:")).strip()
    return text if 2 < len(text) <= ENTITY_NAME_MAX_CHARS and len(text.split()) <= 18 else ""


def _trimmed(raw: str) -> str:
    name = raw.strip().strip("`\"'“”‘’*.,;:!()").strip()
    name = _SHUT.sub("", _OPEN.sub("", name)).replace("`", "")
    return name.strip("`\"'“”‘’*,;:!()").strip()


def _names(name: str) -> bool:
    words = name.lower().split()
    if not words or len(words) > _WORDS_MAX or len(name) > ENTITY_NAME_MAX_CHARS:
        return False
    if not any(char.isalnum() for char in name) or (len(name) == 1 and name not in "CRD0123456789"):
        return False
    if words[0] in _IMPERATIVE and len(words) > 1:
        return False
    return words[-1] not in _NO_NAME and not all(word in STOP_WORDS or word in _NO_NAME for word in words)
