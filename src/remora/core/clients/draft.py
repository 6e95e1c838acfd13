"""Text under edit: insertions into a file that others own, remembered as spans, so that cutting them restores it."""

import json
import re

from remora.core.clients.jsonc import Node, scan, value_of
from remora.core.errors import InvalidInput

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
Span = tuple[int, int]
_BLANK = " \t\r\n"
_COMMA = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*,", re.DOTALL)


class Draft:
    """A JSON document being patched by insertion and cutting only; every byte that is not ours stays as it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[Span] = []
        self._root = scan(text)
        if self._root.kind != "object":
            raise InvalidInput("settings", "the document is not an object", allowed="a JSON object")
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._unit = _indent_unit(text)

    def node(self, *path: str) -> Node | None:
        """The node at a path of object keys, None when absent."""
        node: Node | None = self._root
        for key in path:
            node = None if node is None or node.kind != "object" else node.find(key)
        return node

    def value(self, *path: str) -> object:
        """The Python value at a path, None when absent."""
        node = self.node(*path)
        return None if node is None else value_of(self.text, node)

    def keys(self) -> list[str]:
        """The keys of the document."""
        return [member.key or "" for member in self._root.members]

    def put(self, path: tuple[str, ...], value: object) -> None:
        """Add a key that is not there yet, and the objects on the way. Raises `InvalidInput` on a wrong shape."""
        node, depth = self._root, 0
        while node.kind == "object" and depth < len(path) - 1 and (inner := node.find(path[depth])) is not None:
            node, depth = inner, depth + 1
        if node.kind != "object":
            raise _shape(path[:depth], "object")
        for key in reversed(path[depth + 1 :]):
            value = {key: value}
        self._insert_into(node, path[depth], value)

    def append(self, path: tuple[str, ...], item: object) -> None:
        """Add an item at the end of the array at `path`, making the array when it is absent."""
        array = self.node(*path)
        if array is None:
            self.put(path, [item])
        elif array.kind != "array":
            raise _shape(path, "array")
        else:
            self._insert_into(array, None, item)

    def cut(self, path: tuple[str, ...], index: int) -> None:
        """Remove the member at `index` of the container at `path`, with the comma and the blanks that came with it."""
        node = self.node(*path)
        assert node is not None
        self._cut(node, index)

    def cut_within(self, path: tuple[str, ...], index: int, key: str, at: int) -> None:
        """Remove item `at` of the array under `key` of the object at `index` of the array at `path`."""
        array = self.node(*path)
        inner = None if array is None else array.members[index].value.find(key)
        assert inner is not None
        self._cut(inner, at)

    def _cut(self, node: Node, index: int) -> None:
        member = node.members[index]
        start = len(self.text[: member.start].rstrip(_BLANK))
        end = member.value.end
        following = _COMMA.match(self.text, end)
        before = node.members[index - 1].value.end if index else node.start + 1
        if _ends_in_line_comment(self.text[before:start]) and not _LINE_END.match(
            self.text, following.end() if following else end
        ):
            start = member.start  # what follows must not end up inside the comment before
        if following:
            self._delete(following.end() - 1, following.end())
        elif index == 0 and "\n" in self.text[start : member.start] and self._is_opened_up(before, start):
            closing = self._newline + self._line_indent(node.start)
            end += len(closing) if self.text.startswith(closing, end) else 0
        self._delete(start, end)
        if not following and index > 0 and (comma := _COMMA.match(self.text, node.members[index - 1].value.end)):
            self._delete(comma.end() - 1, comma.end())
        self._root = scan(self.text)

    def _insert_into(self, node: Node, key: str | None, value: object) -> None:
        closer = node.end - 1
        anchor = len(self.text[:closer].rstrip(_BLANK))
        spread = self._is_spread(node)
        outer = self._line_indent(node.start)
        inner = self._member_indent(node, outer)
        lead = self._newline + inner if spread else (" " if node.members else "")
        body = lead + self._render(key, value, inner if spread else None)
        if not node.members:
            tail = self._newline + outer if spread and "\n" not in self.text[node.start : closer] else ""
            self._insert(anchor, body + tail)
        elif node.comma >= 0:
            self._insert(anchor, body + ",")
        else:
            self._insert(anchor, body)
            self._insert(node.members[-1].value.end, ",")
        self._root = scan(self.text)

    def _is_opened_up(self, before: int, start: int) -> bool:
        """Whether the line end after a sole member is ours: there was none in the container before."""
        trivia = self.text[before:start]
        return "\n" not in trivia and not _ends_in_line_comment(trivia)

    def _is_spread(self, node: Node) -> bool:
        """Whether members stand on lines of their own; an empty container is opened up."""
        if not node.members:
            return True
        last = node.members[-1].value.end
        return "\n" in self.text[node.start : node.members[0].start] or "\n" in self.text[last : node.end]

    def _member_indent(self, node: Node, outer: str) -> str:
        first = node.members[0].start if node.members else -1
        if first >= 0 and "\n" in self.text[node.start : first]:
            return self._line_indent(first)
        return outer + self._unit

    def _line_indent(self, at: int) -> str:
        line = self.text.rfind("\n", 0, at) + 1
        match = re.compile(r"[ \t]*").match(self.text, line)
        return match.group() if match else ""

    def _render(self, key: str | None, value: object, indent: str | None) -> str:
        if indent is None:
            body = json.dumps(value, ensure_ascii=False)
        else:
            body = json.dumps(value, ensure_ascii=False, indent=self._unit).replace("\n", self._newline + indent)
        return body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"

    def _insert(self, at: int, piece: str) -> None:
        size, grown, moved = len(piece), False, []
        for start, end in self.spans:
            if at < start:
                moved.append((start + size, end + size))
            elif at < end:
                moved.append((start, end + size))
                grown = True
            else:
                moved.append((start, end))
        self.spans = sorted(moved if grown else [*moved, (at, at + size)])
        self.text = self.text[:at] + piece + self.text[at:]

    def _delete(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]


def _ends_in_line_comment(trivia: str) -> bool:
    comments = list(_COMMENT.finditer(trivia))
    return bool(comments) and comments[-1].group().startswith("//") and comments[-1].end() == len(trivia)


def without(text: str, spans: list[Span]) -> str:
    """The text with the spans cut out: the inverse of the insertions that made them."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _indent_unit(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match.group(1) if match else "  "


def _shape(path: tuple[str, ...], wanted: str) -> InvalidInput:
    return InvalidInput("settings", f"{'.'.join(path) or 'the document'} is not an {wanted}", allowed=f"an {wanted}")
