"""Links many files in rounds: what a file passes to functions of another is seen there in the next round."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from remora.core import policy
from remora.core.codegraph.evaluate import Evaluator
from remora.core.codegraph.facts import UNNAMED, FileFacts
from remora.core.codegraph.link import Linker
from remora.core.codegraph.linked import Linked
from remora.core.codegraph.packed import Outline
from remora.core.codegraph.rules import Rules
from remora.core.codegraph.styles import STYLES
from remora.core.codegraph.values import Owner, Value, Values

ROUNDS = 3
Incoming = Callable[[int, int], Iterable[tuple[int, str]]]
"""(round, target file) -> (source file, payload) of the former build."""
_CARRIED = ("F", "C", "I", "M")


@dataclass(slots=True)
class LinkResult:
    """Final links per re-linked file, the flows of each round, and the dependencies met."""

    linked: dict[int, Linked] = field(default_factory=dict)
    flows: dict[tuple[int, int], dict[int, str]] = field(default_factory=dict)
    """(round, source) -> target -> payload, complete for every source linked in that round."""
    dependencies: defaultdict[Owner, set[Owner]] = field(default_factory=lambda: defaultdict(set))


class GraphLinker:
    """Links the files of one family of languages."""

    def __init__(
        self,
        rules: Rules,
        files: Sequence[tuple[int, str]],
        load: Callable[[int], FileFacts],
        outlined: Callable[[int], Outline] | None = None,
        manifests: Sequence[tuple[str, dict[str, Any]]] = (),
        *,
        native: bool = False,
    ) -> None:
        """`outlined` gives package and names of a file, `manifests` are (path, content).

        `native` says that the tree holds modules written in another language for this one.
        """
        self._load = load
        self._result = LinkResult()
        self._scopes: dict[int, dict[str, int]] = {}
        self._arriving: dict[tuple[int, int], dict[int, str]] = {}
        self._present = {index for index, _ in files}
        self.modules = STYLES[rules.module_style](rules, files, outlined or self._outline, manifests)
        self._linker = Linker(
            Evaluator(rules, self.modules, load, self._result.dependencies), dict(files), native=native
        )

    def _outline(self, file: int) -> Outline:
        facts = self._load(file)
        return Outline(facts.package, facts.names)

    def run(
        self,
        changed: Collection[int],
        incoming: Incoming,
        outgoing: Callable[[int, int], Mapping[int, str]],
        gone: Collection[int] = (),
        progress: Callable[[int], None] = lambda _: None,
    ) -> LinkResult:
        """Link `changed` and whatever their flows reach; `incoming` and `outgoing` tell the former build's flows.

        `gone` are removed files: what they passed on no longer arrives.
        """
        todo = set(changed)
        inflows: dict[int, str] = {}
        for number in range(ROUNDS):
            if number:
                todo |= self._next(number, outgoing)
                for source in gone:
                    todo |= outgoing(number - 1, source).keys() & self._present
            for file in sorted(todo):
                payload = self._incoming(number, file, incoming) if number else "{}"
                if number and inflows.get(file) == payload:
                    # Nothing new arrives, so this round repeats the last one.
                    self._send(number, file, self._result.flows[(number - 1, file)])
                    continue
                inflows[file] = payload
                linked = self._linker.link(file, self._decode(file, payload))
                self._result.linked[file] = linked
                self._send(number, file, self._encode(file, linked))
                progress(1)
        return self._result

    def _next(self, number: int, outgoing: Callable[[int, int], Mapping[int, str]]) -> set[int]:
        """Files to which something else flows than before."""
        todo: set[int] = set()
        for (round_, source), targets in self._result.flows.items():
            if round_ != number - 1:
                continue
            before = outgoing(round_, source)
            todo.update(t for t in before.keys() | targets.keys() if before.get(t) != targets.get(t))
        return todo & self._present

    def _incoming(self, number: int, file: int, incoming: Incoming) -> str:
        """All that flows into a file, merged; in one canonical text."""
        parts = {source: payload for source, payload in incoming(number - 1, file) if source in self._present}
        for source in [source for source in parts if (number - 1, source) in self._result.flows]:
            del parts[source]
        parts.update(self._arriving.get((number - 1, file), {}))
        merged: dict[str, set[str]] = {}
        for payload in parts.values():
            for place, values in json.loads(payload).items():
                merged.setdefault(place, set()).update(values)
        kept = {place: sorted(values) for place, values in merged.items() if len(values) <= policy.FLOW_VALUES}
        return json.dumps(kept, sort_keys=True)

    def _send(self, number: int, file: int, targets: dict[int, str]) -> None:
        self._result.flows[(number, file)] = targets
        for target, payload in targets.items():
            self._arriving.setdefault((number, target), {})[file] = payload

    # --- values that outlive a change of scope numbers

    def _encode(self, file: int, linked: Linked) -> dict[int, str]:
        targets: dict[int, dict[str, list[str]]] = {}
        for (target, scope, place), values in linked.flows.items():
            if target == file:
                continue
            texts = sorted(text for value in values if (text := self._text(value)))
            if texts:
                name = f"{place}:{self._load(target).scopes[scope].qualified}"
                targets.setdefault(target, {})[name] = texts
        return {target: json.dumps(payload, sort_keys=True) for target, payload in sorted(targets.items())}

    def _text(self, value: Value) -> str:
        if value[0] == "M":
            return f"M {value[1]}"
        if value[0] == "O":
            return f"O {value[2]} {value[1]} {value[3]}" if len(value) == 4 else ""
        if value[0] in _CARRIED:
            return f"{value[0]} {value[1]} {self._load(value[1]).scopes[value[2]].qualified}"
        if value[0] == "B" and value[3][0] in ("C", "I"):
            return f"B {value[1]} {self._load(value[1]).scopes[value[2]].qualified} {self._text(value[3])}"
        return ""

    def _decode(self, file: int, payload: str) -> dict[tuple[int, int], Values]:
        found: dict[tuple[int, int], Values] = {}
        for name, texts in json.loads(payload).items():
            place, _, qualified = name.partition(":")
            values = {value: 1 for text in texts if (value := self._value(text.split(" "))) is not None}
            scope = self._scope(file, qualified)
            if scope is not None and values:
                found[(scope, int(place))] = values
        return found

    def _value(self, parts: list[str]) -> Value | None:
        file = int(parts[1])
        if file not in self._present:
            return None
        if parts[0] == "M":
            return ("M", file)
        if parts[0] == "O":
            return ("O", parts[2], file, parts[3])
        scope = self._scope(file, parts[2])
        if scope is None:
            return None
        if parts[0] == "B":
            receiver = self._value(parts[3:])
            return ("B", file, scope, receiver) if receiver is not None else None
        return (parts[0], file, scope)

    def _scope(self, file: int, qualified: str) -> int | None:
        table = self._scopes.get(file)
        if table is None:
            rows = self._load(file).scopes
            table = {scope.qualified: i for i, scope in enumerate(rows) if scope.kind not in UNNAMED}
            self._scopes[file] = table
        return table.get(qualified)
