"""Queries in a process of their own: hand-checked answers, and bounds that hostile queries meet without harm."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remora.adapters.kglite_snapshot import KgliteSnapshots
from remora.core.cypher.gate import gated
from remora.core.cypher.normalise import rewritten
from remora.core.cypher.rows import Graph
from remora.core.errors import InvalidInput, LimitReached
from remora.core.policy import CYPHER_PROCESSES_MAX, CYPHER_ROWS_MAX
from remora.ports import Table

FIXTURES = Path(__file__).parents[1] / "fixtures" / "cypher"
SHARED = json.loads((FIXTURES / "queries.json").read_text())
HOSTILE = json.loads((FIXTURES / "hostile.json").read_text())["queries"]
GRAPH = Graph(SHARED["graph"]["nodes"], {(row[0], row[1], row[2]): row[3] for row in SHARED["graph"]["relations"]})


@pytest.fixture(scope="module")
def snapshots() -> Iterator[KgliteSnapshots]:
    found = KgliteSnapshots()
    yield found
    found.close()


def ask(snapshots: KgliteSnapshots, query: str, params: dict[str, Any] | None = None, owner: str = "ann") -> Table:
    return snapshots.run(owner, 1, lambda: GRAPH, rewritten(gated(query)), params or {})


@pytest.mark.parametrize("case", SHARED["queries"], ids=[case["shows"] for case in SHARED["queries"]])
def test_a_query_answers_as_worked_out_by_hand(snapshots: KgliteSnapshots, case: dict[str, Any]) -> None:
    table = ask(snapshots, case["query"], case.get("params"))
    rows = [[row[name] for name in table.columns] for row in table.rows]
    wanted = case["rows"]
    if not case.get("ordered"):
        rows, wanted = (sorted(rows, key=_text), sorted(wanted, key=_text))
    assert rows == wanted
    assert list(table.columns) == case["columns"]
    assert not table.truncated


def _text(row: Any) -> str:
    return json.dumps(row, sort_keys=True)


def test_there_are_enough_of_both_kinds() -> None:
    assert len(SHARED["queries"]) >= 40
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: ascii(case["query"])[:60])
def test_a_hostile_query_is_refused_or_bounded_and_the_next_one_answers(
    snapshots: KgliteSnapshots, case: dict[str, str]
) -> None:
    allowed = InvalidInput if case["ends"] == "refused" else LimitReached
    try:
        table = ask(snapshots, case["query"])
    except allowed:
        pass
    else:
        assert case["ends"] == "bounded"
        assert table.truncated
        assert len(table.rows) <= CYPHER_ROWS_MAX
    assert ask(snapshots, "MATCH (n) RETURN count(*) AS n").rows == ({"n": 19},)


def test_an_error_carries_no_text_of_the_graph(snapshots: KgliteSnapshots) -> None:
    with pytest.raises(InvalidInput) as caught:
        ask(snapshots, "MATCH (c:Concept) RETURN c.name - 1 + absent")
    assert "session tokens" not in str(caught.value)


def test_every_owner_has_a_snapshot_of_its_own() -> None:
    snapshots = KgliteSnapshots()
    try:
        for number in range(CYPHER_PROCESSES_MAX + 1):
            row: Any = {"uid": f"n{number}", "properties": {"uid": f"n{number}"}}
            graph = Graph({"Note": [row]})
            found = snapshots.run(number, 1, lambda graph=graph: graph, "MATCH (n) RETURN n.uid AS uid", {})
            assert found.rows == ({"uid": f"n{number}"},)
    finally:
        snapshots.close()


def test_a_newer_version_is_loaded_and_the_same_one_is_not() -> None:
    snapshots = KgliteSnapshots()
    loads: list[int] = []

    def graph() -> Graph:
        loads.append(1)
        return GRAPH

    try:
        for version in (1, 1, 2):
            snapshots.run("ann", version, graph, "MATCH (n) RETURN count(*) AS n", {})
    finally:
        snapshots.close()
    assert len(loads) == 2


def test_an_empty_graph_answers_with_nothing() -> None:
    snapshots = KgliteSnapshots()
    try:
        found = snapshots.run("ann", 1, Graph, "MATCH (n:Concept) RETURN n.name AS name", {})
    finally:
        snapshots.close()
    assert found.rows == ()
