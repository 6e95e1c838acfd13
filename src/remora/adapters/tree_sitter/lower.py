"""Reads expression nodes into rows of the neutral expression table, by the language's forms."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

import re
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

import tree_sitter

from remora.adapters.tree_sitter.language import Form, Language
from remora.adapters.tree_sitter.texts import Texts, literal_text
from remora.core.codegraph.builder import FactsBuilder
from remora.core.codegraph.facts import UNKNOWN, Import

_DEPTH = 120
"""Deeper expressions are unknown; only generated or hostile text nests further."""
_POSITION_DIGITS = 6
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class Lowering(Texts):
    """Expressions of one file. Each node is read once."""

    def __init__(self, language: Language, builder: FactsBuilder, text: bytes) -> None:
        self.forms = language.forms
        self._rules = language.pair.rules
        self.builder = builder
        self.source = text
        self._seen: dict[int, int] = {}
        self._depth = 0
        self.given_up = 0
        self.quiet = False
        """Whether no value matters, only what is declared."""

    def text(self, node: tree_sitter.Node) -> str:
        """The source text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def value(self, node: tree_sitter.Node | None) -> int:
        """Index of the expression row of a node; 0 when it is none that is followed."""
        if node is None or self.quiet:
            return UNKNOWN
        form = self.forms.get(node.kind_id)
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
            found = self._READERS[form.op](self, node, form)
        finally:
            self._depth -= 1
        self._seen[key] = found
        return found

    # --- one reader per operation

    def _name(self, node: tree_sitter.Node, form: Form) -> int:
        return self.builder.use(self.text(node), node.start_byte)

    def _attribute(self, node: tree_sitter.Node, form: Form) -> int:
        name = node.child_by_field_id(form.second)
        first = node.child_by_field_id(form.first)
        head = self.forms.get(first.kind_id) if first is not None and form.text == "path" else None
        if first is not None and head is not None and head.op == "name":
            target = self.builder.use(self.text(first), first.start_byte, path=True)
        else:
            target = self.value(first)
        inner = self.forms.get(name.kind_id) if name is not None else None
        while name is not None and inner is not None and inner.op == "attribute":
            # Paths that nest to the right.
            part = name.child_by_field_id(inner.first)
            target = self.builder.shared("a", target, self.text(part)) if part is not None else target
            name = name.child_by_field_id(inner.second)
            inner = self.forms.get(name.kind_id) if name is not None else None
        if name is None:
            return UNKNOWN
        if inner is None or inner.op != "generic":
            return self.builder.shared("a", target, self.text(name))
        base = self.builder.shared("a", target, self.text(name.named_children[0]))
        return base if inner.text == "function" else self.builder.expression("i", base, self._type_key(name))

    def _type_key(self, node: tree_sitter.Node) -> int:
        """What a generic type is of; several become a list."""
        children = node.named_children
        if len(children) < 2:
            return UNKNOWN
        parts = [self.value(child) for child in children[1].named_children or [children[1]]]
        return parts[0] if len(parts) == 1 else self.builder.expression("l", "tuple", *parts)

    def _call(self, node: tree_sitter.Node, form: Form) -> int:
        first = node.child_by_field_id(form.first) if form.first else next(iter(node.named_children), None)
        if first is not None and self._rules.require and (module := self._required(node, first, form)):
            return module
        callee = self._ungeneric(first)
        if form.text == "new" and self._rules.constructing_functions:
            callee = self.builder.expression("C", callee)
        if form.text == "rest":
            return self._called_with(node.named_children[1:], callee)
        if form.holder:
            holders = [child for child in node.named_children[1:] if child.type == form.holder]
            return self.called(holders[0] if holders else None, callee)
        return self.called(node.child_by_field_id(form.second), callee)

    def _ungeneric(self, node: tree_sitter.Node | None) -> int:
        """A callee; type arguments behind its name do not change which it is."""
        value = self.value(node)
        row = self.builder.facts.expressions[value]
        form = self.forms.get(node.kind_id) if node is not None else None
        return int(row[1]) if row[0] == "i" and form is not None and form.op in ("attribute", "generic") else value

    def called(self, holder: tree_sitter.Node | None, callee: int) -> int:
        """The row of a call with the arguments a node holds."""
        inner = self.forms.get(holder.kind_id) if holder is not None else None
        return self._called_with([holder] if inner else holder.named_children if holder else [], callee)

    def _called_with(self, children: Iterable[tree_sitter.Node | None], callee: int) -> int:
        positional: list[int] = []
        named: list[tuple[str, int]] = []
        for child in children:
            if child is not None:
                self._argument(child, positional, named)
        return self.builder.expression("c", callee, tuple(positional), tuple(named))

    def _invoke(self, node: tree_sitter.Node, form: Form) -> int:
        """A call whose node has the object and the name as its own parts."""
        target = node.child_by_field_id(form.first)
        name = node.child_by_field_id(form.second)
        if name is None:
            return UNKNOWN
        if target is None:
            callee = self.builder.use(self.text(name), name.start_byte)
        else:
            callee = self.builder.shared("a", self.value(target), self.text(name))
        call = self.called(node.child_by_field_id(form.third), callee)
        block = node.child_by_field_id(form.block) if form.block else None
        if block is not None:
            _, callee, positional, named = self.builder.facts.expressions[call]
            self.builder.facts.expressions[call] = ("c", callee, positional, (*named, ("&", self.value(block))))
        return call

    def _reference(self, node: tree_sitter.Node, form: Form) -> int:
        """A function named by its object and its name."""
        children = node.named_children
        if len(children) < 2:
            return UNKNOWN
        return self.builder.shared("a", self.value(children[0]), self.text(children[-1]).lstrip(".?!: \n"))

    def _dotted(self, node: tree_sitter.Node, form: Form) -> int:
        """A path read from its text."""
        parts = [
            part.strip() for part in self.text(node).replace(self._rules.separator, ".").split(".") if part.strip()
        ]
        if not parts:
            return UNKNOWN
        value = self.builder.use(parts[0], node.start_byte)
        for part in parts[1:]:
            value = self.builder.shared("a", value, part)
        return value

    def _typed_path(self, node: tree_sitter.Node, form: Form) -> int:
        """A type as a path of names, with type arguments at its end."""
        value = UNKNOWN
        for child in node.named_children:
            inner = self.forms.get(child.kind_id)
            if inner is not None and inner.op == "name":
                value = self.builder.shared("a", value, self.text(child)) if value else self.value(child)
            elif value:
                parts = [self.value(part) for part in child.named_children]
                key = parts[0] if len(parts) == 1 else self.builder.expression("l", "tuple", *parts)
                value = self.builder.expression("i", value, key)
        return value

    def _own(self, node: tree_sitter.Node, form: Form) -> int:
        """A field of the object written without the object."""
        target = self.builder.use(self._rules.this, node.start_byte)
        return self.builder.shared("a", target, self.text(node).lstrip("@"))

    def _required(self, node: tree_sitter.Node, first: tree_sitter.Node, form: Form) -> int:
        """The module a call loads by a name written in full; 0 when it does not."""
        holder = node.child_by_field_id(form.second) if form.second else None
        if form.holder:
            holder = next((child for child in node.named_children[1:] if child.type == form.holder), None)
        if holder is None or self.text(first) not in self._rules.require or not holder.named_child_count:
            return UNKNOWN
        name = holder.named_children[0]
        inner = self.forms.get(name.kind_id)
        if inner is None or inner.op != "literal" or inner.text != "str":
            return UNKNOWN
        text = literal_text(self.source[name.start_byte : name.end_byte])
        return self.builder.load(Import(text, "", node.start_point.row + 1))

    def _argument(self, child: tree_sitter.Node, positional: list[int], named: list[tuple[str, int]]) -> None:
        form = self.forms.get(child.kind_id)
        if form is not None and form.text == "arguments":
            for inner in child.named_children:
                self._argument(inner, positional, named)
        elif form is not None and form.op in ("keyword", "pair"):
            name, value = child.child_by_field_id(form.first), child.child_by_field_id(form.second)
            if name is not None:
                named.append((self.text(name), self.value(value)))
        elif form is not None or not child.is_extra:
            positional.append(self.value(child))

    def _item(self, node: tree_sitter.Node, form: Form) -> int:
        children = node.named_children
        target = self.value(node.child_by_field_id(form.first) if form.first else next(iter(children), None))
        keys = node.children_by_field_id(form.second) if form.second else children[1:2]
        if len(keys) != 1:
            parts = [self.value(key) for key in keys]
            return self.builder.expression("i", target, self.builder.expression("l", "tuple", *parts))
        inner = self.forms.get(keys[0].kind_id)
        if inner is not None and inner.op == "slice":
            start = self._slice_start(keys[0])
            return self.builder.expression("r", target, start) if start else target
        return self.builder.expression("i", target, self.value(keys[0]))

    def _slice_start(self, node: tree_sitter.Node) -> int:
        first = next(iter(node.children), None)
        text = self.text(first) if first is not None else ""
        return int(text) if text.isdecimal() and len(text) < _POSITION_DIGITS else 0

    def _list(self, node: tree_sitter.Node, form: Form) -> int:
        return self.builder.expression("l", form.text, *map(self.value, node.named_children))

    def _array(self, node: tree_sitter.Node, form: Form) -> int:
        """A list, or a map when its elements have keys."""
        elements = [child.named_children for child in node.named_children]
        if not any(len(parts) == 2 for parts in elements):
            return self._list(node, form)
        pairs = [(self.value(parts[0]), self.value(parts[1])) for parts in elements if len(parts) == 2]
        return self.builder.expression("d", "dict", *pairs)

    def _map(self, node: tree_sitter.Node, form: Form) -> int:
        pairs = []
        for child in node.named_children:
            inner = self.forms.get(child.kind_id)
            if inner is not None and inner.op == "pair":
                key, value = child.child_by_field_id(inner.first), child.child_by_field_id(inner.second)
                pairs.append((self._key(key, inner), self.value(value)))
            elif inner is not None and inner.op == "name":
                pairs.append((self.builder.shared("k", "str", self.text(child)), self.value(child)))
            elif inner is not None and inner.op == "spread":
                pairs.append((UNKNOWN, self.value(child)))
            elif inner is not None and inner.op == "closure" and (name := child.child_by_field_name("name")):
                pairs.append((self.builder.shared("k", "str", self.text(name)), self.value(child)))
        return self.builder.expression("d", form.text or "dict", *pairs)

    def _key(self, node: tree_sitter.Node | None, form: Form) -> int:
        if node is None or form.text != "literal":
            return self.value(node)
        return self.builder.shared("k", "str", literal_text(self.source[node.start_byte : node.end_byte]))

    def _choice(self, node: tree_sitter.Node, form: Form) -> int:
        children = node.named_children
        picked = [children[i] for i in form.children if i < len(children)] if form.children else children
        values = [value for value in map(self.value, picked) if value]
        return self._alternatives(values)

    def _alternatives(self, values: list[int]) -> int:
        if len(values) < 2:
            return values[0] if values else UNKNOWN
        return self.builder.expression("|", *values)

    def _union(self, node: tree_sitter.Node, form: Form) -> int:
        operator = self.text(node.child_by_field_name("operator") or node.children[min(1, node.child_count - 1)])
        if form.joins and operator == form.joins:
            return self.joined([self.value(child) for child in node.named_children])
        if operator == "%" and form.joins:
            return self._printed([self.value(child) for child in node.named_children])
        if operator not in form.texts:
            return UNKNOWN
        return self._alternatives([value for value in map(self.value, node.named_children) if value])

    def _printed(self, parts: list[int]) -> int:
        """`text % values`."""
        rows = self.builder.facts.expressions
        if len(parts) != 2 or rows[parts[0]][0] != "k" or rows[parts[0]][1] != "str":
            return UNKNOWN
        values = list(rows[parts[1]][2:]) if rows[parts[1]][0] == "l" else [parts[1]]
        return self.filled(parts[0], values)

    def _tuple(self, node: tree_sitter.Node, form: Form) -> int:
        """A list that is its only element when it has one."""
        children = node.named_children
        return self.value(children[0]) if len(children) == 1 else self._list(node, form)

    def _container(self, node: tree_sitter.Node, form: Form) -> int:
        """The type of a list of a type."""
        inner = node.child_by_field_id(form.first) if form.first else next(iter(node.named_children), None)
        return self.builder.expression("i", self.builder.shared("k", "list", ""), self.value(inner))

    def _construct(self, node: tree_sitter.Node, form: Form) -> int:
        """A value of a class made without calling anything."""
        declared = node.child_by_field_id(form.first) if form.first else next(iter(node.named_children), None)
        return self.builder.expression("N", self.value(declared))

    def _cast(self, node: tree_sitter.Node, form: Form) -> int:
        declared = self.value(node.child_by_field_id(form.first) if form.first else node.named_children[-1])
        return self.builder.expression("T", declared)

    def _inner(self, node: tree_sitter.Node, form: Form) -> int:
        if form.first:
            return self.value(node.child_by_field_id(form.first))
        children = node.named_children
        return self.value(children[0]) if children else UNKNOWN

    def _generic(self, node: tree_sitter.Node, form: Form) -> int:
        children = node.named_children
        if len(children) == 1 or (children and form.text == "function"):
            return self.value(children[0])
        if len(children) < 2:
            return UNKNOWN
        return self.builder.expression("i", self.value(children[0]), self._type_key(node))

    def _spread(self, node: tree_sitter.Node, form: Form) -> int:
        return self.builder.expression("*", self._inner(node, form))

    def _closure(self, node: tree_sitter.Node, form: Form) -> int:
        return self.builder.scope_value("f", node.start_byte)

    def _comprehension(self, node: tree_sitter.Node, form: Form) -> int:
        return self.builder.scope_value("g", node.start_byte)

    def _nothing(self, node: tree_sitter.Node, form: Form) -> int:
        return UNKNOWN

    # --- types

    def type(self, node: tree_sitter.Node | None) -> int:
        """Like `value`, and a string holding a dotted name is that name (a forward reference)."""
        value = self.value(node)
        row = self.builder.facts.expressions[value]
        if node is None or row[0] != "k" or not _DOTTED.fullmatch(row[2]):
            return value
        first, *rest = row[2].split(".")
        value = self.builder.use(first, node.start_byte)
        for name in rest:
            value = self.builder.shared("a", value, name)
        return value

    _READERS: ClassVar[Mapping[str, Callable[["Lowering", tree_sitter.Node, Form], int]]] = {
        "name": _name,
        "attribute": _attribute,
        "call": _call,
        "item": _item,
        "invoke": _invoke,
        "reference": _reference,
        "dotted": _dotted,
        "typed_path": _typed_path,
        "own": _own,
        "list": _list,
        "tuple": _tuple,
        "container": _container,
        "construct": _construct,
        "cast": _cast,
        "shorthand": _name,
        "map": _map,
        "array": _array,
        "choice": _choice,
        "union": _union,
        "inner": _inner,
        "await": _inner,
        "generic": _generic,
        "spread": _spread,
        "literal": Texts.literal,
        "format": Texts.format,
        "texts": Texts.row,
        "closure": _closure,
        "comprehension": _comprehension,
        "slice": _nothing,
        "pair": _nothing,
        "keyword": _nothing,
        "sent": _nothing,
    }
