"""Vectors of facts: made with private writes and on request, told when missing, gone with what they stand for."""

import struct

import pytest

from fakes.embedder import FakeEmbedder
from remora.core.errors import Denied, Unavailable
from remora.core.facts.layout import FAMILY
from remora.core.recall.vector_state import read_state
from remora.core.scope import REPOSITORY, Right, operator_grant
from remora.usecases.forget import ForgetRequest, forget
from remora.usecases.index_memory import IndexMemoryRequest, index_memory
from remora.usecases.list_sessions import ListSessionsRequest, list_sessions
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session

OPERATOR = operator_grant()
A = ("Billing", "uses", "Postgres")
B = ("Lisbon", "has", "trams")
QUESTION = "persistence layer of invoicing"


@pytest.fixture
def hybrid(bag):
    bag.embedder = FakeEmbedder()
    return bag


def index(bag, **options):
    return index_memory(bag, options.pop("grant", OPERATOR), IndexMemoryRequest(**options))


def result(bag, query=QUESTION, **options):
    options.setdefault("memory_scope", "repository")
    return recall(bag, OPERATOR, RecallRequest(query=query, **options))


def test_meaning_finds_what_no_word_does_and_says_so(hybrid):
    hybrid.save(A, B)
    assert result(hybrid).silent
    assert index(hybrid).embedded == 2
    found = result(hybrid)
    assert [hit.title for hit in found.hits] == ["Billing USES Postgres"]
    assert "meaning" in found.hits[0].matched_by
    assert found.legs == ("lexical", "vector")


def test_a_question_is_not_embedded_where_nothing_can_be_compared_with_it(hybrid):
    hybrid.save(A)
    assert result(hybrid).legs == ("lexical",)
    assert hybrid.embedder.asked == []


def test_durable_saves_are_not_slowed_and_indexing_goes_on_where_it_stopped(hybrid):
    hybrid.save(*((f"service {at}", "uses", "Postgres") for at in range(11)))
    assert hybrid.embedder.asked == []
    first = index(hybrid, limit=5)
    assert (first.embedded, first.missing) == (5, 6)
    second = index(hybrid)
    assert (second.embedded, second.missing) == (6, 0)
    assert index(hybrid).embedded == 0
    with hybrid.store.read(OPERATOR) as view:
        assert read_state(view, hybrid.embedder.id).made == 11


def test_private_facts_get_their_vectors_with_the_write(hybrid):
    ref = hybrid.register()
    saved = hybrid.save(A, B, memory_scope="session", session=ref)
    assert saved.unembedded == ""
    assert hybrid.embedder.asked == ["Billing uses Postgres", "Lisbon has trams"]
    found = result(hybrid, memory_scope="session", session=ref)
    assert [hit.title for hit in found.hits] == ["Billing USES Postgres"]
    assert result(hybrid).silent


def test_a_model_that_fails_costs_vectors_and_nothing_else(hybrid):
    hybrid.save(A)
    index(hybrid)
    ref = hybrid.register()
    hybrid.embedder.broken = True
    saved = hybrid.save(B, memory_scope="session", session=ref)
    assert saved.to_json()["unembedded"] == "the fake embedder is broken"
    found = result(hybrid, "billing")
    assert [hit.title for hit in found.hits] == ["Billing USES Postgres"]
    assert (found.legs, found.words_alone) == (("lexical",), "the fake embedder is broken")
    assert found.to_json()["words_alone"]
    with pytest.raises(Unavailable, match="broken"):
        hybrid.save(("x", "uses", "y")) and index(hybrid)


def test_unusable_vectors_are_counted_and_never_stored(hybrid):
    hybrid.embedder.spoil = "Lisbon"
    hybrid.save(A, B)
    first = index(hybrid)
    assert (first.embedded, first.refused, first.missing) == (1, 1, 1)
    with hybrid.store.read(OPERATOR) as view:
        assert read_state(view, hybrid.embedder.id).refused == 1
    found = result(hybrid, "Lisbon")
    assert found.words_alone.endswith("gave no usable vector")
    assert [hit.title for hit in found.hits] == ["Lisbon HAS trams"]


def test_another_model_starts_anew_and_never_meets_the_old_ones_vectors(hybrid):
    hybrid.save(A)
    index(hybrid)
    hybrid.embedder = FakeEmbedder("fake:words@2")
    assert result(hybrid).legs == ("lexical",)
    assert index(hybrid).embedded == 1
    assert [hit.title for hit in result(hybrid).hits] == ["Billing USES Postgres"]


def test_who_may_not_write_may_not_index_and_without_a_model_nobody_can(hybrid, as_member):
    hybrid.save(A)
    with pytest.raises(Denied):
        index(hybrid, grant=as_member("reader", Right.READ))
    hybrid.embedder = None
    with pytest.raises(Unavailable, match="no embedder"):
        index(hybrid)


def vectors(bag, scope=REPOSITORY):
    model, size = bag.embedder.id, bag.embedder.dim
    query = struct.pack(f"<{size}f", *([1.0] * size))
    with bag.store.read(OPERATOR) as view:
        return [item.id for item, _ in view.vector_candidates((FAMILY,), (scope,), model, query, floor=-1, limit=99)]


def test_forgetting_takes_the_vector_in_the_same_write(hybrid):
    saved = hybrid.save(A, B)
    index(hybrid)
    assert len(vectors(hybrid)) == 2
    forget(hybrid, OPERATOR, ForgetRequest(facts=[saved.saved[0].id]))
    assert vectors(hybrid) == [saved.saved[1].id]


def test_no_byte_of_a_vector_outlives_its_session_or_its_fact(hybrid, tmp_path):
    if not (tmp_path / "store.sqlite3").exists():  # the plain store has no bytes to look at
        return
    ref = hybrid.register()
    hybrid.save(A, memory_scope="session", session=ref)
    durable = hybrid.save(("Invoice", "twice", "lunch")).saved[0].id
    index(hybrid)
    rows = [hybrid.embedder._row(text) for text in ("Billing uses Postgres", "Invoice twice lunch")]

    def lies_there(row):
        return any(row in file.read_bytes() for file in tmp_path.glob("store.sqlite3*"))

    assert all(map(lies_there, rows))
    forget(hybrid, OPERATOR, ForgetRequest(facts=[durable]))
    [session] = list_sessions(hybrid, OPERATOR, ListSessionsRequest()).sessions
    revoke_session(hybrid, OPERATOR, RevokeSessionRequest(id=session.id))
    hybrid.store.scrub()
    assert not any(map(lies_there, rows))
