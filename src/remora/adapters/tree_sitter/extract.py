"""Turns one file's text into facts: query matches in source order, each handled by its role."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import ClassVar, TypeAlias

import tree_sitter

from remora.adapters.tree_sitter.declare import CONSTRUCTOR, Declaring
from remora.adapters.tree_sitter.imports import Importing
from remora.adapters.tree_sitter.language import Form, language
from remora.adapters.tree_sitter.parameters import Captures
from remora.core.codegraph.facts import UNKNOWN, FileFacts

_KEY_BYTES = 80
"""Longer expressions are not compared with the names of what a module exports."""
_SPACE = re.compile(r"\s+")
_DECLARING = frozenset({"function", "class", "extension", "closure", "comprehension", "assign", "marked", "package"})
_CAPTURE = re.compile(r"@([a-z_]+)")

_Event: TypeAlias = tuple[int, int, int, int, str, tree_sitter.Node, Captures]


def extract(name: str, text: bytes, *, declarations_only: bool = False) -> FileFacts:
    """The facts of one file's text in the named language; its declarations alone take half of the time."""
    spoken = language(name)
    tree = spoken.parser.parse(text)
    return _Extraction(spoken, text).run(tree.root_node, declarations_only=declarations_only)


@cache
def _roles(name: str) -> tuple[tuple[str, str], ...]:
    """Role of each pattern of the query (the capture that is one of the known roles), and the kind it sets."""
    query, source = language(name).query, language(name).pair.query.encode()
    found = []
    for index in range(query.pattern_count):
        pattern = source[query.start_byte_for_pattern(index) : query.end_byte_for_pattern(index)].decode()
        captures = _CAPTURE.findall(pattern)
        kind = query.pattern_settings(index).get("kind") or ""
        found.append((next(capture for capture in captures if capture in _Extraction.ROLES), kind))
    return tuple(found)


@cache
def _declaring(name: str) -> tree_sitter.Query:
    """The query with every pattern off that declares nothing."""
    query = tree_sitter.Query(language(name).grammar, language(name).pair.query)
    for index, (role, _) in enumerate(_roles(name)):
        if role not in _DECLARING:
            query.disable_pattern(index)
    return query


class _Extraction(Importing):
    def run(self, root: tree_sitter.Node, *, declarations_only: bool) -> FileFacts:
        roles = _roles(self.rules.name)
        # Where a call can load a module, what it is bound to decides whether a name is declared or imported.
        self.lower.quiet = declarations_only and not self.rules.require
        events: list[_Event] = []
        query = _declaring(self.rules.name) if declarations_only else self.language.query
        for pattern, captures in tree_sitter.QueryCursor(query).matches(root):
            role, _ = roles[pattern]
            node = captures[role][0]
            start, end = node.byte_range
            events.append((start, -end, pattern, len(events), role, node, captures))
        events.sort(key=lambda event: event[:4])
        advance = self.builder.advance
        for start, _, pattern, _, role, node, captures in events:
            advance(start)
            if declarations_only and role == "assign" and not self._declares_members():
                continue
            self.label = roles[pattern][1]
            self.ROLES[role](self, node, captures)
        facts = self.builder.finish()
        facts.scopes[0].doc = self.doc(root) if self.doc_kind else ""
        facts.errors = int(root.has_error) + self.lower.given_up
        facts.code_lines = sum(1 for line in self.text.split(b"\n") if line.strip())
        return facts

    def _declares_members(self) -> bool:
        """Whether what is assigned here is a member of the module or of a class, and no local of a function."""
        return self.builder.facts.scopes[self.builder.scope].kind in ("module", "class")

    # --- bindings

    def _assign(self, node: tree_sitter.Node, captures: Captures) -> None:
        if "value" in captures and captures["value"][0].start_byte in self.named:
            return
        value = self.lower.value(captures["value"][0]) if "value" in captures else UNKNOWN
        if self.label == "enumerator" and self._class_around() >= 0:
            value = self.builder.expression("N", self.builder.expression("f", self._class_around()))
        if "type" in captures:
            declared = self.lower.type(captures["type"][0])
            self._use_of(declared, captures["type"][0])
            value = self.builder.expression("o", value, self.builder.expression("T", declared)) if declared else value
        self._use_of(value, node)
        first = len(self.builder.facts.bindings)
        kind = "i" if self._loads(value) else "c" if self.label in ("constant", "enumerator") else "a"
        self.target(captures["target"][0], value, node.end_byte, kind)
        if self.label == "set":
            self.builder.set_again(first)

    def _loads(self, value: int) -> bool:
        """Whether a value is a module or a name of one, so that binding it is an import."""
        rows = self.builder.facts.expressions
        row = rows[value]
        return bool(row[0] == "m" or (row[0] == "a" and rows[row[1]][0] == "m"))

    def _use_of(self, value: int, node: tree_sitter.Node) -> None:
        if self.builder.facts.expressions[value][0] in ("u", "a", "l", "d"):
            self.builder.site(value, node.start_point.row + 1, "use")

    def target(self, node: tree_sitter.Node, value: int, position: int, kind: str) -> None:
        """Bind what a target names to a value."""
        form = self.language.forms.get(node.kind_id)
        if form is None:
            return
        if self.rules.exports and form.op in ("name", "attribute") and self._exported(node, form, value, position):
            return
        if form.op in ("name", "shorthand"):
            self.builder.bind(self.lower.text(node), value, position, node.start_point.row + 1, kind)
        elif form.op in ("list", "tuple", "map", "spread", "inner"):
            self._parts_of_target(node, form, value, position, kind)
        elif value:
            self._stored(node, form, value)

    def _parts_of_target(self, node: tree_sitter.Node, form: Form, value: int, position: int, kind: str) -> None:
        children = node.named_children
        if form.op == "map":
            self._named_targets(children, value, position, kind)
        elif form.op == "list" or (form.op == "tuple" and len(children) != 1):
            self._targets(children, value, position, kind)
        elif children:
            self.target(children[0], value, position, kind)

    def _stored(self, node: tree_sitter.Node, form: Form, value: int) -> None:
        """Set an attribute or an element of an object."""
        if form.op == "own":
            target = self.builder.use(self.rules.this, node.start_byte)
            self.builder.store(target, self.lower.text(node).lstrip("@"), UNKNOWN, value)
        elif form.op == "attribute":
            name = node.child_by_field_id(form.second)
            target = self.lower.value(node.child_by_field_id(form.first))
            if name is not None:
                self.builder.store(target, self.lower.text(name), UNKNOWN, value)
        elif form.op == "item":
            row = self.builder.facts.expressions[self.lower.value(node)]
            if row[0] == "i":
                self.builder.store(row[1], "", row[2], value)

    def _exported(self, node: tree_sitter.Node, form: Form, value: int, position: int) -> bool:
        """Setting what a module exports, or a name of it; the former is an ordinary assignment as well."""
        line = node.start_point.row + 1
        if node.end_byte - node.start_byte > _KEY_BYTES:
            return False
        if self.lower.text(node) in self.rules.exports:
            self.builder.bind("=*", value, position, line, "d", scope=0)
            return True
        target = node.child_by_field_id(form.first) if form.op == "attribute" else None
        name = node.child_by_field_id(form.second) if target is not None else None
        if target is None or name is None or self.lower.text(target) not in self.rules.exports:
            return False
        self.builder.bind(f"={self.lower.text(name)}", value, position, line, "d", scope=0)
        return True

    def _named_targets(self, nodes: list[tree_sitter.Node], value: int, position: int, kind: str) -> None:
        """Destructuring by name."""
        for node in nodes:
            form = self.language.forms.get(node.kind_id)
            if form is None:
                continue
            if form.op == "pair":
                key, target = node.child_by_field_id(form.first), node.child_by_field_id(form.second)
            else:
                key, target = node, node
            default = UNKNOWN
            if form.op == "inner" and node.named_child_count:
                # With a default: the name comes first.
                target = key = node.named_children[0]
                default = self.lower.value(node.named_children[-1]) if node.named_child_count > 1 else UNKNOWN
            if key is not None and target is not None and form.op != "spread":
                part = self.builder.expression("a", value, self.lower.text(key)) if value else UNKNOWN
                part = self.builder.expression("|", part, default) if default and part else part or default
                self.target(target, part, position, kind)

    def _targets(self, nodes: list[tree_sitter.Node], value: int, position: int, kind: str) -> None:
        forms = self.language.forms
        spreads = [i for i, node in enumerate(nodes) if (form := forms.get(node.kind_id)) and form.op == "spread"]
        spread = spreads[0] if spreads else len(nodes)
        if self.rules.comma_ok and self.builder.facts.expressions[value][0] not in ("l", "c"):
            self.target(nodes[0], value, position, kind)
            for node in nodes[1:]:
                self.target(node, UNKNOWN, position, kind)
            return
        for i, node in enumerate(nodes):
            op, place = ("r", i) if i == spread else ("b", i if i < spread else i - len(nodes))
            part = self.builder.expression(op, value, place) if value else UNKNOWN
            self.target(node, part, position, kind)

    def _iterate(self, node: tree_sitter.Node, captures: Captures) -> None:
        iterable = captures["iterable"][0]
        value = self.builder.expression("e", self.lower.value(iterable))
        self.builder.site(value, iterable.start_point.row + 1, "protocol")
        if "type" in captures:
            declared = self.lower.type(captures["type"][0])
            value = self.builder.expression("o", value, self.builder.expression("T", declared)) if declared else value
        self.target(captures["target"][0], value, iterable.end_byte, "o")

    def _enter(self, node: tree_sitter.Node, captures: Captures) -> None:
        value = self.builder.expression("w", self.lower.value(captures["value"][0]))
        self.builder.site(value, node.start_point.row + 1, "protocol")
        for target in captures.get("target", ()):
            self.target(target, value, node.end_byte, "o")

    def _caught(self, node: tree_sitter.Node, captures: Captures) -> None:
        kind = self.lower.value(captures["value"][0])
        self._use_of(kind, node)
        value = self.builder.expression("x", kind)
        self.target(captures["target"][0], value, captures["target"][0].end_byte, "o")

    def _outer(self, node: tree_sitter.Node, captures: Captures) -> None:
        for name in captures["outer"]:
            self.builder.declare_outer(self.lower.text(name))

    # --- what comes from other modules

    # --- values

    def _declared(self, node: tree_sitter.Node, captures: Captures) -> None:
        """Something that is only declared here and defined elsewhere."""
        name = self.name(captures["name"][0])
        holder = self.builder.facts.scopes[self._class_around()] if self._class_around() >= 0 else None
        full = f"{holder.name}.{name}" if holder is not None and holder.label != "namespace" else name
        if holder is not None and name == holder.name and CONSTRUCTOR in self.rules.constructor:
            name = CONSTRUCTOR
        space = self.builder.space if holder is None else ""
        value = self.builder.expression("E", *((f"{space}.{full}", full) if space else (full,)))
        if space:
            self._bind_top(f"{space}.{name}", value, node, "d")
        self.builder.bind(name, value, node.end_byte, node.start_point.row + 1, "d")

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
        if value and self.builder.facts.expressions[value][0] == "c":
            self.builder.site(value, node.start_point.row + 1)
            self._append(value)
            if self.rules.merges:
                self._merged(node, value)

    def _invoked(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A call whose parts stand where no expression is: a constructor in a declaration, a call inside of a macro."""
        callee = captures["callee"][0]
        if self.text[: callee.start_byte].rstrip()[-1:] in (b".", b":") and "arguments" not in captures:
            return
        arguments = captures["arguments"][0] if "arguments" in captures else None
        value = self.lower.called(arguments, self._callee(callee))
        self.builder.site(value, callee.start_point.row + 1)

    def _callee(self, node: tree_sitter.Node) -> int:
        if node.kind_id in self.language.forms:
            return self.lower.type(node)
        return self.builder.use(self.lower.text(node), node.start_byte)

    def _merged(self, node: tree_sitter.Node, value: int) -> None:
        """Members of an object given to a function that copies them to its first argument."""
        rows = self.builder.facts.expressions
        call = rows[value]
        callee = node.named_children[0] if node.named_child_count else node
        if len(call[2]) < 2 or callee.end_byte - callee.start_byte > _KEY_BYTES:
            return
        if self.lower.text(callee) not in self.rules.merges:
            return
        holder = node.named_children[-1].named_children
        exported = bool(holder) and self.lower.text(holder[0]) in self.rules.exports
        for part in call[2][1:]:
            for key, item in rows[part][2:] if rows[part][0] == "d" else ():
                if rows[key][0] == "k" and exported:
                    self.builder.bind(f"={rows[key][2]}", item, node.end_byte, node.start_point.row + 1, "d", scope=0)
                elif rows[key][0] == "k" and call[2][0]:
                    self.builder.store(call[2][0], rows[key][2], UNKNOWN, item)

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
        "function": Declaring.function,
        "class": Declaring.class_,
        "extension": Declaring.extension,
        "inherit": Declaring.inherit,
        "closure": Declaring.closure,
        "comprehension": Declaring.comprehension,
        "decorated": Declaring.decorated,
        "marked": Declaring.marked,
        "annotated": Declaring.annotated,
        "namespace": Declaring.namespace,
        "invoked": _invoked,
        "branch": Declaring.branch,
        "loop": Declaring.loop,
        "declared": _declared,
        "package": Importing.package,
        "export": Importing.export,
        "assign": _assign,
        "iterate": _iterate,
        "enter": _enter,
        "caught": _caught,
        "outer": _outer,
        "import": Importing.import_,
        "return": _return,
        "yield": _yield,
        "call": _call,
        "raise": _raise,
        "use": _use,
    }
