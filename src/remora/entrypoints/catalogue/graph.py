"""Operations on the code graph."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from remora.core import policy
from remora.entrypoints import render
from remora.entrypoints.catalogue import code, impact
from remora.entrypoints.catalogue.code import BUDGET, SYMBOL, evidence_on
from remora.entrypoints.catalogue.operation import Answer, Call, Operation, arguments, integer, rows, switch


def _affected(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.affected import AffectedRequest, affected

    request = AffectedRequest(
        given["symbol"],
        depth=given["depth"],
        ambiguous=given["ambiguous"],
        tests_only=given["tests_only"],
        budget_chars=given["budget_chars"],
    )
    answer = affected(call.ports, call.grant, request)
    data = asdict(answer)
    return Answer(data, render.affected(data, evidence_on(call, data, [answer.subject.id, answer.subject.file])))


def _node(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.get_node import NodeRequest, get_node

    answer = get_node(call.ports, call.grant, NodeRequest(given["symbol"], given["budget_chars"]))
    data = asdict(answer)
    return Answer(data, render.node(data, evidence_on(call, data, [answer.node.id])))


OPERATIONS = (
    Operation(
        name="affected",
        title="What a change reaches",
        description=(
            "What depends on a symbol or file, by hops and tier, with its tests and calls that could not be told, and "
            "the memory evidence on it: pitfalls first."
        ),
        profiles=frozenset({"core", "graph"}),
        input=arguments(
            symbol=SYMBOL,
            depth=integer("Hops.", low=1, high=policy.AFFECTED_DEPTH_MAX, default=policy.AFFECTED_DEPTH),
            ambiguous=switch("Follow guesses by unique name too."),
            tests_only=switch("Only tests."),
            budget_chars=BUDGET,
        ),
        output=rows("subject", "affected", "total", "truncated", "unresolved_calls", "memory_evidence"),
        run=_affected,
        read_only=True,
        memory=False,
        http=("GET", "/graph/affected"),
    ),
    Operation(
        name="get_node",
        title="One symbol",
        description="One symbol: signature, place, what it uses and what uses it, with the memory evidence on it.",
        profiles=frozenset({"graph"}),
        input=arguments(symbol=SYMBOL, budget_chars=BUDGET),
        output=rows("node", "incoming", "outgoing", "truncated", "unresolved_calls", "memory_evidence"),
        run=_node,
        read_only=True,
        memory=False,
        http=("GET", "/graph/node"),
    ),
    *code.OPERATIONS,
    *impact.OPERATIONS,
)
