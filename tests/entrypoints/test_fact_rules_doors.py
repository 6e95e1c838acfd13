"""Every rule of facts and of their two scopes, through the HTTP API and through MCP: both doors say the same."""

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from http_server import Server, serving

Ask = Callable[..., dict[str, Any]]
ROUTES = {
    "upsert_graph_triples": ("POST", "/facts"),
    "query_subgraph": ("GET", "/subgraph"),
    "search_graph_nodes": ("GET", "/entities"),
    "recall_context": ("POST", "/recall"),
}
_names = count()
_VARYING = re.compile(r"(?:fct|ent|ses|als|rs|tmb)_[0-9a-f]+|20\d\d-[^\"' ]+Z?|\b(?:http|mcp)\b")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_world: Any) -> Iterator[Server]:
    world = make_world(tmp_path_factory.mktemp("rules") / "world")
    world.commit("Add", **{"a.py": "x = 1\n"})
    with serving(world, "--profile", "facts") as running:
        yield running


def registered(server: Server) -> dict[str, str]:
    """A fresh session: {id, session}, whose private scope no other test has seen."""
    name = f"rules-{next(_names)}"
    made = server.post(server.repo("/sessions"), {"session_id": name, "client": "tester"}).json()
    return {"id": made["id"], "session": made["session"], "session_id": name}


def http(server: Server, session: str) -> Ask:
    def ask(operation: str, **given: Any) -> dict[str, Any]:
        method, path = ROUTES[operation]
        body = {"memory_scope": "session", "session": session, **given}
        if method == "POST":
            answer = server.post(server.repo(path), body)
        else:
            pairs = [(k, item) for k, v in body.items() for item in (v if isinstance(v, list) else [v])]
            answer = server.get(server.repo(path), params=[(k, "true" if v is True else str(v)) for k, v in pairs])
        told = dict(answer.json())
        if answer.status_code == 200:
            return told
        advice = f" Advice: {told['advice']}" if told.get("advice") else ""
        return {"refused": f"{told['code']}: {told['detail']}{advice}"}

    return ask


def mcp(server: Server, session: str) -> Ask:
    def ask(operation: str, **given: Any) -> dict[str, Any]:
        told = server.tool(operation, {"memory_scope": "session", "session": session, **given})
        return {"refused": told["content"][0]["text"]} if told.get("isError") else dict(told["structuredContent"])

    return ask


def rows(*triples: tuple[Any, ...]) -> list[dict[str, Any]]:
    names = ("subject", "predicate", "object", "confidence")
    return [dict(zip(names, triple, strict=False)) for triple in triples]


def save(ask: Ask, *triples: tuple[Any, ...], **more: Any) -> list[str]:
    """Outcomes, or the refusal."""
    told = ask("upsert_graph_triples", triples=rows(*triples), **more)
    return [row["outcome"] for row in told["outcomes"]] if "outcomes" in told else [told["refused"]]


def current(ask: Ask, name: str, **more: Any) -> list[str]:
    told = ask("query_subgraph", entities=[name], **more)
    return sorted(f"{row['subject']} {row['predicate']} {row['object']}" for row in told["facts"])


def spellings_of_one_name(ask: Ask) -> Any:
    save(
        ask,
        ("Caf\u00e9  Service", "USES", "A"),
        (" cafe\u0301 SERVICE ", "USES", "B"),
        ("C", "IS", "x"),
        ("C++", "IS", "y"),
    )
    return current(ask, "CAF\u00c9 service"), current(ask, "C"), current(ask, "C++")


def words_for_the_user(ask: Ask) -> Any:
    save(ask, ("me", "LIKES", "tabs"), ("the user", "LIKES", "vim"), ("I", "HATES", "noise"))
    return current(ask, "User")


def names_are_measured_and_never_cut(ask: Ask) -> Any:
    return save(ask, ("x" * 120, "USES", "A")), save(ask, ("y" * 121, "USES", "A")), current(ask, "y" * 121)


def saving_again_confirms(ask: Ask) -> Any:
    first = save(ask, ("A", "USES", "B", 0.4))
    again = save(ask, ("A", "USES", "B", 0.9), ("a", "uses", "b", 0.2))
    fact = ask("query_subgraph", entities=["A"])["facts"][0]
    return first, again, fact["confirmations"], fact["confidence"]


def a_retry_with_its_key_adds_nothing(ask: Ask) -> Any:
    first = save(ask, ("A", "USES", "B"), idempotency_key="k")
    again = save(ask, ("A", "USES", "B"), idempotency_key="k")
    other = save(ask, ("A", "USES", "C"), idempotency_key="k")
    return first, again, other, ask("query_subgraph", entities=["A"])["facts"][0]["confirmations"]


def a_missing_confidence_is_one(ask: Ask) -> Any:
    save(ask, ("A", "USES", "B"))
    return ask("query_subgraph", entities=["A"])["facts"][0]["confidence"]


def predicates_are_brought_into_form_or_refused(ask: Ask) -> Any:
    save(ask, ("A", "depends on", "B"), ("A", "dependsOn", "C"), ("A", "uses", "D"))
    bad = [save(ask, ("A", word, "B")) for word in ("`A`]->()", "1ST", "", "x" * 65, "a; DROP", "ÜBER")]
    return current(ask, "A"), bad


def replacing_closes_and_history_stays(ask: Ask) -> Any:
    save(ask, ("A", "PORT", "1"), ("A", "PORT", "2"), ("A", "USES", "2"))
    told = ask("upsert_graph_triples", triples=rows(("A", "PORT", "3")), replace=True)
    return told["counts"], current(ask, "A"), current(ask, "A", history=True)


def saving_a_closed_fact_reopens_it(ask: Ask) -> Any:
    save(ask, ("A", "PORT", "1"))
    save(ask, ("A", "PORT", "2"), replace=True)
    again = save(ask, ("A", "PORT", "1"), replace=True)
    kept = ask("query_subgraph", entities=["A"], history=True)["facts"]
    fact = next(row for row in kept if row["object"] == "1")
    return again, len(fact["intervals"]), current(ask, "A")


def same_as_adds_an_alias_and_merges(ask: Ask) -> Any:
    save(ask, ("Pay", "USES", "Stripe"), ("PayCore", "USES", "Redis"), ("Pay", "KNOWS", "PayCore"))
    told = ask("upsert_graph_triples", triples=rows(("Pay", "SAME_AS", "PayCore")))
    return told["counts"], current(ask, "paycore"), save(ask, ("Pay", "SAME_AS", "User"))


def a_batch_is_all_or_nothing_with_every_error(ask: Ask) -> Any:
    refused = save(ask, ("A", "USES", "B"), ("", "USES", "B"), ("A", "?", "B"), ("A", "USES", "x" * 200))
    return len(re.findall(r"triples\[\d\]", refused[0])), current(ask, "A")


def the_past_is_read_as_it_stood(ask: Ask) -> Any:
    save(ask, ("A", "PORT", "1"))
    before = ask("query_subgraph", entities=["A"])["facts"][0]["created_at"]
    save(ask, ("A", "PORT", "2"), replace=True)
    return current(ask, "A", as_of=before), current(ask, "A", as_of="2001-01-01T00:00:00Z"), current(ask, "A")


def limits_name_what_frees_room(ask: Ask) -> Any:
    save(ask, *((f"s{n}", "HAS", "size") for n in range(999)))
    return save(ask, ("s1", "MORE", "size")), save(ask, ("s2", "MORE", "size"))


def names_are_found_by_pieces_and_aliases(ask: Ask) -> Any:
    save(ask, ("payments-api", "USES", "Stripe"), ("payments-api", "SAME_AS", "PayCore"))
    found = ask("search_graph_nodes", query="paycor")
    return [(node["name"], node["aliases"]) for node in found["nodes"]], found["total"]


def recall_answers_from_this_chat_alone_and_small_talk_gets_nothing(ask: Ask) -> Any:
    save(ask, ("billing", "USES", "Stripe"))
    hits = ask("recall_context", query="what does billing use")
    return [hit["title"] for hit in hits["hits"]], hits["notice"], ask("recall_context", query="thanks!")["hits"]


def injected_words_stay_words(ask: Ask) -> Any:
    save(ask, ("A`]->() DETACH DELETE n", "USES", "'; DROP TABLE x; --"), ("A", "USES", "B"))
    return current(ask, "A`]->() DETACH DELETE n"), current(ask, "A")


def secrets_are_redacted(ask: Ask) -> Any:
    return save(ask, ("deploy key", "IS", "AKIAIOSFODNN7TRAP42X")), str(current(ask, "deploy key")).count("AKIA")


HAPPENS: dict[Callable[[Ask], Any], Callable[[Any], bool]] = {
    spellings_of_one_name: lambda got: [len(facts) for facts in got] == [2, 1, 1],
    words_for_the_user: lambda got: len(got) == 3 and all(fact.startswith("User ") for fact in got),
    names_are_measured_and_never_cut: lambda got: got[0] == ["created"] and "121 char" in got[1][0] and not got[2],
    saving_again_confirms: lambda got: got == (["created"], ["confirmed", "confirmed"], 3, 0.9),
    a_retry_with_its_key_adds_nothing: lambda got: got[0] == got[1] and "was used for" in got[2][0] and got[3] == 1,
    a_missing_confidence_is_one: lambda got: got == 1.0,
    predicates_are_brought_into_form_or_refused: lambda got: len(got[0]) == 3 and "predicate" in str(got[1]),
    replacing_closes_and_history_stays: lambda got: got[0] == {"closed": 2, "created": 1} and len(got[2]) == 4,
    saving_a_closed_fact_reopens_it: lambda got: got == (["reopened"], 2, ["A PORT 1"]),
    same_as_adds_an_alias_and_merges: lambda got: got[0] == {"merged": 1} and "merged away" in got[2][0],
    a_batch_is_all_or_nothing_with_every_error: lambda got: got == (3, []),
    the_past_is_read_as_it_stood: lambda got: got == (["A PORT 1"], [], ["A PORT 2"]),
    limits_name_what_frees_room: lambda got: got[0] == ["created"] and "1,000" in got[1][0],
    names_are_found_by_pieces_and_aliases: lambda got: got == ([("payments-api", ["PayCore"])], 1),
    recall_answers_from_this_chat_alone_and_small_talk_gets_nothing: lambda got: len(got[0]) == 1 and not got[2],
    injected_words_stay_words: lambda got: [len(facts) for facts in got] == [1, 1],
    secrets_are_redacted: lambda got: got == (["created"], 0),
}


@pytest.mark.parametrize("rule", HAPPENS, ids=lambda rule: rule.__name__)
def test_both_doors_follow_the_rule_and_agree(server: Server, rule: Callable[[Ask], Any]) -> None:
    said = [rule(door(server, registered(server)["session"])) for door in (http, mcp)]
    for got in said:
        assert HAPPENS[rule](got), got
    assert _VARYING.sub("*", repr(said[0])) == _VARYING.sub("*", repr(said[1]))


@pytest.mark.parametrize("door", [http, mcp], ids=["http", "mcp"])
def test_a_revoked_session_is_refused_at_once_at_both_doors(server: Server, door: Callable[[Server, str], Ask]) -> None:
    made = registered(server)
    ask = door(server, made["session"])
    assert save(ask, ("A", "USES", "B")) == ["created"]
    assert server.request("DELETE", server.repo(f"/sessions/{made['id']}")).status_code == 200
    for told in (ask("recall_context", query="A"), ask("query_subgraph", entities=["A"])):
        assert "no open session" in told["refused"]
    assert "no open session" in save(ask, ("A", "USES", "C"))[0]
    again = server.post(server.repo("/sessions"), {"session_id": made["session_id"], "client": "tester"})
    assert again.status_code == 409


def test_headers_and_arguments_that_disagree_are_refused_at_both_doors(server: Server) -> None:
    one, two = registered(server), registered(server)
    headers = {"Remora-Session-Id": two["session_id"], "Remora-Client": "tester"}
    given = {"query": "x", "memory_scope": "session", "session": one["session"]}
    assert server.post(server.repo("/recall"), given, headers=headers).status_code == 400
    assert server.tool("recall_context", given, headers=headers)["isError"]
    agreed = {**given, "session": two["session"]}
    assert server.post(server.repo("/recall"), agreed, headers=headers).status_code == 200
    assert not server.tool("recall_context", agreed, headers=headers).get("isError")
    alone = {"Remora-Session-Id": two["session_id"]}
    assert server.post(server.repo("/recall"), agreed, headers=alone).status_code == 400


def test_a_private_fact_is_in_no_answer_of_the_repository_or_of_another_chat(server: Server) -> None:
    mine, other = registered(server), registered(server)
    save(http(server, mine["session"]), ("Quokka", "USES", "Eucalypt"))
    for door in (http, mcp):
        assert door(server, other["session"])("recall_context", query="Quokka")["hits"] == []
        durable = door(server, other["session"])("recall_context", query="Quokka", memory_scope="repository")
        assert durable["hits"] == []
        assert current(door(server, other["session"]), "Quokka") == []
