"""The fact algebra, rule by rule."""

import math

import pytest

from remora.core import policy
from remora.core.errors import Denied, InvalidBatch, InvalidInput, LimitReached
from remora.core.facts.batch import Triple, parse_triple
from remora.core.scope import Trust

A = ("Billing", "USES", "Postgres")


def test_a_new_fact_is_created_with_both_its_ends(shelf):
    assert shelf.outcomes(A) == ["created"]
    assert shelf.current() == {("Billing", "USES", "Postgres")}
    assert set(shelf.aliases()) == {"Billing", "Postgres"}
    assert shelf.fact(*A).confidence == 1.0


def test_saving_again_confirms_and_keeps_the_highest_confidence(shelf):
    shelf.say(Triple(subject="A", predicate="USES", object="B", confidence=0.7))
    assert shelf.outcomes(Triple(subject="a", predicate="uses", object=" B ", confidence=0.4)) == ["confirmed"]
    fact = shelf.fact("A", "USES", "B")
    assert (fact.confirmations, fact.confidence) == (2, 0.7)
    shelf.say(("A", "USES", "B"))
    assert shelf.fact("A", "USES", "B").confidence == 1.0


def test_confirmations_count_in_total_and_per_distinct_source(shelf):
    for principal in ("ann", "ann", "bob", "ann"):
        shelf.say(A, principal=principal)
    fact = shelf.fact(*A)
    assert (fact.confirmations, len(fact.sources)) == (4, 2)


def test_a_retry_with_the_same_key_adds_nothing(shelf):
    shelf.say(A, key="k1")
    assert shelf.outcomes(A, key="k1") == ["unchanged"]
    assert shelf.fact(*A).confirmations == 1
    assert shelf.outcomes(A, key="k2") == ["confirmed"]


def test_a_retry_does_not_reopen_what_was_closed_since(shelf):
    shelf.say(A, key="k1")
    shelf.say(("Billing", "USES", "MySQL"), replacing=True)
    shelf.say(A, key="k1")
    assert shelf.current() == {("Billing", "USES", "MySQL")}


def test_replace_closes_every_other_open_value_and_keeps_history(shelf):
    shelf.say(A, ("Billing", "USES", "Redis"), ("Billing", "OWNS", "Ledger"))
    before = shelf.now
    [planned] = shelf.say(("Billing", "USES", "SQLite"), replacing=True).outcomes
    assert len(planned.closed) == 2
    assert shelf.current() == {("Billing", "USES", "SQLite"), ("Billing", "OWNS", "Ledger")}
    assert shelf.current(before) == {A, ("Billing", "USES", "Redis"), ("Billing", "OWNS", "Ledger")}


def test_the_last_value_of_one_replacing_batch_stays_open(shelf):
    shelf.say(("A", "IS", "x"), ("A", "IS", "y"), ("A", "IS", "x"), replacing=True)
    assert shelf.current() == {("A", "IS", "x")}


def test_a_closed_fact_reopens_when_saved_again(shelf):
    shelf.say(A)
    first = shelf.now
    shelf.say(("Billing", "USES", "MySQL"), replacing=True)
    second = shelf.now
    assert shelf.outcomes(A) == ["reopened"]
    assert shelf.fact(*A).intervals == ((first, second), (shelf.now, None))


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("uses", "USES"),
        ("depends on", "DEPENDS_ON"),
        ("dependsOn", "DEPENDS_ON"),
        ("depends-on", "DEPENDS_ON"),
        ("DEPENDS_ON", "DEPENDS_ON"),
        ("  depends   on ", "DEPENDS_ON"),
        ("HTTPServes", "HTTP_SERVES"),
        ("has 2 replicas", "HAS_2_REPLICAS"),
    ],
)
def test_predicates_are_brought_into_form(shelf, raw, kept):
    shelf.say(("A", raw, "B"))
    assert shelf.current() == {("A", kept, "B")}


@pytest.mark.parametrize(
    "raw",
    ["", " ", "1USES", "USES!", "_USES", "USES_", "A__B", "A`]->() DETACH DELETE", "ｕｓｅｓ", "使う", "U" * 65,
     "x" * 1_000_000, "a\x00b", "\ud83d", "USES`", "USES\u2018", None, 7],
)  # fmt: skip
def test_anything_else_is_a_clear_error(shelf, raw):
    with pytest.raises(InvalidBatch) as caught:
        shelf.say(("A", raw, "B"))
    assert "triples[0].predicate" in str(caught.value)
    assert len(str(caught.value)) < 400
    assert shelf.items == {}


def test_a_type_that_is_no_word_is_refused(shelf):
    for bad in ("A`]->() DETACH DELETE n", "x" * 65, "a\x00`b", "`", 5):
        with pytest.raises(InvalidBatch):
            shelf.say(Triple(subject="A", predicate="USES", object="B", subject_type=bad))
    shelf.say(Triple(subject="A", predicate="USES", object="B", subject_type="Web Service", object_type="datenbank"))
    assert {entity.type for entity in shelf.entities()} == {"Web Service", "datenbank"}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1, "0.5", True, [1]])
def test_a_confidence_outside_zero_to_one_is_refused(shelf, bad):
    with pytest.raises(InvalidBatch):
        shelf.say(Triple(subject="A", predicate="USES", object="B", confidence=bad))


def test_a_batch_is_all_or_nothing_and_lists_every_error(shelf):
    with pytest.raises(InvalidBatch) as caught:
        shelf.say(A, ("", "USES", "B"), ("A", "!!", "C" * 121))
    assert [error.field for error in caught.value.errors] == [
        "triples[1].subject",
        "triples[2].predicate",
        "triples[2].object",
    ]
    assert shelf.items == {}


def test_an_extracted_batch_drops_singly_and_counts(shelf):
    made = shelf.say(
        Triple(subject="A", predicate="USES", object="B", confidence=0.9),
        Triple(subject="A", predicate="USES", object="C", confidence=0.59),
        Triple(subject="A", predicate="USES", object="D"),
        Triple(subject="A", predicate="??", object="E", confidence=0.9),
        extracted=True,
    )
    assert shelf.current() == {("A", "USES", "B")}
    assert made.changes.result["dropped"] == {"confidence": 2, "predicate": 1}


@pytest.mark.parametrize(
    "variant", ["MyService", "myservice", " MYSERVICE ", "ＭｙＳｅｒｖｉｃｅ", "My\u200bService", "MyService\x00"]
)
def test_case_width_and_unseen_characters_make_no_second_entity(shelf, variant):
    shelf.say(("MyService", "USES", "é"), (variant, "USES", "e\u0301"))
    assert set(shelf.names()) == {"MyService", "é"}


@pytest.mark.parametrize(
    "names", [("Отдел 5", "Кабинет 5"), ("東京, Japan", "大阪, Japan"), ("C", "C++", "C#"), ("a-b", "a b", "ab")]
)
def test_names_that_differ_stay_apart(shelf, names):
    shelf.say(*((name, "IS", "thing") for name in names))
    assert set(shelf.names()) == {*names, "thing"}


def test_a_name_of_120_characters_is_kept_and_121_refused(shelf):
    shelf.say(("x" * 120, "IS", "long"))
    with pytest.raises(InvalidBatch, match="121 characters"):
        shelf.say(("x" * 121, "IS", "long"))
    with pytest.raises(InvalidBatch, match="100,000 characters"):
        shelf.say(("x" * 100_000, "IS", "long"))


def test_a_lone_surrogate_is_stored_as_a_replacement_character(shelf):
    shelf.say(("\ud83d", "IS", "\udc95x"))
    assert set(shelf.names()) == {"\ufffd", "\ufffdx"}


@pytest.mark.parametrize("word", ["me", "I", "user", "the user", "User", " THE  USER "])
def test_words_for_the_user_mean_one_entity(shelf, word):
    shelf.say((word, "PREFERS", "tabs"))
    assert shelf.current() == {("User", "PREFERS", "tabs")}
    shelf.say((word, "PREFERS", "spaces"), user="User:ann")
    assert ("User:ann", "PREFERS", "spaces") in shelf.current()


def test_same_as_adds_an_alias_that_resolves(shelf):
    shelf.say(A)
    assert shelf.outcomes(("Postgres", "SAME_AS", "pg")) == ["created"]
    assert shelf.outcomes(("Postgres", "SAME_AS", "PG")) == ["confirmed"]
    assert shelf.outcomes(("billing", "uses", "pg")) == ["confirmed"]
    assert shelf.names() == {"Billing": set(), "Postgres": {"pg"}}


def test_same_as_merges_an_existing_duplicate_with_its_facts(shelf):
    shelf.say(
        A, ("Ledger", "USES", "pg"), ("Billing", "USES", "pg"), ("pg", "RUNS_ON", "db1"), ("pg", "COPY_OF", "Postgres")
    )
    gone = shelf.fact("pg", "RUNS_ON", "db1").id
    [planned] = shelf.say(("Postgres", "same as", "pg")).outcomes
    assert planned.outcome == "merged"
    assert (planned.merged.moved, planned.merged.duplicates, planned.merged.loops) == (2, 1, 1)
    assert shelf.current() == {A, ("Ledger", "USES", "Postgres"), ("Postgres", "RUNS_ON", "db1")}
    assert shelf.fact(*A).confirmations == 2
    assert shelf.names()["Postgres"] == {"pg"}
    assert shelf.tombstones()[gone] == shelf.fact("Postgres", "RUNS_ON", "db1").id


def test_a_merge_keeps_both_histories(shelf):
    shelf.say(("A", "IS", "x"))
    shelf.say(("A", "IS", "z"), replacing=True)
    times = [shelf.now - 1, shelf.now]
    shelf.say(("B", "IS", "x"))
    shelf.say(("A", "SAME_AS", "B"))
    assert shelf.fact("A", "IS", "x").intervals == ((times[0], times[1]), (shelf.now - 1, None))


def test_same_as_with_a_new_first_name_renames_and_keeps_the_facts(shelf):
    shelf.say(("pg", "RUNS_ON", "db1"))
    assert shelf.outcomes(("Postgres", "SAME_AS", "pg")) == ["merged"]
    assert shelf.current() == {("Postgres", "RUNS_ON", "db1")}
    assert shelf.names()["Postgres"] == {"pg"}


def test_merges_chain_within_one_batch(shelf):
    shelf.say(("A", "USES", "x"), ("B", "USES", "y"), ("C", "USES", "z"))
    shelf.say(("B", "SAME_AS", "C"), ("A", "SAME_AS", "C"), ("C", "USES", "x"))
    assert shelf.current() == {("A", "USES", "x"), ("A", "USES", "y"), ("A", "USES", "z")}
    assert len(set(shelf.aliases().values())) == 4


def test_a_person_cannot_be_merged_away(shelf):
    shelf.say(("me", "PREFERS", "tabs"), ("User", "SAME_AS", "Ann"))
    for alias in ("User", "me", "Ann", "User:bob"):
        with pytest.raises(InvalidBatch, match="merged away"):
            shelf.say(("Robot", "SAME_AS", alias))
    assert shelf.names()["User"] == {"Ann"}


def test_a_write_closes_and_merges_nothing_of_higher_trust(shelf):
    shelf.say(A, trust=Trust.MEMBER)
    with pytest.raises(InvalidBatch, match="higher trust"):
        shelf.say(("Billing", "USES", "evil"), replacing=True, trust=Trust.AGENT)
    with pytest.raises(InvalidBatch, match="higher trust"):
        shelf.say(("evil", "SAME_AS", "Postgres"), trust=Trust.AGENT)
    assert shelf.current() == {A}
    shelf.say(("Billing", "USES", "MySQL"), replacing=True, trust=Trust.OPERATOR)
    assert shelf.current() == {("Billing", "USES", "MySQL")}


def test_a_fact_vouched_for_by_higher_trust_is_protected_from_then_on(shelf):
    shelf.say(A, trust=Trust.AGENT)
    shelf.say(A, trust=Trust.OPERATOR)
    with pytest.raises(InvalidBatch):
        shelf.say(("Billing", "USES", "evil"), replacing=True, trust=Trust.AGENT)
    assert shelf.fact(*A).provenance.trust == Trust.AGENT


def test_an_extracted_statement_that_trust_forbids_is_dropped_and_counted(shelf):
    shelf.say(A, trust=Trust.MEMBER)
    made = shelf.say(
        Triple(subject="x", predicate="SAME_AS", object="Postgres", confidence=0.9), extracted=True, trust=Trust.DERIVED
    )
    assert made.changes.result["dropped"] == {"trust": 1}


def test_limits_name_the_limit_the_count_and_what_frees_room(new_shelf):
    shelf = new_shelf("session:s1")
    shelf.say(*((f"s{n % 5}", "HAS", f"o{n}") for n in range(policy.FACTS_PER_SESSION)))
    shelf.say(("s0", "HAS", "o0"))
    with pytest.raises(LimitReached) as caught:
        shelf.say(("s0", "HAS", "more"), ("s0", "HAS", "even more"))
    assert "1,000 per session" in str(caught.value)
    assert "1,000 are stored" in str(caught.value)
    assert "adds 2" in str(caught.value)
    assert "forget" in caught.value.advice
    made = shelf.say(Triple(subject="s0", predicate="HAS", object="more", confidence=1), extracted=True)
    assert made.changes.result["dropped"] == {"limit": 1}


def test_entities_have_their_own_limit(shelf):
    half = policy.ENTITIES_PER_REPOSITORY // 2
    shelf.say(*((f"s{n}", "HAS", f"o{n}") for n in range(half)))
    with pytest.raises(LimitReached, match="5,000 per repository"):
        shelf.say(("s0", "HAS", "one more"))
    assert shelf.outcomes(("s0", "HAS", "o1")) == ["created"]


def test_aliases_and_citations_are_bounded_with_an_error(shelf):
    shelf.say(*(("A", "SAME_AS", f"a{n}") for n in range(policy.ALIASES_PER_ENTITY)))
    with pytest.raises(InvalidBatch, match="aliases"):
        shelf.say(("A", "SAME_AS", "one more"))
    cites = tuple(f"code:f{n}.py" for n in range(policy.CITATIONS_PER_FACT))
    shelf.say(Triple(subject="A", predicate="IS", object="b", citations=cites))
    with pytest.raises(InvalidBatch, match="citations"):
        shelf.say(Triple(subject="A", predicate="IS", object="b", citations=("code:more.py",)))


def test_citations_are_record_ids_fact_ids_and_anchors(shelf):
    good = ("mem_" + "0" * 24, "fct_" + "a" * 24, "code:src/a.py#A.b@abc")
    shelf.say(Triple(subject="A", predicate="IS", object="b", citations=(*good, good[0])))
    assert shelf.fact("A", "IS", "b").citations == good
    for bad in ("http://x", "code:", "mem_1", 5, "code:" + "x" * 600):
        with pytest.raises(InvalidBatch):
            shelf.say(Triple(subject="A", predicate="IS", object="b", citations=(bad,)))


def test_what_a_result_keeps_for_replays_holds_no_names(shelf):
    made = shelf.say(("Secret Project", "OWNED_BY", "Zoe"))
    assert "Zoe" not in str(made.changes.result)
    assert "Secret" not in str(made.changes.result)


def test_unknown_members_of_a_triple_are_named():
    with pytest.raises(InvalidInput, match="colour"):
        parse_triple("triples[0]", {"subject": "a", "predicate": "b", "object": "c", "colour": 1})
    with pytest.raises(InvalidInput, match="lacks object"):
        parse_triple("triples[0]", {"subject": "a", "predicate": "b"})
    with pytest.raises(InvalidInput):
        parse_triple("triples[0]", ["a", "b", "c"])


def test_forgetting_a_fact_leaves_ids_and_no_text(shelf):
    shelf.say(A, ("User", "PHONE", "555-1234"))
    gone = shelf.fact("User", "PHONE", "555-1234").id
    shelf.forget(facts=(gone,))
    assert shelf.current() == {A}
    assert gone in shelf.tombstones()
    assert "555-1234" not in str(shelf.items)
    assert "User" in shelf.names()


def test_forgetting_an_entity_takes_its_names_and_facts(shelf):
    shelf.say(A, ("Postgres", "SAME_AS", "pg"), ("pg", "RUNS_ON", "db1"), ("Billing", "OWNS", "Ledger"))
    entity = shelf.aliases()["pg"]
    result = shelf.forget(entities=(entity,))
    assert shelf.current() == {("Billing", "OWNS", "Ledger")}
    assert len(result["facts"]) == 2
    for word in ("pg", "Postgres", "db1"):
        assert word not in str(list(shelf.items.values()))


def test_what_was_forgotten_can_be_saved_anew(shelf):
    shelf.say(A)
    shelf.forget(facts=(shelf.fact(*A).id,))
    assert shelf.outcomes(A) == ["created"]
    assert shelf.tombstones() == {}


def test_forgetting_what_higher_trust_saved_is_denied(shelf):
    shelf.say(A, trust=Trust.OPERATOR)
    with pytest.raises(Denied):
        shelf.forget(facts=(shelf.fact(*A).id,), trust=Trust.AGENT)
    assert shelf.current() == {A}
