"""The whole code graph as one deterministic document."""

from collections.abc import Iterator
from dataclasses import dataclass

from remora.core.codegraph.export import WRITERS, exported
from remora.core.errors import InvalidInput
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts

FORMATS = tuple(WRITERS)


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """`format` is one of `FORMATS`; guesses by unique name are left out unless `ambiguous`."""

    format: str = "json"
    ambiguous: bool = False


def export_graph(ports: CodeGraphPorts, grant: Grant, request: ExportRequest) -> Iterator[str]:
    """Pieces of text that make up the export: nodes by id, edges by source, kind and target."""
    grant.require(ports.repository.identity, Right.READ)
    if request.format not in FORMATS:
        raise InvalidInput("format", f"{request.format[:40]!r} is unknown", allowed=", ".join(FORMATS))
    with ports.code_graph.read() as view:
        graph = exported(view, ambiguous=request.ambiguous)
    return WRITERS[request.format](graph)
