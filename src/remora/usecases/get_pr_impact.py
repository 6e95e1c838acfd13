"""What a range of commits, or a pull request, reaches in the code as it is now."""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

from remora.core import policy
from remora.core.capture.symbols import SpanFinder
from remora.core.codegraph.answers import Freshness, checked_budget
from remora.core.codegraph.change_impact import Change, Impact, assess
from remora.core.codegraph.communities import for_answer
from remora.core.codegraph.diff import symbols_of
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, Right
from remora.ports import ImpactPorts


@dataclass(frozen=True, slots=True)
class PullRequestRequest:
    """`revision` is BASE..HEAD, or a pull request's number where `gh` is installed and its commits are fetched."""

    revision: str
    memory: bool = True
    depth: int = policy.AFFECTED_DEPTH
    budget_chars: int = policy.ANSWER_CHARS


def get_pr_impact(ports: ImpactPorts, grant: Grant, request: PullRequestRequest) -> tuple[Impact, Freshness]:
    """The impact of what HEAD changed since it parted from BASE; symbols that the present graph lacks are counted."""
    grant.require(ports.repository.identity, Right.READ)
    budget = checked_budget(request.budget_chars)
    diff = ports.diffs.between(*_ends(ports, request.revision))
    read = partial(ports.git.blobs, max_bytes=policy.SOURCE_FILE_MAX_BYTES)
    finder = SpanFinder(ports.spans.knows, ports.spans.spans, read)
    symbols, unparsed = symbols_of(diff.files, diff.patch, finder.find([diff.patch]), lambda _: None)
    change = Change(base=diff.base, head=diff.head, files=diff.files, symbols=tuple(symbols), unparsed=unparsed)
    freshness = ports.freshness()
    memory = ports.record_index.view(grant) if request.memory else nullcontext()
    with ports.code_graph.read() as view, memory as records:
        parts = for_answer(view, ports.communities.load, ports.communities.save, ports.metrics.communities)
        return assess(view, change, parts, records, depth=request.depth, budget_chars=budget), freshness


def _ends(ports: ImpactPorts, revision: str) -> tuple[str, str]:
    text = revision.strip().removeprefix("#")
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return ports.pull_requests.ends(int(text))
    base, dots, head = text.partition("..")
    head = head.removeprefix(".")
    if not dots or not base:
        raise InvalidInput("revision", f"{text[:80]!r} is no range", allowed="BASE..HEAD, or a pull request's number")
    return base, head or "HEAD"
