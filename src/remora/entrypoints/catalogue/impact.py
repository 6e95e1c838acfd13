"""Operations that tell what a change reaches, with the memory on everything it touches; and parts of the code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from remora.core import policy
from remora.entrypoints.catalogue import impact_text
from remora.entrypoints.catalogue.code import BUDGET, GRAPH
from remora.entrypoints.catalogue.operation import (
    Answer,
    Call,
    Operation,
    arguments,
    integer,
    many,
    optional,
    rows,
    text,
)

if TYPE_CHECKING:
    from remora.core.codegraph.answers import Freshness
    from remora.core.codegraph.change_impact import Impact

_DEPTH = integer("Hops shown.", low=1, high=policy.AFFECTED_DEPTH_MAX, default=policy.AFFECTED_DEPTH)
_OUTPUT = rows(
    "base", "head", "files", "symbols", "affected", "by_hop", "tests", "totals", "communities", "communities_known",
    "partners", "dangling", "risk", "unresolved_calls", "truncated", "freshness", "memory_evidence",
)  # fmt: skip


def _answer(call: Call, told: tuple[Impact, Freshness]) -> Answer:
    impact, freshness = told
    data = asdict(impact)
    del data["evidence"]
    data["freshness"] = asdict(freshness)
    lines: list[str] = []
    if impact.evidence is not None:
        data["memory_evidence"] = impact.evidence.to_json()
        lines = [call.ports.redact(line) for line in impact.evidence.lines()]
    return Answer(data, impact_text.impact(data, lines))


def _predicted(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.predict_impact import PredictRequest, predict_impact

    request = PredictRequest(
        tuple(given["files"]), given.get("diff", ""), call.memory, given["depth"], given["budget_chars"]
    )
    return _answer(call, predict_impact(call.ports, call.grant, request))


def _working(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.working_changes_impact import WorkingRequest, working_changes_impact

    request = WorkingRequest(given["base"], call.memory, given["depth"], given["budget_chars"])
    return _answer(call, working_changes_impact(call.ports, call.grant, request))


def _range(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.get_pr_impact import PullRequestRequest, get_pr_impact

    request = PullRequestRequest(given["revision"], call.memory, given["depth"], given["budget_chars"])
    return _answer(call, get_pr_impact(call.ports, call.grant, request))


def _community(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.get_community import CommunityRequest, get_community

    data = asdict(get_community(call.ports, call.grant, CommunityRequest(given["of"], given["budget_chars"])))
    return Answer(data, impact_text.communities(data))


OPERATIONS = (
    Operation(
        name="predict_impact",
        title="What a planned change would reach",
        description=(
            "Give files, or a diff applied or not: changed and affected symbols by hop, tests to run, partners "
            "by habit, risk with its reasons, and the memory on all of it: pitfalls first."
        ),
        profiles=GRAPH,
        input=arguments(
            files=many(text(max_chars=1_000), "Paths.", most=policy.IMPACT_FILES_MAX, default=[]),
            diff=optional(text("A unified diff.", max_chars=policy.DIFF_MAX_CHARS)),
            depth=_DEPTH,
            budget_chars=BUDGET,
        ),
        output=_OUTPUT,
        run=_predicted,
        read_only=True,
        memory=False,
        http=("POST", "/graph/impact"),
    ),
    Operation(
        name="working_changes_impact",
        title="What the uncommitted work reaches",
        description=(
            "Compares the working tree, untracked files included, with a commit: changed and affected symbols, tests "
            "to run, partners by habit, risk with its reasons, and the memory on all of it: pitfalls first."
        ),
        profiles=GRAPH,
        input=arguments(
            base=text("The commit to compare with.", max_chars=1_000, default="HEAD"), depth=_DEPTH, budget_chars=BUDGET
        ),
        output=_OUTPUT,
        run=_working,
        read_only=True,
        memory=False,
        http=("GET", "/graph/impact/working"),
    ),
    Operation(
        name="get_pr_impact",
        title="What a branch or pull request reaches",
        description=(
            "Give BASE..HEAD, or a pull request's number where gh is installed: changed and affected symbols, tests, "
            "habitual partners, risk with its reasons, and the memory on all of it: pitfalls first."
        ),
        profiles=GRAPH,
        input=arguments(revision=text("BASE..HEAD, or a number.", max_chars=1_000), depth=_DEPTH, budget_chars=BUDGET),
        output=_OUTPUT,
        run=_range,
        read_only=True,
        memory=False,
        http=("GET", "/graph/impact/range"),
    ),
    Operation(
        name="get_community",
        title="Parts of the code",
        description="Parts of the code that hang together; with `of`, the one a symbol or file is in, and its members.",
        profiles=GRAPH,
        input=arguments(of=text("Part id, symbol or file.", max_chars=1_000, default=""), budget_chars=BUDGET),
        output=rows("parts", "total", "small", "truncated", "freshness"),
        run=_community,
        read_only=True,
        memory=False,
        http=("GET", "/graph/community"),
    ),
)
