"""One symbol of the code graph with what it contains, uses and is used by."""

from collections.abc import Mapping
from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import Freshness, Relation, SymbolView, checked_budget, relation_chars, within
from remora.core.codegraph.linked import KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow
from remora.core.codegraph.view import names_of
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class NodeRequest:
    """`symbol` as for `affected`."""

    symbol: str
    budget_chars: int = policy.ANSWER_CHARS


@dataclass(frozen=True, slots=True)
class NodeAnswer:
    """`incoming` and `outgoing` share the budget evenly; `counts` are of all edges: (direction, kind) -> number."""

    node: SymbolView
    incoming: tuple[Relation, ...]
    outgoing: tuple[Relation, ...]
    counts: Mapping[str, int]
    truncated: bool
    unresolved_calls: int
    freshness: Freshness


def get_node(ports: CodeGraphPorts, grant: Grant, request: NodeRequest) -> NodeAnswer:
    """The symbol and its direct neighbours; `unresolved_calls` are its own calls that could not be told."""
    grant.require(ports.repository.identity, Right.READ)
    budget = checked_budget(request.budget_chars)
    freshness = ports.freshness()
    with ports.code_graph.read() as reader:
        names = names_of(reader)
        subject = names.one(request.symbol)
        edges_in = reader.edges(targets=(subject.id,))
        edges_out = reader.edges(sources=(subject.id,))
        ends = {edge.source for edge in edges_in} | {edge.target for edge in edges_out}
        symbols = {row.id: row for row in reader.symbols(ids=ends)} if ends else {}
        unresolved = len(reader.unresolved(sources=(subject.id,)))
    came = _relations(edges_in, symbols, names, incoming=True)
    went = _relations(edges_out, symbols, names, incoming=False)
    shown_in, cut_in = within(came, relation_chars, budget // 2)
    shown_out, cut_out = within(went, relation_chars, budget // 2)
    counts: dict[str, int] = {}
    for direction, edges in (("in", edges_in), ("out", edges_out)):
        for edge in edges:
            key = f"{direction}:{KINDS[edge.kind]}"
            counts[key] = counts.get(key, 0) + 1
    view = SymbolView.of(subject, names)
    return NodeAnswer(view, shown_in, shown_out, dict(sorted(counts.items())), cut_in or cut_out, unresolved, freshness)


def _relations(edges: list[EdgeRow], symbols: dict[int, SymbolRow], names: Names, *, incoming: bool) -> list[Relation]:
    found = []
    for edge in edges:
        row = symbols[edge.source if incoming else edge.target]
        place = (names.path(row), edge.line)
        found.append(Relation(names.id(row), KINDS[edge.kind], TIERS[edge.tier], *place, test=bool(row.test)))
    return sorted(found, key=lambda item: (item.kind, item.id))
