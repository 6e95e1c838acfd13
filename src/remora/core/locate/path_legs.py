"""What paths say about a query: words in names and folders, the scope that it begins with, names that look alike."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from remora.core import policy
from remora.core.locate.contents import rarity
from remora.core.locate.query import LocateQuery
from remora.core.text import tokens, trigrams

Leg = Mapping[str, float]
"""Path -> how strongly one leg speaks for the file; absent files have 0."""

_SCOPE = re.compile(r"(?:\w+\()?([\w./ -]{1,40}?)\)?!?: ")
"""`fix(render): ...`, `globset: ...`: what a title begins with is a part of the repository."""
_WORD = re.compile(r"[^\W\d_]{4,40}")
_TEST = re.compile(r"^(?:tests?|spec)[_.-]|[_.-](?:tests?|spec)$|Tests?$")


def path_legs(query: LocateQuery, paths: Collection[str]) -> dict[str, Leg]:
    """Every leg that needs no more than the paths."""
    held: defaultdict[str, int] = defaultdict(int)
    for path in paths:
        for word in frozenset.union(*path_words(path)):
            held[word] += 1
    weight = {word: rarity(count, len(paths)) for word, count in held.items()}
    return {
        **_worded(frozenset(query.terms), weight, paths),
        "named": _named(query.symbols, paths),
        "scope": _scoped(query.text, paths),
        "near": _near(query.text, paths),
    }


@lru_cache(maxsize=65_536)
def path_words(path: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the file's name without its extension, and those of its folders."""
    folder = path.rpartition("/")[0]
    return frozenset(tokens(stem_of(path))), frozenset(token for part in folder.split("/") for token in tokens(part))


def stem_of(path: str) -> str:
    """The file's name up to its first dot; a leading dot stays."""
    name = path.rpartition("/")[2]
    return name[:1] + name[1:].partition(".")[0]


def _worded(asked: frozenset[str], weight: Mapping[str, float], paths: Iterable[str]) -> dict[str, Leg]:
    """Rarity of the words in a file's name, and in its folders."""
    names: dict[str, float] = {}
    folders: dict[str, float] = {}
    for path in paths:
        name, folder = path_words(path)
        if shared := sorted(asked & name):
            names[path] = sum(weight[word] for word in shared)
        if shared := sorted(asked & folder - name):
            folders[path] = sum(weight[word] for word in shared)
    return {"name": scaled(names), "folder": scaled(folders)}


def scaled(values: Leg) -> dict[str, float]:
    """Shares of the largest value; what is not above 0 is left out."""
    most = max(values.values(), default=0.0)
    return {path: value / most for path, value in values.items() if value > 0.0}


def _named(symbols: Sequence[str], paths: Iterable[str]) -> dict[str, float]:
    """Files that the query names: by a path, or by a file name with its extension."""
    asked = [symbol.strip("/").removeprefix("./").casefold() for symbol in symbols if "." in symbol or "/" in symbol]
    asked = [name for name in asked if name]
    if not asked:
        return {}
    return {path: 1.0 for path in paths if any(f"/{path.casefold()}".endswith(f"/{name}") for name in asked)}


def _scoped(text: str, paths: Iterable[str]) -> dict[str, float]:
    """The share of the scope's words that a path holds."""
    match = _SCOPE.match(text)
    words = frozenset(tokens(match[1])) if match else frozenset()
    found = {path: len(words & frozenset.union(*path_words(path))) for path in paths} if words else {}
    return {path: count / len(words) for path, count in found.items() if count}


# --- Names that look alike --------------------------------------------------------------------------------------------


def _near(text: str, paths: Iterable[str]) -> dict[str, float]:
    """How alike a part of the file's name and a word are: `autocompletion` and `completion`, `regexp` and `regex`."""
    words = [_pieces(word.casefold()) for word in dict.fromkeys(_WORD.findall(text[: policy.LOCATE_NEAR_CHARS]))]
    likeness: dict[str, float] = {}
    found: dict[str, float] = {}
    for path in paths:
        for part in _name_parts(stem_of(path)):
            if part not in likeness:
                likeness[part] = max((_dice(_pieces(part), word) for word in words), default=0.0)
            if likeness[part] >= policy.LOCATE_NEAR_MIN:
                found[path] = max(found.get(path, 0.0), likeness[part])
    return found


@lru_cache(maxsize=65_536)
def _name_parts(stem: str) -> tuple[str, ...]:
    bare = _TEST.sub("", stem).casefold()
    return tuple(part for part in dict.fromkeys((bare, *re.split(r"[_-]", bare))) if len(part) >= 4)


@lru_cache(maxsize=65_536)
def _pieces(word: str) -> frozenset[str]:
    return frozenset(trigrams(word))


def _dice(left: frozenset[str], right: frozenset[str]) -> float:
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
