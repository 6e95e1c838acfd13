"""What a change that is not made yet would reach: given as files, or as a diff."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from remora.core import policy
from remora.core.capture.patch import CommitPatch
from remora.core.capture.paths import raw_path
from remora.core.codegraph.answers import Freshness, checked_budget
from remora.core.codegraph.change_impact import Change, Impact, assess
from remora.core.codegraph.communities import for_answer
from remora.core.codegraph.diff import ChangedFile, ChangedSymbol, is_applied, planned_symbols, read_diff
from remora.core.codegraph.view import GraphView
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, Right
from remora.ports import ImpactPorts


@dataclass(frozen=True, slots=True)
class PredictRequest:
    """Either `files` (paths; all of each is taken to change) or `diff` (a unified diff, applied already or not)."""

    files: tuple[str, ...] = ()
    diff: str = ""
    memory: bool = True
    depth: int = policy.AFFECTED_DEPTH
    budget_chars: int = policy.ANSWER_CHARS


def predict_impact(ports: ImpactPorts, grant: Grant, request: PredictRequest) -> tuple[Impact, Freshness]:
    """The impact of the change on the code as it is now."""
    grant.require(ports.repository.identity, Right.READ)
    budget = checked_budget(request.budget_chars)
    if bool(request.files) == bool(request.diff):
        raise InvalidInput("files", "or a diff is needed, and not both", allowed="paths, or a unified diff")
    patch = read_diff(request.diff) if request.diff else None
    freshness = ports.freshness()
    memory = ports.record_index.view(grant) if request.memory else nullcontext()
    with ports.code_graph.read() as view, memory as records:
        change = _of_files(view, request.files) if patch is None else _of_diff(ports, patch)
        parts = for_answer(view, ports.communities.load, ports.communities.save, ports.metrics.communities)
        return assess(view, change, parts, records, depth=request.depth, budget_chars=budget), freshness


def _of_files(view: GraphView, paths: Sequence[str]) -> Change:
    """All of every file; a name is a path, or the ending of exactly one."""
    known = {row.path: row for row in view.files()}
    files: list[ChangedFile] = []
    symbols: list[ChangedSymbol] = []
    for name in dict.fromkeys(path.removeprefix("./") for path in paths):
        endings = [path for path in known if path.endswith(f"/{name}")]
        path = name if name in known or len(endings) != 1 else endings[0]
        files.append(ChangedFile(path, "modified"))
        if path in known:
            rows = view.symbols(files=(known[path].id,))
            symbols += [ChangedSymbol(path, row.qualified, "modified", row.line) for row in rows]
    unparsed = sum(file.path not in known for file in files)
    return Change(files=tuple(files), symbols=tuple(symbols), whole_files=True, unparsed=unparsed)


def _of_diff(ports: ImpactPorts, patch: CommitPatch) -> Change:
    files: list[ChangedFile] = []
    symbols: list[ChangedSymbol] = []
    unparsed = 0
    for file in patch.files:
        if not (file.old_path or file.new_path):
            unparsed += 1
            continue
        renamed = file.old_path and file.new_path and file.old_path != file.new_path
        change = "added" if not file.old_path else "deleted" if not file.new_path else "modified"
        old = file.old_path if renamed else ""
        files.append(ChangedFile(file.new_path or file.old_path, "renamed" if renamed else change, old))
        text = _text(ports, file.old_path) or _text(ports, file.new_path)
        if text is None:
            unparsed += 1
            continue
        applied = is_applied(file, text)
        spans = ports.spans.spans(file.new_path if applied else file.old_path or file.new_path, text)
        symbols += planned_symbols(file, spans, applied=applied)
    return Change(files=tuple(files), symbols=tuple(symbols), unparsed=unparsed)


def _text(ports: ImpactPorts, path: str) -> bytes | None:
    if not path or not ports.parser.language(path):
        return None
    return ports.sources.read(raw_path(path).decode("utf-8", "surrogateescape"))
