"""An English stemmer after Porter2, with `-y` kept readable (`policies` and `policy` are both `policy`)."""

import re
from functools import lru_cache

_EXCEPTIONS = {
    "aliases": "alias", "alias": "alias", "bias": "bias", "biases": "bias", "atlas": "atlas", "canvas": "canvas",
    "indices": "index", "indexes": "index", "vertices": "vertex", "matrices": "matrix", "news": "news",
    "kubernetes": "kubernetes", "redis": "redis", "series": "series", "species": "species", "only": "only",
    "early": "early", "ugly": "ugly", "dying": "die", "lying": "lie", "tying": "tie", "skis": "ski",
    "inning": "inning", "outing": "outing", "string": "string", "during": "during", "everything": "everything",
    "something": "something", "nothing": "nothing", "anything": "anything", "children": "child", "was": "was",
    "has": "has", "does": "does", "this": "this", "axes": "axis", "axis": "axis", "analyses": "analysis",
    "analysis": "analysis", "buses": "bus",
    "family": "family", "organization": "organiz", "organizations": "organiz", "important": "important",
    "importance": "important",
    "ran": "run", "wrote": "write", "written": "write", "broke": "break", "broken": "break",
}  # fmt: skip
"""Words whose stem the rules would miss or merge with another word."""

_R1 = re.compile(r"(?:gener|commun|arsen|univers|inter)|.*?[aeiouy][^aeiouy]")
_REGION = re.compile(r".*?[aeiouy][^aeiouy]")
_VOWEL = re.compile(r"[aeiouy]")
_SHORT = re.compile(r"(?:.*[^aeiouy][aeiouy][^aeiouywxY]|[aeiouy][^aeiouy])$")
_CONSONANT_Y = re.compile(r"(?:^|(?<=[aeiouy]))y")
_DOUBLE = re.compile(r"(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$")

_STEP_2 = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive"),
    ("tional", "tion"), ("bility", "ble"), ("lessly", "less"), ("ation", "ate"), ("alism", "al"), ("ality", "al"),
    ("ously", "ous"), ("ivity", "ive"), ("fully", "ful"), ("ently", "ent"), ("ator", "ate"), ("izer", "ize"),
    ("ency", "ence"), ("ancy", "ance"), ("ably", "able"), ("ally", "al"), ("bly", "ble"), ("ily", "y"), ("ogy", "og"),
)  # fmt: skip
_STEP_3 = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("icity", "ic"), ("ical", "ic"),
    ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "ity", "ous", "ive", "ize", "ion",
    "al", "er", "ic",
)  # fmt: skip
_LY_AFTER = "cdeghkmnrt"


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one English word, lower-cased. Words with digits, signs or other scripts come back unchanged."""
    if len(word) <= 2 or len(word) > 40 or not (word.isascii() and word.isalpha()):
        return word
    word = word.lower()
    known = _EXCEPTIONS.get(word)
    if known is not None:
        return known
    word = _CONSONANT_Y.sub("Y", word)
    start = _R1.match(word)
    r1 = start.end() if start else len(word)
    second = _REGION.match(word, r1)
    r2 = second.end() if second else len(word)
    word = _verbal(_plural(word), r1)
    word = _derived(word, r1, r2)
    return _tail(word, r1, r2).lower()


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("ie") and len(word) > 4:  # like its plural: cookie, movie
        return word[:-2] + "y"
    if word.endswith(("us", "ss")):
        return word
    return word[:-1] if word.endswith("s") and _VOWEL.search(word[:-2]) else word


def _verbal(word: str, r1: int) -> str:
    """Past and progressive forms."""
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            return word[: len(word) - len(suffix) + 2] if len(word) - len(suffix) >= r1 else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return _restored(base, r1) if len(base) > 1 and _VOWEL.search(base) else word
    return word


def _restored(base: str, r1: int) -> str:
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _DOUBLE.search(base):
        return base[:-1]
    if len(base) <= r1 and _SHORT.match(base):
        return base + "e"
    return base


def _derived(word: str, r1: int, r2: int) -> str:
    """Derivational suffixes: `ization`, `ness`, `able` and their like."""
    before = word
    word = _swap(word, _STEP_2, r1, light=True)
    word = _swap(word, _STEP_3, r1, light=False)
    if word.endswith("ative") and len(word) - 5 >= r2:
        word = word[:-5]
    for suffix in _STEP_4:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            if len(base) >= r2 and (suffix != "ion" or base.endswith(("s", "t"))):
                word = base
            break
    return word[:-1] + "y" if word != before and word.endswith("i") else word


def _swap(word: str, table: tuple[tuple[str, str], ...], r1: int, *, light: bool) -> str:
    for suffix, put in table:
        if word.endswith(suffix):
            return word[: -len(suffix)] + put if len(word) - len(suffix) >= r1 else word
    if light and word.endswith("ly") and len(word) - 2 >= r1 and word[-3] in _LY_AFTER:
        return word[:-2]
    return word


def _tail(word: str, r1: int, r2: int) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if len(base) >= r2 or (len(base) >= r1 and not _SHORT.match(base)):
            return base
    if word.endswith("ll") and len(word) - 1 >= r2:
        return word[:-1]
    return word
