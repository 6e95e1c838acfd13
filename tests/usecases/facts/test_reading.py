"""Listing, searching, walking and forgetting facts."""

import json

import pytest

from remora.core.errors import Denied, InvalidInput, NotFound
from remora.core.facts.batch import Triple
from remora.core.recall.notice import NOTICE
from remora.core.scope import Trust
from remora.usecases.forget import ForgetRequest, forget
from remora.usecases.list_facts import ListFactsRequest, list_facts
from remora.usecases.query_subgraph import QuerySubgraphRequest, query_subgraph
from remora.usecases.search_nodes import SearchNodesRequest, search_nodes

A = ("Billing", "uses", "Postgres")


def texts(rows):
    return [row.text for row in rows]


def listed(bag, grant, **options):
    return list_facts(bag, grant, ListFactsRequest(**options))


def test_a_list_pages_through_everything_once_newest_first(bag, as_member):
    ann = as_member("ann")
    for n in range(25):
        bag.save((f"s{n}", "HAS", f"o{n}"))
    seen, cursor = [], ""
    while True:
        page = listed(bag, ann, limit=10, cursor=cursor)
        seen += texts(page.facts)
        cursor = page.next_cursor
        if not cursor:
            break
    assert seen == [f"s{n} HAS o{n}" for n in reversed(range(25))]
    assert page.total == 25


def test_lists_show_current_facts_unless_history_or_a_time_is_asked(bag, as_member):
    ann = as_member("ann")
    bag.save(A)
    then = bag.clock.now()
    bag.clock.advance(10)
    bag.save(("Billing", "uses", "MySQL"), replace=True)
    assert texts(listed(bag, ann).facts) == ["Billing USES MySQL"]
    assert texts(listed(bag, ann, as_of=then + 1).facts) == ["Billing USES Postgres"]
    history = listed(bag, ann, history=True)
    assert set(texts(history.facts)) == {"Billing USES MySQL", "Billing USES Postgres"}
    closed = next(row for row in history.to_json()["facts"] if row["object"] == "Postgres")
    assert not closed["current"]
    assert closed["valid_to"].endswith("Z")
    assert len(closed["intervals"]) == 1


def test_lists_narrow_to_an_entity_by_any_name_and_to_a_predicate(bag, as_member):
    ann = as_member("ann")
    bag.save(A, ("Ledger", "uses", "Postgres"), ("Ledger", "owned by", "Ann"), ("Postgres", "SAME_AS", "pg"))
    assert set(texts(listed(bag, ann, entity="PG").facts)) == {"Billing USES Postgres", "Ledger USES Postgres"}
    assert texts(listed(bag, ann, entity="ledger", predicate="owned by").facts) == ["Ledger OWNED_BY Ann"]
    assert listed(bag, ann, entity="nobody").facts == ()
    pages, cursor = [], ""
    for _ in range(2):
        page = listed(bag, ann, entity="pg", limit=1, cursor=cursor)
        pages += texts(page.facts)
        cursor = page.next_cursor
    assert len(set(pages)) == 2


def test_a_full_store_answers_every_reader_within_the_reply_budget(bag, as_member):
    ann = as_member("ann")
    bag.save(*((f"hub {'x' * 90}", "HAS", f"test object {n} {'y' * 90}") for n in range(900)))
    for result in (
        listed(bag, ann, limit=500),
        query_subgraph(bag, ann, QuerySubgraphRequest(entities=[f"hub {'x' * 90}"], limit=1000, hops=2)),
        search_nodes(bag, ann, SearchNodesRequest(query="*test*", limit=50)),
    ):
        shown = result.to_json()
        assert shown["truncated"]
        assert shown["notice"] == NOTICE
        assert len(json.dumps(shown, ensure_ascii=False)) <= 25_000
    assert len(bag.ask("*test*")) == 8


def test_search_finds_entities_by_name_alias_type_prefix_and_typo(bag, as_member):
    ann = as_member("ann")
    bag.save(
        Triple(subject="PaymentGateway", predicate="USES", object="Stripe", subject_type="Service"),
        ("PaymentGateway", "SAME_AS", "pgw"),
        ("Ledger", "USES", "Stripe"),
    )

    def found(query, **options):
        result = search_nodes(bag, ann, SearchNodesRequest(query=query, **options))
        return [node.row.names[0] for node in result.nodes]

    assert found("payment gateway")[0] == "PaymentGateway"
    assert found("pgw") == ["PaymentGateway"]
    assert found("service") == ["PaymentGateway"]
    assert found("strip") == ["Stripe"]
    assert found("ledgre") == ["Ledger"]
    assert found("stripe", types=["service"]) == []
    assert found("payment", types=["SERVICE"]) == ["PaymentGateway"]
    assert found("") == []
    [node] = search_nodes(bag, ann, SearchNodesRequest(query="stripe")).nodes
    assert node.facts == 2
    assert not node.more_facts


def test_a_subgraph_walks_one_or_two_hops_and_names_what_is_unknown(bag, as_member):
    ann = as_member("ann")
    bag.save(A, ("Postgres", "runs on", "db1"), ("db1", "located in", "Berlin"), ("Billing", "owned by", "Ann"))

    def walked(**options):
        return query_subgraph(bag, ann, QuerySubgraphRequest(entities=["billing", "nobody"], **options))

    one = walked()
    assert set(texts(one.facts)) == {"Billing USES Postgres", "Billing OWNED_BY Ann"}
    assert one.unknown == ("nobody",)
    assert {row.names[0] for row in one.nodes} == {"Billing", "Postgres", "Ann"}
    assert len(walked(hops=2).facts) == 3
    assert texts(walked(predicates=["uses"]).facts) == ["Billing USES Postgres"]
    assert walked(limit=1).truncated
    with pytest.raises(InvalidInput):
        walked(hops=3)
    with pytest.raises(InvalidInput):
        walked(predicates=["A`]->() DETACH DELETE n"])


def test_a_time_is_read_under_todays_names_and_says_so(bag, as_member):
    ann = as_member("ann")
    bag.save(("pg", "runs on", "db1"))
    then = bag.clock.now()
    bag.clock.advance(5)
    bag.save(("pg", "runs on", "db2"), replace=True)
    bag.save(("Postgres", "SAME_AS", "pg"))
    result = query_subgraph(bag, ann, QuerySubgraphRequest(entities=["postgres"], as_of=then + 1))
    assert texts(result.facts) == ["Postgres RUNS_ON db1"]
    assert "today's names" in result.to_json()["as_of_note"]
    assert bag.ask("where does pg run", as_of=then + 1) == ["Postgres RUNS_ON db1"]


def test_forgetting_removes_text_from_every_reader(bag, as_member):
    ann = as_member("ann", trust=Trust.OPERATOR)
    made = bag.save(A, ("Zoe", "phone", "555 1234"), ("Zoe", "SAME_AS", "Zozo"), idempotency_key="k", grant=ann)
    forget(bag, ann, ForgetRequest(entities=["zozo"]))
    assert bag.ask("Zoe phone", history=True) == []
    assert listed(bag, ann, history=True).total == 1
    assert search_nodes(bag, ann, SearchNodesRequest(query="Zoe")).nodes == ()
    with bag.store.read(ann) as view:
        left = str(view.snapshot(("facts",), ("repository", "system")))
    assert "Zoe" not in left
    assert "555 1234" not in left
    assert made.saved[1].id in left  # the tombstone
    again = bag.save(A, ("Zoe", "phone", "555 1234"), ("Zoe", "SAME_AS", "Zozo"), idempotency_key="k", grant=ann)
    assert again.replayed
    assert again.saved == ()


def test_a_dry_run_says_what_would_go_and_keeps_it(bag, as_member):
    ann = as_member("ann", trust=Trust.OPERATOR)
    bag.save(A)
    result = forget(bag, ann, ForgetRequest(triples=[("billing", "uses", "postgres")], dry_run=True))
    assert result.to_json()["facts_forgotten"] == 1
    assert result.to_json()["entities_forgotten"] == 2
    assert bag.ask("Billing") == ["Billing USES Postgres"]


def test_forgetting_the_unknown_and_the_protected_is_refused(bag, as_member):
    made = bag.save(A)
    agent = as_member("bot")
    for request in (
        ForgetRequest(facts=["fct_" + "0" * 24]),
        ForgetRequest(entities=["nobody"]),
        ForgetRequest(triples=[("Billing", "uses", "MySQL")]),
        ForgetRequest(facts=[made.saved[0].id], memory_scope="session", session=bag.register(grant=agent)),
    ):
        with pytest.raises(NotFound):
            forget(bag, agent, request)
    with pytest.raises(InvalidInput):
        forget(bag, agent, ForgetRequest())
    with pytest.raises(Denied):
        forget(bag, agent, ForgetRequest(facts=[made.saved[0].id]))
    assert bag.ask("Billing") == ["Billing USES Postgres"]


def test_an_old_secret_is_masked_when_it_is_read(bag, as_member):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    keep, bag.redact = bag.redact, lambda text: text
    bag.save(("deploy bot", "USES", secret))
    bag.redact = keep
    ann = as_member("ann")
    for shown in (
        listed(bag, ann).to_json(),
        query_subgraph(bag, ann, QuerySubgraphRequest(entities=["deploy bot"])).to_json(),
        bag.ask("deploy bot"),
        search_nodes(bag, ann, SearchNodesRequest(query="bot")).to_json(),
    ):
        assert secret not in json.dumps(shown)
