"""The net for secrets without a known shape or name: long random-looking words in prose."""

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from remora.core.policy import (
    ENTROPY_MAX_CHARS,
    ENTROPY_MIN_BITS,
    ENTROPY_MIN_CHARS,
    ENTROPY_MIN_TURNS,
    ENTROPY_SURE_TURNS,
)
from remora.core.redaction.values import class_count, is_identifier, is_word_like, turns

_WORD = re.compile(rf"[A-Za-z0-9+/_=.~-]{{{ENTROPY_MIN_CHARS},}}")
_LINE_EDGES = " \t\r\n\"'`,+*#|>()=;:b"
_DATA_LINE_MIN_CHARS = 56
"""Encoded data is broken into lines of 60 to 80 characters."""
_DATA = re.compile(r"[A-Za-z0-9+/=\s\"',()#*|b-]*")
_HEX_OR_NUMBER = re.compile(r"(?:0x)?[0-9a-fA-F_.:+-]+|[\d.eE+_-]+")
_HASH_PREFIX = re.compile(
    r"(?<![A-Za-z0-9])(?:sha(?:1|224|256|384|512)|md5|blake[23][a-z]?|h1|gh1|go|q1)[-:=]", re.IGNORECASE
)
_HASH_BEFORE = re.compile(
    r"(?:sha-?\d{1,3}|md5|blake\w{0,4}|h1|integrity|checksum|digest|hash(?:es)?|fingerprint|etag|narHash|base64,"
    r"|commit|revision|rev)\W{0,8}(?:SHA\d{1,3}:|sha\d{1,3}-)?$",
    re.IGNORECASE,
)


def entropy_bits(word: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(word)
    return -sum(count / size * log2(count / size) for count in Counter(word).values())


def random_words(text: str) -> Iterator[tuple[int, int]]:
    """Spans of random-looking words; hashes, ids, paths, identifiers and data blobs are left alone."""
    for match in _WORD.finditer(text):
        start, end = match.span()
        if end - start <= 4 * ENTROPY_MAX_CHARS:
            yield from _within(text, start, end)


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    word = text[start:end].rstrip(".=~-")
    if "=" in word:  # name=value: the value is judged
        start += word.rindex("=") + 1
        word = text[start:end].rstrip(".=~-")
    if ENTROPY_MIN_CHARS <= len(word) <= ENTROPY_MAX_CHARS and _is_secret(word) and not _is_data(text, start, word):
        padding = re.compile("={0,2}").match(text, start + len(word))
        yield start, padding.end() if padding else start + len(word)


def _is_secret(word: str) -> bool:
    if class_count(word) < 3 or _HEX_OR_NUMBER.fullmatch(word):
        return False
    if is_identifier(word):
        return False
    mixed = turns(word)
    if mixed < ENTROPY_MIN_TURNS or (mixed < ENTROPY_SURE_TURNS and is_word_like(word)):
        return False
    pieces = re.split(r"[/._+~-]", word)
    longest = max(pieces, key=len)
    if len(longest) < ENTROPY_MIN_CHARS // 2 or class_count(longest) < 3:
        return False  # an UUID-like id, a version, a path of short names
    return entropy_bits(word) >= ENTROPY_MIN_BITS


def _is_data(text: str, start: int, word: str) -> bool:
    """Whether the word is a hash by its label, or one line of a block of encoded data."""
    if _HASH_PREFIX.search(word) or _HASH_BEFORE.search(text, max(0, start - 40), start):
        return True
    line = text[text.rfind("\n", max(0, start - 300), start) + 1 : start].strip(_LINE_EDGES)
    if line or len(word) < _DATA_LINE_MIN_CHARS:
        return False
    end = start + len(word)
    around = (text[max(0, start - len(word) - 20) : start], text[end : end + len(word) + 20])
    return any(len(part.strip(_LINE_EDGES)) >= len(word) and "\n" in part for part in around if _DATA.fullmatch(part))
