"""Private sessions: registering, resolving, revoking, sweeping, promoting."""

import pytest

from remora.core.errors import Conflict, InvalidBatch, InvalidInput, NotFound
from remora.core.scope import Channel, Right, session_scope
from remora.core.sessions import SessionRef, resolve_session
from remora.usecases.list_sessions import ListSessionsRequest, list_sessions
from remora.usecases.promote_facts import PromoteFactsRequest, promote_facts
from remora.usecases.register_session import RegisterSessionRequest, register_session
from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session
from remora.usecases.sweep_sessions import sweep_sessions

DAY = 86_400
A = ("Billing", "uses", "Postgres")


def opens(bag, grant, ref):
    with bag.store.read(grant) as view:
        return resolve_session(view, grant, ref.handle, bag.clock.now())


def test_a_handle_is_told_once_and_only_its_hash_is_kept(bag, as_member):
    ann = as_member("ann")
    ref = bag.register(grant=ann)
    with bag.store.read(ann) as view:
        stored = str(view.snapshot(("sessions",), ("system",)))
    assert ref.handle not in stored
    assert ref.handle.removeprefix("rs_") not in stored


def test_registering_again_is_the_same_session_and_old_handles_stay_valid(bag, as_member):
    ann = as_member("ann")
    first, second = bag.register(grant=ann), bag.register(grant=ann)
    assert first != second
    assert opens(bag, ann, first).id == opens(bag, ann, second).id


def test_chats_clients_and_principals_have_sessions_of_their_own(bag, as_member):
    refs = [
        (as_member("ann"), bag.register("c1", as_member("ann"))),
        (as_member("ann"), bag.register("c2", as_member("ann"))),
        (as_member("ann"), bag.register("c1", as_member("ann"), "codex")),
        (as_member("bob"), bag.register("c1", as_member("bob"))),
    ]
    assert len({opens(bag, grant, ref).id for grant, ref in refs}) == 4


def test_a_session_ends_seven_days_after_registration_and_reconnecting_does_not_extend_it(bag, as_member):
    ann = as_member("ann")
    ref = bag.register(grant=ann)
    bag.clock.advance(6 * DAY)
    again = bag.register(grant=ann)
    bag.clock.advance(1 * DAY + 1)
    for handle in (ref, again):
        with pytest.raises(NotFound):
            opens(bag, ann, handle)
    with pytest.raises(Conflict, match="stays closed") as caught:
        bag.register(grant=ann)
    assert "new session id" in caught.value.advice
    bag.register("chat-2", ann)


def test_unknown_foreign_revoked_and_expired_handles_are_told_apart_by_no_one(bag, as_member):
    ann, bob = as_member("ann"), as_member("bob")
    revoked, foreign, expired = bag.register("r", ann), bag.register("f", bob), bag.register("e", ann)
    revoke_session(bag, ann, RevokeSessionRequest(session=revoked))
    texts = set()
    for ref in (revoked, foreign, SessionRef(handle="rs_" + "0" * 32), SessionRef(handle="nonsense")):
        with pytest.raises(NotFound) as caught:
            bag.ask("billing", ann, "session", session=ref)
        texts.add(str(caught.value))
    bag.clock.advance(8 * DAY)
    with pytest.raises(NotFound) as caught:
        bag.save(A, grant=ann, session=expired, memory_scope="session")
    assert texts == {str(caught.value)}


def test_an_operator_opens_no_one_elses_session(bag, as_member):
    ref = bag.register(grant=as_member("ann"))
    with pytest.raises(NotFound):
        bag.ask("billing", memory_scope="session", session=ref)


def test_session_recall_never_falls_back_to_repository_facts(bag):
    bag.save(A)
    ref = bag.register()
    assert bag.ask("what does Billing use", memory_scope="session", session=ref) == []
    bag.save(("Billing", "uses", "SQLite"), session=ref, memory_scope="session")
    assert bag.ask("what does Billing use", memory_scope="session", session=ref) == ["Billing USES SQLite"]
    assert bag.ask("what does Billing use") == ["Billing USES Postgres"]
    other = bag.register("chat-2")
    assert bag.ask("what does Billing use", memory_scope="session", session=other) == []


def test_a_runtime_id_opens_the_session_without_a_handle_and_disagreement_is_refused(bag):
    ref = bag.register("c1")
    bag.register("c2")
    bag.save(A, session=ref, memory_scope="session")
    runtime = SessionRef(client="claude-code", session_id="c1")
    assert bag.ask("billing", memory_scope="session", session=runtime) == ["Billing USES Postgres"]
    both = SessionRef(handle=ref.handle, client="claude-code", session_id="c2")
    with pytest.raises(InvalidInput, match="different sessions"):
        bag.ask("billing", memory_scope="session", session=both)


def test_revoking_closes_at_once_and_deletes_what_was_private(bag, as_member):
    ann = as_member("ann")
    ref = bag.register(grant=ann)
    bag.save(A, grant=ann, session=ref, memory_scope="session")
    session = opens(bag, ann, ref)
    result = revoke_session(bag, ann, RevokeSessionRequest(session=ref))
    assert result.items_deleted == 5
    with bag.store.read(ann) as view:
        assert view.snapshot(("facts",), (session.scope,)) == ()
        assert "Postgres" not in str(view.snapshot(("facts", "sessions"), (session.scope, "system", "repository")))
    with pytest.raises(Conflict):
        bag.register(grant=ann)


def test_only_the_owner_and_an_administrator_revoke(bag, as_member):
    ref = bag.register(grant=as_member("ann"))
    item = opens(bag, as_member("ann"), ref).id
    with pytest.raises(NotFound):
        revoke_session(bag, as_member("bob"), RevokeSessionRequest(id=item))
    assert not revoke_session(bag, as_member("root", Right.ADMIN), RevokeSessionRequest(id=item)).already_closed
    assert revoke_session(bag, as_member("ann"), RevokeSessionRequest(id=item)).already_closed


def test_a_sweep_deletes_the_facts_of_ended_sessions_only_and_once(bag, as_member):
    ann = as_member("ann")
    old = bag.register("old", ann)
    bag.save(A, grant=ann, session=old, memory_scope="session")
    scope = opens(bag, ann, old).scope
    bag.clock.advance(6 * DAY)
    young = bag.register("young", ann)
    bag.save(A, grant=ann, session=young, memory_scope="session")
    bag.clock.advance(2 * DAY)
    swept = sweep_sessions(bag, as_member("server"))
    assert [session_scope(item) for item in swept.sessions] == [scope]
    assert swept.items_deleted == 5
    assert sweep_sessions(bag, as_member("server")).sessions == ()
    assert bag.ask("billing", ann, "session", session=young) == ["Billing USES Postgres"]
    with pytest.raises(Conflict):
        bag.register("old", ann)


def test_one_lists_ones_own_sessions_and_an_administrator_all(bag, as_member):
    bag.register("a", as_member("ann"))
    bag.register("b", as_member("bob"))
    mine = list_sessions(bag, as_member("ann"), ListSessionsRequest())
    assert [session.session_id for session in mine.sessions] == ["a"]
    everyone = list_sessions(bag, as_member("root", Right.ADMIN), ListSessionsRequest(everyone=True))
    assert {row["session_id"] for row in everyone.to_json()["sessions"]} == {"a", "b"}


def test_the_first_handle_outlives_hundreds_of_registrations(bag, as_member):
    ann = as_member("ann")
    refs = [bag.register(grant=ann) for _ in range(260)]
    assert opens(bag, ann, refs[0]).id == opens(bag, ann, refs[-1]).id
    with pytest.raises(NotFound):
        opens(bag, ann, refs[1])
    with bag.store.read(ann) as view:
        assert view.counts(("system",))["sessions", "Handle", "system"] == 256


@pytest.mark.parametrize(
    ("client", "session_id"),
    [
        ("c", "../../victim"), ("c", "/abs"), ("c", "a/../../b"), ("c", "a\x00b"), ("c", "~"), ("c", "x" * 300),
        ("c", "a..b"), ("c", ""), ("c", "a b"), ("..", "s"), ("", "s"), ("c\n", "s"), ("x" * 300, "s"), ("c", "\ud83d"),
    ],
)  # fmt: skip
def test_ids_that_could_be_paths_are_refused(bag, client, session_id, as_member):
    with pytest.raises(InvalidInput):
        register_session(
            bag, as_member("ann").via("mcp", ""), RegisterSessionRequest(client=client or " ", session_id=session_id)
        )


def test_promotion_keeps_provenance_and_says_who_promoted(bag, as_member):
    ann = as_member("ann")
    ref = bag.register(grant=ann)
    made = bag.save(A, ("me", "prefers", "tabs"), grant=ann, session=ref, memory_scope="session")
    ids = [row.id for row in made.saved]
    bag.clock.advance(60)
    result = promote_facts(bag, ann.via(Channel.HTTP, "page"), PromoteFactsRequest(session=ref, facts=ids))
    assert [outcome for outcome, _ in result.promoted.values()] == ["created", "created"]
    with bag.store.read(ann) as view:
        edges = view.scan("facts", "FACT", ("repository",), limit=9)[0]
    for edge in edges:
        assert edge.body["provenance"]["client"] == "test"
        assert edge.body["promoted"]["by"] == "ann"
        assert edge.body["promoted"]["from"] in ids
    assert set(bag.ask("tabs")) == {"User:ann PREFERS tabs"}
    assert bag.ask("tabs", ann, "session", session=ref) == ["User PREFERS tabs"]


def test_promotion_takes_only_current_facts_of_ones_own_session(bag, as_member):
    ann = as_member("ann")
    ref, other = bag.register("c1", ann), bag.register("c2", ann)
    mine = bag.save(A, grant=ann, session=ref, memory_scope="session").saved[0].id
    with pytest.raises(NotFound):
        promote_facts(bag, ann, PromoteFactsRequest(session=other, facts=[mine]))
    with pytest.raises(NotFound):
        promote_facts(bag, as_member("bob"), PromoteFactsRequest(session=ref, facts=[mine]))
    bag.save(("Billing", "uses", "MySQL"), grant=ann, session=ref, memory_scope="session", replace=True)
    with pytest.raises(InvalidBatch, match="closed"):
        promote_facts(bag, ann, PromoteFactsRequest(session=ref, facts=[mine]))
    assert bag.ask("Billing") == []
