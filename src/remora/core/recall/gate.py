"""The gate before recall: small talk and texts without words never reach the store."""

import re
from enum import StrEnum
from typing import Final

from remora.core.recall.small_talk import FILLER_KEYS, PHRASE_KEYS, TALK_KEYS
from remora.core.text import name_key, tokens


class Gated(StrEnum):
    """Why a query was not asked."""

    NO_WORDS = "no words"
    SMALL_TALK = "small talk"


_WORD = re.compile(r"[^\W_](?:[\w'’]*\w)?[\u0300-\u036f\u0900-\u0963\u0e31-\u0e4e]*")
_TALK_SIGN = re.compile("[\U0001f600-\U0001f64f\U0001f44a-\U0001f450\U0001f389\U0001f525\u2764\u2705\u263a]")
_REPEATED = re.compile(r"(.)\1{2,}")
_LONGEST_TALK_WORDS: Final = 12
"""Nobody greets in more words; a longer text is asked."""


def gate(query: str) -> Gated | None:
    """Why the query is not worth asking, or None when it is."""
    words = _words(query)
    if not words:
        return _without_words(query)
    if len(words) > _LONGEST_TALK_WORDS:
        return None
    line = " ".join(words)
    if line in PHRASE_KEYS or line.replace(" ", "") in TALK_KEYS:
        return Gated.SMALL_TALK
    talk = [_is_talk(word) for word in words]
    if any(talk) and all(found or word in FILLER_KEYS for found, word in zip(talk, words, strict=True)):
        return Gated.SMALL_TALK
    return None


def _without_words(query: str) -> Gated | None:
    """Signs alone: a face or a hand is talk, any other sign that was stored as a token is a question."""
    signs = tokens(query[:1_000])
    if not signs:
        return Gated.NO_WORDS
    return Gated.SMALL_TALK if all(_TALK_SIGN.match(sign) for sign in signs) else None


def _words(query: str) -> list[str]:
    return [name_key(word).replace("’", "'") for word in _WORD.findall(name_key(query[:1_000]))]


def _is_talk(word: str) -> bool:
    return word in TALK_KEYS or _REPEATED.sub(r"\1", word) in TALK_KEYS or _REPEATED.sub(r"\1\1", word) in TALK_KEYS
