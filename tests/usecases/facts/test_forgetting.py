"""Forgetting with a while to think again: hidden at once, undone whole, erased when due, also after a crash."""

from pathlib import Path

import pytest

from encounter_desk import AGENT, concept, observation, sqlite_desk
from remora.adapters.sqlite.store import open_store
from remora.core.errors import Conflict, Denied, NotFound
from remora.core.forgetting import pending
from remora.core.policy import FORGET_UNDO_SECONDS
from remora.core.scope import REPOSITORY, Trust
from remora.usecases.begin_forgetting import begin_forgetting
from remora.usecases.erase_forgotten import erase_forgotten
from remora.usecases.follow_forgetting import Standing, follow_forgetting
from remora.usecases.forget import ForgetRequest, forget
from remora.usecases.list_facts import ListFactsRequest, list_facts
from remora.usecases.list_forgettings import list_forgettings
from remora.usecases.promote_facts import PromoteFactsRequest, promote_facts
from remora.usecases.search_nodes import SearchNodesRequest, search_nodes
from remora.usecases.show_fact import show_fact
from remora.usecases.undo_forgetting import undo_forgetting
from store_shapes import REPO

A = ("Billing", "uses", "Quokkabase")


def fact(bag, grant, *triple):
    return bag.save(triple or A, grant=grant).saved[0].id


def listed(bag, grant):
    return [row.text for row in list_facts(bag, grant, ListFactsRequest(history=True)).facts]


def everything(bag, grant):
    with bag.store.read(grant) as view:
        return sorted(view.snapshot(("facts",), (REPOSITORY,)), key=lambda item: item.id)


def test_what_is_to_be_forgotten_is_out_of_sight_at_once_for_every_reader(bag, as_member):
    ann = as_member("ann")
    begun = begin_forgetting(bag, ann, fact(bag, ann))
    bag.save(("Ledger", "uses", "Redis"), grant=ann)
    assert begun.seconds_left == FORGET_UNDO_SECONDS
    assert listed(bag, ann) == ["Ledger USES Redis"]
    assert bag.ask("what does Billing use?") == []
    assert search_nodes(bag, ann, SearchNodesRequest(query="quokkabase")).nodes == ()
    with pytest.raises(NotFound):
        show_fact(bag, ann, begun.forgetting.target)
    with pytest.raises(NotFound):
        forget(bag, ann, ForgetRequest(facts=(begun.forgetting.target,)))


def test_undo_brings_back_everything_as_it_was(bag, as_member):
    ann = as_member("ann")
    target = fact(bag, ann)
    before = everything(bag, ann)
    begun = begin_forgetting(bag, ann, target)
    bag.clock.advance(FORGET_UNDO_SECONDS - 1)
    assert undo_forgetting(bag, ann, begun.forgetting.id) == target
    assert everything(bag, ann) == before
    assert bag.ask("what does Billing use?") == ["Billing USES Quokkabase"]
    assert list_forgettings(bag, ann) == ()
    bag.clock.advance(60)
    assert erase_forgotten(bag, ann).done == ()
    assert follow_forgetting(bag, ann, begun.forgetting.id, target).standing is Standing.BACK


def test_when_the_time_is_up_it_is_erased_and_only_ids_are_left(bag, as_member):
    ann = as_member("ann")
    target = fact(bag, ann)
    bag.save(("Billing", "owned by", "Payments"), grant=ann)
    begun = begin_forgetting(bag, ann, target)
    assert follow_forgetting(bag, ann, begun.forgetting.id, target).standing is Standing.WAITING
    assert erase_forgotten(bag, ann).next_seconds in (FORGET_UNDO_SECONDS, FORGET_UNDO_SECONDS + 1)
    bag.clock.advance(FORGET_UNDO_SECONDS + 1)
    with pytest.raises(Conflict):
        undo_forgetting(bag, ann, begun.forgetting.id)
    done = erase_forgotten(bag, ann)
    assert done.done == (begun.forgetting.id,)
    assert done.next_seconds == -1
    assert follow_forgetting(bag, ann, begun.forgetting.id, target).standing is Standing.ERASED
    held = everything(bag, ann)
    assert not any("Quokkabase" in str(item) for item in held)
    assert {item.body["item"] for item in held if item.label == "Tombstone"} >= {target}
    assert listed(bag, ann) == ["Billing OWNED_BY Payments"]
    with pytest.raises(NotFound):
        undo_forgetting(bag, ann, begun.forgetting.id)


def test_what_is_said_anew_meanwhile_stays(bag, as_member):
    ann = as_member("ann")
    target = fact(bag, ann)
    begin_forgetting(bag, ann, target)
    assert fact(bag, ann) == target
    bag.clock.advance(FORGET_UNDO_SECONDS + 1)
    erase_forgotten(bag, ann)
    assert listed(bag, ann) == ["Billing USES Quokkabase"]
    assert bag.ask("what does Billing use?") == ["Billing USES Quokkabase"]


def test_an_end_that_went_meanwhile_takes_the_fact_along_and_undo_says_nothing_false(bag, as_member):
    ann = as_member("ann")
    target = fact(bag, ann)
    bag.save(("Billing", "owned by", "Payments"), grant=ann)
    begun = begin_forgetting(bag, ann, target)
    forget(bag, ann, ForgetRequest(entities=("Billing",)))
    undo_forgetting(bag, ann, begun.forgetting.id)
    assert listed(bag, ann) == []


def test_only_who_asked_and_administrators_may_undo(bag, as_member):
    ann, bob = as_member("ann"), as_member("bob")
    begun = begin_forgetting(bag, ann, fact(bag, ann, "X", "is", "Y"))
    with pytest.raises(NotFound):
        undo_forgetting(bag, bob, begun.forgetting.id)
    assert list_forgettings(bag, bob) == ()
    with pytest.raises(NotFound):
        follow_forgetting(bag, bob, begun.forgetting.id, begun.forgetting.target)
    (row,) = list_forgettings(bag, ann)
    assert row.title == "X IS Y"


def test_what_was_saved_with_higher_trust_stays(bag, as_member):
    target = bag.save(A, grant=as_member("ann", trust=Trust.MEMBER)).saved[0].id
    with pytest.raises(Denied):
        begin_forgetting(bag, as_member("bob", trust=Trust.AGENT), target)
    assert bag.ask("what does Billing use?") == ["Billing USES Quokkabase"]


def test_a_chats_private_fact_is_forgotten_in_its_own_scope(bag, as_member):
    ann = as_member("ann")
    chat = bag.register(grant=ann)
    target = bag.save(A, grant=ann, memory_scope="session", session=chat).saved[0].id
    begun = begin_forgetting(bag, ann, target)
    with pytest.raises(NotFound):
        promote_facts(bag, ann, PromoteFactsRequest(session=chat, facts=(target,)))
    undo_forgetting(bag, ann, begun.forgetting.id)
    assert promote_facts(bag, ann, PromoteFactsRequest(session=chat, facts=(target,))).promoted
    again = begin_forgetting(bag, ann, target)
    bag.clock.advance(FORGET_UNDO_SECONDS + 1)
    assert erase_forgotten(bag, ann).done == (again.forgetting.id,)
    assert listed(bag, ann) == ["Billing USES Quokkabase"]


def test_a_crash_between_hiding_and_erasing_loses_nothing_of_the_promise(tmp_path):
    """The wait is in the store: whoever opens it next erases what is due, and the bytes are gone from its files."""
    from fakes.clock import FakeClock
    from remora.core.facts.batch import Triple
    from remora.core.redaction import redact_text
    from remora.usecases.remember import RememberRequest, remember

    class Bag:
        repository, redact, embedder = REPO, staticmethod(redact_text), None

        def __init__(self):
            self.clock = FakeClock()
            self.store = open_store(tmp_path / "s.sqlite3", REPO, self.clock)

    first = Bag()
    triple = Triple(subject="Wombatrix", predicate="knows", object="Zyzzyvanish")
    target = remember(first, AGENT, RememberRequest(triples=[triple])).saved[0].id
    begin_forgetting(first, AGENT, target)
    with first.store.read(AGENT) as view:
        assert len(pending(view)) == 1
    # No closing and no farewell: another process opens the files as they are.
    second = Bag()
    second.clock.advance(FORGET_UNDO_SECONDS + 1)
    assert contains(tmp_path, "Zyzzyvanish")
    assert erase_forgotten(second, AGENT).items >= 3
    assert not contains(tmp_path, "Zyzzyvanish")
    assert not contains(tmp_path, "zyzzyvanish")
    assert not contains(tmp_path, "Wombatrix")
    for bag in (first, second):
        bag.store.close()


def contains(folder: Path, text: str) -> bool:
    return any(text.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_node_goes_with_its_relations_and_versions_and_comes_back_with_them(tmp_path):
    desk = sqlite_desk(tmp_path)
    desk.advance("work")
    desk.write(observation("seen"), concept("whole", "first wording"))
    desk.relate(("Observation:seen", "GROUNDS", "Concept:whole"))
    desk.write(concept("whole", "second wording"))
    node = desk.node("Concept", "whole").id
    before = sorted(desk.items(), key=lambda item: item.id)
    versions = desk.items("encounter_history")
    begun = begin_forgetting(desk, AGENT, node)
    assert desk.node("Concept", "whole") is None
    assert desk.edges("GROUNDS") == []
    assert desk.items("encounter_history") == ()
    undo_forgetting(desk, AGENT, begun.forgetting.id)
    assert sorted(desk.items(), key=lambda item: item.id) == before
    assert desk.items("encounter_history") == versions
    begin_forgetting(desk, AGENT, node)
    desk.clock.advance(FORGET_UNDO_SECONDS + 1)
    erase_forgotten(desk, AGENT)
    assert not contains(tmp_path, "second wording")
    assert not contains(tmp_path, "first wording")


def test_an_encounter_is_part_of_the_spine_and_stays(tmp_path):
    desk = sqlite_desk(tmp_path)
    desk.advance("work")
    with pytest.raises(Denied):
        begin_forgetting(desk, AGENT, desk.node("Encounter", "work").id)
