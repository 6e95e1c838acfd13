"""What text an expression makes, with holes where a part is only known when it runs."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from remora.core import policy
from remora.core.codegraph.boundaries.rules import plain_name
from remora.core.codegraph.facts import FileFacts
from remora.core.codegraph.values import Values

HOLE = "\0"
"""A part that is not known."""
PASSED = "\1"
"""Around the function and the place of a parameter: a hole that callers fill."""
_SLOTS = {"printf": re.compile(r"%[-+ 0#]*\d*(?:\.\d+)?[A-Za-z@]"), "braces": re.compile(r"\{[^{}]*\}")}


class Texts:
    """Reads texts of one build. `values` evaluates an expression of a file, `load` gives a file's facts."""

    def __init__(
        self, values: Callable[[int, int], Values], load: Callable[[int], FileFacts], makers: dict[str, str]
    ) -> None:
        self._values = values
        self._load = load
        self._makers = makers

    def of(self, file: int, expression: int, depth: int = 0) -> list[str]:
        """Every text the expression can be, few; a hole alone when nothing is known."""
        if not expression or depth > policy.BOUNDARY_TEXT_DEPTH:
            return [HOLE]
        row = self._load(file).expressions[expression]
        if row[0] == "k":
            return [row[2]] if row[1] == "str" and HOLE not in row[2] else [HOLE]
        if row[0] == "t":
            return self._joined([self.of(file, part, depth + 1) for part in row[1:]])
        if row[0] == "|":
            return self._few(text for part in row[1:] for text in self.of(file, part, depth + 1))
        if row[0] == "c":
            made = self._made(file, row, depth)
            if made is not None:
                return made
        return self._few(self._valued(file, expression, depth)) or self._written(file, row, depth)

    def _written(self, file: int, row: Any, depth: int) -> list[str]:
        """The text of a name by what it is bound to: a parameter is a hole with a name."""
        facts = self._load(file)
        if row[0] == "o":
            return self.of(file, row[1], depth + 1)
        if row[0] != "n":
            return [HOLE]
        values = [facts.bindings[number].value for number in row[1:]]
        if any(facts.expressions[value][0] == "p" for value in values):
            scope, place = next(facts.expressions[value][1:3] for value in values if facts.expressions[value][0] == "p")
            return [f"{PASSED}{facts.scopes[scope].qualified}{PASSED}{place}{PASSED}"]
        return self._few(text for value in values for text in self.of(file, value, depth + 1)) or [HOLE]

    def _valued(self, file: int, expression: int, depth: int) -> Iterator[str]:
        for value in self._values(file, expression):
            if value[0] == "T" and value[1] == "str":
                yield value[2] or HOLE
            elif value[0] == "A" and value[1:] != (file, expression):
                yield from self.of(value[1], value[2], depth + 1)

    def _made(self, file: int, row: Any, depth: int) -> list[str] | None:
        """What a function that makes texts gives."""
        facts = self._load(file)
        callee = facts.expressions[row[1]]
        if callee[0] == "a" and facts.expressions[callee[1]][0] in ("k", "t"):
            # "...".format(x): the text is the object.
            style = self._makers.get(f"str.{callee[2]}", "")
            return self._styled(style, self.of(file, callee[1], depth + 1), [], named=True) if style else None
        if not row[2]:
            return None
        style = next((self._style(value) for value in self._values(file, row[1]) if self._style(value)), "")
        if not style:
            return None
        first = self.of(file, row[2][0], depth + 1)
        rest = [self.of(file, part, depth + 1) for part in row[2][1:]]
        return self._styled(style, first, rest, named=False)

    def _style(self, value: Any) -> str:
        if value[0] not in ("X", "Y"):
            return ""
        name = plain_name(value[1])
        return self._makers.get(name) or self._makers.get(".".join(name.rsplit(".", 2)[-2:]), "")

    def _styled(self, style: str, first: list[str], rest: list[list[str]], *, named: bool) -> list[str]:
        if style == "first":
            return first
        if style == "url_of":
            return [f"{rest[0][0].rstrip('/')}/{first[0].lstrip('/')}"] if rest else first
        if style in ("join", "url"):
            parts = first[0].rstrip("/"), *(part[0].strip("/") for part in rest)
            return [rest[0][0]] if style == "url" and rest and rest[0][0].startswith("/") else ["/".join(parts)]
        fillings = iter(rest)
        found = _SLOTS[style].sub(lambda _: HOLE if named else next(fillings, [HOLE])[0], first[0])
        return [found]

    def _joined(self, parts: list[list[str]]) -> list[str]:
        texts = [""]
        for part in parts:
            texts = [text + more for text in texts for more in part][: policy.BOUNDARY_TEXTS]
        return texts

    def _few(self, texts: Iterator[str]) -> list[str]:
        return list(dict.fromkeys(texts))[: policy.BOUNDARY_TEXTS]
