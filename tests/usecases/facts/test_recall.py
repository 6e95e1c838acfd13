"""Recall as agents use it: right things found, silence kept, scopes and budgets respected."""

import json

import pytest

import recall_check as check
from remora.core.errors import InvalidInput
from remora.core.facts.batch import Triple
from remora.core.recall.families import Hit
from remora.core.recall.notice import NOTICE
from remora.core.scope import Trust, operator_grant
from remora.usecases.recall import RecallRequest, recall

A = ("Billing", "uses", "Postgres")


@pytest.fixture
def known(bag):
    made = []
    for line in check.lines(check.FACTS) + check.lines(check.ALIASES):
        subject, predicate, target = check.triple(line)
        types = {} if predicate == "SAME_AS" else check.TYPES
        made.append(
            Triple(
                subject=subject,
                predicate=predicate,
                object=target,
                subject_type=types.get(subject, ""),
                object_type=types.get(target, ""),
            )
        )
    bag.save(*made)
    return bag


def test_each_class_of_question_finds_its_fact(known):
    for name, pairs in check.questions().items():
        missed = [(query, fact) for query, fact in pairs if fact not in known.ask(query)]
        assert len(missed) <= len(pairs) // 10, f"{name}: {missed}"


def test_what_is_not_known_is_met_with_silence(known):
    asked = check.lines(check.UNANSWERABLE)
    answered = [query for query in asked if known.ask(query)]
    assert len(answered) <= 0.15 * len(asked), answered


def test_small_talk_gets_nothing_and_says_that_it_was_gated(known):
    for text in check.lines(check.SMALL_TALK):
        result = recall(known, operator_grant(), RecallRequest(query=text, memory_scope="repository"))
        assert result.hits == ()
        assert result.gated


@pytest.mark.parametrize(
    ("saved", "query"),
    [
        (("pre-edit-check", "is", "on"), "pre-edit"), (("pre-edit-check", "is", "on"), "pre-edit-check"),
        (("rule one", "says", "don't use agents"), "don't use agents"), (("it's", "is", "it"), "it's"),
        (("image", "based on", "ubuntu 20.04"), "ubuntu 20.04"), (("app", "released", "v1.2.3-rc.1"), "v1.2.3-rc.1"),
        (("foo.bar()", "calls", "baz"), "foo.bar()"), (("x", "named", "a quoted thing"), '"quoted thing"'),
        (("設定", "使用", "gen-itgc"), "設定"), (("データベース", "IS", "主系サーバー"), "データベース"),
        (("Отдел 5", "is", "open"), "отдел 5"), (("naïve café", "is", "open"), "naive cafe"),
        (("C++", "is", "old"), "c++"),
    ],
)  # fmt: skip
def test_any_spelling_in_a_query_is_safe_and_found(bag, saved, query):
    saved = (saved[0], "is" if not saved[1].isascii() else saved[1], saved[2])
    bag.save(saved)
    assert len(bag.ask(query)) == 1


@pytest.mark.parametrize(
    "query",
    ["", " ", "*", "AND", "NEAR(", "a:b", "(", "^", "\x00", '"', "' OR 1=1 --", "\ud83d", "x" * 100_000, "a/b/c\\d",
     "{}[]", "%_%", "\u202e", "NOT", "-", "…"],
)  # fmt: skip
def test_no_query_is_an_error(bag, query):
    bag.save(A)
    assert bag.ask(query) == []


def test_results_never_go_empty_while_typing_a_known_name(bag):
    bag.save(("tb-frontend", "uses", "React"))
    for typed in ("tb", "tb-", "tb-f", "tb-fr", "tb-frontend"):
        assert bag.ask(typed) == ["tb-frontend USES React"], typed


def test_an_exact_phrase_comes_first(bag):
    bag.save(("chat", "may send", "mail"), ("send", "logs", "chat"), ("chat-send", "is", "a queue"))
    assert bag.ask("chat-send")[0] == "chat-send IS a queue"
    assert bag.ask('"chat send"')[0] == "chat-send IS a queue"


def test_closed_facts_are_told_only_when_history_or_a_time_is_asked(bag):
    bag.save(A)
    then = bag.clock.now() + 1
    bag.clock.advance(60)
    bag.save(("Billing", "uses", "MySQL"), replace=True)
    assert bag.ask("what does billing use") == ["Billing USES MySQL"]
    assert set(bag.ask("what does billing use", history=True)) == {"Billing USES MySQL", "Billing USES Postgres"}
    assert bag.ask("what does billing use", as_of=then) == ["Billing USES Postgres"]


def test_every_answer_carries_the_notice_the_family_the_source_and_why(bag):
    bag.save(A)
    result = recall(bag, operator_grant(), RecallRequest(query="billing", memory_scope="repository")).to_json()
    assert result["notice"] == NOTICE
    [hit] = result["hits"]
    assert hit["family"] == "facts"
    assert hit["source"] == "operator via cli (cli), 2023-11-14"
    assert hit["why"] == "subject"
    assert result["legs"] == ["lexical"]


def test_ten_facts_fit_into_two_and_a_half_kilobytes(bag):
    bag.save(*(("Billing service", f"relation {n} with", f"component number {n}") for n in range(10)))
    result = recall(bag, operator_grant(), RecallRequest(query="billing service", memory_scope="repository", limit=10))
    assert len(result.hits) == 10
    assert len(json.dumps(result.to_json(), ensure_ascii=False).encode()) <= 2_560


def test_a_budget_leaves_out_whole_facts_and_counts_them(bag):
    bag.save(*(("Billing", "has", f"part {n}") for n in range(8)))
    for max_chars in (1, 200, 700):
        result = recall(
            bag, operator_grant(), RecallRequest(query="billing", memory_scope="repository", max_chars=max_chars)
        )
        assert result.truncated
        assert result.left_out == 8 - len(result.hits)
        assert not result.silent


def test_a_hub_does_not_fill_the_answer(bag):
    bag.save(*((f"service {n}", "uses", "Postgres") for n in range(60)), ("Ledger", "uses", "Postgres"))
    bag.save(("Ledger", "owned by", "Ann"))
    assert bag.ask("who owns Ledger")[0] == "Ledger OWNED_BY Ann"
    assert "Ledger USES Postgres" in bag.ask("ledger postgres")[:1]


def test_unasked_recall_believes_only_the_trusted_or_corroborated(bag, as_member):
    stranger = as_member("peer", trust=Trust.EXTERNAL)
    bag.save(A, grant=stranger)
    assert bag.ask("billing") == ["Billing USES Postgres"]
    assert bag.ask("billing", unasked=True) == []
    bag.save(A, grant=as_member("other", trust=Trust.EXTERNAL))
    assert bag.ask("billing", unasked=True) == ["Billing USES Postgres"]


def test_other_families_join_repository_answers_and_never_session_answers(bag):
    bag.save(A)
    more = [[Hit(family="notes", id="n1", title="Billing was rewritten", score=9.0)]]
    ref = bag.register()
    asked = RecallRequest(query="billing", memory_scope="repository")
    both = recall(bag, operator_grant(), asked, more=more)
    assert {hit.family for hit in both.hits} == {"facts", "notes"}
    private = recall(bag, operator_grant(), RecallRequest(query="billing", session=ref), more=more)
    assert private.hits == ()


@pytest.mark.parametrize(
    "bad", [{"hops": 0}, {"hops": 3}, {"limit": 0}, {"limit": 51}, {"max_chars": 0}, {"fusion_k": 0}]
)
def test_options_out_of_range_are_named(bag, bad):
    with pytest.raises(InvalidInput, match=next(iter(bad))):
        recall(bag, operator_grant(), RecallRequest(query="billing", memory_scope="repository", **bad))


def test_equal_facts_come_newest_first(bag):
    for name in ("one", "two", "three"):
        bag.save((f"service {name}", "uses", "Redis"))
    assert bag.ask("redis") == ["service three USES Redis", "service two USES Redis", "service one USES Redis"]
