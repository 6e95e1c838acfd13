"""Find a literal text in the checkout's source files, with the symbol around each hit."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import Freshness
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import SymbolRow, indexable
from remora.core.codegraph.view import GraphView, names_of
from remora.core.errors import InvalidInput
from remora.core.ids import digest
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts


@dataclass(frozen=True, slots=True)
class SearchTextRequest:
    """`text` is taken as it is, no pattern; `path` narrows to files whose path begins with it."""

    text: str
    path: str = ""
    ignore_case: bool = False
    limit: int = policy.SEARCH_TEXT_HITS


@dataclass(frozen=True, slots=True)
class TextHit:
    """One line that holds the text; `symbol` is the innermost declaration around it, "" when the graph has another
    text of that file."""

    file: str
    line: int
    text: str
    symbol: str


@dataclass(frozen=True, slots=True)
class SearchTextAnswer:
    """Hits by path and line. `files` were searched; `not_searched` were not, as enough had been read."""

    hits: tuple[TextHit, ...]
    total: int
    files: int
    not_searched: int
    truncated: bool
    freshness: Freshness


def search_text(ports: CodeGraphPorts, grant: Grant, request: SearchTextRequest) -> SearchTextAnswer:
    """Every line with the text, up to the limit; the total goes on counting."""
    grant.require(ports.repository.identity, Right.READ)
    _check(request)
    freshness = ports.freshness()
    paths = [path for path in indexable(ports.sources.listing()).files if path.startswith(request.path)]
    needle = _folded(request.text.encode("utf-8", "surrogateescape"), request)
    hits: list[TextHit] = []
    total = read = searched = 0
    with ports.code_graph.read() as view:
        around = _Around(view)
        for path in paths:
            if read > policy.SEARCH_TEXT_BYTES_MAX:
                break
            data = ports.sources.read(path)
            searched += 1
            if data is None:
                continue
            read += len(data)
            for line in _lines_with(data, needle, request):
                total += 1
                if len(hits) < request.limit:
                    shown = data.split(b"\n")[line - 1].decode("utf-8", "replace").strip()
                    hits.append(TextHit(path, line, shown[: policy.SEARCH_LINE_CHARS], around.symbol(path, line, data)))
    left = len(paths) - searched
    return SearchTextAnswer(tuple(hits), total, searched, left, total > len(hits) or left > 0, freshness)


def _check(request: SearchTextRequest) -> None:
    allowed = f"1 to {policy.SEARCH_TEXT_CHARS_MAX} characters on one line"
    if not request.text or len(request.text) > policy.SEARCH_TEXT_CHARS_MAX or "\n" in request.text:
        raise InvalidInput("text", "is empty, too long or holds a newline", allowed=allowed)
    if not 1 <= request.limit <= policy.SEARCH_TEXT_HITS_MAX:
        raise InvalidInput("limit", f"is {request.limit}", allowed=f"1 to {policy.SEARCH_TEXT_HITS_MAX}")


def _folded(data: bytes, request: SearchTextRequest) -> bytes:
    return data.lower() if request.ignore_case else data  # of ASCII letters, so that offsets stay


def _lines_with(data: bytes, needle: bytes, request: SearchTextRequest) -> Iterator[int]:
    text = _folded(data, request)
    at, line, counted = text.find(needle), 1, 0
    while at >= 0:
        line += text.count(b"\n", counted, at)
        yield line
        counted = text.find(b"\n", at)
        if counted < 0:
            return
        at = text.find(needle, counted)


class _Around:
    """Finds the innermost declaration around a line, from one read per file."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._names: Names = names_of(view)
        self._files = {row.path: row for row in view.files()}
        self._symbols: dict[str, list[SymbolRow]] = {}

    def symbol(self, path: str, line: int, data: bytes) -> str:
        """The id, "" when there is none."""
        if path not in self._symbols:
            row = self._files.get(path)
            known = row is not None and row.digest == digest(data)
            found = self._view.symbols(files=(row.id,)) if row is not None and known else []
            self._symbols[path] = sorted(found, key=lambda symbol: symbol.line)
        symbols = self._symbols[path]
        end = bisect_right(symbols, line, key=lambda symbol: symbol.line)
        inside = [symbol for symbol in symbols[:end] if line <= symbol.end_line]
        best = min(inside, key=lambda symbol: (symbol.end_line - symbol.line, -len(symbol.qualified)), default=None)
        return self._names.id(best) if best is not None else ""
