"""The text of one symbol as it is on disk, quoted only when it is the text that the graph was built from."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import Freshness, SymbolView, checked_budget
from remora.core.codegraph.view import names_of
from remora.core.ids import digest
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """`symbol` as for `affected`."""

    symbol: str
    budget_chars: int = policy.ANSWER_CHARS


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """`text` holds whole lines from the symbol's first one on. `state` is verified, stale (the file is another one than
    the graph knows, so nothing is quoted) or gone; `digest` is the BLAKE3 that the graph knows.
    """

    node: SymbolView
    state: str
    text: str
    first_line: int
    last_line: int
    digest: str
    truncated: bool
    freshness: Freshness


def get_source(ports: CodeGraphPorts, grant: Grant, request: SourceRequest) -> SourceAnswer:
    """Source of one symbol; raises `NotFound` or `Ambiguous` for its name.

    Only files of the graph are read, and only text with the digest of what was indexed is quoted, so no link or later
    change can make it quote anything else.
    """
    grant.require(ports.repository.identity, Right.READ)
    budget = checked_budget(request.budget_chars)
    freshness = ports.freshness()
    with ports.code_graph.read() as view:
        names = names_of(view)
        subject = names.one(request.symbol)
        known = next(row.digest for row in view.files() if row.id == subject.file)
    node = SymbolView.of(subject, names)
    data = ports.sources.read(node.file)
    if data is None or digest(data) != known:
        state = "gone" if data is None else "stale"
        return SourceAnswer(node, state, "", node.line, node.line - 1, known, False, freshness)
    lines = data.decode("utf-8", "replace").split("\n")[max(0, node.line - 1) : node.end_line]
    kept: list[str] = []
    for line in lines[: policy.SOURCE_LINES_SHOWN]:
        budget -= len(line) + 1
        if budget < 0:
            break
        kept.append(line.removesuffix("\r"))
    last = node.line + len(kept) - 1
    return SourceAnswer(node, "verified", "\n".join(kept), node.line, last, known, len(kept) < len(lines), freshness)
