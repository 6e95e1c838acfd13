"""Turns one file's text into facts: query matches in source order, each handled by its role."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import ClassVar, TypeAlias

import tree_sitter

from remora.adapters.tree_sitter.language import Language, ParameterForm, language
from remora.adapters.tree_sitter.lower import Lowering, literal_text
from remora.core.codegraph.builder import FactsBuilder
from remora.core.codegraph.facts import UNKNOWN, FileFacts, Import, Parameter

_SIGNATURE_CHARS = 200
_DOC_CHARS = 160
_SPACE = re.compile(r"\s+")
_CAPTURE = re.compile(r"@([a-z_]+)")

Captures: TypeAlias = dict[str, list[tree_sitter.Node]]
_Event: TypeAlias = tuple[int, int, int, int, str, tree_sitter.Node, Captures]


def extract(name: str, text: bytes) -> FileFacts:
    """The facts of one file's text in the named language."""
    spoken = language(name)
    tree = spoken.parser.parse(text)
    return _Extraction(spoken, text).run(tree.root_node)


@cache
def _roles(name: str) -> tuple[str, ...]:
    """Role of each pattern of the query: the capture that is one of the known roles."""
    query, source = language(name).query, language(name).pair.query.encode()
    found = []
    for index in range(query.pattern_count):
        pattern = source[query.start_byte_for_pattern(index) : query.end_byte_for_pattern(index)].decode()
        captures = _CAPTURE.findall(pattern)
        found.append(next(capture for capture in captures if capture in _Extraction.ROLES))
    return tuple(found)


class _Extraction:
    def __init__(self, spoken: Language, text: bytes) -> None:
        self.rules = spoken.pair.rules
        self.language = spoken
        self.text = text
        self.lines = text.count(b"\n") + (0 if text.endswith(b"\n") or not text else 1)
        self.builder = FactsBuilder(self.rules, self.lines, len(text))
        self.lower = Lowering(spoken, self.builder, text)
        self.decorators: dict[int, list[tree_sitter.Node]] = {}
        self.doc_kind = spoken.pair.table["scopes"].get("doc", "")

    def run(self, root: tree_sitter.Node) -> FileFacts:
        roles = _roles(self.rules.name)
        events: list[_Event] = []
        for pattern, captures in tree_sitter.QueryCursor(self.language.query).matches(root):
            role = roles[pattern]
            node = captures[role][0]
            start, end = node.byte_range
            events.append((start, -end, pattern, len(events), role, node, captures))
        events.sort(key=lambda event: event[:4])
        advance = self.builder.advance
        for start, _, _, _, role, node, captures in events:
            advance(start)
            self.ROLES[role](self, node, captures)
        facts = self.builder.finish()
        facts.scopes[0].doc = self._doc(root)
        facts.errors = int(root.has_error) + self.lower.given_up
        facts.code_lines = sum(1 for line in self.text.split(b"\n") if line.strip())
        return facts

    # --- scopes

    def _function(self, node: tree_sitter.Node, captures: Captures) -> None:
        name = self.lower.text(captures["name"][0])
        parent = self.builder.facts.scopes[self.builder.scope]
        scope = self._define(node, captures, "function", name)
        row = self.builder.facts.scopes[scope]
        if parent.kind == "class":
            row.flags.append("method")

    def _class(self, node: tree_sitter.Node, captures: Captures) -> None:
        name = self.lower.text(captures["name"][0])
        bases = [
            self.lower.value(child)
            for holder in captures.get("bases", ())
            for child in holder.named_children
            if (form := self.language.forms.get(child.kind_id)) and form.op != "keyword"
        ]
        scope = self._define(node, captures, "class", name)
        self.builder.facts.scopes[scope].bases = bases

    def _define(self, node: tree_sitter.Node, captures: Captures, kind: str, name: str) -> int:
        wrappers = self.decorators.pop(node.start_byte, [])
        values = [(self.lower.value(wrapper), wrapper) for wrapper in wrappers]
        parameters = self._read_parameters(captures)
        result = self.lower.type(captures["result"][0]) if "result" in captures else UNKNOWN
        # The scope's index is known before it opens: the binding must be made in the enclosing scope.
        scope = len(self.builder.facts.scopes)
        value = self.builder.expression("f", scope)
        line = node.start_point.row + 1
        for decorator, wrapper in reversed(values):
            if not decorator:
                continue
            call = self.builder.expression("c", decorator, (value,), ())
            self.builder.site(call, wrapper.start_point.row + 1)
            value = self.builder.expression("D", call, value)
        name_line = captures["name"][0].start_point.row + 1
        self.builder.bind(name, value, node.start_byte, name_line, "d")
        self.builder.open(kind, name, node.start_byte, node.end_byte, line, node.end_point.row + 1)
        row = self.builder.facts.scopes[scope]
        row.result = result
        row.decorators = [decorator for decorator, _ in values]
        row.flags = self._flags([self.lower.text(wrapper) for wrapper in wrappers], row.flags)
        body = captures.get("body")
        row.signature = self._signature(node, body[0] if body else node)
        row.doc = self._doc(body[0]) if body else ""
        for parameter in parameters:
            self.builder.parameter(scope, parameter, node.start_byte)
        return scope

    def _flags(self, decorators: list[str], flags: list[str]) -> list[str]:
        rules = self.rules
        for text in decorators:
            last = text.partition("(")[0].rpartition(".")[2]
            for names, flag in (
                (rules.static, "static"),
                (rules.classlevel, "classlevel"),
                (rules.property, "property"),
            ):
                if last in names:
                    flags.append(flag)
        return flags

    def _signature(self, node: tree_sitter.Node, body: tree_sitter.Node) -> str:
        raw = self.text[node.start_byte : min(body.start_byte, node.start_byte + 4 * _SIGNATURE_CHARS)]
        return _SPACE.sub(" ", raw.decode("utf-8", "replace")).strip().rstrip(":{").strip()[:_SIGNATURE_CHARS]

    def _doc(self, body: tree_sitter.Node) -> str:
        node: tree_sitter.Node | None = body
        for _ in range(3):
            node = node.named_child(0) if node is not None and node.named_child_count else None
            if node is not None and node.type == self.doc_kind:
                lines = literal_text(self.text[node.start_byte : node.end_byte]).strip().splitlines()
                return lines[0].strip()[:_DOC_CHARS] if lines else ""
        return ""

    def _read_parameters(self, captures: Captures) -> list[Parameter]:
        found: list[Parameter] = []
        after = "positional"
        for holder in captures.get("parameters", ()):
            for child in holder.named_children:
                form = self.language.parameters.get(child.kind_id)
                if form is None or form.kind == "ignored":
                    continue
                if form.kind == "separator":
                    after = "keyword"
                    continue
                parameter = self._parameter(child, form, after)
                after = "keyword" if parameter.kind == "rest" else after
                found.append(parameter)
        return found

    def _parameter(self, node: tree_sitter.Node, form: ParameterForm, after: str) -> Parameter:
        kind = form.kind
        named = node.child_by_field_id(form.name) if form.name else node
        while named is not None and (children := named.named_children):
            named, inner = children[0], self.language.parameters.get(children[0].kind_id)
            kind = inner.kind if inner is not None and inner.kind != "positional" else kind
        type_node = node.child_by_field_id(form.type) if form.type else None
        default = node.child_by_field_id(form.default) if form.default else None
        name = self.lower.text(named) if named is not None else ""
        kind = after if kind == "positional" else kind
        return Parameter(name, kind, self.lower.type(type_node), self.lower.value(default))

    def _closure(self, node: tree_sitter.Node, captures: Captures) -> None:
        parameters = self._read_parameters(captures)
        end_line = node.end_point.row + 1
        scope = self.builder.open("closure", "", node.start_byte, node.end_byte, node.start_point.row + 1, end_line)
        for parameter in parameters:
            self.builder.parameter(scope, parameter, node.start_byte)
        if "value" in captures:
            self.builder.facts.scopes[scope].returns.append(self.lower.value(captures["value"][0]))

    def _comprehension(self, node: tree_sitter.Node, captures: Captures) -> None:
        end_line = node.end_point.row + 1
        line = node.start_point.row + 1
        scope = self.builder.open("comprehension", "", node.start_byte, node.end_byte, line, end_line)
        self.builder.facts.scopes[scope].yields.append(self.lower.value(captures["value"][0]))

    def _decorated(self, node: tree_sitter.Node, captures: Captures) -> None:
        self.decorators.setdefault(captures["definition"][0].start_byte, []).append(captures["decorator"][0])

    def _branch(self, node: tree_sitter.Node, captures: Captures) -> None:
        self.builder.block(node.end_byte, loop=False)

    def _loop(self, node: tree_sitter.Node, captures: Captures) -> None:
        self.builder.block(node.end_byte, loop=True)

    # --- bindings

    def _assign(self, node: tree_sitter.Node, captures: Captures) -> None:
        value = self.lower.value(captures["value"][0]) if "value" in captures else UNKNOWN
        if "type" in captures:
            declared = self.lower.type(captures["type"][0])
            self._use_of(declared, captures["type"][0])
            value = self.builder.expression("o", value, self.builder.expression("T", declared)) if declared else value
        self._use_of(value, node)
        self._target(captures["target"][0], value, node.end_byte, "a")

    def _use_of(self, value: int, node: tree_sitter.Node) -> None:
        if self.builder.facts.expressions[value][0] in ("u", "a", "l", "d"):
            self.builder.site(value, node.start_point.row + 1, "use")

    def _target(self, node: tree_sitter.Node, value: int, position: int, kind: str) -> None:
        form = self.language.forms.get(node.kind_id)
        if form is None:
            return
        if form.op == "name":
            self.builder.bind(self.lower.text(node), value, position, node.start_point.row + 1, kind)
        elif form.op == "attribute" and value:
            name = node.child_by_field_id(form.second)
            target = self.lower.value(node.child_by_field_id(form.first))
            if name is not None:
                self.builder.store(target, self.lower.text(name), UNKNOWN, value)
        elif form.op == "item" and value:
            row = self.builder.facts.expressions[self.lower.value(node)]
            if row[0] == "i":
                self.builder.store(row[1], "", row[2], value)
        elif form.op == "list":
            self._targets(node.named_children, value, position, kind)
        elif form.op in ("spread", "inner"):
            self._target(node.named_children[0], value, position, kind)

    def _targets(self, nodes: list[tree_sitter.Node], value: int, position: int, kind: str) -> None:
        forms = self.language.forms
        spreads = [i for i, node in enumerate(nodes) if (form := forms.get(node.kind_id)) and form.op == "spread"]
        spread = spreads[0] if spreads else len(nodes)
        for i, node in enumerate(nodes):
            op, place = ("r", i) if i == spread else ("b", i if i < spread else i - len(nodes))
            part = self.builder.expression(op, value, place) if value else UNKNOWN
            self._target(node, part, position, kind)

    def _iterate(self, node: tree_sitter.Node, captures: Captures) -> None:
        iterable = captures["iterable"][0]
        value = self.builder.expression("e", self.lower.value(iterable))
        self.builder.site(value, iterable.start_point.row + 1, "protocol")
        self._target(captures["target"][0], value, iterable.end_byte, "o")

    def _enter(self, node: tree_sitter.Node, captures: Captures) -> None:
        value = self.builder.expression("w", self.lower.value(captures["value"][0]))
        self.builder.site(value, node.start_point.row + 1, "protocol")
        for target in captures.get("target", ()):
            self._target(target, value, node.end_byte, "o")

    def _caught(self, node: tree_sitter.Node, captures: Captures) -> None:
        kind = self.lower.value(captures["value"][0])
        self._use_of(kind, node)
        value = self.builder.expression("x", kind)
        self._target(captures["target"][0], value, captures["target"][0].end_byte, "o")

    def _outer(self, node: tree_sitter.Node, captures: Captures) -> None:
        for name in captures["outer"]:
            self.builder.declare_outer(self.lower.text(name))

    # --- what comes from other modules

    def _import(self, node: tree_sitter.Node, captures: Captures) -> None:
        module = _SPACE.sub("", self.lower.text(captures["module"][0]))
        line = captures["module"][0].start_point.row + 1
        if "star" in captures:
            self.builder.load(Import(module, "*", line))
            self.builder.facts.stars.append(len(self.builder.facts.imports) - 1)
            return
        name = self.lower.text(captures["name"][0]) if "name" in captures else ""
        alias = self.lower.text(captures["alias"][0]) if "alias" in captures else name
        value = self.builder.load(Import(module, name, line))
        if not alias:
            # `import a.b.c` binds `a`; the import itself is still of the whole path.
            alias = module.partition(".")[0]
            if alias != module:
                value = self.builder.load(Import(alias, "", line))
        self.builder.bind(alias, value, node.end_byte, line, "i")

    # --- values

    def _return(self, node: tree_sitter.Node, captures: Captures) -> None:
        value = self.lower.value(captures["value"][0])
        self._use_of(value, node)
        self._leaves(value, "returns")

    def _yield(self, node: tree_sitter.Node, captures: Captures) -> None:
        self._leaves(self.lower.value(captures["value"][0]), "yields")

    def _leaves(self, value: int, way: str) -> None:
        scopes = self.builder.facts.scopes
        scope = self.builder.scope
        while scopes[scope].kind == "comprehension":
            scope = scopes[scope].parent
        getattr(scopes[scope], way).append(value)

    def _call(self, node: tree_sitter.Node, captures: Captures) -> None:
        value = self.lower.value(node)
        if value:
            self.builder.site(value, node.start_point.row + 1)
            self._append(value)

    def _append(self, value: int) -> None:
        rows = self.builder.facts.expressions
        call = rows[value]
        callee = rows[call[1]]
        if callee[0] == "a" and callee[2] in self.rules.append and call[2]:
            self.builder.store(callee[1], "", UNKNOWN, call[2][-1])

    def _raise(self, node: tree_sitter.Node, captures: Captures) -> None:
        value = self.lower.value(captures["value"][0])
        if self.builder.facts.expressions[value][0] in ("u", "a"):
            self.builder.site(value, node.start_point.row + 1, "raise")

    def _use(self, node: tree_sitter.Node, captures: Captures) -> None:
        self._use_of(self.lower.value(captures["value"][0]), node)

    ROLES: ClassVar[Mapping[str, Callable[["_Extraction", tree_sitter.Node, Captures], None]]] = {
        "function": _function,
        "class": _class,
        "closure": _closure,
        "comprehension": _comprehension,
        "decorated": _decorated,
        "branch": _branch,
        "loop": _loop,
        "assign": _assign,
        "iterate": _iterate,
        "enter": _enter,
        "caught": _caught,
        "outer": _outer,
        "import": _import,
        "return": _return,
        "yield": _yield,
        "call": _call,
        "raise": _raise,
        "use": _use,
    }
