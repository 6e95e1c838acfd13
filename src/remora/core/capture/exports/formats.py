"""Which format a file is in, and its artifacts."""

from collections.abc import Callable, Sequence
from typing import Any

from remora.core.capture.artifacts import ArtifactList, check_count, is_envelope, load_json, read_envelope
from remora.core.capture.exports import FORMATS, github, gitlab, junit, sarif
from remora.core.capture.exports.reading import ExportPlace
from remora.core.errors import InvalidInput

_LISTS: dict[str, Callable[[Sequence[object], ExportPlace], ArtifactList]] = {
    "github": github.read,
    "gitlab": gitlab.read,
}
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def read_export(data: bytes, name: str, place: ExportPlace) -> tuple[str, ArtifactList]:
    """The format of a file (`auto` looks for it) and its artifacts. Raises `InvalidInput` for the file as a whole."""
    if name not in FORMATS:
        raise InvalidInput("format", f"{name[:80]!r} is not known", allowed=", ".join(FORMATS))
    if name == "junit" or (name == "auto" and _is_xml(data)):
        return "junit", junit.read(data, place)
    body = load_json(data)
    chosen = _detected(body) if name == "auto" else name
    if chosen == "remora":
        return chosen, read_envelope(body)
    if chosen == "sarif":
        if not sarif.recognises(body):
            raise InvalidInput("file", "is no SARIF log: it has no runs")
        return chosen, sarif.read(body, place)
    items = body if isinstance(body, list) else [body]
    check_count(items)
    return chosen, _LISTS[chosen](items, place)


def _is_xml(data: bytes) -> bool:
    start = data[:1_000]
    for mark in _MARKS:
        start = start.removeprefix(mark)
    return start.replace(b"\0", b"").lstrip()[:1] == b"<"


def _detected(body: Any) -> str:
    if is_envelope(body):
        return "remora"
    if sarif.recognises(body):
        return "sarif"
    items = body if isinstance(body, list) else [body]
    for item in items:
        if isinstance(item, dict) and github.recognises(item):
            return "github"
        if isinstance(item, dict) and gitlab.recognises(item):
            return "gitlab"
    if items:
        raise InvalidInput("file", "is in no format that is known", allowed=", ".join(FORMATS[1:]))
    return "github"  # an empty list says the same in any format
