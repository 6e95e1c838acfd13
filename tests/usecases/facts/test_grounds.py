"""Grounds for an answer: what tells a question that memory answers from one that merely shares words with it."""

import random

import pytest

from fakes.embedder import FakeEmbedder
from remora.core.recall.typos import mistyped
from remora.core.scope import operator_grant
from remora.usecases.index_memory import IndexMemoryRequest, index_memory

FACTS = (
    ("INC-2126", "caused by", "unbounded retries"),
    ("INC-2119", "caused by", "exhausted connection pool"),
    ("parcelTracker", "listens on", "port 8420"),
    ("rateEngine", "listens on", "port 8430"),
    ("driverApp", "built with", "Flutter"),
    ("driverApp", "owned by", "Last Mile team"),
    ("Last Mile team", "led by", "Jonas Weber"),
    ("quoteApi", "calls", "rateEngine"),
    ("rateEngine", "written in", "Rust"),
    ("MAX_CONTENT_LENGTH", "limits", "bytes read from a request body"),
    ("Flask 3.1.0", "released on", "2024-11-13"),
    ("Flask", "depends on", "Werkzeug"),
    ("notifyHub", "sends mail through", "Postmark"),
)


@pytest.fixture
def told(bag):
    bag.save(*FACTS)
    return bag


def test_an_identifier_that_nobody_knows_is_no_little_of_another(told):
    assert told.ask("what was INC-2126 caused by")[0] == "INC-2126 CAUSED_BY unbounded retries"
    assert told.ask("what was INC-2140 caused by") == []
    assert told.ask("when was Flask 1.0 released") == []
    assert "Flask 3.1.0 RELEASED_ON 2024-11-13" in told.ask("when was Flask 3.1.0 released")


def test_what_is_asked_of_an_entity_is_not_answered_with_another_ones_facts(told):
    assert told.ask("which port does driverApp listen on") == []
    assert told.ask("which port does rateEngine listen on")[0] == "rateEngine LISTENS_ON port 8430"


def test_one_clause_that_is_covered_is_enough_however_much_is_said_around_it(told):
    text = "An upload is rejected as far too large by the gateway. Which setting caps the bytes of a request?"
    assert told.ask(text)[0] == "MAX_CONTENT_LENGTH LIMITS bytes read from a request body"
    text = "Please look this up before I go on with the terraform plan: what is driverApp built with?"
    assert told.ask(text)[0] == "driverApp BUILT_WITH Flutter"


def test_verbs_by_which_a_question_asks_are_not_taken_for_phrasing(told):
    assert "rateEngine WRITTEN_IN Rust" in told.ask("which language is what quoteApi calls written in")
    assert told.ask("who owns driver app")[0] == "driverApp OWNED_BY Last Mile team"


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("what is drvierApp built with", "driverApp BUILT_WITH Flutter"),
        ("notifyHbu sends mail through what", "notifyHub SENDS_MAIL_THROUGH Postmark"),
        ("what does MAX_CONTNET_LENGTH limit", "MAX_CONTENT_LENGTH LIMITS bytes read from a request body"),
        ("which port does rateEngine lsiten on", "rateEngine LISTENS_ON port 8430"),
        ("which lnguage is rateEngine in", "rateEngine WRITTEN_IN Rust"),
    ],
)
def test_typos_are_mended_in_names_predicates_and_ordinary_words(told, question, title):
    assert told.ask(question)[:1] == [title]


def test_likeness_stands_in_for_words_and_not_for_whom_they_are_about(told):
    told.embedder = FakeEmbedder()
    told.save(("Billing", "uses", "Postgres"), ("Ledger", "uses", "bricks"))
    index_memory(told, operator_grant(), IndexMemoryRequest())
    assert told.ask("persistence layer of invoicing") == ["Billing USES Postgres"]
    assert told.ask("which storage database does Ledger persist invoices in") == []


def test_any_text_is_judged_without_a_crash(told):
    dice = random.Random(4)
    for text in ("", "?", ". , ; :", "a-b-c-" * 400, "1.0 " * 300, "\0\ud800", "x" * 100_000, "? " * 2_000):
        told.ask(text)
    for _ in range(30):
        told.ask("".join(dice.choice("ab1._-/ ?,;:éß東\u202e") for _ in range(60)))


def test_swaps_drops_and_doubles_are_typos_and_other_words_are_not():
    assert mistyped("gatewya", "gateway")
    assert mistyped("elasticsaerch", "elasticsearch")
    assert not mistyped("port", "sort")
    assert not mistyped("v1.2", "v1.3")
