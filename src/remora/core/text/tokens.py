"""Index tokens: words, identifiers with their parts, CJK bigrams and emoji, in the order of the text."""

import re
from functools import lru_cache
from unicodedata import normalize

from remora.core.policy import TOKEN_MAX_CHARS, WORD_MAX_PARTS
from remora.core.text.names import clean
from remora.core.text.stem import stem

_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7fb"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts written without spaces (Han, kana, Hangul and others): indexed by pairs of characters."""
_EMOJI = "\u231a-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
_MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff\u135d-\u135f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
"""Blocks whose vowel signs `\\w` leaves out although they stand inside words."""

_SHAPE = (
    r"(?:(?<![\w)\].])\.)?{w}+(?:(?:/\.?|[-.]){w}+)*"  # .env, a/b.c, pre-edit, v1.2.3-rc.1
    r"(?:'(?:s|t|re|ve|ll|d|m)\b(?!'))?(?:\+\+|\#(?!\w))?"  # don't, C++, C#
)
_ASCII_WORD = re.compile(_SHAPE.format(w=r"\w"), re.ASCII)
_ANY_WORD = re.compile(
    f"(?P<run>[{_UNSPACED}]+)|(?P<emoji>[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}])|(?P<word>"
    + _SHAPE.replace("{w}", f"(?:[^\\W{_UNSPACED}]|[{_MARKS}])")
    + ")"
)
_DROPPED_MARKS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
_LETTERS = str.maketrans({"’": "'", "ʼ": "'", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i",
                          "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ð": "d", "þ": "th"})  # fmt: skip
"""Letters that Unicode does not decompose, and the typographic apostrophe."""

_CONTRACTION = re.compile(r"'(?:s|re|ve|ll|d|m)$")
_SUFFIX = re.compile(r"(?:\+\+|#)$")
_PIECE = re.compile(r"[-._]+")
_PART = re.compile(r"[A-Z]+s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HEX = re.compile(r"(?=.*[0-9])[0-9a-fA-F]{7,}$")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
FILE_EXTENSIONS = frozenset(
    """bash bat bzl c cc cfg cjs clj cmd conf cpp cs css csv cxx dart db diff ex exs fish go gradle graphql h hpp hs htm
    html ini ipynb java jl js json jsonl jsx kt kts less lock log lua m md mjs ml mm patch php pl pm png proto ps1 py
    pyi pyx r rb rs rst sass scala scss sh sql sqlite svelte svg swift tf toml ts tsv tsx txt vue xml yaml yml
    zig zsh""".split()
)  # fmt: skip
"""File extensions are not words of their own: `a.py` has nothing in common with `data.py`."""


def tokens(text: str) -> list[str]:
    """The index tokens of a text, in order and with repeats; never empty strings, each at most TOKEN_MAX_CHARS."""
    text = clean(text)
    found: list[str] = []
    extend = found.extend
    if text.isascii():
        for raw in _ASCII_WORD.findall(text):
            extend(expand(raw))
        return found
    for kind, raw in scan(text):
        extend(run_tokens(raw) if kind == "run" else expand(raw) if kind == "word" else (raw,))
    return found


def scan(text: str) -> list[tuple[str, str]]:
    """The raw pieces of a clean text as (`run` | `emoji` | `word`, piece), widths and diacritics folded."""
    if text.isascii():
        return [("word", raw) for raw in _ASCII_WORD.findall(text)]
    return [(match.lastgroup or "word", match.group()) for match in _ANY_WORD.finditer(unmarked(text))]


def unmarked(text: str) -> str:
    """Compatibility forms and diacritics folded, case kept; signs that are part of a script's words stay."""
    if text.isascii():
        return text
    bare = _DROPPED_MARKS.sub("", normalize("NFKD", text.translate(_LETTERS)))
    return normalize("NFKC", bare.translate(_LETTERS))


def run_tokens(run: str) -> list[str]:
    """Pairs of an unspaced run and its last character, so that every single character is some token's prefix."""
    return [run[at : at + 2] for at in range(len(run) - 1)] + [run[-1]]


def expand(raw: str) -> tuple[str, ...]:
    """Tokens of one raw word: the whole first, then its parts in order."""
    return _expand(raw) if len(raw) <= TOKEN_MAX_CHARS else _expanded(raw)


def fold_word(raw: str) -> str:
    """A raw word as it is compared: case folded and bounded, not stemmed."""
    return raw.casefold()[:TOKEN_MAX_CHARS]


def _expanded(raw: str) -> tuple[str, ...]:
    if "'" in raw:
        raw = _CONTRACTION.sub("", raw).replace("'", "")
    if raw.isalpha() and raw.islower():
        return (stem(fold_word(raw)),)
    bare = _SUFFIX.sub("", raw)
    if not any(map(str.isalnum, bare[: 2 * TOKEN_MAX_CHARS])):
        return ()
    if bare != raw and len(bare) == 1:
        return (fold_word(raw),)
    whole = stem(fold_word(raw))
    found: list[str] = []
    for segment in _segments(bare):
        found.extend(_segment(segment))
        if len(found) > WORD_MAX_PARTS:
            break
    return (whole, *[token for token in found[:WORD_MAX_PARTS] if token != whole])


_expand = lru_cache(maxsize=65_536)(_expanded)


def word_parts(raw: str) -> tuple[str, ...]:
    """The smallest parts of a raw word, stemmed, as they stand side by side among its tokens."""
    bare = _SUFFIX.sub("", _CONTRACTION.sub("", raw).replace("'", ""))
    if len(bare) == 1 or len(expand(raw)) <= 1:
        return expand(raw)
    found: list[str] = []
    for segment in _segments(bare):
        for piece in _pieces(segment):
            parts = [part for part in _parts(piece) if len(part) > 1] if not _UUID.match(segment) else []
            found.extend(stem(fold_word(part)) for part in (parts or [piece]))
    return tuple(found)


def _segments(bare: str) -> list[str]:
    return [part[: 4 * TOKEN_MAX_CHARS] for part in bare.split("/", WORD_MAX_PARTS)[:WORD_MAX_PARTS] if part]


def _pieces(segment: str) -> list[str]:
    """The pieces of a path segment between `-`, `.` and `_`, without a file extension."""
    pieces = [piece for piece in _PIECE.split(segment) if piece]
    return pieces[:-1] if len(pieces) > 1 and "." in segment and pieces[-1].lower() in FILE_EXTENSIONS else pieces


def _segment(segment: str) -> list[str]:
    """Tokens of one path segment: itself, when it is compound, and its pieces with their own parts."""
    pieces = _pieces(segment)
    found = [] if pieces == [segment] else [stem(fold_word(segment))]
    for piece in pieces:
        found.append(stem(fold_word(piece)))
        parts = [] if _UUID.match(segment) else _parts(piece)
        if len(parts) > 1:
            found.extend(stem(fold_word(part)) for part in parts if len(part) > 1)
    return found


def _parts(piece: str) -> list[str]:
    """camelCase and digit parts of a piece; hashes are not taken apart."""
    if piece.isascii():
        return [] if (piece.islower() and piece.isalpha()) or _HEX.match(piece) else _PART.findall(piece)
    parts, start = [], 0
    for at in range(1, len(piece)):
        before, char = piece[at - 1], piece[at]
        if (char.isupper() and before.islower()) or (char.isdigit() != before.isdigit()):
            parts.append(piece[start:at])
            start = at
    return [*parts, piece[start:]]
