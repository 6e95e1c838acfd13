"""Cleaning of foreign text, and the keys under which names are the same name."""

import re
from unicodedata import normalize

_BREAKS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Characters that end a line somewhere; they become a newline, so that words do not grow together."""

# Escapes, not literals: these characters cannot be seen in a diff.
_STRIPPED = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls, NUL among them (line ends are mapped first)
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners and fillers without width
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero-width and bidirectional controls
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb"  # fillers, variation selectors (emoji ones stay), BOM
    "\U000e0000-\U000e0fff"  # tags and variation selectors that can smuggle unseen text
    "]+"
)
_ODD = re.compile(_STRIPPED.pattern[:-2] + "\u2028\u2029\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n|[" + _BREAKS + "]")


def clean(text: str) -> str:
    """NFC text without controls (newline and tab stay), bidi controls and zero-width characters.

    Surrogate pairs are joined, lone surrogates become U+FFFD, other line ends become newlines. Idempotent.
    """
    if _ODD.search(text):
        if _SURROGATE.search(text):
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        text = _STRIPPED.sub("", _LINE_END.sub("\n", text))
    return text if text.isascii() else normalize("NFC", text)


def fold_name(text: str) -> str:
    """A name as it is kept: clean, trimmed, inner white space folded to one space."""
    return " ".join(clean(text).split())


def name_key(text: str) -> str:
    """The key under which names are one name: NFKC and case folded; `C`, `C++` and `C#` stay apart. Idempotent."""
    key = fold_name(text)
    if key.isascii():
        return key.casefold()
    for _ in range(4):  # folding can make room for further folding; real text is stable after two rounds
        folded = fold_name(normalize("NFKC", normalize("NFKD", key).casefold()))
        if folded == key:
            break
        key = folded
    return key


def counted(count: int, noun: str) -> str:
    """`1 record`, `2 records`; for nouns that take an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
