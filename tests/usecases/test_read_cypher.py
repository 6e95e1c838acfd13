"""Reading Cypher over what a caller may see: fresh after writes, blind to other scopes, free of secrets."""

import pytest

from encounter_desk import AGENT, SECRET, Desk, concept, member, observation, sqlite_desk
from remora.adapters.kglite_snapshot import KgliteSnapshots
from remora.core.errors import Denied, InvalidInput
from remora.core.facts.batch import parse_triple
from remora.core.scope import Right
from remora.core.sessions import SessionRef
from remora.usecases.read_cypher import read_cypher
from remora.usecases.remember import RememberRequest, remember


@pytest.fixture(params=["memory", "sqlite"])
def desk(request, tmp_path):
    found = Desk() if request.param == "memory" else sqlite_desk(tmp_path)
    found.queries = KgliteSnapshots()
    found.advance("first")
    found.write(concept("hub", "joins all"), observation("seen"))
    found.relate(("seen", "GROUNDS", "hub"))
    yield found
    found.queries.close()
    found.store.close()


def save(desk, subject, predicate, target, **more):
    triple = parse_triple("triples[0]", {"subject": subject, "predicate": predicate, "object": target})
    return remember(desk, desk.grant, RememberRequest(triples=[triple], **more))


def rows(desk, query, grant=AGENT, **params):
    return read_cypher(desk, grant, query, params).to_json()["rows"]


def test_encounters_and_facts_are_one_graph_of_queries(desk):
    save(desk, "Billing", "USES", "Postgres")
    assert rows(desk, "MATCH (:Encounter)-[:RECORDED]->(n) RETURN n.name AS name ORDER BY name") == [
        {"name": "hub"},
        {"name": "seen"},
    ]
    assert rows(desk, "MATCH (a:MemoryEntity)-[f:FACT]->(b) RETURN a.name AS a, f.predicate AS p, b.name AS b") == [
        {"a": "Billing", "p": "USES", "b": "Postgres"}
    ]


def test_uids_are_the_ids_that_every_other_tool_uses(desk):
    fact = save(desk, "Billing", "USES", "Postgres").to_json()["outcomes"][0]["id"]
    assert rows(desk, "MATCH ()-[f:FACT]->() RETURN f.uid AS uid") == [{"uid": fact}]


def test_a_closed_fact_stays_and_says_that_it_is_closed(desk):
    save(desk, "Billing", "USES", "MySQL")
    desk.clock.advance(1)
    save(desk, "Billing", "USES", "Postgres", replace=True)
    found = rows(desk, "MATCH ()-[f:FACT]->(b) RETURN b.name AS b, f.current AS now, f.valid_to IS NULL AS open")
    assert sorted((row["b"], row["now"], row["open"]) for row in found) == [
        ("MySQL", False, False),
        ("Postgres", True, True),
    ]


def test_the_next_query_sees_the_last_write(desk):
    assert rows(desk, "MATCH (c:Concept) RETURN count(c) AS n") == [{"n": 1}]
    desk.write(concept("spoke"))
    assert rows(desk, "MATCH (c:Concept) RETURN count(c) AS n") == [{"n": 2}]


def test_private_facts_of_a_chat_are_in_nobodys_snapshot(desk):
    save(desk, "Secret plan", "USES", "Postgres", memory_scope="session", session=SessionRef(handle=desk.handle))
    assert rows(desk, "MATCH (n:MemoryEntity) RETURN n.name AS name") == []


def test_a_principal_without_a_right_is_denied_and_learns_nothing(desk):
    with pytest.raises(Denied):
        rows(desk, "MATCH (n) RETURN n", member(right=Right.NONE))
    assert rows(desk, "MATCH (c:Concept) RETURN c.name AS name", member(right=Right.READ)) == [{"name": "hub"}]


def test_bookkeeping_is_not_in_the_graph(desk):
    assert rows(desk, "MATCH (n) RETURN DISTINCT labels(n) AS l ORDER BY l") == [
        {"l": ["Concept"]},
        {"l": ["Encounter"]},
        {"l": ["Observation"]},
    ]


def test_a_secret_from_before_is_masked_before_it_can_be_asked_for(desk):
    desk.redact = lambda text: text
    desk.write(concept("leak", f"the token is {SECRET}"))
    desk.redact = lambda text: text.replace(SECRET, "[secret]")
    assert rows(desk, "MATCH (c:Concept) WHERE c.description CONTAINS $s RETURN c.uid AS uid", s=SECRET) == []
    assert rows(desk, "MATCH (c:Concept {name: 'leak'}) RETURN c.description AS d") == [{"d": "the token is [secret]"}]


def test_an_answer_keeps_to_the_budget_and_says_so(desk):
    found = read_cypher(desk, AGENT, "UNWIND range(1, 400) AS x RETURN x, 'a long text that fills the answer' AS t")
    data = found.to_json()
    assert data["truncated"]
    assert 0 < data["row_count"] < 400


@pytest.mark.parametrize("params", [{"x": float("nan")}, {"x": "y" * 300_000}, {"x": {1, 2}}])
def test_parameters_are_bounded_plain_json(desk, params):
    with pytest.raises(InvalidInput, match="params"):
        read_cypher(desk, AGENT, "RETURN $x AS x", params)
