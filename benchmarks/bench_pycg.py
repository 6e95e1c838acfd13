"""Score the call edges on the public PyCG micro benchmark: `bench_pycg.py SUITE [--export FILE] [--verbose]`.

SUITE is the folder `micro-benchmark/snippets` of a clone of github.com/vitsalis/PyCG; it is not kept here.
Counted are edges between functions of the snippet's own files, as (module.qualified.name, module.qualified.name).
`--export FILE` scores a graph that any tool made of the whole folder: JSON with `nodes` (`id`, `file` below SUITE,
`qualified_name`, "" or the module's own for a module) and `edges` (`source`, `target`, `kind` = calls in any case).
"""

import argparse
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from remora.adapters.code_graph_file import CodeGraphFile
from remora.adapters.tree_sitter.parser import TreeSitterParser
from remora.adapters.walk import SourceTree
from remora.core.scope import operator_grant
from remora.ports import Repository
from remora.usecases.export_graph import ExportRequest, export_graph
from remora.usecases.index_repository import IndexRequest, index_repository

Edge = tuple[str, str]
Graph = dict[str, list[dict[str, Any]]]


@dataclass
class Bench:
    """The ports that indexing a folder needs."""

    root: Path
    cache: Path
    parser: TreeSitterParser = field(default_factory=TreeSitterParser)

    def __post_init__(self) -> None:
        self.repository = Repository("benchmark", "r_benchmark", self.root)
        self.sources = SourceTree(self.root, lambda path: bool(self.parser.language(path)))
        self.code_graph = CodeGraphFile(self.cache)


def found_edges(folder: Path, cache: Path) -> set[Edge]:
    """Call edges of one snippet by dotted names."""
    bench = Bench(folder, cache)
    index_repository(bench, operator_grant(), IndexRequest(full=True))
    graph = json.loads("".join(export_graph(bench, operator_grant(), ExportRequest())))
    return call_edges(graph, "")


def call_edges(graph: Graph, prefix: str) -> set[Edge]:
    """Call edges between the nodes of files below a folder (its path with a `/`, or ""), by dotted names."""
    names = {}
    for node in graph["nodes"]:
        file, qualified = str(node.get("file") or "").replace("\\", "/"), str(node.get("qualified_name") or "")
        if not file.startswith(prefix) or not file.endswith(".py"):
            continue
        module = file.removeprefix(prefix).removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        inner = qualified.removeprefix(f"{module}.") if qualified != module else ""
        names[node["id"]] = f"{module}.{inner}" if inner else module
    calls = (edge for edge in graph["edges"] if str(edge["kind"]).lower() == "calls")
    return {
        (names[edge["source"]], names[edge["target"]])
        for edge in calls
        if edge["source"] in names and edge["target"] in names
    }


def wanted_edges(folder: Path) -> set[Edge]:
    """The suite's own edges, those to built-in and external functions left out."""
    paths = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py"))
    modules = {".".join(path.parts).removesuffix(".__init__") for path in paths}
    graph = json.loads((folder / "callgraph.json").read_text())
    edges = {(source, target) for source, targets in graph.items() for target in targets}

    def own(name: str) -> bool:
        return any(name == module or name.startswith(module + ".") for module in modules)

    return {edge for edge in edges if all(map(own, edge))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--export", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    exported: Graph | None = json.loads(options.export.read_text("utf-8")) if options.export else None
    right = wrong = missing = 0
    table: dict[str, list[int]] = {}
    for graph in sorted(options.suite.glob("*/*/callgraph.json")):
        folder = graph.parent
        if exported is not None:
            found = call_edges(exported, f"{folder.relative_to(options.suite).as_posix()}/")
        else:
            with tempfile.TemporaryDirectory() as cache:
                found = found_edges(folder, Path(cache))
        wanted = wanted_edges(folder)
        counts = (len(found & wanted), len(found - wanted), len(wanted - found))
        row = table.setdefault(folder.parent.name, [0, 0, 0])
        for place, count in enumerate(counts):
            row[place] += count
        if options.verbose and counts[1:] != (0, 0):
            print(folder.relative_to(options.suite), "wrong", sorted(found - wanted), "missing", sorted(wanted - found))
    print(f"{'category':<16}{'right':>8}{'wrong':>8}{'missing':>8}")
    for name, row in sorted(table.items()):
        print(f"{name:<16}{row[0]:>8}{row[1]:>8}{row[2]:>8}")
        right, wrong, missing = right + row[0], wrong + row[1], missing + row[2]
    score = {"precision": right / (right + wrong), "recall": right / (right + missing)}
    print(json.dumps({"benchmark": "pycg", "right": right, "wrong": wrong, "missing": missing, **score}))


if __name__ == "__main__":
    main()
