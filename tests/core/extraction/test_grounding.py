"""Only what was said is kept: both names occur in the turns as words of their own, or by another known name."""

import string

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from remora.core.extraction.grounding import Heard, grounded
from remora.core.facts.batch import Triple


def triple(subject: str, target: str, predicate: str = "USES") -> Triple:
    return Triple(subject=subject, predicate=predicate, object=target, confidence=0.9)


def nobody(key: str) -> tuple[str, ...]:
    return ()


@pytest.mark.parametrize(
    ("said", "name", "expected"),
    [
        ("we use PostgreSQL here", "postgresql", True),
        ("we use PostgreSQL's planner", "PostgreSQL", True),
        ("category", "cat", False),
        ("written in C++", "C", False),
        ("written in C++", "C++", True),
        ("written in C#.", "C", False),
        ("written in C.", "C", True),
        ("snake_case", "snake", False),
        ("the billing   service\nfails", "Billing Service", True),
        ("path src/app.py:10", "src/app.py", True),
        ("`api-gateway` talks", "api-gateway", True),
        ("我们使用数据库", "数据库", True),
        ("ＡＰＩ", "api", True),
        ("Straße", "STRASSE", True),
        ("", "x", False),
        ("x", "", False),
        ("port 80800", "8080", False),
    ],
)
def test_a_name_occurs_as_a_word_whatever_its_case_and_spacing(said: str, name: str, expected: bool) -> None:
    assert Heard([said]).has(name) is expected


def test_a_name_does_not_reach_over_two_turns() -> None:
    assert not Heard(["billing", "service"]).has("billing service")


def test_what_was_not_said_is_dropped_and_counted() -> None:
    heard = Heard(["billing uses Stripe"])
    found = grounded([triple("billing", "Stripe"), triple("billing", "PayPal"), triple("x", "y")], heard, nobody)
    assert [t.object for t in found.triples] == ["Stripe"]
    assert found.dropped == {"ungrounded": 2}


def test_another_name_of_a_known_entity_counts() -> None:
    heard = Heard(["PayCore uses Stripe"])
    found = grounded([triple("payments-api", "Stripe")], heard, lambda key: ("payments-api", "PayCore"))
    assert len(found.triples) == 1
    merge = [triple("payments-api", "Stripe", "SAME_AS")]
    assert not grounded(merge, heard, lambda key: ("payments-api", "PayCore")).triples


def test_the_user_was_said_when_a_person_spoke_of_themselves() -> None:
    assert grounded([triple("User", "tabs", "PREFERS")], Heard(["I prefer tabs"]), nobody).triples
    assert not grounded([triple("User", "tabs", "PREFERS")], Heard(["tabs are nice"]), nobody).triples


def test_placeholders_of_secrets_and_self_loops_are_no_facts() -> None:
    said = Heard(["the key is [redacted:aws:0123abcd] for prod"])
    found = grounded([triple("key", "[redacted:aws:0123abcd]"), triple("prod", "PROD")], said, nobody)
    assert not found.triples
    assert found.dropped == {"redacted": 1, "same_name": 1}


WORDS = st.text(string.ascii_lowercase, min_size=3, max_size=8)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_a_word_is_said_exactly_when_it_is_among_the_words(words: list[str], name: str) -> None:
    assert Heard([" ".join(words)]).has(name) is (name in words)


@settings(deadline=None)
@given(st.lists(st.text(max_size=40), max_size=5), st.text(max_size=20), st.text(max_size=20))
def test_nothing_is_kept_that_was_not_said(said: list[str], subject: str, target: str) -> None:
    heard = Heard(said)
    assume(not any(heard.has(word) for word in ("i", "me", "my", "user")))
    for kept in grounded([triple(subject, target)], heard, nobody).triples:
        assert heard.has(kept.subject)
        assert heard.has(kept.object)
