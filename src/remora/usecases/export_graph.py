"""The whole code graph as one deterministic document."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from remora.core.codegraph.link import KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.errors import InvalidInput
from remora.core.graph import Json
from remora.core.scope import Grant, Right
from remora.ports import CodeGraphPorts

FORMATS = ("json",)


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """`format` is one of `FORMATS`."""

    format: str = "json"


def export_graph(ports: CodeGraphPorts, grant: Grant, request: ExportRequest) -> Iterator[str]:
    """Pieces of text that make up the export: nodes by id, edges by source, kind and target."""
    grant.require(ports.repository.identity, Right.READ)
    if request.format not in FORMATS:
        raise InvalidInput("format", f"{request.format[:40]!r} is unknown", allowed=", ".join(FORMATS))
    return _json(ports)


def _json(ports: CodeGraphPorts) -> Iterator[str]:
    with ports.code_graph.read() as reader:
        names = Names(reader.files(), lambda _: [], lambda _: [])
        nodes: list[dict[str, Json]] = []
        ids: dict[int, str] = {}
        for row in reader.symbols():
            ids[row.id] = names.id(row)
            node: dict[str, Json] = {"id": ids[row.id], "file": names.path(row), "qualified_name": row.qualified}
            node |= {"kind": row.kind, "line": row.line, "end_line": row.end_line}
            nodes.append(node)
        edges = [(ids[e.source], KINDS[e.kind], ids[e.target], TIERS[e.tier]) for e in reader.edges()]
        commit = reader.meta().get("commit", "")
    nodes.sort(key=lambda node: str(node["id"]))
    edges.sort()
    yield '{"directed":true,"multigraph":true,"graph":' + json.dumps({"commit": commit}) + ',"nodes":[\n'
    yield from _lines(nodes)
    yield '],"edges":[\n'
    yield from _lines([{"source": a, "target": b, "kind": kind, "tier": tier} for a, kind, b, tier in edges])
    yield "]}\n"


def _lines(rows: list[dict[str, Json]]) -> Iterator[str]:
    last = len(rows) - 1
    for place, row in enumerate(rows):
        yield json.dumps(row) + (",\n" if place < last else "\n")
