"""The part of lowering that reads texts: literals, texts with values in them, and texts put together."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping

import tree_sitter

from remora.adapters.tree_sitter.language import Form
from remora.core.codegraph.builder import FactsBuilder
from remora.core.codegraph.facts import UNKNOWN

_KEY_BYTES = 200
"""Longer literals are never used as keys."""
_PARTS = 24
"""Of longer texts put together the first parts count."""
_OPENING = re.compile(rb"^[A-Za-z$@#]{0,4}[\"'`]+|^<<[-~]?\w+\n")
_CLOSING = re.compile(rb"[\"'`]+$")
_BRACED = frozenset({"variable_name", "member_access_expression", "subscript_expression"})
"""Values in a text that may stand in braces which are not part of their node."""
_PRINTED = re.compile(r"%[-+ 0#]*\d*(?:\.\d+)?[A-Za-z@]")
_SLOTS = re.compile(r"(\{[^{}]*\})")
_QUOTED = re.compile(rb"^[A-Za-z]{0,3}(\"\"\"|'''|[\"'`])(.*)\1$", re.DOTALL)


def literal_text(raw: bytes) -> str:
    """The content of a string literal without prefix and quotes."""
    match = _QUOTED.match(raw)
    return (match.group(2) if match else raw).decode("utf-8", "replace")


class Texts(ABC):
    """Texts of one file."""

    forms: Mapping[int, Form]
    builder: FactsBuilder
    source: bytes

    @abstractmethod
    def value(self, node: tree_sitter.Node | None) -> int:
        """Index of the expression row of a node; 0 when it is none that is followed."""

    @abstractmethod
    def text(self, node: tree_sitter.Node) -> str:
        """The source text of a node."""

    def joined(self, parts: list[int]) -> int:
        """A text put together from parts; those of a part that is itself put together count as its own."""
        rows = self.builder.facts.expressions
        flat = [inner for part in parts for inner in (rows[part][1:] if rows[part][0] == "t" else (part,))]
        return self.builder.expression("t", *flat[:_PARTS])

    def filled(self, text: int, values: list[int]) -> int:
        """A text whose marks (`%s`) are filled with values."""
        pieces = _PRINTED.split(self.builder.facts.expressions[text][2])
        given = iter(values)
        parts: list[int] = []
        for place, piece in enumerate(pieces):
            parts += [next(given, UNKNOWN)] if place else []
            parts += [self.builder.shared("k", "str", piece)] if piece else []
        return self.joined(parts)

    def row(self, node: tree_sitter.Node, form: Form) -> int:
        """Texts written one behind the other."""
        return self.joined([self.value(child) for child in node.named_children])

    def _holed(self, node: tree_sitter.Node, form: Form) -> int:
        """A text with values in it."""
        parts: list[int] = []
        start = node.start_byte
        for child in [child for child in node.named_children if child.type in form.holes]:
            before = self._piece(start, child.start_byte, node)
            parts.append(self._unbraced(before) if child.type in _BRACED else before)
            inner = child.named_children
            parts.append(self.value(child if child.kind_id in self.forms else inner[0] if inner else None))
            braced = child.type in _BRACED and self.source[child.end_byte : child.end_byte + 1] == b"}"
            start = child.end_byte + braced
        parts.append(self._piece(start, node.end_byte, node))
        return self.joined([part for part in parts if self.builder.facts.expressions[part] != ("k", "str", "")])

    def _unbraced(self, piece: int) -> int:
        text = self.builder.facts.expressions[piece][2]
        return self.builder.shared("k", "str", text.removesuffix("{"))

    def _piece(self, start: int, end: int, node: tree_sitter.Node) -> int:
        raw = self._bytes(start, end)
        if start == node.start_byte:
            raw = _OPENING.sub(b"", raw)
        if end == node.end_byte:
            raw = _CLOSING.sub(b"", raw)
        return self.builder.shared("k", "str", raw.decode("utf-8", "replace"))

    def _bytes(self, start: int, end: int) -> bytes:
        return self.source[start : min(end, start + _KEY_BYTES)]

    def format(self, node: tree_sitter.Node, form: Form) -> int:
        """A macro that puts a text together: its first literal, with holes filled by the names after it."""
        name, *rest = node.named_children or [node]
        tree = rest[-1] if rest else None
        if tree is None or self.text(name).rpartition("::")[2] not in form.texts:
            return UNKNOWN
        tokens = tree.named_children
        first = next((at for at, token in enumerate(tokens) if "string" in token.type), None)
        if first is None:
            return UNKNOWN
        given = iter([self._lone(tree, token) for token in tokens[first + 1 :] if token.prev_sibling is not None])
        parts: list[int] = []
        for piece in _SLOTS.split(literal_text(self._bytes(tokens[first].start_byte, tokens[first].end_byte))):
            if piece.startswith("{") and piece != "{{":
                named = piece[1:-1].partition(":")[0].strip()
                parts.append(self.builder.use(named, node.start_byte) if named else next(given, UNKNOWN))
            elif piece:
                parts.append(self.builder.shared("k", "str", piece))
        return self.joined(parts)

    def _lone(self, tree: tree_sitter.Node, token: tree_sitter.Node) -> int:
        """A token that is an argument by itself."""
        before, after = token.prev_sibling, token.next_sibling
        alone = before is not None and before.type == "," and (after is None or after.type in (",", ")"))
        return self.value(token) if alone else UNKNOWN

    def literal(self, node: tree_sitter.Node, form: Form) -> int:
        if form.holes and any(child.type in form.holes for child in node.named_children):
            return self._holed(node, form)
        key = ""
        if node.end_byte - node.start_byte <= _KEY_BYTES:
            key = literal_text(self.source[node.start_byte : node.end_byte])
        if form.text == "symbol":
            return self.builder.shared("k", "str", key.lstrip(":"))
        return self.builder.shared("k", form.text, key)
