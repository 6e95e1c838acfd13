"""What a message names becomes links, and no e-mail address stays."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.trailers import Mention, mentions, without_addresses
from remora.core.records.vocabulary import Relation

GITHUB = "https://github.com/acme/api"
SHA = "0123456789abcdef0123456789abcdef01234567"


def found(subject: str, body: str = "", identity: str = GITHUB) -> set[Mention]:
    return set(mentions(subject, body, identity))


@pytest.mark.parametrize(
    ("subject", "body", "relation", "target"),
    [
        ("Fix it, closes #7", "", Relation.FIXED, f"{GITHUB}/issues/7"),
        ("x", "This fixes #7.", Relation.FIXED, f"{GITHUB}/issues/7"),
        ("x", "Resolves: GH-7", Relation.FIXED, f"{GITHUB}/issues/7"),
        ("x", "Fixes acme/web#8", Relation.FIXED, "https://github.com/acme/web/issues/8"),
        ("x", "Fixes: https://tracker.test/bug/9", Relation.FIXED, "https://tracker.test/bug/9"),
        ("x", "Fixes: ABC-123", Relation.FIXED, "issue:ABC-123"),
        ("x", "Fixes: CVE-2024-12345", Relation.FIXED, "issue:CVE-2024-12345"),
        ("x", "Refs: #7", Relation.MOTIVATED_BY, f"{GITHUB}/issues/7"),
        ("x", "Reviewed-by: Alan <a@b.test>", Relation.REVIEWED_BY, "person:Alan"),
        ("x", "Tested-by: Alan", Relation.VERIFIED_BY, "person:Alan"),
        ("x", "CO-AUTHORED-BY: Grace Hopper <g@b.test>", Relation.DERIVED_FROM, "person:Grace Hopper"),
        ("Tidy (#34)", "", Relation.REVIEWED_BY, f"{GITHUB}/pull/34"),
        ("Merge pull request #35 from a/b", "", Relation.REVIEWED_BY, f"{GITHUB}/pull/35"),
    ],
)
def test_one_name_is_one_link(subject: str, body: str, relation: Relation, target: str) -> None:
    assert found(subject, body) == {Mention(relation, target)}


@pytest.mark.parametrize(
    ("body", "relation", "commit"),
    [
        (f"This reverts commit {SHA}.", Relation.ROLLED_BACK_BY, SHA),
        (f"(cherry picked from commit {SHA})", Relation.DERIVED_FROM, SHA),
        ('Fixes: 0123456789ab ("Add cache")', Relation.FIXED, "0123456789ab"),
        (f"This reverts commit {SHA}, reversing\nchanges made to {SHA[::-1]}.", Relation.ROLLED_BACK_BY, SHA),
    ],
)
def test_commits_are_named_by_what_is_done_to_them(body: str, relation: Relation, commit: str) -> None:
    assert found("x", body) == {Mention(relation, commit=commit)}


def test_several_issues_behind_one_word_are_all_named() -> None:
    assert {mention.target for mention in found("x", "Fixes #1, #2 and #3")} == {
        f"{GITHUB}/issues/{n}" for n in (1, 2, 3)
    }


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Prefix the names", "We prefix #7 and suffix it."),
        ("Update to UTF-8", "Fixes: UTF-8 handling"),
        ("Version 1.2 (beta)", "See section #"),
        ("x", "Reviewed-by: <a@b.test>"),
        ("x", "Fixes: 1234567 things"),
    ],
)
def test_what_only_looks_like_a_name_is_none(subject: str, body: str) -> None:
    assert found(subject, body) == set()


@pytest.mark.parametrize(
    ("identity", "target"),
    [
        ("https://gitlab.com/a/b", "https://gitlab.com/a/b/-/issues/7"),
        ("file:///srv/git/api", "issue:7"),
        ("local:0123", "issue:7"),
    ],
)
def test_issues_are_addressed_as_their_forge_does(identity: str, target: str) -> None:
    assert found("x", "closes #7", identity) == {Mention(Relation.FIXED, target)}


def test_merge_requests_are_reviews() -> None:
    target = "https://gitlab.com/a/b/-/merge_requests/12"
    assert found("Merge branch", "See merge request a/b!12", "https://gitlab.com/a/b") == {
        Mention(Relation.REVIEWED_BY, target)
    }


def test_addresses_and_sign_offs_do_not_stay() -> None:
    text = "Do it\n\nWith Ada <ada@example.test>.\nSigned-off-by: Ada <ada@example.test>\nCc: Bob <bob@example.test>\n"
    assert without_addresses(text) == "Do it\n\nWith Ada.\nCc: Bob\n"


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_message_is_read(subject: str, body: str) -> None:
    for mention in mentions(subject, body, GITHUB):
        assert bool(mention.target) != bool(mention.commit)


@pytest.mark.parametrize(
    "piece", ["fixes #", "#1 ", "fixes #1, ", "a@", "<a@b", "https://", "A-1 ", "Fixes: ", "fixes: a\n", "x/"]
)
def test_hostile_messages_are_read_quickly(piece: str) -> None:
    start = time.process_time()
    without_addresses(piece * 20_000)
    mentions(piece * 20_000, piece * 20_000, GITHUB)
    assert time.process_time() - start < 2
