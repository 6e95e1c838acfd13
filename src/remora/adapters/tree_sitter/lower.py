"""Reads expression nodes into rows of the neutral expression table, by the language's forms."""

import re

import tree_sitter

from remora.adapters.tree_sitter.language import Language
from remora.core.codegraph.builder import FactsBuilder
from remora.core.codegraph.facts import UNKNOWN

_DEPTH = 120
"""Deeper expressions are unknown; only generated or hostile text nests further."""
_KEY_BYTES = 80
"""Longer literals are never used as keys."""
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_QUOTED = re.compile(rb"^[A-Za-z]{0,3}(\"\"\"|'''|[\"'`])(.*)\1$", re.DOTALL)


def literal_text(raw: bytes) -> str:
    """The content of a string literal without prefix and quotes."""
    match = _QUOTED.match(raw)
    return (match.group(2) if match else raw).decode("utf-8", "replace")


class Lowering:
    """Expressions of one file. Each node is read once."""

    def __init__(self, language: Language, builder: FactsBuilder, text: bytes) -> None:
        self._forms = language.forms
        self._builder = builder
        self._text = text
        self._seen: dict[int, int] = {}
        self._depth = 0
        self.given_up = 0

    def text(self, node: tree_sitter.Node) -> str:
        """The source text of a node."""
        return self._text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def value(self, node: tree_sitter.Node | None) -> int:
        """Index of the expression row of a node; 0 when it is none that is followed."""
        if node is None:
            return UNKNOWN
        form = self._forms.get(node.kind_id)
        if form is None:
            return UNKNOWN
        key = node.id
        found = self._seen.get(key)
        if found is not None:
            return found
        if self._depth >= _DEPTH:
            self.given_up += 1
            return UNKNOWN
        self._depth += 1
        try:
            found = _READERS[form.op](self, node, form)
        finally:
            self._depth -= 1
        self._seen[key] = found
        return found

    # --- one reader per operation

    def _name(self, node, form):
        return self._builder.use(self.text(node), node.start_byte)

    def _attribute(self, node, form):
        name = node.child_by_field_id(form.second)
        target = self.value(node.child_by_field_id(form.first))
        return self._builder.expression("a", target, self.text(name)) if name is not None else UNKNOWN

    def _call(self, node, form):
        callee = self.value(node.child_by_field_id(form.first))
        holder = node.child_by_field_id(form.second)
        positional, named = [], []
        if holder is not None:
            inner = self._forms.get(holder.kind_id)
            for child in [holder] if inner else holder.named_children:
                self._argument(child, positional, named)
        return self._builder.expression("c", callee, tuple(positional), tuple(named))

    def _argument(self, child, positional, named):
        form = self._forms.get(child.kind_id)
        if form is not None and form.op == "keyword":
            name, value = child.child_by_field_id(form.first), child.child_by_field_id(form.second)
            if name is not None:
                named.append((self.text(name), self.value(value)))
        elif form is not None or not child.is_extra:
            positional.append(self.value(child))

    def _item(self, node, form):
        target = self.value(node.child_by_field_id(form.first))
        keys = node.children_by_field_id(form.second) if form.second else []
        if len(keys) != 1:
            return self._builder.expression("i", target, UNKNOWN)
        inner = self._forms.get(keys[0].kind_id)
        if inner is not None and inner.op == "slice":
            return target
        return self._builder.expression("i", target, self.value(keys[0]))

    def _list(self, node, form):
        return self._builder.expression("l", form.text, *map(self.value, node.named_children))

    def _map(self, node, form):
        pairs = []
        for child in node.named_children:
            inner = self._forms.get(child.kind_id)
            if inner is not None and inner.op == "pair":
                key, value = child.child_by_field_id(inner.first), child.child_by_field_id(inner.second)
                pairs.append((self.value(key), self.value(value)))
        return self._builder.expression("d", form.text or "dict", *pairs)

    def _choice(self, node, form):
        children = node.named_children
        picked = [children[i] for i in form.children if i < len(children)] if form.children else children
        values = [value for value in map(self.value, picked) if value]
        return self._alternatives(values)

    def _alternatives(self, values):
        if len(values) < 2:
            return values[0] if values else UNKNOWN
        return self._builder.expression("|", *values)

    def _union(self, node, form):
        operator = node.child_by_field_name("operator")
        if operator is None or self.text(operator) != form.text:
            return UNKNOWN
        return self._alternatives([value for value in map(self.value, node.named_children) if value])

    def _inner(self, node, form):
        if form.first:
            return self.value(node.child_by_field_id(form.first))
        children = node.named_children
        return self.value(children[0]) if children else UNKNOWN

    def _generic(self, node, form):
        children = node.named_children
        if len(children) < 2:
            return UNKNOWN
        arguments = children[1].named_children or [children[1]]
        return self._builder.expression("i", self.value(children[0]), self.value(arguments[-1]))

    def _spread(self, node, form):
        return self._builder.expression("*", self._inner(node, form))

    def _literal(self, node, form):
        key = ""
        if node.end_byte - node.start_byte <= _KEY_BYTES:
            key = literal_text(self._text[node.start_byte : node.end_byte])
        return self._builder.expression("k", form.text, key)

    def _closure(self, node, form):
        return self._builder.scope_value("f", node.start_byte)

    def _comprehension(self, node, form):
        return self._builder.scope_value("g", node.start_byte)

    def _nothing(self, node, form):
        return UNKNOWN

    # --- types

    def type(self, node: tree_sitter.Node | None) -> int:
        """Like `value`, and a string holding a dotted name is that name (a forward reference)."""
        value = self.value(node)
        row = self._builder.facts.expressions[value]
        if node is None or row[0] != "k" or not _DOTTED.fullmatch(row[2]):
            return value
        first, *rest = row[2].split(".")
        value = self._builder.use(first, node.start_byte)
        for name in rest:
            value = self._builder.expression("a", value, name)
        return value


_READERS = {
    "name": Lowering._name,
    "attribute": Lowering._attribute,
    "call": Lowering._call,
    "item": Lowering._item,
    "list": Lowering._list,
    "map": Lowering._map,
    "choice": Lowering._choice,
    "union": Lowering._union,
    "inner": Lowering._inner,
    "await": Lowering._inner,
    "generic": Lowering._generic,
    "spread": Lowering._spread,
    "literal": Lowering._literal,
    "closure": Lowering._closure,
    "comprehension": Lowering._comprehension,
    "slice": Lowering._nothing,
    "pair": Lowering._nothing,
    "keyword": Lowering._nothing,
    "sent": Lowering._nothing,
}
