"""JSON as models write it: every value in a text, however wrapped, misquoted or cut. Bounded; never fails."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from remora.core import policy

_CUT: Final = object()
"""A value that the end of the text left unfinished."""
_THOUGHT = re.compile(
    r"<(think|thinking|thought|reasoning|scratchpad)\b[^>]{0,80}>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_THOUGHT_END = re.compile(r".*</(?:think|thinking|thought|reasoning|scratchpad)\s*>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"\s*```[\w-]{0,20}[ \t]*\n(.*?)\n?\s*```\s*", re.DOTALL)
_OPENER = re.compile(r"\{(?=[\s,]*[\"'“‘`}\w/])|\[(?=[\s,]*[\"'“‘`\[\](){\w/-])")
_BLANK = re.compile(r"(?:[\s\ufeff\x00,;]+|//[^\n]*+|/\*.*?(?:\*/|\Z)|#[^\n]*+|\.\.\.+|…)*+", re.DOTALL)
_CLOSES = r"(?=[\s,;]*(?:[:=}\])]|\Z)|\s*[,;]\s*[\"'“‘`{\[(\w]|\s+[\"'“‘{\[])"
_STRINGS = {
    quote: re.compile(rf"{quote}((?:[^{end}\\]++|\\.|{end}(?!{_CLOSES}))*+){end}", re.DOTALL)
    for quote, end in (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("`", "`"))
}
_NUMBER = re.compile(r"[+-]?\.?\d[\d.eE+-]*+%?(?=[\s,;}\])]|\Z)")
_BARE = re.compile(r"[^\s,:=\[\]{}()\"“”'`][^,:\[\]{}()\n\"“”]{0,200}")
_KEY = re.compile(r"[\w.$-]{1,200}")
_COLON = re.compile(r"\s*(?::|=>|=)")
_WORDS = {
    "true": True, "false": False, "null": None, "none": None, "undefined": None, "nan": None,
    "infinity": None, "-infinity": None,
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_OPEN = {"{": "}", "[": "]", "(": ")"}


@dataclass(frozen=True, slots=True)
class Found:
    """The values that a text holds, in order. `cut`: the last was not whole; `spent`: reading stopped at a bound."""

    values: tuple[Any, ...]
    cut: bool = False
    spent: bool = False


def read_values(text: str) -> Found:
    """Every object and list in a model's answer; thoughts are left out. Of an unfinished one, what is whole in it."""
    text = _without_thoughts(text.removeprefix("\ufeff"))
    fenced = _FENCED.fullmatch(text)
    whole = _strict(fenced[1] if fenced else text)
    if isinstance(whole, str):  # JSON inside a JSON string
        return read_values(whole) if len(whole) < len(text) else Found(())
    if isinstance(whole, dict | list):
        return Found((whole,))
    return _Reader(text).values()


def _without_thoughts(text: str) -> str:
    text = _THOUGHT.sub(" ", text)
    end = _THOUGHT_END.match(text)  # some servers leave the opening tag out
    return text[end.end() :] if end else text


def _strict(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_merged)
    except (ValueError, RecursionError):
        return None


def _merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that stands twice: its lists belong together, of anything else the last counts."""
    body: dict[str, Any] = {}
    for key, value in pairs:
        known = body.get(key)
        body[key] = [*known, *value] if isinstance(known, list) and isinstance(value, list) else value
    return body


_DECODER = json.JSONDecoder(object_pairs_hook=_merged)
_STRICT_TRIES = 6


@dataclass(slots=True)
class _Open:
    """A container that is being read."""

    closer: str
    items: list[Any] = field(default_factory=list)
    key: str | None = None

    def add(self, value: Any) -> None:
        if self.closer == "}":
            if self.key is not None:
                self.items.append((self.key, value))
            self.key = None
        else:
            self.items.append(value)

    def done(self) -> Any:
        return _merged(self.items) if self.closer == "}" else self.items

    def parts(self) -> list[Any]:
        """What is whole in an unfinished container: the containers in it, never loose words."""
        values = [value for _, value in self.items] if self.closer == "}" else self.items
        return [value for value in values if isinstance(value, dict | list)]


class _Reader:
    """One pass: a value begins at an opening bracket; where one goes wrong, the search goes on from there."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._steps = policy.MODEL_ANSWER_MAX_STEPS
        self._strict_tries = _STRICT_TRIES

    def values(self) -> Found:
        found: list[Any] = []
        cut = False
        while (opener := _OPENER.search(self._text, self._at)) and self._steps > 0:
            self._at = opener.start()
            value, whole = self._exact() or self._value()
            cut = not whole
            if value is not None:
                found.append(value)
        return Found(tuple(found), cut, spent=self._steps <= 0)

    def _exact(self) -> tuple[Any, bool] | None:
        """The value at hand where it is plain JSON; tried a few times only, since each try may read the whole text."""
        if self._strict_tries <= 0:
            return None
        self._strict_tries -= 1
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):
            return None
        return value, True

    def _value(self) -> tuple[Any, bool]:
        """(what was read from the bracket at hand, whether it was closed); moves past it."""
        stack = [_Open(_OPEN[self._text[self._at]])]
        self._at += 1
        while self._steps > 0:
            self._steps -= 1
            self._blank()
            char = self._text[self._at : self._at + 1]
            if not char:
                break
            if char in "}])":
                closed = self._close(stack, char)
                if not stack:
                    return closed, True
            elif char in _OPEN:
                if len(stack) >= policy.MODEL_ANSWER_MAX_DEPTH or (stack[-1].closer == "}" and stack[-1].key is None):
                    break  # nothing that we asked for is so deep; a bracket where a key belongs is no JSON
                stack.append(_Open(_OPEN[char]))
                self._at += 1
            elif not self._member(stack[-1]):
                break
        return self._salvaged(stack), False

    def _close(self, stack: list[_Open], char: str) -> Any:
        """Close the innermost container; a bracket of another kind closes what it fits, as if the others were there."""
        self._at += 1
        if char != stack[-1].closer and not any(one.closer == char for one in stack):
            return None
        while stack:
            inner = stack.pop()
            value = inner.done()
            if stack:
                stack[-1].add(value)
            if inner.closer == char:
                return value
        return None

    def _salvaged(self, stack: list[_Open]) -> Any:
        value: list[Any] | None = None
        while stack:
            inner = stack.pop()
            parts = inner.parts()
            value = [*parts, *([value] if value else [])]
        return value or None

    def _member(self, inside: _Open) -> bool:
        """Read a key or a plain value; False where there is none."""
        value = self._scalar(key=inside.closer == "}" and inside.key is None)
        if value is _CUT:
            return False
        if inside.closer == "}" and inside.key is None:
            colon = _COLON.match(self._text, self._at)
            if colon is None:
                return False
            self._at = colon.end()
            inside.key = str(value)
        else:
            inside.add(value)
        return True

    def _scalar(self, *, key: bool) -> Any:
        char = self._text[self._at]
        if char in _STRINGS:
            match = _STRINGS[char].match(self._text, self._at)
            if match is None:
                self._at = len(self._text)
                return _CUT
            self._at = match.end()
            return _unescaped(match[1])
        number = None if key else _NUMBER.match(self._text, self._at)
        if number:
            self._at = number.end()
            return _number(number[0])
        bare = (_KEY if key else _BARE).match(self._text, self._at)
        if bare is None or (not key and bare.end() == len(self._text)):  # a word at the very end may be half a word
            self._at += bare is None
            return _CUT
        self._at = bare.end()
        word = bare[0].strip()
        return _WORDS.get(word.lower(), word)

    def _blank(self) -> None:
        blank = _BLANK.match(self._text, self._at)
        if blank:
            self._at = blank.end()


def _number(raw: str) -> float | str:
    try:
        return float(raw)
    except ValueError:  # a percentage, a version
        return raw


def _unescaped(raw: str) -> str:
    if "\\" not in raw:
        return raw
    text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]), raw)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
