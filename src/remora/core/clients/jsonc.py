"""A tolerant scanner for JSON with comments and trailing commas: it finds where things stand, and changes nothing."""

import json
import re
from dataclasses import dataclass, field
from typing import Literal

from remora.core.errors import InvalidInput
from remora.core.policy import SETTINGS_MAX_CHARS, SETTINGS_MAX_DEPTH

Kind = Literal["object", "array", "scalar"]

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"-?[0-9][0-9eE.+-]*|true|false|null")
_CLOSER = {"{": "}", "[": "]"}


@dataclass(slots=True)
class Node:
    """One value: `text[start:end]` is exactly its text. `comma` is the position of a trailing comma, or -1."""

    kind: Kind
    start: int
    end: int = -1
    members: "list[Member]" = field(default_factory=list)
    comma: int = -1

    def find(self, key: str) -> "Node | None":
        """The value under `key`, None when absent. Raises `InvalidInput` when the key stands twice."""
        found = [member.value for member in self.members if member.key == key]
        if len(found) > 1:
            raise InvalidInput("settings", f"the key {key!r} stands {len(found)} times in one object", allowed="once")
        return found[0] if found else None


@dataclass(slots=True)
class Member:
    """One member of an object (with key) or item of an array (key None); `start` is where its text begins."""

    key: str | None
    start: int
    value: Node


def scan(text: str) -> Node:
    """Parse a whole document. Raises `InvalidInput` naming the line; a byte order mark is stepped over."""
    if len(text) > SETTINGS_MAX_CHARS:
        raise InvalidInput("settings", f"{len(text)} characters", allowed=f"at most {SETTINGS_MAX_CHARS}")
    start = _blank(text, 1 if text.startswith("\ufeff") else 0)
    root = _value(text, start, 0)
    if _blank(text, root.end) != len(text):
        raise _problem(text, root.end, "text after the end of the document")
    return root


def value_of(text: str, node: Node) -> object:
    """The plain Python value of a node."""
    if node.kind == "object":
        return {member.key: value_of(text, member.value) for member in node.members}
    if node.kind == "array":
        return [value_of(text, member.value) for member in node.members]
    value: object = json.loads(text[node.start : node.end])
    return value


def _value(text: str, at: int, depth: int) -> Node:
    if depth > SETTINGS_MAX_DEPTH:
        raise _problem(text, at, f"more than {SETTINGS_MAX_DEPTH} levels")
    opener = text[at : at + 1]
    if opener == "{":
        return _container(text, Node("object", at), depth)
    if opener == "[":
        return _container(text, Node("array", at), depth)
    return Node("scalar", at, _scalar_end(text, at))


def _container(text: str, node: Node, depth: int) -> Node:
    closer = _CLOSER[text[node.start]]
    at = _blank(text, node.start + 1)
    while not text.startswith(closer, at):
        member = _member(text, at, keyed=node.kind == "object", depth=depth)
        node.members.append(member)
        at = _blank(text, member.value.end)
        if text.startswith(",", at):
            node.comma = at
            at = _blank(text, at + 1)
        elif text.startswith(closer, at):
            node.comma = -1
        else:
            raise _problem(text, at, f"expected , or {closer}")
    node.end = at + 1
    return node


def _member(text: str, at: int, *, keyed: bool, depth: int) -> Member:
    if not keyed:
        return Member(None, at, _value(text, at, depth + 1))
    if not text.startswith('"', at):
        raise _problem(text, at, "expected a key in double quotes")
    key = json.loads(text[at : (end := _scalar_end(text, at))])
    colon = _blank(text, end)
    if not text.startswith(":", colon):
        raise _problem(text, colon, "expected :")
    return Member(str(key), at, _value(text, _blank(text, colon + 1), depth + 1))


def _scalar_end(text: str, at: int) -> int:
    match = (_STRING if text.startswith('"', at) else _WORD).match(text, at)
    if match is None:
        raise _problem(text, at, "expected a JSON value")
    try:
        json.loads(match.group())
    except ValueError as error:
        raise _problem(text, at, "not a JSON value") from error
    return match.end()


def _blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    end = match.end() if match else at
    if text.startswith("/*", end):
        raise _problem(text, end, "a comment that never ends")
    return end


def _problem(text: str, at: int, what: str) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    return InvalidInput("settings", f"line {line}: {what}", allowed="JSON, with comments and trailing commas")
