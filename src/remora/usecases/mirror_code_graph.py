"""Put the present code graph beside a repository's memory on the server engine, so that one query joins both."""

from dataclasses import dataclass

from remora.core.codegraph.export import exported
from remora.core.errors import Denied
from remora.core.graph import Json
from remora.core.scope import Grant
from remora.ports import CodeGraphPorts, CodeMirror

LABEL = "CodeSymbol"


@dataclass(frozen=True, slots=True)
class Mirrored:
    """How much was written; what was mirrored before is gone."""

    symbols: int
    relations: int


def mirror_code_graph(ports: CodeGraphPorts, grant: Grant, mirror: CodeMirror, *, ambiguous: bool = False) -> Mirrored:
    """Replace the mirror by the graph as it was last built. The operator's."""
    if not grant.operator:
        raise Denied("only the operator may mirror the code graph into the database")
    with ports.code_graph.read() as view:
        graph = exported(view, ambiguous=ambiguous)
    symbols: list[dict[str, Json]] = []
    for node in graph.nodes:
        qualified = str(node["qualified_name"])
        told: dict[str, Json] = {"uid": node["id"], "name": qualified.rpartition(".")[2], "path": node["file"]}
        rest: dict[str, Json] = {name: node[name] for name in ("qualified_name", "kind", "line", "end_line")}
        symbols.append({"properties": told | rest})
    relations: dict[str, list[dict[str, Json]]] = {}
    for source, kind, target, tier in graph.edges:
        relations.setdefault(kind.upper(), []).append({"s": source, "t": target, "properties": {"tier": tier}})
    return Mirrored(*mirror.mirror_code({LABEL: symbols}, relations))
