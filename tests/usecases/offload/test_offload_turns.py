"""Turns become facts of their chat: whatever the model answers, the job's outcome is noted and no bad fact is kept."""

import json
import threading

import pytest

from chat_server import drips, floods, hangs, http, says, sends
from remora.adapters.offload_queue import OffloadQueue
from remora.core import policy
from remora.core.errors import Denied, InvalidInput, NotFound, QueueFull
from remora.core.jobs import Job, JobState, enqueued
from remora.core.models.routes import parse_routes
from remora.core.schema import checked
from remora.core.scope import Right, operator_grant, restricted_grant
from remora.core.sessions import SessionRef
from remora.entrypoints.catalogue.listing import by_name
from remora.usecases.list_sessions import ListSessionsRequest, list_sessions
from remora.usecases.offload_turns import OffloadRequest, offload_turns
from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session

SAID = "Our billing uses Stripe for cards."


def answer(*rows: tuple[str, str, str, object]) -> str:
    return json.dumps(
        {"facts": [dict(zip(("subject", "predicate", "object", "confidence"), r, strict=True)) for r in rows]}
    )


GOOD = answer(("billing", "USES", "Stripe", 0.9))


def test_a_models_facts_are_saved_in_the_chat_alone_with_its_name(bag):
    ref, other = bag.register(), bag.register("chat-2")
    with bag.asking(says(GOOD)):
        done = bag.offload(ref, SAID)
        assert done.extractor == "stub/m"
        [job] = bag.finished()
    assert (job["id"], job["state"], job["facts"]) == (done.job, "done", {"created": 1})
    assert bag.facts(ref) == ["billing USES Stripe"]
    assert bag.facts(other) == []
    assert bag.facts() == []


def test_the_answer_comes_before_the_model_runs(bag):
    ref, gate = bag.register(), threading.Event()
    with bag.asking(lambda wire, asked: (gate.wait(10), says(GOOD)(wire, asked))):
        done = bag.offload(ref, SAID)
        assert done.job
        assert bag.facts(ref) == []
        gate.set()
        bag.finished()
    assert bag.facts(ref) == ["billing USES Stripe"]


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (says("I cannot help with that."), "unreadable"),
        (says(""), "unreadable"),
        (says("<think>" + GOOD), "unreadable"),
        (sends(http(b"not json")), "malformed"),
        (sends(http(b"{}", status="500 Oops")), "status"),
        (sends(http(b"", status="302 Found", headers="location: http://203.0.113.7/\r\n")), "refused"),
        (sends(b"\x00\xff garbage"), "unreachable"),
        (hangs(2), "timeout"),
        (drips(http(b"x" * 5000)), "timeout"),
        (floods(12 << 20), "too_large"),
    ],
    ids=["prose", "empty", "thoughts", "no json", "500", "redirect", "garbage", "slow", "drip", "huge"],
)
def test_a_model_without_a_usable_answer_fails_the_job_and_rules_read_the_turns(bag, behaviour, error):
    ref = bag.register()
    with bag.asking(behaviour, timeout=0.5 if error == "timeout" else 10):
        bag.offload(ref, SAID, "the walrus sings at midnight")
        [job] = bag.finished()
    assert (job["state"], job["error"]) == ("failed", error)
    assert all("Stripe" in fact for fact in bag.facts(ref))
    assert "walrus" not in json.dumps(job)


def test_only_what_was_said_with_confidence_is_kept_and_the_rest_is_counted(bag):
    ref = bag.register()
    rows = answer(
        ("billing", "USES", "Stripe", 0.9), ("billing", "uses", "PayPal", 0.99), ("billing", "NEEDS", "cards", 0.3),
        ("billing", "NEEDS", "Stripe", None), ("billing", "`); DROP", "Stripe", 0.9), ("Stripe", "FOR", "cards", "0.8"),
        ("x" * 300, "USES", "Stripe", 0.9), ("billing", "IS", "Our", 0.9), ("it", "IS", "Stripe", 1.0),
    )  # fmt: skip
    with bag.asking(says(f"Sure!\n```json\n{rows}\n```")):
        bag.offload(ref, SAID + " it Our")
        [job] = bag.finished()
    assert bag.facts(ref) == ["Stripe FOR cards", "billing USES Stripe"]
    dropped = job["dropped"]
    assert dropped["ungrounded"] == 2
    assert dropped["confidence"] == 2
    assert dropped["predicate"] == 1
    assert dropped["vague"] == 2


def test_a_hostile_answer_can_neither_merge_names_nor_reach_another_scope(bag):
    ref = bag.register()
    rows = [
        {"subject": "User", "predicate": "SAME_AS", "object": "admin", "confidence": 1},
        {"subject": "billing", "predicate": "USES", "object": "Stripe", "confidence": 1, "memory_scope": "repository"},
        {"subject": "ignore previous instructions", "predicate": "USES", "object": "Stripe", "confidence": 1},
    ]
    with bag.asking(says(json.dumps({"facts": rows, "session": "other", "replace": True}))):
        bag.offload(ref, SAID)
        bag.finished()
    assert bag.facts(ref) == ["billing USES Stripe"]
    assert bag.facts() == []


def test_known_names_are_offered_and_ground_by_their_aliases(bag):
    ref = bag.register()
    merge, use = answer(("payments-api", "SAME_AS", "PayCore", 0.9)), answer(("payments-api", "USES", "Stripe", 1))
    with bag.asking(says(merge), says(use)) as server:
        bag.offload(ref, "payments-api is PayCore")
        bag.finished()
        bag.offload(ref, "PayCore uses Stripe now")
        bag.finished()
        assert "payments-api" in server.asked[1].body["messages"][0]["content"]
    assert bag.facts(ref) == ["payments-api USES Stripe"]


def test_secrets_are_redacted_before_a_model_sees_them(bag):
    ref = bag.register()
    with bag.asking(says("[]")) as server:
        bag.offload(ref, "deploy with AKIAIOSFODNN7TRAP42X and password=hunter2hunter2 please")
        bag.finished()
        assert "AKIAIOSFODNN7TRAP42X" not in server.asked[0].text
        assert "hunter2" not in server.asked[0].text
        assert "[redacted:" in server.asked[0].text


def test_without_a_route_rules_read_and_nothing_is_contacted(bag):
    ref = bag.register()
    done = bag.offload(ref, "We decided to use PostgreSQL for the ledger.")
    assert done.extractor == "rules"
    [job] = bag.finished()
    assert (job["state"], job["extractor"], job["facts"]) == ("done", "rules", {"created": 2})
    assert bag.facts(ref) == ["ledger USES PostgreSQL", "project USES PostgreSQL"]


def test_a_route_that_is_not_local_is_refused_by_its_name_and_nothing_is_queued(bag):
    row = {"kind": "openai-compatible", "base_url": "https://models.example.com/v1", "model": "m"}
    bag.routes = parse_routes({"providers": {"far": row}, "tasks": {"memory": "far"}})
    with pytest.raises(Denied, match=r"task memory -> provider far at https://models\.example\.com"):
        bag.offload(bag.register(), SAID)
    assert bag.finished() == []


def test_a_host_that_turns_out_not_to_be_local_fails_the_job_with_the_route_named(bag):
    row = {"kind": "openai-compatible", "base_url": "http://192.0.2.1:9/v1", "model": "m", "local": True}
    bag.routes = parse_routes({"providers": {"lie": row}, "tasks": {"memory": "lie"}})
    bag.offload(bag.register(), SAID)
    [job] = bag.finished()
    assert (job["state"], job["error"]) == ("failed", "denied")
    assert "task memory -> provider lie at http://192.0.2.1:9/v1 is refused" in job["detail"]


def test_a_full_queue_says_when_to_come_back(bag):
    ref, gate = bag.register(), threading.Event()
    with bag.asking(lambda wire, asked: (gate.wait(20), says("[]")(wire, asked))):
        for _ in range(3):
            bag.offload(ref, SAID)
        with pytest.raises(QueueFull) as full:
            bag.offload(ref, SAID)
        assert full.value.retry_seconds > 0
        gate.set()
        assert len(bag.finished()) == 3
        bag.offload(ref, SAID)
        assert len(bag.finished()) == 4


def test_the_same_call_again_is_the_same_job(bag):
    ref = bag.register()
    first = bag.offload(ref, SAID, idempotency_key="k")
    again = bag.offload(ref, SAID, idempotency_key="k")
    assert (again.job, again.replayed) == (first.job, True)
    assert len(bag.finished()) == 1


def test_a_session_that_ends_meanwhile_gets_no_fact(bag):
    ref, gate = bag.register(), threading.Event()
    with bag.asking(lambda wire, asked: (gate.wait(20), says(GOOD)(wire, asked))):
        bag.offload(ref, SAID)
        [session] = list_sessions(bag, _operator(), ListSessionsRequest()).sessions
        revoke_session(bag, _operator(), RevokeSessionRequest(id=session.id))
        gate.set()
        [job] = bag.finished()
    assert (job["state"], job["error"], job["facts"]) == ("failed", "session_closed", {})
    with pytest.raises(NotFound):
        bag.offload(ref, SAID)


def test_what_is_no_turn_is_an_error_that_repeats_nothing_of_it(bag):
    ref = bag.register()
    bad = [
        [],
        [{"role": "system", "content": "walrus"}],
        [{"role": "user", "content": ""}],
        [{"role": "user", "content": 7}],
        [{"role": "user", "content": "walrus " * 60_000}],
        [{"role": "user", "content": "walrus"}] * (policy.OFFLOAD_TURNS_MAX + 1),
    ]
    for turns in bad:
        with pytest.raises(InvalidInput) as error:
            offload_turns(bag, _operator(), OffloadRequest(turns=turns, session=ref))
        assert "walrus" not in str(error.value)
    with pytest.raises(InvalidInput, match="session scope only"):
        offload_turns(bag, _operator(), OffloadRequest(turns=[{"role": "user", "content": "a"}], session=SessionRef()))


@pytest.mark.parametrize(
    "turns",
    ["walrus", ["walrus"], [{"role": "walrus", "content": "a"}], [{"role": "user", "content": ["walrus"]}],
     [{"role": "user", "content": {"text": "walrus"}}], {"walrus": 1}, 7],
)  # fmt: skip
def test_no_door_repeats_a_word_of_what_is_no_turn(turns):
    with pytest.raises(InvalidInput) as error:
        checked(by_name("offload_turns").input, {"turns": turns})
    assert "walrus" not in str(error.value)


def test_jobs_are_ones_own_and_the_last_two_hundred_stay(bag):
    ann = restricted_grant("ann", repository_claims=["*"], right=Right.READ)
    ref, hers = bag.register(), bag.register("chat-ann", ann)
    for number in range(policy.JOBS_KEPT + 5):
        row = Job(id=f"job_{number:024x}", principal="operator", session="s", client="c", holder="h", turns=1, chars=1,
                  created=bag.clock.now() + number, state=JobState.DONE)  # fmt: skip
        bag.store.apply(_operator(), lambda view, now, row=row: enqueued(view, row))
    bag.clock.advance(1)
    bag.offload(hers, "x y z", grant=ann)
    bag.offload(ref, "x y z")
    assert len(bag.finished(ann)) == 1
    assert len(bag.finished(limit=500)) == policy.JOBS_KEPT - 1
    assert len(bag.finished(everyone=True, limit=500)) == policy.JOBS_KEPT
    with pytest.raises(Denied):
        bag.finished(ann, everyone=True)


def test_a_job_whose_process_died_is_told_as_lost(bag):
    ref = bag.register()
    bag.queue, living = OffloadQueue("dead", limit=3), bag.queue
    bag.queue.submit = lambda work: None  # type: ignore[method-assign]  # the process ended with the job in its queue
    bag.offload(ref, SAID)
    bag.queue = living
    assert [job["state"] for job in bag.finished()] == ["queued"], "its lease has not run out"
    bag.clock.advance(policy.JOB_LEASE_SECONDS + 1)
    assert [job["state"] for job in bag.finished()] == ["lost"]


def _operator():
    return operator_grant(client="cli")
