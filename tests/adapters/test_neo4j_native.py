"""The operator's queries in the database itself: the shared answers, reading only, one repository's graph only."""

import json
from pathlib import Path
from typing import Any

import pytest

import server_engine
from fakes.clock import FakeClock
from remora.adapters.neo4j.native import NativeQueries
from remora.core.cypher.gate import gated
from remora.core.cypher.normalise import rewritten
from remora.core.cypher.rows import Graph
from remora.core.errors import InvalidInput, LimitReached
from store_shapes import REPO

pytestmark = pytest.mark.neo4j
FIXTURES = Path(__file__).parents[1] / "fixtures" / "cypher"
SHARED = json.loads((FIXTURES / "queries.json").read_text())
HOSTILE = json.loads((FIXTURES / "hostile.json").read_text())["queries"]
GRAPH = Graph(SHARED["graph"]["nodes"], {(row[0], row[1], row[2]): row[3] for row in SHARED["graph"]["relations"]})
REFUSED = [case["query"] for case in HOSTILE if case["ends"] == "refused"]


@pytest.fixture(scope="module")
def native() -> NativeQueries:
    """Two repositories with the same graph, of which one is asked."""
    for _ in range(2):
        store = server_engine.partition(REPO, FakeClock())
        found = NativeQueries(server_engine.link(), store._repository.id)
        found.run("", 1, lambda: GRAPH, "RETURN 1", {})
    return found


def ask(native: NativeQueries, query: str, params: dict[str, Any] | None = None) -> Any:
    return native.run("", 1, lambda: GRAPH, rewritten(gated(query)), params or {})


def text(row: Any) -> str:
    return json.dumps(row, sort_keys=True)


@pytest.mark.parametrize("case", SHARED["queries"], ids=[case["shows"] for case in SHARED["queries"]])
def test_the_database_itself_answers_as_worked_out_by_hand(native: NativeQueries, case: dict[str, Any]) -> None:
    table = ask(native, case["query"], case.get("params"))
    rows = [[row[name] for name in table.columns] for row in table.rows]
    wanted = case["rows"]
    if not case.get("ordered"):
        rows, wanted = (sorted(rows, key=text), sorted(wanted, key=text))
    assert rows == wanted
    assert list(table.columns) == case["columns"]


def test_no_hostile_query_runs_and_the_graph_stays_as_it_is(native: NativeQueries) -> None:
    for query in REFUSED:
        with pytest.raises(InvalidInput):
            ask(native, query)
    assert ask(native, "MATCH (n) RETURN count(*) AS n").rows == ({"n": 19},)


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (n:Concept {uid: 'x'})",
        "MATCH (n) SET n.name = 'x'",
        "MATCH (n) DETACH DELETE n",
        "CREATE INDEX FOR (n:X) ON (n.y)",
    ],
)
def test_what_the_gate_would_let_through_the_server_still_refuses_to_write(native: NativeQueries, query: str) -> None:
    with pytest.raises(InvalidInput):
        native.run("", 1, lambda: GRAPH, query, {})
    assert ask(native, "MATCH (n) RETURN count(*) AS n").rows == ({"n": 19},)


@pytest.mark.parametrize(
    "query",
    [
        "UNWIND range(1, 1000000000) AS x RETURN count(x)",
        "MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN count(*)",
        "UNWIND range(1, 100000) AS x RETURN x",
    ],
)
def test_a_query_without_end_is_bounded_and_the_next_one_answers(native: NativeQueries, query: str) -> None:
    try:
        table = ask(native, query)
    except LimitReached:
        pass
    else:
        assert table.truncated or len(table.rows) == 1
    assert ask(native, "MATCH (n) RETURN count(*) AS n").rows == ({"n": 19},)


def test_memory_and_code_are_joined_in_one_query(native: NativeQueries) -> None:
    symbols = [{"properties": {"uid": "py:app.py#login", "name": "login", "path": "app.py"}}]
    symbols.append({"properties": {"uid": "py:app.py#main", "name": "main", "path": "app.py"}})
    calls = [{"s": "py:app.py#main", "t": "py:app.py#login", "properties": {"tier": "EXTRACTED"}}]
    assert native.mirror_code({"Symbol": symbols}, {"CALLS": calls}) == (2, 1)
    assert native.mirror_code({"Symbol": symbols}, {"CALLS": calls}) == (2, 1)
    query = (
        "MATCH (m:Component) MATCH (a:Symbol {path: m.name})-[:CALLS]->(b:Symbol) "
        "RETURN m.uid AS memory, a.name AS caller, b.name AS called"
    )
    assert ask(native, query).rows == ({"memory": "m1", "caller": "main", "called": "login"},)
    native.run("", 2, lambda: GRAPH, "RETURN 1", {})
    assert native.run("", 2, lambda: GRAPH, query, {}).rows == ({"memory": "m1", "caller": "main", "called": "login"},)
    native.mirror_code({}, {})
