"""The part of the code graph that a question is about."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import Freshness, checked_budget
from remora.core.codegraph.search import FoundEdge, FoundSymbol, ask
from remora.core.codegraph.view import names_of
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """`question` is in plain words or names."""

    question: str
    budget_chars: int = policy.ANSWER_CHARS


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """Symbols best first and relations among them; `total` symbols share a word with the question."""

    symbols: tuple[FoundSymbol, ...]
    edges: tuple[FoundEdge, ...]
    total: int
    truncated: bool
    freshness: Freshness


def query_graph(ports: CodeGraphPorts, grant: Grant, request: QuestionRequest) -> QuestionAnswer:
    """A ranked subgraph within the budget; empty when no symbol shares a word with the question."""
    grant.require(ports.repository.identity, Right.READ)
    if not request.question.strip() or len(request.question) > policy.QUESTION_CHARS_MAX:
        allowed = f"1 to {policy.QUESTION_CHARS_MAX} characters"
        raise InvalidInput("question", "is empty or too long", allowed=allowed)
    budget = checked_budget(request.budget_chars)
    freshness = ports.freshness()
    with ports.code_graph.read() as view:
        found = ask(view, names_of(view), request.question, budget)
    return QuestionAnswer(found.symbols, found.edges, found.total, found.truncated, freshness)
