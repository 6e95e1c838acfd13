"""What git capture asks of the code graph's parser: which lines of a text a definition spans."""

from collections.abc import Callable, Sequence

from remora.core.capture.patch import Span
from remora.ports import Parser


class ParsedSpans:
    """Implements `SpanSource` by a parser; `excluded` tells paths that are nobody's code."""

    def __init__(self, parser: Parser, excluded: Callable[[str], bool]) -> None:
        self._parser = parser
        self._excluded = excluded

    def knows(self, path: str) -> bool:
        """Whether definitions can be found in such a file."""
        return bool(self._parser.language(path)) and not self._excluded(path)

    def spans(self, path: str, data: bytes) -> Sequence[Span]:
        """The definitions of one text."""
        found = self._parser.spans(path, data)
        return [Span(s.node_id.partition("#")[2], s.start_line, s.end_line, s.node_id) for s in found]
