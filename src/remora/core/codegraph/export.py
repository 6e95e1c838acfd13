"""The whole code graph as text: node-link JSON, GraphML, and Cypher. Equal graphs give equal bytes."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from remora.core.capture.paths import stored_path
from remora.core.codegraph.linked import AMBIGUOUS, KINDS, TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.view import GraphView
from remora.core.policy import CYPHER_EXPORT_BATCH

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NODE_FIELDS = ("file", "qualified_name", "kind", "line", "end_line")

Edge = tuple[str, str, str, str]
"""(source, kind, target, tier)."""


@dataclass(frozen=True, slots=True)
class ExportedGraph:
    """Nodes by id (id, file, qualified_name, kind, line, end_line), edges by source, kind and target."""

    commit: str
    nodes: Sequence[Mapping[str, str | int]]
    edges: Sequence[Edge]


def exported(view: GraphView, *, ambiguous: bool = False) -> ExportedGraph:
    """Everything of the view that an export tells, guesses only when asked for."""
    names = Names(view.files(), lambda _: [], lambda _: [])
    nodes: list[dict[str, str | int]] = []
    ids: dict[int, str] = {}
    for row in view.symbols():
        ids[row.id] = names.id(row)
        node: dict[str, str | int] = {"id": ids[row.id], "file": names.path(row), "qualified_name": row.qualified}
        nodes.append(node | {"kind": row.kind, "line": row.line, "end_line": row.end_line})
    edges = sorted(
        (ids[e.source], KINDS[e.kind], ids[e.target], TIERS[e.tier])
        for e in view.edges()
        if ambiguous or e.tier < AMBIGUOUS
    )
    nodes.sort(key=lambda node: str(node["id"]))
    return ExportedGraph(view.meta().get("commit", ""), nodes, edges)


# --- JSON -------------------------------------------------------------------------------------------------------------


def node_link(graph: ExportedGraph) -> Iterator[str]:
    """The node-link form of networkx, one node or edge a line."""
    yield '{"directed":true,"multigraph":true,"graph":' + json.dumps({"commit": graph.commit}) + ',"nodes":[\n'
    yield from _lines(graph.nodes)
    yield '],"edges":[\n'
    yield from _lines([{"source": a, "target": b, "kind": kind, "tier": tier} for a, kind, b, tier in graph.edges])
    yield "]}\n"


def _lines(rows: Sequence[Mapping[str, str | int]]) -> Iterator[str]:
    last = len(rows) - 1
    for place, row in enumerate(rows):
        yield json.dumps(row) + (",\n" if place < last else "\n")


# --- GraphML ----------------------------------------------------------------------------------------------------------


def graphml(graph: ExportedGraph) -> Iterator[str]:
    """GraphML with typed attributes."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name in _NODE_FIELDS:
        kind = "int" if name.endswith("line") else "string"
        yield f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n'
    for name in ("edge_kind", "tier"):
        yield f'<key id="{name}" for="edge" attr.name="{name.removeprefix("edge_")}" attr.type="string"/>\n'
    yield '<key id="commit" for="graph" attr.name="commit" attr.type="string"/>\n'
    yield f'<graph id="code" edgedefault="directed">\n<data key="commit">{_xml(graph.commit)}</data>\n'
    for node in graph.nodes:
        data = "".join(f'<data key="{name}">{_xml(node[name])}</data>' for name in _NODE_FIELDS)
        yield f'<node id="{_xml(node["id"])}">{data}</node>\n'
    for number, (source, kind, target, tier) in enumerate(graph.edges):
        data = f'<data key="edge_kind">{kind}</data><data key="tier">{tier}</data>'
        yield f'<edge id="e{number}" source="{_xml(source)}" target="{_xml(target)}">{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _xml(value: str | int) -> str:
    text = _NO_XML.sub("\ufffd", _whole(str(value)))
    return escape(text).replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")


# --- Cypher -----------------------------------------------------------------------------------------------------------


def cypher(graph: ExportedGraph) -> Iterator[str]:
    """Statements that bring a graph database to this graph's nodes and edges; repeating them changes nothing."""
    yield f"// code graph at {graph.commit if graph.commit.isalnum() else 'no commit'}\n"
    yield "CREATE CONSTRAINT code_symbol IF NOT EXISTS FOR (s:CodeSymbol) REQUIRE s.id IS UNIQUE;\n"
    setting = ", ".join(f"s.{name} = row.{name}" for name in _NODE_FIELDS)
    for batch in _batches(graph.nodes):
        yield f"UNWIND [\n{_list(batch)}\n] AS row MERGE (s:CodeSymbol {{id: row.id}}) SET {setting};\n"
    for kind in KINDS:
        mine = [{"source": a, "target": b, "tier": tier} for a, found, b, tier in graph.edges if found == kind]
        for batch in _batches(mine):
            yield (
                f"UNWIND [\n{_list(batch)}\n] AS row MATCH (a:CodeSymbol {{id: row.source}}) "
                f"MATCH (b:CodeSymbol {{id: row.target}}) MERGE (a)-[r:{kind.upper()}]->(b) SET r.tier = row.tier;\n"
            )


def _batches(rows: Sequence[Mapping[str, str | int]]) -> Iterator[Sequence[Mapping[str, str | int]]]:
    for start in range(0, len(rows), CYPHER_EXPORT_BATCH):
        yield rows[start : start + CYPHER_EXPORT_BATCH]


def _list(rows: Sequence[Mapping[str, str | int]]) -> str:
    return ",\n".join("{" + ", ".join(f"{key}: {literal(value)}" for key, value in row.items()) + "}" for row in rows)


def literal(value: str | int) -> str:
    """A Cypher literal that no content can leave: quotes and backslashes escaped, control characters as code points."""
    if isinstance(value, int):
        return str(value)
    text = _whole(value).replace("\\", "\\\\").replace("'", "\\'")
    return "'" + _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04X}", text) + "'"


def _whole(text: str) -> str:
    """The text with names that are not UTF-8 in their stored form, so that it can be written."""
    if text.isascii():
        return text
    data = text.encode("utf-8", "surrogateescape" if _fits(text) else "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return stored_path(data)


def _fits(text: str) -> bool:
    return not any(0xD800 <= ord(char) < 0xDC80 or 0xDCFF < ord(char) <= 0xDFFF for char in text)


WRITERS: Mapping[str, Callable[[ExportedGraph], Iterator[str]]] = {
    "json": node_link, "graphml": graphml, "cypher": cypher,
}  # fmt: skip
