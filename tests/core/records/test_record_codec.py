"""Laws of the record layout: round trip, canonical form, strictness, identity."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remora.core import ids
from remora.core.errors import Corrupt, InvalidInput
from remora.core.records import codec, schema
from remora.core.records.identity import same_content
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
from remora.core.records.vocabulary import (
    Lifecycle,
    PathChangeKind,
    RecordKind,
    Relation,
    ScopeKind,
    VerificationStatus,
)

_words = st.text(max_size=30)
_filled = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: text.strip() and "\0" not in text
)
_numbers = st.floats(0, 1)
_anchors = st.builds(SymbolAnchor, _filled, _words, _words, _words, _words, _numbers)
_paths = st.builds(PathChange, st.sampled_from(PathChangeKind), _words, _filled)
_scopes = st.one_of(
    st.sampled_from([AccessScope(), SHARED]), _filled.map(lambda name: AccessScope(ScopeKind.WORKSPACE, name))
)

records = st.builds(
    Record.create,
    idempotency_key=_filled,
    kind=st.sampled_from(RecordKind),
    title=_filled,
    summary=_words,
    repository=_filled,
    occurred_at=st.integers(-(10**9), 10**10),
    recorded_at=st.integers(0, 10**10),
    sources=st.lists(st.builds(SourceArtifact, _filled, _filled, _words, _words), min_size=1, max_size=3),
    branch=_words,
    commit=_words,
    affected_symbols=st.lists(_anchors, max_size=3),
    symbol_changes=st.lists(st.builds(SymbolChange, _anchors, _anchors, _numbers), max_size=2),
    path_changes=st.lists(_paths, max_size=3),
    verification=st.builds(
        Verification, st.sampled_from(VerificationStatus), st.lists(_words, max_size=2).map(tuple), _words
    ),
    confidence=_numbers,
    lifecycle=st.sampled_from(Lifecycle),
    access_scope=_scopes,
    owner=_words,
    links=st.lists(st.builds(Link, st.sampled_from(Relation), _filled), max_size=2),
)


def a_record(**changes: object) -> Record:
    fields: dict[str, object] = {
        "idempotency_key": "agent-task-42",
        "kind": RecordKind.FAILED_ATTEMPT,
        "title": "Refresh lock attempt failed",
        "summary": "Holding the session mutex deadlocked refresh.",
        "repository": "repo",
        "occurred_at": 1_700_000_000,
        "sources": (SourceArtifact("agent", "agent://task/42"),),
    }
    return Record.create(**(fields | changes))  # type: ignore[arg-type]


@given(records)
@settings(max_examples=150, deadline=None)
def test_a_record_reads_back_as_it_was_written_in_both_forms(record: Record) -> None:
    for data in (codec.encode_line(record), codec.encode_file(record)):
        parsed = codec.parse(data)
        assert parsed.record == record
        assert parsed.verified


@given(records)
@settings(max_examples=100, deadline=None)
def test_the_canonical_form_is_stable_and_one_line(record: Record) -> None:
    line = codec.encode_line(record)
    assert b"\n" not in line
    assert codec.encode_line(codec.parse(line).record) == line


def test_ids_follow_the_public_rule() -> None:
    assert a_record().id == "mem_6c61241166a332a0ab9bbfe0"
    key = "git:0123456789abcdef0123456789abcdef01234567"
    assert ids.record_id("https://github.com/acme/api", key) == "mem_9d0699e24a63c515e0d4f53e"


def test_fields_come_in_the_order_of_the_layout_and_empty_options_are_left_out() -> None:
    body = codec.to_json(a_record())
    assert list(body) == [
        "version", "id", "idempotency_key", "kind", "title", "summary", "repository", "occurred_at", "recorded_at",
        "sources", "verification", "confidence", "lifecycle", "access_scope", "digest",
    ]  # fmt: skip
    assert body["verification"] == {"status": "unknown"}
    assert body["access_scope"] == {"scope": "private"}


def test_a_record_without_a_source_is_refused() -> None:
    with pytest.raises(InvalidInput, match="sources"):
        a_record(sources=())
    body = codec.to_json(a_record())
    del body["sources"]
    with pytest.raises(InvalidInput, match="sources"):
        codec.from_json(body)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "rumour"),
        ("lifecycle", "asleep"),
        ("version", 4),
        ("version", 0),
        ("access_scope", {"scope": "everyone"}),
        ("links", [{"relation": "likes", "target": "mem_x"}]),
        ("verification", {"status": "maybe"}),
        ("path_changes", [{"kind": "teleported"}]),
        ("occurred_at", "yesterday"),
        ("occurred_at", True),
        ("confidence", 1.5),
        ("title", 3),
        ("id", "mem_000000000000000000000000"),
        ("affected_symbols", ["x"]),
    ],
)
def test_an_unknown_or_mistyped_value_is_an_error_that_names_the_field(field: str, value: object) -> None:
    body = codec.undigested(a_record()) | {field: value}
    with pytest.raises(InvalidInput) as caught:
        codec.from_json(body)
    assert field in str(caught.value) or caught.value.field in {"scope", "relation", "status", "kind"}


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"\xef\xbb\xbf", b" ", b"\0" * 50, b'{"version":NaN}', b"[" * 100_000, b'{"a":\xff}']
)
def test_bytes_that_are_no_record_are_corrupt_and_never_a_crash(data: bytes) -> None:
    with pytest.raises(Corrupt):
        codec.parse(data)


def test_a_changed_content_under_an_old_checksum_is_corrupt() -> None:
    data = codec.encode_file(a_record()).replace(b"deadlocked", b"deadl0cked")
    with pytest.raises(Corrupt, match="checksum"):
        codec.parse(data)


def test_a_record_cut_at_any_byte_is_corrupt() -> None:
    data = codec.encode_line(a_record())
    for length in range(len(data)):
        with pytest.raises(Corrupt):
            codec.parse(data[:length])


def test_older_layouts_and_foreign_records_without_a_digest_are_read_as_unverified() -> None:
    record = a_record()
    for version in (1, 2, 3):
        body = codec.undigested(record) | {"version": version, "made_by": "someone"}
        del body["access_scope"], body["verification"]
        parsed = codec.parse(json.dumps(body, indent=2).encode())
        assert not parsed.verified
        assert same_content(parsed.record, record)


def test_an_undecodable_path_round_trips() -> None:
    record = a_record(path_changes=(PathChange(PathChangeKind.ADDED, new_path="bad-\udcff.py"),))
    assert codec.parse(codec.encode_line(record)).record.path_changes[0].new_path == "bad-\udcff.py"
    assert codec.parse(codec.encode_file(record)).record == record


def test_lone_surrogates_in_texts_become_replacement_characters() -> None:
    assert a_record(title="x\ud83dy").title == "x\ufffdy"
    with pytest.raises(InvalidInput, match="idempotency_key"):
        a_record(idempotency_key="k\ud83d")
    with pytest.raises(InvalidInput, match="repository"):
        a_record(repository="r\0")


def test_a_retry_of_an_outcome_ignores_times_and_how_names_resolved() -> None:
    first = a_record(affected_symbols=(SymbolAnchor("n1", "refresh", "a.py"),))
    retry = a_record(occurred_at=1_800_000_000, affected_symbols=(SymbolAnchor("refresh", "refresh", confidence=0.5),))
    assert same_content(first, retry)
    assert not same_content(first, a_record(summary="Something else."))
    assert not same_content(first, a_record())


def test_a_commit_is_its_sha_and_a_document_its_text() -> None:
    commit = {"idempotency_key": "git:abc", "commit": "abc", "kind": RecordKind.CHANGE_EPISODE}
    assert same_content(a_record(**commit), a_record(**commit, branch="main", links=(Link(Relation.FIXED, "#1"),)))
    document = {"idempotency_key": "document:docs/a.md:1", "kind": RecordKind.PROCEDURE}
    assert same_content(a_record(**document), a_record(**document, occurred_at=5))
    assert not same_content(a_record(**document), a_record(**document, title="Other"))


def test_every_format_has_a_schema_that_lists_the_fields_we_write() -> None:
    fields = schema.all_schemas()["record"]["properties"]
    assert isinstance(fields, dict)
    assert set(codec.to_json(a_record(branch="b", commit="c", owner="o"))) <= set(fields)
    assert set(schema.all_schemas()) == {"record", "artifacts", "bundle", "benchmark"}
    json.dumps(schema.all_schemas(), allow_nan=False)
