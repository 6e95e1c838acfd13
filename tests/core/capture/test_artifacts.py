"""The envelope of artifacts: what is read, what each item's fault is called, and what a record says of it."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.artifacts import Artifact, load_json, read_envelope, repository_path
from remora.core.capture.artifacts_record import Home, artifact_record, lifecycle_of, repository_of
from remora.core.errors import InvalidInput, LimitReached
from remora.core.records.identity import same_content
from remora.core.records.model import PRIVATE, Record
from remora.core.records.schema import ARTIFACT_KINDS, ARTIFACTS_SCHEMA, PUBLIC_ARTIFACTS_SCHEMA
from remora.core.records.vocabulary import Lifecycle, RecordKind, Relation, VerificationStatus
from remora.core.scope import operator_grant, restricted_grant

OPERATOR = operator_grant()
REPO = "https://github.com/acme/api"
HOME = Home(REPO, (), lambda name: ("code:src/auth.py#refresh_token", "src/auth.py") if name == "refresh" else None)


def an_item(**changes: object) -> dict[str, Any]:
    item: dict[str, Any] = {
        "kind": "issue",
        "external_id": "42",
        "title": "Refresh deadlocks",
        "summary": "The session mutex is held across network I/O.",
        "source_uri": f"{REPO}/issues/42",
        "repository": REPO,
        "occurred_at": 1_700_000_000,
    }
    return {key: value for key, value in (item | changes).items() if value != "left out"}


def read(*items: object, schema: str = ARTIFACTS_SCHEMA) -> Any:
    return read_envelope({"schema": schema, "artifacts": list(items)})


def an_artifact(**changes: object) -> Artifact:
    found: tuple[tuple[int, Artifact], ...] = read(an_item(**changes)).artifacts
    return found[0][1]


def recorded(artifact: Artifact, *versions: Record, grant: Any = OPERATOR, now: int = 1_800_000_000) -> Record | None:
    return artifact_record(artifact, artifact.digest, list(reversed(versions)), grant, HOME, now)


def made(artifact: Artifact, *versions: Record, grant: Any = OPERATOR) -> Record:
    record = recorded(artifact, *versions, grant=grant)
    assert record is not None
    return record


# --- The envelope -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [ARTIFACTS_SCHEMA, PUBLIC_ARTIFACTS_SCHEMA])
@pytest.mark.parametrize("kind", ARTIFACT_KINDS)
def test_every_kind_is_read_from_our_envelope_and_the_public_one(schema: str, kind: RecordKind) -> None:
    (found,) = read(an_item(kind=kind.value), schema=schema).artifacts
    assert found[1].kind is kind


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"kind": "architecture_decision"}, "kind", "issue"),
        ({"kind": ["issue"]}, "kind", "unknown"),
        ({"external_id": "left out"}, "external_id", "missing"),
        ({"external_id": 42}, "external_id", "string"),
        ({"title": ""}, "title", "0 characters"),
        ({"occurred_at": "2024-01-01T00:00:00+02:00"}, "occurred_at", "integer"),
        ({"occurred_at": 1_700_000_000_000_000}, "occurred_at", "out of range"),
        ({"occurred_at": True}, "occurred_at", "integer"),
        ({"confidence": 1.5}, "confidence", "out of range"),
        ({"verification_status": "green"}, "verification_status", "passed"),
        ({"scope": "world"}, "scope", "private"),
        ({"affected_symbols": ["a", 7]}, "affected_symbols[1]", "string"),
        ({"affected_files": ["a.py", "../../etc/passwd"]}, "affected_files[1]", "no path"),
        ({"affected_files": ["C:\\x\\y.py"]}, "affected_files[0]", "no path"),
        ({"links": [{"relation": "blocks", "target": "x"}]}, "links[0].relation", "fixed"),
        ({"links": [{"relation": "fixed"}]}, "links[0].target", "missing"),
    ],
)
def test_a_fault_is_named_by_item_and_field_and_loses_no_other_item(
    changes: dict[str, object], field: str, says: str
) -> None:
    found = read(an_item(), an_item(**changes), an_item(external_id="44"))
    assert [index for index, _ in found.artifacts] == [0, 2]
    assert [(bad.index, bad.field) for bad in found.bad] == [(1, field)]
    assert says in found.bad[0].problem


def test_every_fault_of_one_item_is_told() -> None:
    found = read(an_item(title=7, kind="dream", repository="left out"))
    assert {bad.field for bad in found.bad} == {"title", "kind", "repository"}


@pytest.mark.parametrize("item", [None, 7, "issue", [], [an_item()]])
def test_an_item_that_is_no_object_is_named(item: object) -> None:
    found = read(an_item(), item)
    assert [(bad.index, bad.field) for bad in found.bad] == [(1, "item")]


def test_null_means_nothing_and_foreign_fields_are_named() -> None:
    found = read(an_item(branch=None, links=None, labels=["bug"]))
    assert found.artifacts[0][1].branch == ""
    assert found.ignored_fields == ("labels",)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([], "envelope"),
        ({"schema": "someone.else/v1", "artifacts": []}, "schema: 'someone.else/v1' is not known"),
        ({"artifacts": []}, "schema"),
        ({"schema": ARTIFACTS_SCHEMA}, "artifacts: is missing"),
        ({"schema": ARTIFACTS_SCHEMA, "artifacts": {}}, "artifacts: is not a list"),
    ],
)
def test_a_file_that_is_no_envelope_is_refused_as_a_whole(body: object, says: str) -> None:
    with pytest.raises(InvalidInput, match=says.replace("[", r"\[")):
        read_envelope(body)


def test_ten_thousand_items_are_read_and_one_more_is_refused() -> None:
    item = an_item()
    assert len(read(*[item] * 10_000).artifacts) == 10_000
    with pytest.raises(LimitReached, match="10001"):
        read(*[item] * 10_001)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"schema": ', "line 1, column"),
        (b"", "line 1, column 1"),
        (b"\x00\x01", "is not JSON"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": "\xff"}', "not UTF-8: byte 7"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"a": 1' + b"0" * 5_000 + b"}", "is not JSON"),
    ],
)
def test_bytes_that_are_no_json_are_refused_with_their_place(data: bytes, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        load_json(data)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_marks_of_encodings_are_understood(encoding: str) -> None:
    assert load_json('{"a": "ü"}'.encode(encoding)) == {"a": "ü"}


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text() | st.integers(), st.lists, max_leaves=8))
def test_no_value_of_any_field_crashes_the_reader(value: object) -> None:
    for name in (*an_item(), "links", "affected_files", "scope", "unheard of"):
        found = read(an_item(**{name: value}))
        for _, artifact in found.artifacts:
            with suppress(InvalidInput):
                recorded(artifact)


@given(st.permutations(list(an_item(status="open", branch="main").items())))
def test_the_digest_is_of_the_content_and_not_of_its_spelling(pairs: list[tuple[str, object]]) -> None:
    plain = an_artifact(status="open", branch="main").digest
    spelled = load_json(json.dumps(dict(pairs), indent=3).encode())
    assert read(spelled | {"confidence": 1, "scope": "private", "links": []}).artifacts[0][1].digest == plain
    assert read(spelled | {"title": "Other"}).artifacts[0][1].digest != plain


@pytest.mark.parametrize(
    ("given_path", "stored"),
    [("./src/a.py", "src/a.py"), ("src\\a.py", "src/a.py"), ("/etc/passwd", ""), ("a/../../b", ""), ("", "")],
)
def test_paths_become_the_repositorys_own(given_path: str, stored: str) -> None:
    assert repository_path(given_path) == stored


# --- The record -------------------------------------------------------------------------------------------------------


def test_a_record_is_private_to_its_importer_and_keyed_by_kind_id_and_digest() -> None:
    artifact = an_artifact()
    record = made(artifact)
    assert record.idempotency_key == f"external:issue:42:{artifact.digest}"
    assert (record.access_scope.scope.value, record.owner) == ("private", "operator")
    assert record.sources[0].uri == f"{REPO}/issues/42"
    assert record.sources[0].digest == artifact.digest
    assert (record.occurred_at, record.recorded_at) == (1_700_000_000, 1_800_000_000)


def test_two_principals_import_the_same_artifact_without_meeting() -> None:
    ann, bob = (made(an_artifact(), grant=restricted_grant(name)) for name in ("ann", "bob"))
    assert ann.id != bob.id
    assert recorded(an_artifact(), ann, grant=restricted_grant("ann")) is None


def test_two_importers_of_a_shared_artifact_say_the_same_and_of_a_private_one_do_not() -> None:
    grants = [restricted_grant(name, repository_claims=[REPO]) for name in ("ann", "bob")]
    shared = [made(an_artifact(scope="repository"), grant=grant) for grant in grants]
    assert same_content(*shared)
    assert not same_content(shared[0], replace(shared[1], access_scope=PRIVATE))


def test_a_changed_version_supersedes_what_stands_and_an_unchanged_one_asks_for_nothing() -> None:
    first = made(an_artifact())
    second = made(an_artifact(title="Refresh deadlocks under load"), first)
    assert second.targets(Relation.SUPERSEDES) == (first.id,)
    assert recorded(an_artifact(title="Refresh deadlocks under load"), first, second) is None


def test_a_version_that_comes_back_is_a_new_record_derived_from_the_first() -> None:
    first = made(an_artifact())
    second = made(an_artifact(title="Other"), first)
    third = made(an_artifact(), first, second)
    assert third.id not in (first.id, second.id)
    assert third.targets(Relation.SUPERSEDES) == (second.id,)
    assert third.targets(Relation.DERIVED_FROM) == (first.id,)
    assert recorded(an_artifact(), first, second, third) is None
    fourth = made(an_artifact(title="Other"), first, second, third)
    assert fourth.targets(Relation.SUPERSEDES) == (third.id,)


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "incident"},
        {"repository": "https://github.com/acme/other"},
        {"source_uri": f"{REPO}/issues/43"},
        {"external_id": "42:more"},
        {"external_id": "4"},
    ],
)
def test_what_is_another_thing_is_left_standing(changes: dict[str, object]) -> None:
    record = made(an_artifact(**changes), made(an_artifact()))
    assert record.targets(Relation.SUPERSEDES) == ()


def test_private_versions_of_others_and_shared_ones_are_left_standing() -> None:
    anns = made(an_artifact(title="Ann's"), grant=restricted_grant("ann"))
    shared = made(an_artifact(title="Shared", scope="repository"))
    assert made(an_artifact(), anns, shared).targets(Relation.SUPERSEDES) == ()
    assert made(an_artifact(scope="repository"), anns, shared).targets(Relation.SUPERSEDES) == (shared.id,)


@pytest.mark.parametrize(
    ("kind", "status", "lifecycle"),
    [
        ("issue", "open", Lifecycle.ACTIVE),
        ("issue", "Closed", Lifecycle.RESOLVED),
        ("issue", "won't fix", Lifecycle.RESOLVED),
        ("pull_request", "MERGED", Lifecycle.RESOLVED),
        ("incident", "resolved", Lifecycle.RESOLVED),
        ("review_finding", "rejected", Lifecycle.ACTIVE),
        ("review_finding", "dismissed", Lifecycle.ACTIVE),
        ("review_finding", "fixed", Lifecycle.RESOLVED),
        ("ci_run", "success", Lifecycle.RESOLVED),
        ("ci_run", "failure", Lifecycle.ACTIVE),
        ("issue", "retracted", Lifecycle.RETRACTED),
        ("issue", "never heard of", Lifecycle.ACTIVE),
        ("issue", "", Lifecycle.ACTIVE),
    ],
)
def test_a_status_decides_the_lifecycle(kind: str, status: str, lifecycle: Lifecycle) -> None:
    assert lifecycle_of(RecordKind(kind), status) is lifecycle


def test_a_failed_run_and_a_rejected_finding_are_pitfalls() -> None:
    run = made(an_artifact(kind="ci_run", status="failure"))
    assert run.verification.status is VerificationStatus.FAILED
    assert run.is_pitfall
    assert made(an_artifact(kind="review_finding", status="rejected")).is_pitfall
    assert not made(an_artifact(kind="ci_run", status="success")).is_pitfall


def test_symbols_are_resolved_in_our_repository_alone_and_files_are_anchors() -> None:
    names = {"affected_symbols": ["refresh", "unheard"], "affected_files": ["src/auth.py"]}
    record = made(an_artifact(**names))
    resolved, raw, file = record.affected_symbols
    assert (resolved.node_id, resolved.confidence) == ("code:src/auth.py#refresh_token", 1.0)
    assert (raw.source_file, raw.confidence) == ("", 0.5)
    assert (file.source_file, file.label) == ("src/auth.py", "")
    assert record.paths == ("src/auth.py",)
    foreign = made(an_artifact(repository="https://github.com/acme/other", **names))
    assert foreign.affected_symbols[0].confidence == 0.5


@pytest.mark.parametrize(
    ("stated", "ours"),
    [
        (REPO, True),
        ("git@github.com:acme/api.git", True),
        ("https://token@github.com/acme/api.git", True),
        ("github.com/acme/api", True),
        ("Acme/API", True),
        ("api", True),
        ("pi", False),
        ("other/api", False),
        ("https://gitlab.com/acme/api", False),
    ],
)
def test_one_repository_has_one_identity_under_all_its_names(stated: str, ours: bool) -> None:
    assert (repository_of(stated, HOME) == REPO) is ours


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"external_id": "x" * 501}, "external_id"),
        ({"external_id": " "}, "external_id"),
        ({"source_uri": "a\0b"}, "source_uri"),
        ({"title": "x" * 501}, "title"),
        ({"summary": "x" * 16_001}, "summary"),
        ({"scope": "workspace"}, "workspace"),
        ({"workspace": "core"}, "workspace"),
        ({"affected_symbols": ["x"] * 10_001}, None),
        ({"affected_symbols": [str(number) for number in range(10_001)]}, "affected_symbols"),
    ],
)
def test_what_no_record_may_hold_is_named_by_its_field(changes: dict[str, object], field: str | None) -> None:
    artifact = an_artifact(**changes)
    if field is None:
        assert len(made(artifact).affected_symbols) == 1
        return
    with pytest.raises(InvalidInput) as caught:
        recorded(artifact)
    assert caught.value.field == field
