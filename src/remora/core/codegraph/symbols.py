"""The declarations of a file as symbol rows: scopes with names, and the variables of modules and classes."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from remora.core.codegraph.facts import UNNAMED, FileFacts, Scope
from remora.core.codegraph.rules import Rules

_WORD = re.compile(r"\w+")


class Declared(NamedTuple):
    """A symbol without its numbers: `parent` is the qualified name of the enclosing symbol ("" = the module)."""

    scope: int
    parent: str
    qualified: str
    name: str
    kind: str
    line: int
    end_line: int
    public: bool
    test: bool
    signature: str
    doc: str
    decorators: str


def declarations(facts: FileFacts, rules: Rules, path: str) -> list[Declared]:
    """Every symbol of a file, the module first, in order of position."""
    in_tests = is_test_file(path, rules)
    found: list[Declared] = []
    tested: dict[int, bool] = {}
    public: dict[int, bool] = {}
    taken: set[str] = set()
    for index, scope in enumerate(facts.scopes):
        if scope.kind in UNNAMED:
            tested[index], public[index] = tested[scope.parent], public[scope.parent]
            continue
        named = scope.kind != "closure" or not scope.name.startswith("<")
        public[index] = named and public.get(scope.parent, True) and _is_public(scope.name, scope.signature, rules)
        marked = not rules.test_marks.isdisjoint(scope.flags)
        inside = in_tests and (tested.get(scope.parent, False) or _is_test(scope, rules))
        tested[index] = marked or inside or tested.get(scope.parent, False)
        name = _bare(scope) if scope.parent >= 0 else path.rpartition("/")[2]
        found.append(_declared(facts, scope, index, name, public[index], tested[index]))
        taken.add(scope.qualified)
    found.extend(_variables(facts, rules, taken))
    return found


def _bare(scope: Scope) -> str:
    """The name a scope is asked for by: of a function stored as `a.b.name` the last word."""
    return scope.name.rpartition(".")[2] or scope.name if scope.kind == "closure" else scope.name


def _declared(facts: FileFacts, scope: Scope, index: int, name: str, public: bool, test: bool) -> Declared:
    parent = facts.scopes[scope.parent].qualified if scope.parent >= 0 else ""
    kind = "method" if scope.kind == "function" and "method" in scope.flags else scope.kind
    kind = scope.label or ("function" if kind == "closure" else kind)
    if scope.owner and "." in scope.qualified:
        parent = scope.qualified.rpartition(".")[0]
    decorators = ",".join(flag for flag in scope.flags if flag != "method")
    lines = (scope.line, scope.end_line)
    return Declared(
        index, parent, scope.qualified, name, kind, *lines, public, test, scope.signature, scope.doc, decorators
    )


def _variables(facts: FileFacts, rules: Rules, taken: set[str]) -> Iterator[Declared]:
    # What a function inside sets is anchored where it is declared, if it is.
    for binding in sorted(facts.bindings, key=lambda item: item.kind == "s"):
        scope = facts.scopes[binding.scope]
        if binding.kind not in "acs" or scope.kind not in ("module", "class") or binding.name[:1] == "=":
            continue
        qualified = f"{scope.qualified}.{binding.name}" if scope.qualified else binding.name
        if qualified in taken:
            continue
        taken.add(qualified)
        constant = binding.kind == "c" or (scope.kind == "module" and binding.name.isupper())
        kind = "constant" if constant else "field" if scope.kind == "class" else "variable"
        place = (binding.line, binding.line)
        yield Declared(
            -1,
            scope.qualified,
            qualified,
            binding.name,
            kind,
            *place,
            _is_public(binding.name, "", rules),
            False,
            "",
            "",
            "",
        )


def _is_public(name: str, signature: str, rules: Rules) -> bool:
    """Whether a declaration is to be used from outside, by its name and the words before it."""
    if rules.public_case:
        return name[:1].isupper()
    hidden = bool(rules.private_prefix) and name.startswith(rules.private_prefix)
    if hidden and not (rules.public_pattern and fnmatchcase(name, rules.public_pattern)):
        return False
    if not signature or not (rules.private_words or rules.public_words):
        return True
    words = frozenset(_WORD.findall(signature.partition(name)[0]))
    return rules.private_words.isdisjoint(words) and (
        not rules.public_words or not rules.public_words.isdisjoint(words)
    )


def is_test_file(path: str, rules: Rules) -> bool:
    """Whether a file holds tests by its name or one of its folders."""
    *folders, name = path.split("/")
    return any(fnmatchcase(name, form) for form in rules.test_files) or not rules.test_folders.isdisjoint(folders)


def _is_test(scope: Scope, rules: Rules) -> bool:
    if scope.kind == "closure":
        return rules.test_closures
    forms = rules.test_classes if scope.kind == "class" else rules.test_functions
    return scope.kind in ("class", "function") and any(fnmatchcase(scope.name, form) for form in forms)
