"""What one parsed file says, in language-neutral form; everything later stages need, nothing about the syntax.

Expressions are rows of one table, children by index, so that values can be evaluated without the text; 0 is unknown.
  ("?",)  ("n", binding, ...)  ("u", name)  ("a", object, name)  ("c", callee, (arg, ...), ((name, arg), ...))
  ("i", object, key)  ("k", type, text)  ("l", type, element, ...)  ("d", type, (key, value), ...)  ("f", scope)
  ("g", scope) comprehension  ("|", alternative, ...)  ("e", object) element of  ("w", object) entered context
  ("b", object, position) destructured  ("p", scope, position) parameter  ("m", import)  ("*", object) spread
  ("V", name, classes, otherwise) member seen bare  ("s", class) enclosing class  ("E", name) defined elsewhere
  ("C", function) what `new` takes  ("M", name) namespace  ("x", class) caught exception  ("D", call, scope) decorated
  ("S", scope) super  ("N", class) construction  ("t", part, ...) text put together
"""

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

Expression: TypeAlias = tuple[Any, ...]
"""One row of the expression table: the operation, then its operands."""
UNKNOWN = 0
EXTENDED = "^"
"""`Class.^` is a name of every file that gives a class bases from outside of its body."""
FOREIGN = "foreign"
"""Flag of a function that is defined in another language, or called from one, by what is written before its name."""
UNNAMED = frozenset({"comprehension", "extension"})
"""Kinds of scopes that are no symbols."""
FORMAT = "4"
"""Version of this layout and of the rules that fill it; part of every cache key."""


class Parameter(NamedTuple):
    """One parameter: kind is positional, keyword, rest or keywords; `type` and `default` are expressions."""

    name: str
    kind: str
    type: int
    default: int


class Binding(NamedTuple):
    """A name gets a value: kind is d(efinition) i(mport) p(arameter) a(ssignment) c(onstant)
    s(et from a scope inside) or o(ther)."""

    name: str
    value: int
    scope: int
    line: int
    kind: str


class Import(NamedTuple):
    """`module` as written (leading dots kept), the imported `name` ("" = the module itself, "*" = all of it)."""

    module: str
    name: str
    line: int


class Site(NamedTuple):
    """A call (or a use, when `kind` is `use`) of an expression inside a scope."""

    scope: int
    value: int
    line: int
    kind: str


@dataclass(slots=True)
class Scope:
    """A module, class, function, closure or comprehension. `qualified` is unique in its file, "" for the module."""

    kind: str
    name: str
    qualified: str
    parent: int
    line: int
    end_line: int
    parameters: list[Parameter] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)
    yields: list[int] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)
    decorators: list[int] = field(default_factory=list)
    result: int = UNKNOWN
    flags: list[str] = field(default_factory=list)
    members: dict[str, list[int]] = field(default_factory=dict)
    """Final bindings of a module's or class's names."""
    attributes: dict[str, list[int]] = field(default_factory=dict)
    """Values stored on the receiver by the methods of a class."""
    signature: str = ""
    doc: str = ""
    label: str = ""
    """The kind that is shown, when it is not the first word of `kind`."""
    owner: int = UNKNOWN
    """The class a method is attached to from outside of its body, as an expression."""


class Store(NamedTuple):
    """`object.name = value`, or `object[key] = value` when `name` is "" (key 0 = appended)."""

    object: int
    name: str
    key: int
    value: int


@dataclass(slots=True)
class FileFacts:
    """All of one file. The cache key is the content hash, the grammar and `FORMAT`; the path is not part of it."""

    language: str
    scopes: list[Scope] = field(default_factory=list)
    expressions: list[Expression] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    stars: list[int] = field(default_factory=list)
    """Imports that bring in every public name of a module."""
    lines: int = 0
    code_lines: int = 0
    errors: int = 0
    """Syntax errors the grammar reported, or expressions given up on."""
    package: str = ""
    """The package or namespace the file says it belongs to."""
    names: list[str] = field(default_factory=list)
    """Top-level names of its own, where files of a package see one another's."""
    problem: str = ""
    """Why the file has no facts (deadline, crash, too big); "" when it has."""

    def manifest(self) -> dict[str, Any]:
        """The content of a file that decides what module names mean; empty for any other."""
        found = [row[2] for row in self.expressions if row[0] == "k" and row[1] == "manifest"]
        content = json.loads(found[0]) if found else {}
        return content if isinstance(content, dict) else {}
