"""Splits a query into tokens, and refuses every way of writing one that two readers could read differently."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from remora.core.errors import InvalidInput
from remora.core.policy import CYPHER_MAX_CHARS

_SPACE = re.compile(r"[ \t\r\n]+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_])")
_SYMBOL = re.compile(r"<=|>=|<>|=~|\+=|\.\.|[-+*/%^=<>()\[\]{}|:,.;&!]")
_PARAM = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
_LOADS = re.compile(r"\bload\b.*?\bcsv\b|\bformat\b\W*\bcsv\b", re.IGNORECASE | re.DOTALL)
_ESCAPES = frozenset("\\'\"`bfnrt")


class Kind(StrEnum):
    """What a token is. A quoted word is an identifier in backticks, kept apart from bare words."""

    WORD = "word"
    QUOTED = "quoted word"
    TEXT = "text"
    NUMBER = "number"
    PARAM = "parameter"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` is as written, but a quoted word's is what stands between its backticks."""

    kind: Kind
    text: str
    spaced: bool = field(default=True, compare=False)
    """Whether there was space before it."""

    @property
    def word(self) -> str:
        """A bare word in capitals, for keywords; "" for every other token."""
        return self.text.upper() if self.kind is Kind.WORD else ""

    def is_symbol(self, *texts: str) -> bool:
        """Whether this is one of these symbols."""
        return self.kind is Kind.SYMBOL and self.text in texts


def tokens(query: str) -> tuple[Token, ...]:
    """The query's tokens.

    Raises `InvalidInput` for comments, unicode escapes, characters outside plain text, unclosed quotes, too long
    queries, and for whatever may be a disguised LOAD CSV, wherever it stands.
    """
    if len(query) > CYPHER_MAX_CHARS:
        raise refused(f"has {len(query):,} characters", f"at most {CYPHER_MAX_CHARS:,}")
    if _LOADS.search(query):
        raise refused("speaks of LOAD CSV or FORMAT CSV", "reading the graph; put such a text into params")
    if "\\u" in query or "\\U" in query:
        raise refused("holds a unicode escape", "the character itself, or a parameter")
    return tuple(_split(query))


def refused(problem: str, allowed: str) -> InvalidInput:
    """The one error of a refused query."""
    return InvalidInput("query", problem, allowed=allowed)


def _split(query: str) -> Iterator[Token]:
    at, spaced = 0, False
    while at < len(query):
        if space := _SPACE.match(query, at):
            at, spaced = space.end(), True
            continue
        token, at = _next(query, at)
        yield replace(token, spaced=spaced)
        spaced = False


def _next(query: str, at: int) -> tuple[Token, int]:
    char = query[at]
    if query.startswith(("//", "/*"), at):
        raise refused("holds a comment", "no comments")
    if char in "'\"":
        return _text(query, at)
    if char == "`":
        return _quoted(query, at)
    for pattern, kind in ((_WORD, Kind.WORD), (_NUMBER, Kind.NUMBER), (_PARAM, Kind.PARAM), (_SYMBOL, Kind.SYMBOL)):
        if found := pattern.match(query, at):
            return Token(kind, found.group()), found.end()
    shown = f"U+{ord(char):04X}" if not " " < char <= "~" else repr(char)
    raise refused(f"holds {shown} outside of quotes", "plain letters, digits and signs; other names in backticks")


def _text(query: str, at: int) -> tuple[Token, int]:
    quote, end = query[at], at + 1
    while end < len(query) and query[end] != quote:
        if query[end] == "\\":
            if end + 1 >= len(query) or query[end + 1] not in _ESCAPES:
                raise refused("holds an unknown escape in a text", "\\\\ \\' \\\" \\` \\b \\f \\n \\r \\t")
            end += 1
        elif query[end] == "\0":
            raise refused("holds a NUL character", "plain text")
        end += 1
    if end >= len(query):
        raise refused("holds a text that is never closed", "matching quotes")
    return Token(Kind.TEXT, query[at : end + 1]), end + 1


def _quoted(query: str, at: int) -> tuple[Token, int]:
    end = query.find("`", at + 1)
    inner = query[at + 1 : end]
    if end < 0 or not inner or query[end + 1 : end + 2] == "`" or "\\" in inner or "\0" in inner:
        raise refused("holds a name in backticks that is empty, never closed or holds one", "`a name`")
    return Token(Kind.QUOTED, inner), end + 1
