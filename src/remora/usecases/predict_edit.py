"""What one edit of one symbol breaks, what must be looked at, and which tests to run."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import (
    Freshness,
    Relation,
    SymbolView,
    checked_budget,
    relation_chars,
    within,
)
from remora.core.codegraph.edit import EDITS, effect_of
from remora.core.codegraph.relations import named_unknown
from remora.core.codegraph.view import names_of
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class EditRequest:
    """`symbol` as for `affected`; `kind` is one of body, signature, rename, delete, move."""

    symbol: str
    kind: str = "body"
    budget_chars: int = policy.ANSWER_CHARS


@dataclass(frozen=True, slots=True)
class EditAnswer:
    """The three lists share the budget evenly; `totals` are of all. A public symbol may be used from outside too."""

    node: SymbolView
    kind: str
    public: bool
    breaks: tuple[Relation, ...]
    look_at: tuple[Relation, ...]
    tests: tuple[Relation, ...]
    totals: dict[str, int]
    truncated: bool
    unresolved_calls: int
    freshness: Freshness


def predict_edit(ports: CodeGraphPorts, grant: Grant, request: EditRequest) -> EditAnswer:
    """The effect of an edit; `unresolved_calls` of the symbol's name may break too, nobody can tell."""
    grant.require(ports.repository.identity, Right.READ)
    if request.kind not in EDITS:
        raise InvalidInput("kind", f"{request.kind[:40]!r} is unknown", allowed=", ".join(EDITS))
    budget = checked_budget(request.budget_chars)
    freshness = ports.freshness()
    with ports.code_graph.read() as view:
        names = names_of(view)
        subject = names.one(request.symbol)
        effect = effect_of(view, names, subject, request.kind)
        unresolved = len(named_unknown(view, [subject]))
    parts = {"breaks": effect.breaks, "look_at": effect.look_at, "tests": effect.tests}
    shown = {name: within(rows, relation_chars, budget // 3) for name, rows in parts.items()}
    return EditAnswer(
        SymbolView.of(subject, names),
        request.kind,
        bool(subject.public),
        shown["breaks"][0],
        shown["look_at"][0],
        shown["tests"][0],
        {name: len(rows) for name, rows in parts.items()},
        any(cut for _, cut in shown.values()),
        unresolved,
        freshness,
    )
