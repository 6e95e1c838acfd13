"""Leafing through everything: facets, pages, search; and what a person does to what is found there."""

import pytest

from remora.core.browse.facets import Facets
from remora.core.emphasis import Emphasis, emphases, emphasise
from remora.core.errors import Conflict, Denied, InvalidInput, LimitReached, NotFound
from remora.core.graph import Changes
from remora.core.policy import EMPHASES_PER_REPOSITORY
from remora.core.records.model import SHARED, Record, SourceArtifact
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import Right, Trust
from remora.usecases.browse import BrowseRequest, browse
from remora.usecases.close_fact import close_fact
from remora.usecases.correct_fact import CorrectFactRequest, correct_fact
from remora.usecases.emphasise_item import EmphasiseRequest, emphasise_item
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.show_fact import show_fact
from store_shapes import REPO


def looked(bag, grant, text="", cursor="", limit=50, **facets):
    return browse(bag, grant, BrowseRequest(text=text, facets=Facets(**facets), cursor=cursor, limit=limit))


def titles(page):
    return [row.title for row in page.rows]


def kept(bag, grant, key, title, at, kind=RecordKind.REGRESSION, **more):
    record = Record.create(
        idempotency_key=key, kind=kind, title=title, summary="", repository=REPO.identity, occurred_at=at,
        sources=[SourceArtifact("ci", f"ci://{key}")], access_scope=SHARED, owner="ann", **more,
    )  # fmt: skip
    bag.record_index._log.append(grant, record)
    return record.id


def all_pages(bag, grant, **options):
    seen, cursor = [], ""
    while True:
        page = looked(bag, grant, cursor=cursor, **options)
        seen += titles(page)
        cursor = page.next_cursor
        if not cursor:
            return seen


def test_families_are_merged_newest_first_and_paged_without_gap_or_repeat(bag, as_member):
    ann = as_member("ann")
    second = bag.clock.now() // 1_000_000
    for n in range(9):
        bag.clock.advance(1)
        bag.save((f"s{n}", "HAS", f"o{n}"))
        kept(bag, ann, f"r{n}", f"record {n}", second + n + 1)
    whole = titles(looked(bag, ann))
    assert len(whole) == 18
    assert whole[:2] == ["s8 HAS o8", "record 8"]
    for limit in (1, 2, 3, 5, 7, 17):
        assert all_pages(bag, ann, limit=limit) == whole


def test_items_of_one_instant_are_never_lost_between_pages(bag, as_member):
    ann = as_member("ann")
    second = bag.clock.now() // 1_000_000 + 5
    for n in range(7):
        kept(bag, ann, f"same{n}", f"record {n}", second)
    bag.save(*((f"s{n}", "HAS", f"o{n}") for n in range(7)))
    whole = titles(looked(bag, ann))
    assert len(whole) == 14
    assert sorted(all_pages(bag, ann, limit=3)) == sorted(whole)
    assert all_pages(bag, ann, limit=3) == whole


def test_facets_narrow_by_family_kind_source_trust_time_and_what_is_over(bag, as_member):
    ann = as_member("ann", trust=Trust.MEMBER)
    bag.save(("Billing", "uses", "Postgres"), grant=ann)
    bag.clock.advance(100)
    then = bag.clock.now()
    bag.save(("Billing", "uses", "MySQL"), grant=ann, replace=True)
    kept(bag, ann, "a", "broke", then // 1_000_000)
    kept(bag, ann, "b", "chosen", then // 1_000_000, RecordKind.ARCHITECTURE_DECISION)
    assert titles(looked(bag, ann, family="facts")) == ["Billing USES MySQL"]
    assert set(titles(looked(bag, ann, family="facts", past=True))) == {"Billing USES MySQL", "Billing USES Postgres"}
    assert titles(looked(bag, ann, kind="regression")) == ["broke"]
    assert titles(looked(bag, ann, source="CI://B")) == ["chosen"]
    assert titles(looked(bag, ann, source="via mcp")) == ["Billing USES MySQL"]
    assert titles(looked(bag, ann, trust="member")) == ["Billing USES MySQL"]
    assert titles(looked(bag, ann, trust="external")) == []
    assert len(looked(bag, ann, since=then).rows) == 3
    assert titles(looked(bag, ann, until=then - 1, past=True)) == []
    assert titles(looked(bag, ann, scope="private")) == []
    for bad in ({"family": "x"}, {"kind": "x"}, {"scope": "x"}, {"trust": "x"}):
        with pytest.raises(InvalidInput):
            looked(bag, ann, **bad)
    for cursor in ("x", "1:9:a", "r1", "\0", "9" * 40):
        with pytest.raises(InvalidInput):
            looked(bag, ann, cursor=cursor)


def test_a_search_finds_by_part_alias_and_typo_and_is_never_silenced(bag, as_member):
    ann = as_member("ann")
    bag.save(("Billing service", "depends on", "Postgres"), ("Postgres", "SAME_AS", "pg"), ("Search", "uses", "Lucene"))
    assert titles(looked(bag, ann, text="pg and four other words nobody knows")) == [
        "Billing service DEPENDS_ON Postgres"
    ]
    assert titles(looked(bag, ann, text="lucen")) == ["Search USES Lucene"]
    page = looked(bag, ann, text="postgres")
    assert page.ranked
    assert page.rows[0].why
    assert looked(bag, ann, text="zebra").rows == ()
    for odd in ("\0", '"', "*", "AND OR", "\ud800", "的", "a" * 100_000):
        looked(bag, ann, text=odd)


def test_search_pages_hold_every_match_once(bag, as_member):
    ann = as_member("ann")
    bag.save(*((f"service {n}", "uses", "Postgres") for n in range(23)))
    seen = all_pages(bag, ann, text="postgres", limit=5)
    assert len(seen) == len(set(seen)) == 23


def test_chats_are_listed_only_when_asked_for_and_only_ones_own(bag, as_member):
    ann, bob = as_member("ann"), as_member("bob")
    chat = bag.register(grant=ann)
    bag.save(("Private", "IS", "thing"), grant=ann, memory_scope="session", session=chat)
    assert titles(looked(bag, ann)) == []
    assert titles(looked(bag, ann, scope="chat")) == ["Private IS thing"]
    assert titles(looked(bag, ann, scope="chat", text="thing")) == ["Private IS thing"]
    assert titles(looked(bag, bob, scope="chat")) == []
    (row,) = looked(bag, ann, scope="chat").rows
    assert show_fact(bag, ann, row.id).session.session_id == "chat-1"
    with pytest.raises(NotFound):
        show_fact(bag, bob, row.id)


def test_pins_come_first_and_buries_last_and_neither_breaks_silence(bag, as_member):
    ann = as_member("ann")
    saved = bag.save(*((f"Service {n}", "uses", "Postgres") for n in range(12)), grant=ann).saved
    ids = {f"{row.subject} USES Postgres": row.id for row in saved}
    usual = bag.ask("which service uses Postgres?")
    last, first = next(item for title, item in ids.items() if title not in usual), ids[usual[0]]
    emphasise_item(bag, ann, EmphasiseRequest(item=last, emphasis="pin"))
    emphasise_item(bag, ann, EmphasiseRequest(item=first, emphasis="bury"))
    result = recall(bag, ann, RecallRequest(query="which service uses Postgres?", memory_scope="repository"))
    assert result.hits[0].id == last
    assert "pinned" in result.hits[0].matched_by
    assert first not in {hit.id for hit in result.hits}
    assert bag.ask("what is the capital of France?") == []
    assert [row.emphasis for row in looked(bag, ann, text="postgres").rows][:1] == ["pin"]
    assert looked(bag, ann, text="postgres").rows[-1].emphasis == "bury"
    emphasise_item(bag, ann, EmphasiseRequest(item=last, emphasis=""))
    emphasise_item(bag, ann, EmphasiseRequest(item=first, emphasis=""))
    assert bag.ask("which service uses Postgres?") == usual
    with bag.store.read(ann) as view:
        assert emphases(view).held == {}


def test_an_emphasis_needs_the_write_right_and_something_that_is_there(bag, as_member):
    ann = as_member("ann")
    target = bag.save(("A", "IS", "B"), grant=ann).saved[0].id
    with pytest.raises(Denied):
        emphasise_item(bag, as_member("eve", right=Right.READ), EmphasiseRequest(item=target, emphasis="pin"))
    for absent in ("fct_" + "0" * 24, "mem_" + "0" * 24, "ses_x", ""):
        with pytest.raises(NotFound):
            emphasise_item(bag, ann, EmphasiseRequest(item=absent, emphasis="pin"))
    with pytest.raises(InvalidInput):
        emphasise_item(bag, ann, EmphasiseRequest(item=target, emphasis="love"))
    record = kept(bag, ann, "a", "broke", 5)
    emphasise_item(bag, ann, EmphasiseRequest(item=record, emphasis="bury"))
    assert [row.emphasis for row in looked(bag, ann, family="records").rows] == ["bury"]


def test_who_pins_everything_is_told_the_limit(bag, as_member):
    ann = as_member("ann")
    target = bag.save(("A", "IS", "B"), grant=ann).saved[0].id

    def pin_all(view, now):
        made = [emphasise(view, ann, f"fct_{n}", Emphasis.PIN, now).put[0] for n in range(EMPHASES_PER_REPOSITORY)]
        return Changes(put=tuple(made))

    bag.store.apply(ann, pin_all)
    with pytest.raises(LimitReached):
        emphasise_item(bag, ann, EmphasiseRequest(item=target, emphasis="pin"))
    emphasise_item(bag, ann, EmphasiseRequest(item=target, emphasis=""))


def test_a_retracted_fact_is_closed_and_keeps_its_history(bag, as_member):
    ann = as_member("ann")
    target = bag.save(("A", "IS", "B"), grant=ann).saved[0].id
    close_fact(bag, ann, target)
    detail = show_fact(bag, ann, target)
    assert not detail.row.fact.current
    assert len(detail.row.fact.intervals) == 1
    assert bag.ask("what is A?") == []
    with pytest.raises(Conflict):
        close_fact(bag, ann, target)
    with pytest.raises(Denied):
        close_fact(bag, as_member("eve", right=Right.READ), target)


def test_a_corrected_fact_closes_the_former_value_alone(bag, as_member):
    ann = as_member("ann")
    target = bag.save(("Billing", "uses", "Postgres"), grant=ann).saved[0].id
    bag.save(("Billing", "uses", "Redis"), grant=ann)
    saved = correct_fact(bag, ann, CorrectFactRequest(fact=target, object="PostgreSQL 16"))
    assert not show_fact(bag, ann, target).row.fact.current
    detail = show_fact(bag, ann, saved)
    assert detail.row.text == "Billing USES PostgreSQL 16"
    assert {row.text: row.fact.current for row in detail.values} == {
        "Billing USES PostgreSQL 16": True, "Billing USES Postgres": False, "Billing USES Redis": True,
    }  # fmt: skip
    with pytest.raises(InvalidInput):
        correct_fact(bag, ann, CorrectFactRequest(fact=saved, object="postgresql 16"))
    with pytest.raises(InvalidInput):
        correct_fact(bag, ann, CorrectFactRequest(fact=saved, object=" "))
    with pytest.raises(Conflict):
        correct_fact(bag, ann, CorrectFactRequest(fact=target, object="x"))
