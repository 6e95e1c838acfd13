"""Finds declarations that were renamed: deleted and added lines alike but for the one identifier they declare."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from remora.core.capture.patch import Hunk
from remora.core.policy import DECLARATION_MAX_CHARS

_NAME = r"[^\W\d][\w$]*"
_KEYWORD = re.compile(
    r"^\s*(?:[\w@.]+(?:\([^()]*\))?\s+){0,6}?"
    r"(?:def|class|fn|func|fun|function|struct|enum|trait|interface|type|module|namespace|union|protocol|object|record|sub"
    r"|const|let|var|val|macro_rules!|\#define|package)\b[\s*&]*(?:\([^()]*\)\s*)?(?:self\.)?"
    rf"(?P<name>{_NAME})"
)
_C_LIKE = re.compile(
    r"^\s*(?:(?:[\w:.]+(?:<[^<>();]*>)?|<[^<>();]*>)[\s*&\[\]]+)+"
    rf"(?:{_NAME}::)*(?P<name>~?{_NAME})\s*\([^;]*$"
)
_METHOD = re.compile(rf"^\s+(?:(?:async|static|get|set)\s+)*(?P<name>{_NAME})\s*\([^;]*\)\s*\{{\s*$")
_ASSIGNED = re.compile(rf"^(?P<name>{_NAME})\s*(?::[^=]+)?=(?!=)")
_FORMS = (_C_LIKE, _KEYWORD, _METHOD, _ASSIGNED)
_CONTROL = (
    "if",
    "else",
    "elif",
    "for",
    "while",
    "switch",
    "case",
    "return",
    "throw",
    "except",
    "catch",
    "lambda",
    "not",
)
_WORDS = ("lambda", "sizeof", "typeof", "await", "yield", "assert", "and", "or", "self", "this", "super", "raise", "do")
_NOT_NAMES = frozenset((*_CONTROL, *_WORDS))
_NOT_FIRST = _NOT_NAMES | {"with", "new", "delete", "del", "print", "using", "import", "from", "goto", "in", "is"}
_TOKEN = re.compile(r"[^\W\d][\w$]*|\d[\w.]*|\s+|.", re.DOTALL)


class Declaration(NamedTuple):
    """A line that declares `name`; `shape` is the line's tokens with the name left blank."""

    line: int
    name: str
    shape: tuple[str, ...]


class DeclarationPair(NamedTuple):
    """One identifier stands in another's place in a declaration. Lines are 1-based, each on its own side.

    `alone`: nothing else in the file's changes declares either name, so neither has only moved.
    """

    old: str
    new: str
    old_line: int
    new_line: int
    alone: bool


def declaration_pairs(hunks: Sequence[Hunk]) -> Iterator[DeclarationPair]:
    """Pairs of one file's declarations in one hunk that are alike but for the name.

    Within a hunk lines pair by place when both sides have as many, else only where a shape occurs once on each side.
    """
    sides = [(_declared(h.deleted, h.old_start), _declared(h.added, h.new_start)) for h in hunks]
    deleted = {declaration.name for old, _ in sides for declaration in old}
    added = {declaration.name for _, new in sides for declaration in new}
    for hunk, (old, new) in zip(hunks, sides, strict=True):
        for before, after in _pairs(hunk, old, new):
            if before.name != after.name:
                alone = before.name not in added and after.name not in deleted
                yield DeclarationPair(before.name, after.name, before.line, after.line, alone)


def _declared(lines: Sequence[bytes], start: int) -> list[Declaration]:
    found = []
    for number, raw in enumerate(lines, start):
        if len(raw) <= DECLARATION_MAX_CHARS and (
            declaration := declaration_in(raw.decode("utf-8", "replace"), number)
        ):
            found.append(declaration)
    return found


def declaration_in(line: str, number: int = 1) -> Declaration | None:
    """What the line declares, in any language whose declarations look like those of the common ones."""
    for form in _FORMS:
        match = form.match(line)
        if match and match["name"] not in _NOT_NAMES and line.split(None, 1)[0].rstrip("(") not in _NOT_FIRST:
            name = match["name"]
            shape = tuple("" if token == name else token for token in _TOKEN.findall(line) if not token.isspace())
            return Declaration(number, name, shape)
    return None


def _pairs(
    hunk: Hunk, old: Sequence[Declaration], new: Sequence[Declaration]
) -> Iterator[tuple[Declaration, Declaration]]:
    if hunk.old_count == hunk.new_count:
        places = {declaration.line - hunk.new_start: declaration for declaration in new}
        for before in old:
            after = places.get(before.line - hunk.old_start)
            if after and after.shape == before.shape:
                yield before, after
        return
    once = Counter(declaration.shape for declaration in old), Counter(declaration.shape for declaration in new)
    by_shape = {declaration.shape: declaration for declaration in new}
    for before in old:
        if once[0][before.shape] == once[1][before.shape] == 1:
            yield before, by_shape[before.shape]
