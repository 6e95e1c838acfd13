"""Callers of a symbol, what it calls, or everything that refers to it."""

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
from remora.core.codegraph.linked import TIERS
from remora.core.codegraph.relations import RELATIONS, UnknownCall, related, unknown_calls
from remora.core.codegraph.view import names_of
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class RelationsRequest:
    """`symbol` as for `affected`; `relation` is one of callers, callees, references."""

    symbol: str
    relation: str = "callers"
    ambiguous: bool = False
    budget_chars: int = policy.ANSWER_CHARS


@dataclass(frozen=True, slots=True)
class RelationsAnswer:
    """Direct relations, surest first. `unknown` are calls that may belong here but could not be told: with some of
    them, an empty answer does not mean that there is nobody.
    """

    subject: SymbolView
    relation: str
    found: tuple[Relation, ...]
    total: int
    by_tier: Mapping[str, int]
    truncated: bool
    unresolved_calls: int
    unknown: tuple[UnknownCall, ...]
    freshness: Freshness


def find_relations(ports: CodeGraphPorts, grant: Grant, request: RelationsRequest) -> RelationsAnswer:
    """Direct relations of one symbol; raises `NotFound` or `Ambiguous` for its name."""
    grant.require(ports.repository.identity, Right.READ)
    if request.relation not in RELATIONS:
        raise InvalidInput("relation", f"{request.relation[:40]!r} is unknown", allowed=", ".join(RELATIONS))
    budget = checked_budget(request.budget_chars)
    freshness = ports.freshness()
    with ports.code_graph.read() as view:
        names = names_of(view)
        subject = names.one(request.symbol)
        found = related(view, names, subject, request.relation, ambiguous=request.ambiguous)
        unknown = unknown_calls(view, names, subject, request.relation)
    shown, truncated = within(found, relation_chars, budget)
    return RelationsAnswer(
        SymbolView.of(subject, names),
        request.relation,
        shown,
        len(found),
        by_tier(TIERS.index(row.tier) for row in found),
        truncated,
        len(unknown),
        tuple(unknown[: policy.UNKNOWN_CALLS_SHOWN]),
        freshness,
    )
