"""Names for objects by the call that makes them, so that they stay the same when a file is edited elsewhere."""

from collections.abc import Mapping

from remora.core.codegraph.facts import FileFacts


def origins(facts: FileFacts) -> Mapping[int, str]:
    """Call expression -> `scope:name` of what it is bound to, or `scope:=number` within its scope."""
    found: dict[int, str] = {}
    counts: dict[str, int] = {}
    for binding in facts.bindings:
        call = _call(facts, binding.value)
        if call and call not in found:
            _name(found, counts, call, f"{facts.scopes[binding.scope].qualified}:{binding.name}")
    for scope in facts.scopes:
        for name, values in scope.attributes.items():
            for value in values:
                call = _call(facts, value)
                if call and call not in found:
                    _name(found, counts, call, f"{scope.qualified}:.{name}")
    for site in facts.sites:
        if site.kind == "call" and site.value not in found and facts.expressions[site.value][0] == "c":
            last = _last(facts, facts.expressions[site.value][1])
            _name(found, counts, site.value, f"{facts.scopes[site.scope].qualified}:={last}")
    return found


def _name(found: dict[int, str], counts: dict[str, int], call: int, name: str) -> None:
    name = name.replace(" ", "_")
    counts[name] = count = counts.get(name, 0) + 1
    found[call] = f"{name}~{count}" if count > 1 else name


def _call(facts: FileFacts, expression: int) -> int:
    """The call behind a bound value; 0 when it is none."""
    row = facts.expressions[expression]
    while row[0] in ("o", "w", "D"):
        expression = row[1]
        row = facts.expressions[expression]
    return expression if row[0] == "c" else 0


def _last(facts: FileFacts, callee: int) -> str:
    row = facts.expressions[callee]
    return str(row[2]) if row[0] == "a" else "()"
