"""The tail of a private key whose beginning was cut off: encoded lines up to the END line."""

import re
from collections.abc import Iterator

_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LINE_BEFORE = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{4,100}(?:\s|\\{1,4}[nrt]|[\"'`,+>|*#]){1,12}$")
_MAX_LINES = 400
_LINE_CHARS = 120


def key_tails(text: str) -> Iterator[tuple[int, int, str]]:
    """Spans (start, end, kind) of encoded lines that end in an END line; no line is walked over twice."""
    floor = 0
    for end in _END.finditer(text) if "-----END" in text else ():
        start = end.start()
        for _ in range(_MAX_LINES):
            line = _LINE_BEFORE.search(text, max(floor, start - _LINE_CHARS), start)
            if not line:
                break
            start = line.start()
        if start < end.start():
            yield start, end.end(), "private-key"
        floor = end.end()
