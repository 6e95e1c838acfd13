"""Saving facts through the store."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from remora.core.errors import Conflict, Denied, InvalidBatch, InvalidInput, LimitReached, NotFound
from remora.core.facts.batch import Triple
from remora.core.scope import Right, Trust, operator_grant
from remora.core.sessions import SessionRef

A = ("Billing", "uses", "Postgres")


def test_outcomes_come_in_the_words_that_are_stored(bag):
    result = bag.save(A, ("billing", "depends on", "Ledger"))
    rows = result.to_json()["outcomes"]
    assert [(row["outcome"], row["subject"], row["predicate"]) for row in rows] == [
        ("created", "Billing", "USES"),
        ("created", "billing", "DEPENDS_ON"),
    ]
    assert result.totals["facts"] == 2
    assert result.totals["facts_limit"] == 10_000
    assert result.to_json()["counts"] == {"created": 2}


def test_a_replayed_write_returns_the_former_result_and_adds_nothing(bag):
    first = bag.save(A, idempotency_key="k")
    again = bag.save(A, idempotency_key="k")
    assert again.replayed
    assert again.saved == first.saved
    assert bag.save(A).to_json()["counts"] == {"confirmed": 1}


def test_one_key_for_two_different_batches_is_a_conflict(bag):
    bag.save(A, idempotency_key="k")
    with pytest.raises(Conflict):
        bag.save(("Billing", "uses", "MySQL"), idempotency_key="k")
    bag.save(("Billing", "uses", "MySQL"), idempotency_key="k", session=bag.register(), memory_scope="session")


def test_keys_of_different_principals_do_not_meet(bag, as_member):
    bag.save(A, idempotency_key="k", grant=as_member("ann"))
    assert not bag.save(("x", "uses", "y"), idempotency_key="k", grant=as_member("bob")).replayed


def test_a_bad_batch_writes_nothing_and_names_every_error(bag):
    with pytest.raises(InvalidBatch) as caught:
        bag.save(A, ("", "USES", "b"), ("a", "??", "b"))
    assert len(caught.value.errors) == 2
    assert bag.ask("Postgres") == []


def test_an_extracted_batch_reports_what_it_dropped(bag):
    result = bag.save(
        Triple(subject="A", predicate="USES", object="B", confidence=0.9),
        Triple(subject="A", predicate="USES", object="C", confidence=None),
        model="smol",
    )
    assert result.dropped == {"confidence": 1}
    assert bag.ask("A uses B") == ["A USES B"]


def test_secrets_are_redacted_before_the_length_is_measured(bag):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    result = bag.save(("deploy bot", "USES", f"token {secret} " + "x" * 60))
    assert secret not in json.dumps(result.to_json())
    with bag.store.read(operator_grant()) as view:
        assert secret not in str(view.snapshot(("facts",), ("repository",)))


def test_an_error_text_holds_no_secret(bag):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    with pytest.raises(InvalidBatch) as caught:
        bag.save(("a", f"!! {secret}", "b"))
    assert secret not in str(caught.value)


def test_provenance_is_stamped_by_us(bag, as_member):
    ref = bag.register(grant=as_member("ann"))
    bag.save(A, grant=as_member("ann"), session=ref)
    with bag.store.read(as_member("ann")) as view:
        [edge] = view.scan("facts", "FACT", ("repository",), limit=9)[0]
    saved = edge.body["provenance"]
    assert (saved["principal"], saved["client"], saved["channel"]) == ("ann", "test", "mcp")
    assert saved["session"].startswith("ses_")


def test_a_reader_cannot_write_durable_facts_but_can_keep_its_session(bag, as_member):
    reader = as_member("eve", Right.READ)
    with pytest.raises(Denied):
        bag.save(A, grant=reader)
    ref = bag.register(grant=reader)
    bag.save(A, grant=reader, session=ref, memory_scope="session")


def test_a_stranger_sees_and_writes_nothing(bag, as_member):
    bag.save(A)
    stranger = as_member("mallory", Right.NONE)
    for act in (lambda: bag.save(A, grant=stranger), lambda: bag.ask("Postgres", grant=stranger)):
        with pytest.raises(Denied):
            act()


def test_people_are_not_merged_in_a_shared_scope(bag, as_member):
    bag.save(("me", "prefers", "tabs"), grant=as_member("ann"))
    bag.save(("me", "prefers", "spaces"), grant=as_member("bob"))
    assert set(bag.ask("who prefers tabs or spaces")) == {"User:ann PREFERS tabs", "User:bob PREFERS spaces"}


def test_an_agent_cannot_replace_what_a_member_saved(bag, as_member):
    bag.save(A, grant=as_member("ann", trust=Trust.MEMBER))
    with pytest.raises(InvalidBatch, match="higher trust"):
        bag.save(("Billing", "uses", "evil"), grant=as_member("bot"), replace=True)
    assert bag.ask("what does billing use") == ["Billing USES Postgres"]


@pytest.mark.parametrize("memory_scope", ["", "all", "session:x", "system", "REPOSITORY"])
def test_a_scope_that_is_none_is_refused(bag, memory_scope):
    with pytest.raises(InvalidInput, match="repository or session"):
        bag.save(A, memory_scope=memory_scope)


def test_a_session_write_without_an_open_session_is_refused(bag):
    with pytest.raises(InvalidInput, match="session"):
        bag.save(A, memory_scope="session")
    with pytest.raises(NotFound):
        bag.save(A, memory_scope="session", session=SessionRef(handle="rs_" + "0" * 32))
    with pytest.raises(NotFound):
        bag.save(A, session=SessionRef(handle="rs_" + "0" * 32))


def test_session_facts_count_against_their_own_limit(bag):
    ref = bag.register()
    bag.save(*((f"s{n % 9}", "HAS", f"o{n}") for n in range(1_000)), session=ref, memory_scope="session")
    with pytest.raises(LimitReached, match="1,000 per session"):
        bag.save(("s", "HAS", "more"), session=ref, memory_scope="session")
    assert bag.save(A).totals["facts"] == 1


def test_a_long_result_is_cut_by_whole_rows_and_says_so(bag):
    result = bag.save(*((f"subject {n}", "HAS", f"object {n}") for n in range(400)))
    shown = result.to_json()
    assert shown["truncated"]
    assert shown["counts"] == {"created": 400}
    assert len(json.dumps(shown)) < 25_000


def test_writers_at_the_same_time_lose_nothing_and_make_no_duplicates(bag):
    def write(number):
        bag.save(("Billing", "uses", "Postgres"), (f"service {number}", "uses", "POSTGRES"))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(60)))
    with bag.store.read(operator_grant()) as view:
        counts = view.counts(("repository",))
        edges = view.scan("facts", "FACT", ("repository",), limit=100)[0]
    assert counts["facts", "MemoryEntity", "repository"] == 62
    assert counts["facts", "Alias", "repository"] == 62
    assert max(edge.body.get("confirmations", 1) for edge in edges) == 60


BREAKOUTS = [
    "`", "``", "A`) DETACH DELETE n //", "A`]->() DETACH DELETE n", "'; DROP TABLE item; --", "} ) RETURN 1 //",
    "\u2018USES\u2019", "\uff40", "USES\x00", "USES\nMATCH (n)", "$x", "{p: 1}", "USES|OWNS", ":USES", "\\u0060",
]  # fmt: skip


@pytest.mark.parametrize("text", BREAKOUTS)
def test_text_that_would_break_out_of_a_query_is_refused_as_a_predicate_and_a_type(bag, text):
    bag.save(A)
    with pytest.raises(InvalidBatch):
        bag.save(("a", text, "b"))
    if text != "USES\x00":  # cleaned to a plain word before it is looked at
        with pytest.raises(InvalidBatch):
            bag.save(Triple(subject="a", predicate="uses", object="b", subject_type=text))
    assert bag.save(A).totals["facts"] == 1
