"""Which format a file is in, and its artifacts."""

from remora.core.capture.artifacts import ArtifactList, load_json, read_envelope
from remora.core.capture.exports import FORMATS
from remora.core.capture.exports.place import ExportPlace
from remora.core.errors import InvalidInput


def read_export(data: bytes, name: str, place: ExportPlace) -> tuple[str, ArtifactList]:
    """The format of a file (`auto` looks for it) and its artifacts."""
    if name not in FORMATS:
        raise InvalidInput("format", f"{name[:80]!r} is not known", allowed=", ".join(FORMATS))
    return "remora", read_envelope(load_json(data))
