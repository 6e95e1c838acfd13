"""The part of extraction that reads parameters."""

from typing import NamedTuple, TypeAlias

import tree_sitter

from remora.adapters.tree_sitter.language import Language, ParameterForm
from remora.adapters.tree_sitter.lower import Lowering
from remora.core.codegraph.builder import FactsBuilder
from remora.core.codegraph.facts import Parameter

Captures: TypeAlias = dict[str, list[tree_sitter.Node]]


class ReadParameter(NamedTuple):
    """A parameter, the pattern it is taken apart by, the line of its name, and what makes it a field."""

    parameter: Parameter
    pattern: tree_sitter.Node | None
    line: int
    field: str = ""


class Parameters:
    """Parameters of one file's functions."""

    def __init__(self, spoken: Language, text: bytes) -> None:
        self.rules = spoken.pair.rules
        self.language = spoken
        self.text = text
        self.lines = text.count(b"\n") + (0 if text.endswith(b"\n") or not text else 1)
        self.builder = FactsBuilder(self.rules, self.lines, len(text))
        self.lower = Lowering(spoken, self.builder, text)
        self.decorators: dict[int, list[tree_sitter.Node]] = {}
        self.notes: dict[int, list[tree_sitter.Node]] = {}
        self.marks: dict[int, list[str]] = {}
        self.named: set[int] = set()
        """Starts of functions without a name of their own that something around them names."""
        self.known: set[int] = set()
        self.label = ""
        """The kind the present pattern gives what it declares."""
        self.doc_kind = spoken.pair.table["scopes"].get("doc", "")

    def read_parameters(self, captures: Captures) -> list[ReadParameter]:
        """The parameters of a declaration, in order."""
        found: list[ReadParameter] = []
        after = "positional"
        for holder in captures.get("parameters", ()):
            single = self.language.parameters.get(holder.kind_id)
            for child in [holder] if single is not None else holder.named_children:
                form = self.language.parameters.get(child.kind_id)
                if form is None or form.kind == "ignored":
                    continue
                if form.kind == "separator":
                    after = "keyword"
                    continue
                for read in self._parameters(child, form, after):
                    after = "keyword" if read.parameter.kind == "rest" else after
                    found.append(read._replace(field=self._is_field(child, form)))
        return found

    def _is_field(self, node: tree_sitter.Node, form: ParameterForm) -> str:
        held = form.field in ("*", "class") or any(child.type in form.field.split() for child in node.children)
        return form.field if form.field and held else ""

    def _parameters(self, node: tree_sitter.Node, form: ParameterForm, after: str) -> list[ReadParameter]:
        names: list[tree_sitter.Node | None] = [node]
        if form.name:
            names = [*node.children_by_field_id(form.name)] or [None]
        type_node = node.child_by_field_id(form.type) if form.type else None
        if form.next:
            names, type_node = self._name_and_next(node, names[0] if form.name else None)
        default = node.child_by_field_id(form.default) if form.default else None
        declared, value = self.lower.type(type_node), self.lower.value(default)
        if form.fixed:
            return [ReadParameter(Parameter(form.fixed, after, declared, value), None, node.start_point.row + 1)]
        return [self._parameter(named, form.kind, after, declared, value) for named in names]

    def _name_and_next(
        self, node: tree_sitter.Node, name: tree_sitter.Node | None
    ) -> tuple[list[tree_sitter.Node | None], tree_sitter.Node | None]:
        """The first child that is a name, and the one after it."""
        children = node.named_children
        for place, child in enumerate(children):
            form = self.language.forms.get(child.kind_id)
            if child == name or (name is None and form is not None and form.op == "name"):
                return [child], children[place + 1] if place + 1 < len(children) else None
        return [name], None

    def _parameter(
        self, named: tree_sitter.Node | None, kind: str, after: str, declared: int, value: int
    ) -> ReadParameter:
        while named is not None and (children := named.named_children):
            form = self.language.forms.get(named.kind_id)
            if form is not None and form.op == "name":
                break
            if form is not None and form.op in ("map", "list"):
                # A pattern: its parts are bound when the function is open.
                whole = Parameter(f"<{named.start_byte}>", after if kind == "positional" else kind, declared, value)
                return ReadParameter(whole, named, named.start_point.row + 1)
            inner = self.language.parameters.get(children[0].kind_id)
            named = children[0]
            kind = inner.kind if inner is not None and inner.kind != "positional" else kind
        name = self.lower.text(named) if named is not None else ""
        line = named.start_point.row + 1 if named is not None else 0
        return ReadParameter(Parameter(name, after if kind == "positional" else kind, declared, value), None, line)
