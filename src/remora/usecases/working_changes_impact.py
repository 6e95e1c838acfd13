"""What the uncommitted work in this checkout reaches."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

from remora.core import policy
from remora.core.capture.patch import Span
from remora.core.capture.paths import raw_path
from remora.core.capture.symbols import SpanFinder
from remora.core.codegraph.answers import Freshness, checked_budget
from remora.core.codegraph.change_impact import Change, Impact, assess
from remora.core.codegraph.communities import for_answer
from remora.core.codegraph.diff import symbols_of
from remora.core.scope import Grant, Right
from remora.ports import ImpactPorts


@dataclass(frozen=True, slots=True)
class WorkingRequest:
    """`base` is the commit to compare with; untracked files count as added."""

    base: str = "HEAD"
    memory: bool = True
    depth: int = policy.AFFECTED_DEPTH
    budget_chars: int = policy.ANSWER_CHARS


def working_changes_impact(ports: ImpactPorts, grant: Grant, request: WorkingRequest) -> tuple[Impact, Freshness]:
    """The impact of what the working tree changes; raises `NotFound` for an unknown base."""
    grant.require(ports.repository.identity, Right.READ)
    budget = checked_budget(request.budget_chars)
    diff = ports.diffs.working_tree(request.base or "HEAD")
    read = partial(ports.git.blobs, max_bytes=policy.SOURCE_FILE_MAX_BYTES)
    finder = SpanFinder(ports.spans.knows, ports.spans.spans, read)
    symbols, unparsed = symbols_of(diff.files, diff.patch, finder.find([diff.patch]), partial(_present, ports))
    change = Change(base=diff.base, files=diff.files, symbols=tuple(symbols), unparsed=unparsed)
    freshness = ports.freshness()
    memory = ports.record_index.view(grant) if request.memory else nullcontext()
    with ports.code_graph.read() as view, memory as records:
        parts = for_answer(view, ports.communities.load, ports.communities.save, ports.metrics.communities)
        return assess(view, change, parts, records, depth=request.depth, budget_chars=budget), freshness


def _present(ports: ImpactPorts, path: str) -> Sequence[Span] | None:
    """Declarations of a file as it lies there; None when it is no source file."""
    if not ports.spans.knows(path):
        return None
    text = ports.sources.read(raw_path(path).decode("utf-8", "surrogateescape"))
    return None if text is None else ports.spans.spans(path, text)
