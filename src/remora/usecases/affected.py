"""What depends on a symbol or file: reverse reachability by hops, with tiers, tests and what could not be told."""

from collections.abc import Mapping
from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import (
    Freshness,
    Relation,
    SymbolView,
    by_tier,
    checked_budget,
    relation_chars,
    within,
)
from remora.core.codegraph.impact import reached, with_members
from remora.core.codegraph.linked import KINDS, TIERS
from remora.core.codegraph.view import names_of
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class AffectedRequest:
    """`symbol` is an id, a qualified or bare name, a file, or name@path."""

    symbol: str
    depth: int = policy.AFFECTED_DEPTH
    ambiguous: bool = False
    tests_only: bool = False
    budget_chars: int = policy.ANSWER_CHARS


@dataclass(frozen=True, slots=True)
class AffectedAnswer:
    """Affected symbols, nearest first. `unresolved_calls` may reach the subject too: calls of that name that nobody
    could resolve, so an empty answer with some of them is not "no callers"."""

    subject: SymbolView
    affected: tuple[Relation, ...]
    total: int
    tests: int
    by_tier: Mapping[str, int]
    truncated: bool
    unresolved_calls: int
    freshness: Freshness


def affected(ports: CodeGraphPorts, grant: Grant, request: AffectedRequest) -> AffectedAnswer:
    """Everything that reaches the subject within `depth` hops; raises `NotFound` or `Ambiguous` for its name."""
    grant.require(ports.repository.identity, Right.READ)
    if not 1 <= request.depth <= policy.AFFECTED_DEPTH_MAX:
        raise InvalidInput("depth", f"is {request.depth}", allowed=f"1 to {policy.AFFECTED_DEPTH_MAX}")
    budget = checked_budget(request.budget_chars)
    freshness = ports.freshness()
    with ports.code_graph.read() as reader:
        names = names_of(reader)
        subject = names.one(request.symbol)
        start = with_members([subject.id], lambda front: reader.edges(sources=front))
        found = reached(
            start,
            lambda front: reader.edges(targets=front),
            depth=request.depth,
            ambiguous=request.ambiguous,
            imports=not subject.qualified,
        )
        symbols = {row.id: row for row in reader.symbols(ids=[item.symbol for item in found])} if found else {}
        own = {row.name for row in reader.symbols(ids=start) if row.qualified}
        unresolved = sum(len(reader.unresolved(name=name)) for name in sorted(own))
    relations = []
    for item in found:
        row = symbols[item.symbol]
        if row.test or not request.tests_only:
            place = (names.path(row), item.line, item.hops, bool(row.test))
            relations.append(Relation(names.id(row), KINDS[item.kind], TIERS[item.tier], *place))
    shown, truncated = within(relations, relation_chars, budget)
    return AffectedAnswer(
        SymbolView.of(subject, names),
        shown,
        len(relations),
        sum(relation.test for relation in relations),
        by_tier(item.tier for item in found),
        truncated,
        unresolved,
        freshness,
    )
