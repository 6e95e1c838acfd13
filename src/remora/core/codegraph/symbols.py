"""The declarations of a file as symbol rows: scopes with names, and the variables of modules and classes."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from remora.core.codegraph.facts import FileFacts, Scope
from remora.core.codegraph.rules import Rules


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
        if scope.kind == "comprehension":
            tested[index], public[index] = tested[scope.parent], public[scope.parent]
            continue
        hidden = bool(rules.private_prefix) and scope.name.startswith(rules.private_prefix)
        dunder = scope.name.startswith("__") and scope.name.endswith("__")
        public[index] = (not hidden or dunder) and public.get(scope.parent, True) and scope.kind != "closure"
        tested[index] = in_tests and (tested.get(scope.parent, False) or _is_test(scope, rules))
        name = scope.name if scope.parent >= 0 else path.rpartition("/")[2]
        found.append(_declared(facts, scope, index, name, public[index], tested[index]))
        taken.add(scope.qualified)
    found.extend(_variables(facts, rules, taken))
    return found


def _declared(facts: FileFacts, scope: Scope, index: int, name: str, public: bool, test: bool) -> Declared:
    parent = facts.scopes[scope.parent].qualified if scope.parent >= 0 else ""
    kind = "method" if scope.kind == "function" and "method" in scope.flags else scope.kind
    kind = "function" if kind == "closure" else kind
    decorators = ",".join(flag for flag in scope.flags if flag != "method")
    lines = (scope.line, scope.end_line)
    return Declared(
        index, parent, scope.qualified, name, kind, *lines, public, test, scope.signature, scope.doc, decorators
    )


def _variables(facts: FileFacts, rules: Rules, taken: set[str]) -> Iterator[Declared]:
    for binding in facts.bindings:
        scope = facts.scopes[binding.scope]
        if binding.kind != "a" or scope.kind not in ("module", "class"):
            continue
        qualified = f"{scope.qualified}.{binding.name}" if scope.qualified else binding.name
        if qualified in taken:
            continue
        taken.add(qualified)
        kind = "field" if scope.kind == "class" else "constant" if binding.name.isupper() else "variable"
        hidden = bool(rules.private_prefix) and binding.name.startswith(rules.private_prefix)
        place = (binding.line, binding.line)
        yield Declared(-1, scope.qualified, qualified, binding.name, kind, *place, not hidden, False, "", "", "")


def is_test_file(path: str, rules: Rules) -> bool:
    """Whether a file holds tests by its name or one of its folders."""
    *folders, name = path.split("/")
    return any(fnmatchcase(name, form) for form in rules.test_files) or not rules.test_folders.isdisjoint(folders)


def _is_test(scope: Scope, rules: Rules) -> bool:
    forms = rules.test_classes if scope.kind == "class" else rules.test_functions
    return scope.kind in ("class", "function") and any(fnmatchcase(scope.name, form) for form in forms)
