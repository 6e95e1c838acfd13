"""The verbs of records on a real log and index: recording, searching, explaining, evidence, and who sees what."""

from collections.abc import Callable
from typing import Any

import pytest

from remora.core.errors import Conflict, Denied, InvalidInput, NotFound
from remora.core.records.indexed import Category
from remora.core.records.log import AppendOutcome
from remora.core.records.model import (
    SHARED,
    AccessScope,
    Link,
    PathChange,
    Record,
    SourceArtifact,
    SymbolAnchor,
    SymbolChange,
    Verification,
)
from remora.core.records.outcome import OutcomeRequest
from remora.core.records.search import Ranking, RecordQuery
from remora.core.records.vocabulary import (
    Lifecycle,
    PathChangeKind,
    RecordKind,
    Relation,
    VerificationStatus,
)
from remora.core.scope import operator_grant, restricted_grant
from remora.usecases.compact_records import compact_records
from remora.usecases.evidence import evidence
from remora.usecases.explain_decision import explain_decision
from remora.usecases.explain_history import explain_history
from remora.usecases.find_similar_change import find_similar_change
from remora.usecases.get_record import get_record
from remora.usecases.known_pitfalls import known_pitfalls
from remora.usecases.record_outcome import record_outcome
from remora.usecases.search_records import search_records
from remora.usecases.verify_records import verify_records

OPERATOR = operator_grant()
REPO = "https://github.com/acme/api"


Bag = Any
"""See conftest.py."""


def touched(path: str) -> dict[str, object]:
    return {"path_changes": (PathChange(PathChangeKind.MODIFIED, path, path),)}


def about(label: str, path: str = "src/auth.py") -> dict[str, object]:
    return {"affected_symbols": (SymbolAnchor(f"n:{label}", label, path),)}


def a_request(**changes: object) -> OutcomeRequest:
    fields: dict[str, object] = {
        "idempotency_key": "agent-task-42",
        "title": "Refresh lock attempt failed",
        "summary": "Holding the session mutex across network I/O deadlocked refresh.",
        "outcome": "failed",
        "source_uri": "agent://task/42",
    }
    return OutcomeRequest(**(fields | changes))  # type: ignore[arg-type]


# --- Recording --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("succeeded", RecordKind.CHANGE_EPISODE),
        ("partial", RecordKind.CHANGE_EPISODE),
        ("failed", RecordKind.FAILED_ATTEMPT),
        ("rolled_back", RecordKind.FAILED_ATTEMPT),
        ("regressed", RecordKind.REGRESSION),
    ],
)
def test_an_outcome_decides_the_kind(bag: Bag, outcome: str, kind: RecordKind) -> None:
    assert record_outcome(bag, OPERATOR, a_request(outcome=outcome)).record.kind is kind


def test_a_later_retry_is_already_present_and_other_content_is_a_conflict(bag: Bag) -> None:
    first = record_outcome(bag, OPERATOR, a_request(symbols=("refresh_token",)))
    again = record_outcome(
        bag, OPERATOR, a_request(symbols=("refresh_token",)), lookup=lambda name: ("node-1", "src/auth.py")
    )
    assert (first.outcome, again.outcome) == (AppendOutcome.RECORDED, AppendOutcome.ALREADY_PRESENT)
    assert again.record == first.record
    with pytest.raises(Conflict):
        record_outcome(bag, OPERATOR, a_request(symbols=("refresh_token",), summary="Something else."))


def test_names_that_resolve_are_anchors_and_others_stay_raw_and_half_as_sure(bag: Bag) -> None:
    lookup = {"refresh_token": ("node-1", "src/auth.py")}.get
    record = record_outcome(bag, OPERATOR, a_request(symbols=("refresh_token", "ghost")), lookup=lookup).record
    assert record.affected_symbols == (
        SymbolAnchor("node-1", "refresh_token", "src/auth.py", confidence=1.0),
        SymbolAnchor("ghost", "ghost", "", confidence=0.5),
    )
    assert bag.search(symbol="ghost") == ["agent-task-42"]


def test_secrets_are_redacted_in_every_text_before_storing(bag: Bag) -> None:
    request = a_request(
        title="t hunter2", summary="s hunter2", source_uri="https://x/?p=hunter2", verification_notes="n hunter2",
        verification_commands=("curl hunter2",), branch="b-hunter2",
    )  # fmt: skip
    record_outcome(bag, OPERATOR, request)
    evidence(bag, OPERATOR, ["x"])
    stored = b"".join(path.read_bytes() for path in bag.home.rglob("*") if path.is_file())
    assert b"hunter2" not in stored
    assert record_outcome(bag, OPERATOR, request).outcome is AppendOutcome.ALREADY_PRESENT


@pytest.mark.parametrize(
    ("field_name", "value"),
    [
        ("outcome", "won"), ("title", " "), ("idempotency_key", ""), ("source_uri", ""), ("confidence", 2.0),
        ("scope", "world"), ("verification_status", "sure"), ("title", "x" * 501), ("confidence", float("nan")),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_what_is_allowed(bag: Bag, field_name: str, value: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        record_outcome(bag, OPERATOR, a_request(**{field_name: value}))
    assert field_name.removesuffix("_uri") in caught.value.field or field_name == "source_uri"


def test_an_outcome_is_private_to_its_writer_unless_it_says_otherwise(bag: Bag) -> None:
    ann = restricted_grant("ann", repository_claims=[REPO])
    bob = restricted_grant("bob", repository_claims=[REPO])
    record = record_outcome(bag, ann, a_request()).record
    assert (record.access_scope, record.owner) == (AccessScope(), "ann")
    assert bag.search("refresh", grant=bob) == []
    with pytest.raises(NotFound):
        get_record(bag, bob, record.id)
    record_outcome(bag, ann, a_request(idempotency_key="shared", scope="repository"))
    assert bag.search("refresh", grant=bob) == ["shared:by:ann"]
    with pytest.raises(Denied):
        record_outcome(bag, restricted_grant("eve"), a_request(idempotency_key="x", scope="repository"))


def test_a_key_that_a_hidden_record_holds_shows_nothing_of_it(bag: Bag) -> None:
    ann, bob = restricted_grant("ann"), restricted_grant("bob")
    record_outcome(bag, ann, a_request())
    mine = a_request(summary="Mine is another story.")
    assert record_outcome(bag, bob, mine).outcome is AppendOutcome.RECORDED
    assert record_outcome(bag, bob, mine).outcome is AppendOutcome.ALREADY_PRESENT
    found = search_records(bag, bob, RecordQuery("story"))
    assert (len(found.hits), found.total) == (1, 1)


# --- Searching --------------------------------------------------------------------------------------------------------


def test_a_part_of_a_camel_case_name_finds_it_and_a_file_is_not_found_by_the_end_of_another(bag: Bag) -> None:
    bag.add("camel", title="Rename refreshToken")
    bag.add("data", **touched("src/data.py"))
    assert bag.search("refresh") == ["camel"]
    assert bag.search("a.py") == []
    assert bag.search(symbol="a.py") == []
    assert bag.search(symbol="data.py") == ["data"]


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("run the pre-edit hook", "pre-edit"), ("pre-edit-check is slow", "pre-edit-check"), ("it's broken", "it's"),
        ('the "quoted" word', '"quoted"'), ("don't use agents", "don't use agents"),
        ("on ubuntu 20.04", "ubuntu 20.04"),
        ("released v1.2.3-rc.1", "v1.2.3-rc.1"), ("call foo.bar() twice", "foo.bar()"), ("数据库连接池耗尽", "连接"),
        ("数据库连接池耗尽", "连接池耗"), ("修复gen-itgc的问题", "gen-itgc"), ("cache flush", "cach"),
        ("数据库连接池耗尽", "数据库连接池耗尽了吗"),
    ],
)  # fmt: skip
def test_words_as_people_write_them_are_found(bag: Bag, stored: str, query: str) -> None:
    bag.add("it", title=stored)
    bag.add("other", title="nothing alike")
    assert bag.search(query)[:1] == ["it"]


def test_an_exact_phrase_comes_first(bag: Bag) -> None:
    bag.add("phrase", title="Delay chat send until ready", summary="long " * 40)
    bag.add("apart", title="send send chat chat", summary="chat and send")
    assert bag.search('"chat send"')[0] == "phrase"
    assert bag.search("chat-send")[0] == "phrase"


def test_typing_never_empties_a_result_that_had_matches(bag: Bag) -> None:
    bag.add("it", title="Fix the tb-flush worker")
    for typed in ("t", "tb", "tb-", "tb-f", "tb-fl"):
        assert bag.search(typed) == ["it"], typed


def test_recency_only_breaks_ties(bag: Bag) -> None:
    bag.add("better", title="session session lock", occurred_at=1)
    bag.add("newer", title="lock something else entirely", summary="noise " * 30, occurred_at=99)
    bag.add("old", title="identical words", occurred_at=1)
    bag.add("new", title="identical words", occurred_at=2)
    assert bag.search("session lock")[0] == "better"
    assert bag.search("identical words") == ["new", "old"]


def test_v1_scores_as_the_first_generation_did(bag: Bag) -> None:
    bag.add(
        "it", title="refresh lock", summary="refresh again", confidence=0.5,
        verification=Verification(VerificationStatus.PASSED), sources=(SourceArtifact("agent", "agent://refresh"),),
        **about("login"),
    )  # fmt: skip
    (hit,) = search_records(bag, OPERATOR, RecordQuery("refresh lock", symbol="login", ranking=Ranking.V1)).hits
    assert hit.score == pytest.approx(4 + (2 + 1 + 0.4) + 2 + 0.5 + 0.5)
    assert hit.matched_by == ("symbol", "text")


def test_hits_say_why_and_diagnostics_count_only_what_is_visible(bag: Bag) -> None:
    bag.add("a", title="lock", **about("login"))
    bag.add("b", title="lock", access_scope=AccessScope(), owner="ann")
    bob = restricted_grant("bob", repository_claims=[REPO])
    found = search_records(bag, bob, RecordQuery("lock"))
    assert (found.total, found.candidates) == (1, 1)
    assert found.hits[0].matched_by == ("text",)
    assert search_records(bag, bob, RecordQuery(symbol="login")).hits[0].matched_by == ("symbol",)
    assert search_records(bag, OPERATOR, RecordQuery()).hits[0].matched_by == ("recent",)


@pytest.mark.parametrize("limit", [0, -1, 501])
def test_a_limit_out_of_range_is_named(bag: Bag, limit: int) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        bag.search("x", limit=limit)


# --- Lifecycle --------------------------------------------------------------------------------------------------------


def test_a_superseded_record_is_hidden_and_still_there_for_audit(bag: Bag) -> None:
    old = bag.add("old", title="policy")
    new = bag.supersede(old, "new", title="policy")
    assert bag.search("policy") == ["new"]
    assert bag.search("policy", include_superseded=True) == ["new", "old"]
    assert get_record(bag, OPERATOR, old.id).superseded_by == new.id
    for lifecycle in (Lifecycle.RETRACTED, Lifecycle.SUPERSEDED):
        bag.add(f"gone-{lifecycle}", title="policy", lifecycle=lifecycle)
    assert bag.search("policy") == ["new"]


def test_a_chain_of_versions_shows_only_its_last(bag: Bag) -> None:
    last = bag.add("v0", title="policy")
    for number in range(1, 4):
        last = bag.supersede(last, f"v{number}", title="policy")
    assert bag.search("policy") == ["v3"]


def test_retracting_a_correction_brings_the_first_record_back(bag: Bag) -> None:
    first = bag.add("first", title="policy")
    wrong = bag.supersede(first, "wrong", title="policy")
    key = f"wrong:retract:{wrong.id}"
    bag.supersede(wrong, key, title="policy", lifecycle=Lifecycle.RETRACTED)
    assert bag.search("policy") == ["first"]


def test_supersession_stays_within_repository_kind_and_audience(bag: Bag) -> None:
    target = bag.add("target", title="policy")
    link = (Link(Relation.SUPERSEDES, target.id),)
    bag.add("other kind", title="x", kind=RecordKind.ISSUE, links=link)
    bag.add("other repository", title="x", repository="elsewhere", links=link)
    bag.add("private", title="x", access_scope=AccessScope(), owner="eve", links=link)
    assert bag.search("policy") == ["target"]
    private = bag.add("private target", title="secret", access_scope=AccessScope(), owner="ann")
    bag.supersede(private, "by eve", access_scope=SHARED, owner="eve")
    assert bag.search("secret") == ["private target"]


def test_records_that_supersede_each_other_are_decided_without_end(bag: Bag) -> None:
    ids = [Record.create(idempotency_key=key, kind=RecordKind.ISSUE, title="x", summary="", repository=REPO,
                         occurred_at=1, sources=[SourceArtifact("a", "b")]).id for key in ("a", "b")]  # fmt: skip
    bag.add("a", title="circle", kind=RecordKind.ISSUE, links=(Link(Relation.SUPERSEDES, ids[1]),))
    bag.add("b", title="circle", kind=RecordKind.ISSUE, links=(Link(Relation.SUPERSEDES, ids[0]),))
    assert bag.search("circle") == []
    assert sorted(bag.search("circle", include_superseded=True)) == ["a", "b"]


# --- Explaining -------------------------------------------------------------------------------------------------------


def keys_of(explanation: object) -> list[str]:
    return [hit.record.idempotency_key for hit in explanation.hits]  # type: ignore[attr-defined]


def test_history_follows_a_file_through_its_renames_both_ways_within_their_times(bag: Bag) -> None:
    bag.add("made", **touched("old/login.py"))
    bag.add("moved", path_changes=(PathChange(PathChangeKind.RENAMED, "old/login.py", "new/login.py"),))
    bag.add("after", **touched("new/login.py"))
    bag.add("squatter", **touched("old/login.py"))
    for subject in ("new/login.py", "old/login.py"):
        found = explain_history(bag, OPERATOR, subject)
        assert keys_of(found)[-3:] == ["after", "moved", "made"]
        assert [(step.old, step.new) for step in found.followed] == [("p:old/login.py", "p:new/login.py")]
    assert "squatter" not in keys_of(explain_history(bag, OPERATOR, "new/login.py"))


def test_history_follows_a_symbol_through_its_renames_both_ways(bag: Bag) -> None:
    bag.add("made", **about("refresh_token"))
    old, new = SymbolAnchor("1", "refresh_token", "a.py"), SymbolAnchor("2", "refresh_session", "a.py")
    bag.add("renamed", symbol_changes=(SymbolChange(old, new),))
    bag.add("after", **about("Session.refresh_session"))
    for subject in ("refresh_token", "refresh_session", "refresh_session()"):
        assert set(keys_of(explain_history(bag, OPERATOR, subject))) == {"made", "renamed", "after"}, subject


def test_a_subject_may_be_a_path_an_ending_a_folder_a_symbol_an_anchor_or_a_topic(bag: Bag) -> None:
    bag.add("it", title="Rework caching", summary="eviction policy", **about("Cache.get", "src/kv/cache.py"))
    bag.add("other", title="unrelated", **about("Other", "lib/other.py"))
    subjects = ("src/kv/cache.py", "kv/cache.py", "cache.py", "src/kv", "Cache.get", "get", "code:src/kv/cache.py#get",
                "code:src/kv/cache.py", "n:Cache.get", "eviction policy", "./src/kv/cache.py")  # fmt: skip
    for subject in subjects:
        assert keys_of(explain_history(bag, OPERATOR, subject)) == ["it"], subject
    assert keys_of(explain_history(bag, OPERATOR, "code:lib/other.py#get")) == []


def test_history_shows_linked_records_one_hop_away_with_their_relation(bag: Bag) -> None:
    issue = bag.add("issue", kind=RecordKind.ISSUE, title="Deadlock", sources=(SourceArtifact("issue", "https://x/7"),))
    bag.add("fix", links=(Link(Relation.FIXED, "https://x/7"),), **touched("src/lock.py"))
    bag.add("revert", links=(Link(Relation.REGRESSED, "agent://task/fix"),), title="elsewhere")
    found = explain_history(bag, OPERATOR, "src/lock.py")
    linked = {(link.relation, link.record.idempotency_key, link.outgoing) for link in found.linked}
    assert linked == {(Relation.FIXED, "issue", True), (Relation.REGRESSED, "revert", False)}
    assert get_record(bag, OPERATOR, issue.id).linked_from[0][0] is Relation.FIXED


def test_known_pitfalls_are_the_union_of_anchored_and_spoken_ones(bag: Bag) -> None:
    bag.add("anchored", kind=RecordKind.REGRESSION, title="unlike words", **about("login"))
    bag.add("spoken", kind=RecordKind.INCIDENT, title="login outage")
    bag.add("rejected", kind=RecordKind.REVIEW_FINDING, title="login finding rejected", lifecycle=Lifecycle.RESOLVED)
    bag.add("run", kind=RecordKind.CI_RUN, title="login job", verification=Verification(VerificationStatus.FAILED))
    bag.add("green", kind=RecordKind.CI_RUN, title="login job", verification=Verification(VerificationStatus.PASSED))
    bag.add("plain", title="login change", **about("login"))
    found = known_pitfalls(bag, OPERATOR, "login")
    assert keys_of(found)[0] == "anchored"
    assert sorted(keys_of(found)) == ["anchored", "rejected", "run", "spoken"]


def test_decisions_leave_superseded_ones_out_unless_asked(bag: Bag) -> None:
    old = bag.add("old", kind=RecordKind.ARCHITECTURE_DECISION, title="Use Redis for sessions")
    bag.supersede(old, "new", title="Use Postgres for sessions")
    assert keys_of(explain_decision(bag, OPERATOR, "sessions")) == ["new"]
    both = explain_decision(bag, OPERATOR, "sessions", include_superseded=True)
    assert sorted(keys_of(both)) == ["new", "old"]
    assert {hit.superseded_by for hit in both.hits} == {"", get_record(bag, OPERATOR, old.id).superseded_by}


def test_similar_changes_are_found_by_intent_and_the_symbol_comes_first(bag: Bag) -> None:
    bag.add("far", title="Add retry to the payment client")
    bag.add("near", title="Add retry", **about("Session.refresh"))
    bag.add("decision", kind=RecordKind.CONVENTION, title="Add retry to every client")
    found = find_similar_change(bag, OPERATOR, "retry the payment client", symbol="refresh")
    assert keys_of(found) == ["near", "far"]
    assert keys_of(find_similar_change(bag, OPERATOR, "retry the payment client"))[0] == "far"


@pytest.mark.parametrize("verb", [explain_history, known_pitfalls, explain_decision, find_similar_change])
def test_an_empty_subject_is_named(bag: Bag, verb: Callable[..., object]) -> None:
    with pytest.raises(InvalidInput):
        verb(bag, OPERATOR, "  ")


# --- Evidence ---------------------------------------------------------------------------------------------------------


def test_newer_commits_cannot_push_an_old_regression_out_of_the_evidence(bag: Bag) -> None:
    bag.add("regression", kind=RecordKind.REGRESSION, occurred_at=1, **touched("src/a.py"))
    bag.add("rule", kind=RecordKind.CONVENTION, occurred_at=2, **touched("src/a.py"))
    for number in range(40):
        bag.add(f"c{number}", occurred_at=100 + number, **touched("src/a.py"))
    block = evidence(bag, OPERATOR, ["src/a.py"])
    assert [row.category for row in block.rows] == [Category.PITFALL, Category.DECISION] + [Category.HISTORY] * 4
    assert [row.record.idempotency_key for row in block.rows[2:]] == ["c39", "c38", "c37", "c36"]
    body = block.to_json()
    assert (body["total"], body["pitfalls"], body["decisions"], body["history"]) == (42, 1, 1, 40)
    assert body["truncated"] is True
    assert len(evidence(bag, OPERATOR, ["src/a.py"], concise=True).rows) == 4


def test_evidence_over_a_change_set_is_one_block_with_matching_subjects(bag: Bag) -> None:
    bag.add("both", path_changes=(PathChange(PathChangeKind.RENAMED, "src/a.py", "src/b.py"),))
    bag.add("one", **touched("src/c.py"))
    block = evidence(bag, OPERATOR, ["src/a.py", "src/b.py", "src/c.py", "src/none.py"])
    subjects = {row.record.idempotency_key: row.subjects for row in block.rows}
    assert subjects == {"one": ("src/c.py",), "both": ("src/a.py", "src/b.py")}
    assert evidence(bag, OPERATOR, []).to_json()["total"] == 0


def test_every_evidence_row_cites_its_source_on_one_safe_bounded_line(bag: Bag) -> None:
    bag.add("it", title="a\x1b[31m\u202eb\n" + "x" * 450, summary="y" * 9_000, **touched("src/a.py"))
    block = evidence(bag, OPERATOR, ["src/a.py"])
    (line,) = block.lines()
    assert "agent://task/it" in line
    assert len(line) < 400
    assert not {"\x1b", "\u202e", "\n"} & set(line)
    (row,) = block.to_json()["records"]  # type: ignore[misc]
    assert row["source"] == "agent://task/it"  # type: ignore[call-overload, index]
    assert len(row["summary"]) <= 280  # type: ignore[arg-type, call-overload, index]


def test_hidden_and_superseded_records_are_no_evidence(bag: Bag) -> None:
    bob = restricted_grant("bob", repository_claims=[REPO])
    old = bag.add("old", kind=RecordKind.REGRESSION, **touched("src/a.py"))
    bag.supersede(old, "new", **touched("src/a.py"))
    bag.add("private", access_scope=AccessScope(), owner="ann", **touched("src/a.py"))
    block = evidence(bag, bob, ["src/a.py"])
    assert [row.record.idempotency_key for row in block.rows] == ["new"]
    assert block.total == 1


# --- Care -------------------------------------------------------------------------------------------------------------


def test_care_of_the_log_is_the_operators(bag: Bag) -> None:
    bag.add("it")
    assert verify_records(bag, OPERATOR).records == 1
    assert compact_records(bag, OPERATOR).folded == 1
    assert bag.search("it") == ["it"]
    for verb in (verify_records, compact_records):
        with pytest.raises(Denied):
            verb(bag, restricted_grant("ann"))
