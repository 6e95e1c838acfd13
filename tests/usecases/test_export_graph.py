"""Exports: every format tells the same graph, twice the same bytes, and no name can leave its place."""

import io
import json
import os
import re
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_checkout import GRANT, Checkout
from remora.core.codegraph.export import ExportedGraph, cypher, graphml, literal
from remora.core.errors import InvalidInput
from remora.usecases.export_graph import FORMATS, ExportRequest, export_graph


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path).write(a="class K:\n    def m(self): pass\n", b="from a import K\nK().m()\n")
    made.index()
    return made


def exported(checkout: Checkout, form: str) -> str:
    return "".join(export_graph(checkout, GRANT, ExportRequest(form)))


def test_graphml_and_json_tell_the_same_graph(checkout: Checkout) -> None:
    told = json.loads(exported(checkout, "json"))
    graph = nx.read_graphml(io.BytesIO(exported(checkout, "graphml").encode()), force_multigraph=True)
    assert set(graph.nodes) == {node["id"] for node in told["nodes"]}
    for node in told["nodes"]:
        assert graph.nodes[node["id"]] == {key: value for key, value in node.items() if key != "id"}
    edges = sorted((a, b, data["kind"], data["tier"]) for a, b, data in graph.edges(data=True))
    assert edges == sorted((row["source"], row["target"], row["kind"], row["tier"]) for row in told["edges"])


def test_cypher_names_every_node_and_edge(checkout: Checkout) -> None:
    told = json.loads(exported(checkout, "json"))
    text = exported(checkout, "cypher")
    assert all(f"{{id: '{node['id']}'" in text for node in told["nodes"])
    assert text.count("{source: ") == len(told["edges"])
    assert "[r:CALLS]" in text


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_deterministic_and_survives_odd_names(checkout: Checkout, form: str) -> None:
    odd = [
        b"q'uote.py",
        b"back\\slash.py",
        b"a<b>&.py",
        b"new\nline.py",
        b"bad-\xff.py",
        "中文.py".encode(),
        b"\x01.py",
    ]
    for name in odd:
        (checkout.root / os.fsdecode(name)).write_text("def f(): pass\n")
    assert checkout.index().skipped == {"name is not UTF-8": 1}
    first = exported(checkout, form)
    checkout.index(full=True)
    assert exported(checkout, form) == first
    first.encode("utf-8")
    if form == "graphml":
        assert len(nx.read_graphml(io.BytesIO(first.encode()))) >= 2 * len(odd)


def test_an_unknown_format_is_refused_before_anything_is_written(checkout: Checkout) -> None:
    with pytest.raises(InvalidInput):
        export_graph(checkout, GRANT, ExportRequest("dot"))


@given(st.text())
def test_no_content_leaves_a_cypher_literal(text: str) -> None:
    inside = literal(text)[1:-1]
    assert not re.search(r"(?<!\\)(?:\\\\)*'", inside)
    assert not re.search(r"[\x00-\x1f]", inside)
    assert not re.search(r"(?<!\\)(?:\\\\)*$", inside) or not re.search(r"(?<!\\)(?:\\\\)*\\$", inside)


@given(st.text(min_size=1), st.text())
def test_any_name_makes_whole_documents(name: str, path: str) -> None:
    node = {"id": f"x:{name}", "file": path, "qualified_name": name, "kind": "function", "line": 1, "end_line": 2}
    graph = ExportedGraph("", [node], [(f"x:{name}", "calls", f"x:{name}", "EXTRACTED")])
    parsed = nx.read_graphml(io.BytesIO("".join(graphml(graph)).encode()))
    assert len(parsed) == 1
    "".join(cypher(graph)).encode()
