"""The part of extraction that opens scopes: functions, classes, extensions, closures, with parameters and modifiers."""

# ruff: noqa: ARG002 - the entries of one dispatch table share one signature

import re

import tree_sitter

from remora.adapters.tree_sitter.parameters import Captures, Parameters, ReadParameter
from remora.adapters.tree_sitter.texts import literal_text
from remora.core.codegraph.facts import EXTENDED, FOREIGN, UNKNOWN, Binding, Parameter, Scope

_SIGNATURE_CHARS = 200
_DOC_CHARS = 160
_NAME_CHARS = 80
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_COMMENT_MARKS = re.compile(r"^[/*#!<;\-\s]+|[*/\s]+$")
_LAST_NAME = re.compile(r"([\w$]+)\W*$")

CONSTRUCTOR = "<new>"
"""Constructors that carry the name of their class are members under this one."""


class Declaring(Parameters):
    """Scopes of one file."""

    # --- functions and classes

    def function(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A function; inside a class, an extension or with an owner a method."""
        if self._is_known(node):
            return
        name = self.name(captures["name"][0])
        self.named.update(inner.start_byte for inner in captures.get("as", ()))
        around = self.builder.facts.scopes[self.builder.scope]
        owner = around.owner if around.kind == "extension" else UNKNOWN
        holder = around.name if owner else ""
        if "owner" in captures:
            owner, holder = self.lower.type(captures["owner"][0]), self.name(captures["owner"][0])
            name = name.removeprefix(f"{holder}.")
        method = bool(owner) or (around.kind == "class" and around.label != "namespace")
        scope = self._define(node, captures, "function", name, holder, method=method)
        self.builder.facts.scopes[scope].owner = owner

    def class_(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A class, or whatever else has members."""
        if self._is_known(node) or node.start_byte in self.named:
            return
        name = self.name(captures["name"][0])
        self.named.update(inner.start_byte for inner in captures.get("as", ()))
        bases = self._bases(captures)
        scope = self._define(node, captures, "class", name, "", method=False)
        self.builder.facts.scopes[scope].bases += bases

    def _is_known(self, node: tree_sitter.Node) -> bool:
        """Whether an earlier pattern, which says more, declared the node already."""
        known = node.id in self.known
        self.known.add(node.id)
        return known

    def extension(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A block that adds members or bases to a class declared elsewhere."""
        if self._is_known(node):
            return
        owner = self.lower.type(captures["owner"][0])
        name = self.name(captures["owner"][0])
        bases = self._bases(captures)
        if bases:
            self._bind_top(f"{name}.{EXTENDED}", UNKNOWN, node, "d")
        line = node.start_point.row + 1
        scope = self.builder.open("extension", name, node.start_byte, node.end_byte, line, node.end_point.row + 1)
        self.builder.facts.scopes[scope].owner = owner
        self.builder.facts.scopes[scope].bases = bases

    def inherit(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A base of the class around."""
        scope = self._class_around()
        if scope < 0:
            return
        self.builder.lifted = self.builder.facts.scopes[scope].parent
        try:
            base = self.lower.type(captures["base"][0])
        finally:
            self.builder.lifted = None
        self.builder.facts.scopes[scope].bases.append(base)

    def _class_around(self) -> int:
        scope = self.builder.scope
        while scope > 0 and self.builder.facts.scopes[scope].kind != "class":
            scope = self.builder.facts.scopes[scope].parent
        return scope if scope > 0 else -1

    def _bases(self, captures: Captures) -> list[int]:
        return [
            self.lower.value(child)
            for holder in captures.get("bases", ())
            for child in ([holder] if holder.kind_id in self.language.forms else holder.named_children)
            if (form := self.language.forms.get(child.kind_id)) and form.op != "keyword"
        ] + [self.lower.type(base) for base in captures.get("base", ())]

    def name(self, node: tree_sitter.Node) -> str:
        """A declared name: of a path its last part, of a string its content."""
        text = self.lower.text(node)
        if node.child_count:
            form = self.language.forms.get(node.kind_id)
            while form is not None and form.op in ("inner", "generic", "attribute"):
                part = (
                    node.child_by_field_id(form.second if form.op == "attribute" else form.first)
                    if (form.second if form.op == "attribute" else form.first)
                    else next(iter(node.named_children), None)
                )
                if part is None:
                    break
                node = part
                form = self.language.forms.get(node.kind_id)
            text = self.lower.text(node)
        text = literal_text(text.strip("[]").encode() if text[:2] in ('["', "['") else text.encode())
        if len(text) > _NAME_CHARS or _SPACE.search(text):
            found = _LAST_NAME.search(text[:_NAME_CHARS])
            text = found.group(1) if found else "?"
        return text or "?"

    def _define(
        self, node: tree_sitter.Node, captures: Captures, kind: str, name: str, holder: str, *, method: bool
    ) -> int:
        wrappers = self.decorators.pop(node.start_byte, [])
        values = [(self.lower.value(wrapper), wrapper) for wrapper in wrappers]
        notes = [self.lower.value(note) for note in self.notes.pop(node.start_byte, [])]
        flags = self._flags([self.lower.text(wrapper) for wrapper in wrappers], node, captures)
        parameters = self.read_parameters(captures)
        result = self.lower.type(captures["result"][0]) if "result" in captures else UNKNOWN
        # The scope's index is known before it opens: the binding must be made in the enclosing scope.
        scope = len(self.builder.facts.scopes)
        value = self.builder.expression("f", scope)
        for decorator, wrapper in reversed(values):
            if not decorator:
                continue
            call = self.builder.expression("c", decorator, (value,), ())
            self.builder.site(call, wrapper.start_point.row + 1)
            value = self.builder.expression("D", call, value)
        name_line = captures["name"][0].start_point.row + 1
        parent = self.builder.facts.scopes[self.builder.scope]
        if self.label == "constructor" or (method and name == parent.name and CONSTRUCTOR in self.rules.constructor):
            self.builder.bind(CONSTRUCTOR, value, node.start_byte, name_line, "d")
        elif holder:
            self._bind_top(f"{holder}.{name}", value, node, "d")
        else:
            self.builder.bind(name, value, node.start_byte, name_line, "d")
        if self.builder.space and not self.builder.scope and not holder:
            self._bind_top(f"{self.builder.space}.{name}", value, node, "d")
        around = self.builder.facts.scopes[self.builder.scope]
        if self.rules.reopened and around.kind == "class":
            self._bind_top(f"{around.qualified.partition('~')[0]}.{name}", value, node, "d")
        shown = f"{holder}.{name}" if holder and around.kind != "extension" else name
        self.builder.open(kind, shown, node.start_byte, node.end_byte, name_line, node.end_point.row + 1)
        row = self.builder.facts.scopes[scope]
        row.name, row.result = name, result
        row.label = "" if self.label == "constructor" else self.label
        row.decorators = [decorator for decorator, _ in values] + notes
        row.flags = flags + (["method"] if method else [])
        if method and self.rules.receiver not in ("", "first"):
            row.flags += [] if parameters and parameters[0].parameter.name == self.rules.receiver else ["static"]
        body = captures.get("body")
        row.signature = self._signature(node, body[0] if body else node, captures["name"][0])
        row.doc = self.doc(body[0]) if body and self.doc_kind else self._comment(node)
        row.flags += [FOREIGN] if self._is_foreign(row) else []
        self._open_parameters(scope, row, parameters, node, kind, method=method)
        row.returns += [self.lower.value(value) for value in captures.get("value", ())]
        return scope

    def _is_foreign(self, row: Scope) -> bool:
        """Whether the words before the name, or the comment above, say so."""
        for rule in self.rules.boundaries.marked:
            text = row.doc if rule.place == "above" else row.signature.partition(row.name)[0]
            if rule.call.match(text.strip().replace(" ", ".")) is not None:
                return True
        return False

    def _open_parameters(
        self,
        scope: int,
        row: Scope,
        parameters: list[ReadParameter],
        node: tree_sitter.Node,
        kind: str,
        *,
        method: bool,
    ) -> None:
        if method and self.rules.this and "static" not in row.flags:
            self.builder.parameter(scope, Parameter(self.rules.this, "positional", UNKNOWN, UNKNOWN), node.start_byte)
        around = self.builder.facts.scopes[row.parent]
        if method and self.rules.static_this and "static" in row.flags and around.kind == "class":
            owner = self.builder.expression("f", row.parent)
            self.builder.bind(self.rules.this, owner, node.start_byte, row.line, "p")
        for parameter, pattern, line, field in parameters:
            if kind == "class":
                # Parameters of a class are fields of it.
                value = self.builder.expression("T", parameter.type) if parameter.type else UNKNOWN
                self.builder.bind(parameter.name, value, node.start_byte, line or row.line, "a" if field else "o")
                continue
            value = self.builder.parameter(scope, parameter, node.start_byte)
            self._destructured(pattern, value, node)
            if field not in ("", "class") and self.builder.facts.scopes[row.parent].kind == "class":
                value = self.builder.expression("T", parameter.type) if parameter.type else UNKNOWN
                if parameter.default:
                    value = self.builder.expression("o", parameter.default, value)
                name = parameter.name.lstrip("$@")
                self.builder.facts.bindings.append(Binding(name, value, row.parent, line or row.line, "a"))
                self.builder.place(node.end_byte)

    def _destructured(self, pattern: tree_sitter.Node | None, value: int, node: tree_sitter.Node) -> None:
        if pattern is not None:
            self.target(pattern, value, node.start_byte, "o")

    def target(self, node: tree_sitter.Node, value: int, position: int, kind: str) -> None:
        """Bind what a target names to a value."""
        raise NotImplementedError

    def _bind_top(self, name: str, value: int, node: tree_sitter.Node, kind: str) -> None:
        """Bind a dotted name among the file's own, where other files find it."""
        self.builder.bind(name, value, node.start_byte, node.start_point.row + 1, kind, scope=0)

    # --- what is said of a declaration

    def _flags(self, decorators: list[str], node: tree_sitter.Node, captures: Captures) -> list[str]:
        rules = self.rules
        flags = []
        for text in decorators:
            last = text.partition("(")[0].rpartition(".")[2]
            for names, flag in (
                (rules.static, "static"),
                (rules.classlevel, "classlevel"),
                (rules.property, "property"),
            ):
                if last in names:
                    flags.append(flag)
        if rules.static_words or rules.property_words:
            before = self.text[
                node.start_byte : min(captures["name"][0].start_byte, node.start_byte + _SIGNATURE_CHARS)
            ]
            words = frozenset(_WORD.findall(before.decode("utf-8", "replace")))
            flags += [] if rules.static_words.isdisjoint(words) else ["static"]
            flags += [] if rules.property_words.isdisjoint(words) else ["property"]
        if "static" in captures:
            flags.append("static")
        if self.label == "property":
            flags.append("property")
        return flags + [mark for mark in self.marks.pop(node.start_byte, []) if mark in rules.test_marks]

    def _signature(self, node: tree_sitter.Node, body: tree_sitter.Node, name: tree_sitter.Node) -> str:
        start = min(node.start_byte, name.start_byte)
        end = body.start_byte if body.start_byte > name.start_byte else node.end_byte
        raw = self.text[start : min(end, name.start_byte + 4 * _SIGNATURE_CHARS)]
        text = _SPACE.sub(" ", raw.decode("utf-8", "replace")).strip()
        return text.removesuffix("=>").rstrip(":{= ").strip()[:_SIGNATURE_CHARS]

    def doc(self, body: tree_sitter.Node) -> str:
        """First line of a doc string at the head of a body."""
        node: tree_sitter.Node | None = body
        for _ in range(3):
            node = node.named_child(0) if node is not None and node.named_child_count else None
            if node is not None and node.type == self.doc_kind:
                lines = literal_text(self.text[node.start_byte : node.end_byte]).strip().splitlines()
                return lines[0].strip()[:_DOC_CHARS] if lines else ""
        return ""

    def _comment(self, node: tree_sitter.Node) -> str:
        """First line of the comment that ends right above a declaration."""
        above = self.text.rfind(b"\n", 0, node.start_byte)
        lines: list[str] = []
        end = above
        while end > 0 and len(lines) < 40:
            start = self.text.rfind(b"\n", 0, end) + 1
            line = self.text[start:end].decode("utf-8", "replace").strip()
            if not line.startswith(("//", "#", "*", "/*", "--", "@")) or line.startswith("#["):
                break
            lines.append(line)
            end = start - 1
        texts = (_COMMENT_MARKS.sub("", line) for line in reversed(lines) if not line.startswith("@"))
        return next((text[:_DOC_CHARS] for text in texts if text), "")

    # --- parameters

    # --- scopes without a name

    def closure(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A function that is a value; one that is stored somewhere may have a name from there."""
        if node.start_byte in self.named or node.start_byte in self.builder.scope_at:
            return
        parameters = self.read_parameters(captures)
        owner = self.lower.value(captures["this"][0]) if "this" in captures else UNKNOWN
        name = self.name(captures["name"][0]) if "name" in captures else ""
        line = (captures["name"][0] if name else node).start_point.row + 1
        if name and "name" in captures:
            text = self.lower.text(captures["name"][0])
            if text[:1] not in "\"'[" and len(text) <= _NAME_CHARS and not _SPACE.search(text):
                name = text.replace(":", ".")
        scope = self.builder.open("closure", name, node.start_byte, node.end_byte, line, node.end_point.row + 1)
        row = self.builder.facts.scopes[scope]
        if owner:
            self.builder.bind(self.rules.this, owner, node.start_byte, line, "p")
        if name:
            row.signature = self._signature(
                node, captures["body"][0] if "body" in captures else node, captures["name"][0]
            )
            row.doc = self._comment(node)
        if "table" in captures:
            # The function is stored in a table, and `self` in it is the table.
            table = self.lower.value(captures["table"][0])
            value = self.builder.expression("f", scope)
            self.builder.store(table, self.name(captures["key"][0]), UNKNOWN, value)
            if "self" in captures:
                self.builder.parameter(scope, Parameter("self", "positional", UNKNOWN, table), node.start_byte)
        for parameter, pattern, _, _ in parameters:
            self._destructured(pattern, self.builder.parameter(scope, parameter, node.start_byte), node)
        row.returns += [self.lower.value(returned) for returned in captures.get("value", ())]

    def namespace(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A name for whatever the file sees; it opens no scope, since it may go on in any file."""
        line = node.start_point.row + 1
        for part in _WORD.findall(self.lower.text(captures["name"][0])):
            above = self.builder.space
            self.builder.enter_space(part, node.end_byte)
            value = self.builder.shared("M", self.builder.space)
            self.builder.bind(part, value, node.start_byte, line, "o")
            if above:
                self.builder.bind(self.builder.space, value, node.start_byte, line, "o", scope=0)

    def comprehension(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A scope that yields a value."""
        end_line = node.end_point.row + 1
        line = node.start_point.row + 1
        scope = self.builder.open("comprehension", "", node.start_byte, node.end_byte, line, end_line)
        self.builder.facts.scopes[scope].yields.append(self.lower.value(captures["value"][0]))

    def decorated(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A decorator that is applied to the definition."""
        self.decorators.setdefault(captures["definition"][0].start_byte, []).append(captures["decorator"][0])

    def marked(self, node: tree_sitter.Node, captures: Captures) -> None:
        """An annotation that changes nothing but what is said of the definition."""
        text = _SPACE.sub("", self.lower.text(captures["mark"][0]))
        self.marks.setdefault(captures["definition"][0].start_byte, []).append(text)

    def annotated(self, node: tree_sitter.Node, captures: Captures) -> None:
        """An annotation read as the call or name it looks like; it does not change what the definition is."""
        self.notes.setdefault(captures["definition"][0].start_byte, []).append(captures["note"][0])

    def branch(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A block that may not run."""
        self.builder.block(node.end_byte, loop=False)

    def loop(self, node: tree_sitter.Node, captures: Captures) -> None:
        """A block that may run again."""
        self.builder.block(node.end_byte, loop=True)
