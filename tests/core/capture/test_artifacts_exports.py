"""Exports that people have become artifacts: each format from a fixture, found by looking at it, with clear faults."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.artifacts import Artifact, ArtifactList
from remora.core.capture.exports import FORMATS
from remora.core.capture.exports.formats import read_export
from remora.core.capture.exports.reading import ExportPlace, line, paragraphs, seconds
from remora.core.errors import InvalidInput, LimitReached
from remora.core.records.schema import ARTIFACTS_SCHEMA
from remora.core.records.vocabulary import RecordKind, Relation, VerificationStatus

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "artifacts"
REPO = "https://github.com/acme/api"
PLACE = ExportPlace(REPO, "/home/ann/api")


def read(data: bytes, name: str = "auto") -> ArtifactList:
    return read_export(data, name, PLACE)[1]


def fixture(name: str, form: str) -> list[Artifact]:
    """Artifacts of a fixture; the format is found without being named."""
    found, listed = read_export((FIXTURES / name).read_bytes(), "auto", PLACE)
    assert found == form
    return [artifact for _, artifact in listed.artifacts if not artifact.settles]


def changed(name: str, index: int, **changes: object) -> bytes:
    """A fixture with one item changed; "left out" removes a field."""
    items: list[dict[str, Any]] = json.loads((FIXTURES / name).read_bytes())
    items[index] = {key: value for key, value in (items[index] | changes).items() if value != "left out"}
    return json.dumps(items).encode()


# --- GitHub -----------------------------------------------------------------------------------------------------------


def test_issues_of_gh_say_what_and_how_they_ended() -> None:
    opened, declined = fixture("gh_issues.json", "github")
    assert (opened.kind, opened.external_id, opened.status) == (RecordKind.ISSUE, "41", "open")
    assert (opened.source_uri, opened.repository) == (f"{REPO}/issues/41", REPO)
    assert opened.occurred_at == 1_709_287_200
    assert opened.summary.endswith("Labels: bug, auth.")
    assert (declined.status, declined.occurred_at) == ("not_planned", 1_709_640_000)
    assert declined.summary == "Closed as not planned."


def test_pull_requests_of_gh_keep_files_checks_fixed_issues_and_reviews_that_asked_for_changes() -> None:
    merged, finding, dismissed, closed = fixture("gh_pull_requests.json", "github")
    assert (merged.kind, merged.status, merged.branch) == (RecordKind.PULL_REQUEST, "merged", "fix/session")
    assert merged.commit.startswith("4f1c9f4b")
    assert merged.affected_files == ("src/auth/session.py", "tests/test_session.py")
    assert merged.verification_status is VerificationStatus.PASSED
    assert [(link.relation, link.target) for link in merged.links] == [(Relation.FIXED, f"{REPO}/issues/41")]
    assert merged.summary.endswith("Merged into main.\n\nApproved.")
    assert (finding.kind, finding.status) == (RecordKind.REVIEW_FINDING, "resolved")
    assert finding.summary == "This holds the lock across the network call."
    assert finding.links[0].target == merged.source_uri
    assert dismissed.status == "dismissed"
    assert (closed.status, closed.verification_status) == ("closed", VerificationStatus.FAILED)
    assert closed.occurred_at == 1_709_791_200


def test_runs_of_gh_are_verified_by_their_conclusion_and_running_ones_wait() -> None:
    failed, passed = fixture("gh_runs.json", "github")
    assert (failed.kind, failed.external_id) == (RecordKind.CI_RUN, "8100000001")
    assert failed.verification_status is VerificationStatus.FAILED
    assert failed.title == "CI failure: Keep the refresh token while a call is in flight"
    assert failed.commit == "0123456789abcdef0123456789abcdef01234567"
    assert passed.verification_status is VerificationStatus.PASSED
    assert passed.source_uri == f"{REPO}/actions/runs/8100000002"
    assert passed.occurred_at == 1_709_675_940
    assert read((FIXTURES / "gh_runs.json").read_bytes()).skipped == {"runs that have not ended": 1}


def test_failed_jobs_of_one_run_are_named_with_their_steps() -> None:
    jobs = [
        {"name": "build", "conclusion": "success", "steps": []},
        {"name": "test", "conclusion": "failure", "steps": [{"name": "pytest", "conclusion": "failure", "number": 4}]},
    ]
    run = json.loads((FIXTURES / "gh_runs.json").read_bytes())[0] | {"jobs": jobs}
    ((_, artifact),) = read(json.dumps(run).encode()).artifacts
    assert artifact.summary.endswith("Failed: test / pytest.")


@pytest.mark.parametrize(
    ("name", "changes", "field", "says"),
    [
        ("gh_issues.json", {"state": "MOVED"}, "state", "'moved' is unknown"),
        ("gh_issues.json", {"url": "left out"}, "url", "missing"),
        ("gh_issues.json", {"url": "https://example.org/x"}, "url", "/issues/"),
        ("gh_issues.json", {"createdAt": "yesterday"}, "createdAt", "'yesterday' is no time"),
        ("gh_issues.json", {"number": "41"}, "number", "integer"),
        ("gh_issues.json", {"title": " "}, "title", "empty"),
        ("gh_issues.json", {"labels": {"name": "bug"}}, "labels", "array"),
        ("gh_issues.json", {"labels": ["bug"]}, "labels[0]", "object"),
        ("gh_pull_requests.json", {"reviewDecision": "MAYBE"}, "reviewDecision", "unknown"),
        ("gh_pull_requests.json", {"files": 3}, "files", "array"),
        ("gh_runs.json", {"conclusion": "exploded"}, "conclusion", "timed_out"),
        ("gh_runs.json", {"status": "dreaming"}, "status", "in_progress"),
        ("gitlab_issues.json", {"state": "gone"}, "state", "opened"),
        ("gitlab_issues.json", {"issue_type": "epic"}, "issue_type", "incident"),
        ("gitlab_merge_requests.json", {"iid": None}, "iid", "missing"),
        ("gitlab_pipelines.json", {"status": "unheard"}, "status", "canceled"),
        ("gitlab_pipelines.json", {"web_url": "https://x/pipelines"}, "web_url", "no page"),
    ],
)
def test_a_fault_names_item_and_field_and_the_others_are_read(
    name: str, changes: Mapping[str, object], field: str, says: str
) -> None:
    whole = read((FIXTURES / name).read_bytes())
    found = read(changed(name, 0, **changes))
    assert [(bad.index, bad.field) for bad in found.bad] == [(0, field)]
    assert says in found.bad[0].problem
    assert found.artifacts == tuple(pair for pair in whole.artifacts if pair[0] != 0)


# --- GitLab -----------------------------------------------------------------------------------------------------------


def test_lists_of_gitlab_become_issues_incidents_merge_requests_and_runs() -> None:
    issue, incident = fixture("gitlab_issues.json", "gitlab")
    (merge,) = fixture("gitlab_merge_requests.json", "gitlab")
    failed, passed = fixture("gitlab_pipelines.json", "gitlab")
    project = "https://gitlab.example.com/acme/tools/agent"
    assert {each.repository for each in (issue, incident, merge, failed, passed)} == {project}
    assert (issue.kind, issue.status, issue.occurred_at) == (RecordKind.ISSUE, "closed", 1_704_461_511)
    assert (incident.kind, incident.status) == (RecordKind.INCIDENT, "opened")
    assert (merge.status, merge.affected_files, merge.commit) == ("merged", ("agent/clock.go",), "9" * 40)
    assert merge.verification_status is VerificationStatus.PASSED
    assert (failed.verification_status, failed.commit[:7]) == (VerificationStatus.FAILED, "a91957a")
    assert passed.verification_status is VerificationStatus.PASSED
    assert read((FIXTURES / "gitlab_pipelines.json").read_bytes()).skipped == {"pipelines that have not ended": 1}


# --- JUnit ------------------------------------------------------------------------------------------------------------


def test_a_report_of_tests_tells_of_the_suite_and_of_each_failed_test() -> None:
    suite, failed, errored = fixture("pytest.xml", "junit")
    assert suite.verification_status is VerificationStatus.FAILED
    assert suite.verification_notes == "1 passed, 1 failure, 1 error, 1 skipped"
    assert suite.occurred_at == 1_714_983_630
    assert failed.kind is RecordKind.CI_RUN
    assert failed.source_uri == "junit:pytest#tests.test_session.TestRefresh.test_keeps_token[fast]"
    assert failed.affected_files == ("tests/test_session.py",)
    assert failed.affected_symbols == ("TestRefresh.test_keeps_token",)
    assert "AssertionError: assert 'a' == 'b'" in failed.summary
    assert "assert refresh() ==" in failed.summary
    assert errored.title == "tests.test_broken errored: collection failure"


def test_a_suite_that_passed_is_one_passed_run() -> None:
    (suite,) = fixture("surefire.xml", "junit")
    assert (suite.external_id, suite.verification_status) == ("org.acme.SessionTest", VerificationStatus.PASSED)
    assert (suite.occurred_at, suite.status) == (None, "passed")


def test_of_tests_that_were_tried_again_the_last_try_counts() -> None:
    report = (
        b"<testsuite name='s'><testcase name='a'><failure message='no'/></testcase><testcase name='a'/></testsuite>"
    )
    found = read(report)
    assert {artifact.verification_status for _, artifact in found.artifacts} == {VerificationStatus.PASSED}
    assert found.skipped == {"earlier tries of a test": 1}


def test_suites_of_one_name_and_nested_ones_are_told_apart() -> None:
    report = b"<testsuites>" + b"<testsuite name='s'><testcase name='a'/></testsuite>" * 2 + b"</testsuites>"
    assert [artifact.external_id for _, artifact in read(report).artifacts] == ["s", "s#a", "s (2)", "s (2)#a"]
    nested = b"<testsuite name='out'><testsuite name='in'><testcase name='a'/></testsuite></testsuite>"
    found = read(nested)
    assert [artifact.external_id for _, artifact in found.artifacts] == ["in", "in#a"]
    assert found.skipped == {"suites without tests of their own": 1}


LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>
<testsuite name="s"><testcase name="&lol2;"/></testsuite>"""
OUTSIDE = b"""<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>"""
PARAMETER = b"""<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;]><testsuite/>"""


@pytest.mark.parametrize("data", [LAUGHS, OUTSIDE, PARAMETER])
def test_documents_that_declare_entities_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="declares entities"):
        read(data)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"<testsuite><testcase></testsuite>", "is not XML: mismatched tag at line 1, column"),
        (b"<testsuite name='a\0b'/>", "is not XML"),
        (b"<testsuite name=", "is not XML"),
        (b"<html/>", "<html> is not a test report"),
        (b"<?xml version='1.0' encoding='utf-7'?><testsuite/>", "is not XML"),
        (b"<testsuite>" * 101, "nested too deeply"),
    ],
)
def test_what_is_no_report_is_refused_with_its_place(data: bytes, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read(data)


def test_marks_and_other_encodings_of_xml_are_understood() -> None:
    report = "<testsuite name='ü'><testcase name='a'/></testsuite>"
    for data in (report.encode("utf-8-sig"), report.encode("utf-16"), b"\n  " + report.encode()):
        assert [artifact.external_id for _, artifact in read(data).artifacts] == ["ü", "ü#a"]


def test_a_time_without_a_zone_is_in_utc_and_a_bad_one_is_a_fault_of_its_suite() -> None:
    report = "<testsuite name='s' timestamp='{}'><testcase name='a'/></testsuite>"
    assert read(report.format("2024-05-06T08:20:30").encode()).artifacts[0][1].occurred_at == 1_714_983_630
    found = read(report.format("soon").encode())
    assert [(bad.index, bad.field) for bad in found.bad] == [(0, "timestamp")]


# --- SARIF ------------------------------------------------------------------------------------------------------------


def test_findings_of_analysers_keep_rule_message_place_and_symbol() -> None:
    injection, unused = fixture("findings.sarif", "sarif")
    assert injection.kind is RecordKind.REVIEW_FINDING
    assert injection.title == "py/path-injection: This path depends on a user-provided value."
    assert "Error of CodeQL, rule py/path-injection, at src/files.py:42-44." in injection.summary
    assert injection.affected_files == ("src/files.py",)
    assert injection.affected_symbols == ("files.open_upload",)
    assert injection.repository == f"{REPO}.git"
    assert (injection.commit[:7], injection.branch, injection.occurred_at) == ("0123456", "main", 1_717_200_000)
    assert unused.title == "py/unused-import: Import of 'os' is not used."
    assert unused.affected_files == ("src/files.py",)
    assert unused.status == "dismissed"


def test_results_without_a_finding_are_counted_and_unknown_levels_are_faults() -> None:
    found = read((FIXTURES / "findings.sarif").read_bytes())
    assert found.skipped == {"results of kind pass": 1}
    assert [(bad.index, bad.field) for bad in found.bad] == [(3, "level")]


def a_log(*results: object, **run: object) -> bytes:
    runs = [{"tool": {"driver": {"name": "t"}}, "results": results} | run]
    return json.dumps({"version": "2.1.0", "runs": runs}).encode()


def at(uri: str, row: int = 1, **file: object) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": uri} | file, "region": {"startLine": row}}
    return {"ruleId": "r", "message": {"text": "m"}, "locations": [{"physicalLocation": place}]}


def test_a_finding_stays_the_same_when_its_line_moves_and_two_alike_stay_two() -> None:
    first = read(a_log(at("a.py", 3), at("a.py", 9))).artifacts
    moved = read(a_log(at("a.py", 4), at("a.py", 10))).artifacts
    assert [a.external_id for _, a in first] == [a.external_id for _, a in moved]
    assert first[0][1].external_id != first[1][1].external_id


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a%20b.py", "src/a b.py"),
        ("file:///home/ann/api/src/a.py", "src/a.py"),
        ("/home/ann/api/src/a.py", "src/a.py"),
        ("file:///usr/lib/x.py", ""),
        ("https://example.org/a.py", ""),
        ("../x.py", ""),
    ],
)
def test_places_in_the_repository_become_its_paths_and_others_stay_words(uri: str, path: str) -> None:
    ((_, finding),) = read(a_log(at(uri))).artifacts
    assert finding.affected_files == ((path,) if path else ())
    assert "at " in finding.summary


def test_places_under_a_checkout_elsewhere_are_relative_to_it() -> None:
    bases = {"ROOT": {"uri": "file:///builds/42/api/"}}
    ((_, finding),) = read(a_log(at("src/a.py", uriBaseId="ROOT"), originalUriBaseIds=bases)).artifacts
    assert finding.affected_files == ("src/a.py",)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"version": "1.0.0", "runs": []}, "version: '1.0.0' is not known"),
        ({"version": "2.1.0", "runs": [{"results": []}]}, r"runs\[0\].name: is missing"),
        ({"version": "2.1.0", "runs": [3]}, r"runs\[0\]: is a int"),
        ({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": 3}]}, r"runs\[0\].results"),
    ],
)
def test_a_log_that_is_wrong_as_a_whole_is_refused(body: object, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read(json.dumps(body).encode())


# --- Any file ---------------------------------------------------------------------------------------------------------


def test_our_own_envelope_is_found_among_the_formats_and_an_empty_list_holds_nothing() -> None:
    form, _ = read_export(json.dumps({"schema": ARTIFACTS_SCHEMA, "artifacts": []}).encode(), "auto", PLACE)
    assert form == "remora"
    assert read(b"[]").artifacts == ()


@pytest.mark.parametrize("data", [b"{}", b'{"a": 1}', b"[1, 2]", b"7", b'"x"', b"null"])
def test_what_nothing_recognises_is_refused_with_the_known_formats(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="sarif"):
        read(data)


def test_a_list_of_more_than_ten_thousand_is_refused() -> None:
    with pytest.raises(LimitReached):
        read(b'[{"number": 1, "stateReason": ""}' + b', {"number": 1}' * 10_000 + b"]")


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir()))
@pytest.mark.parametrize("form", FORMATS)
def test_a_file_cut_anywhere_or_read_as_another_format_is_refused_or_told_but_never_crashes(
    name: str, form: str
) -> None:
    data = (FIXTURES / name).read_bytes()
    for end in (*range(0, len(data), 97), len(data)):
        try:
            read(data[:end], form)
        except (InvalidInput, LimitReached) as error:
            assert str(error)  # noqa: PT017  # both outcomes are fine, only a crash is not


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.text(max_size=20)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize("name", ["gh_issues.json", "gh_pull_requests.json", "gh_runs.json", "gitlab_issues.json",
                                  "gitlab_merge_requests.json", "gitlab_pipelines.json"])  # fmt: skip
@given(data=st.data())
def test_no_value_of_any_field_of_a_list_crashes(name: str, data: st.DataObject) -> None:
    items = json.loads((FIXTURES / name).read_bytes())
    field = data.draw(st.sampled_from(sorted(items[0])))
    items[0][field] = data.draw(JSON)
    read(json.dumps(items).encode(), "gitlab" if name.startswith("gitlab") else "github")


@given(data=st.data())
def test_no_value_at_any_depth_of_a_log_crashes(data: st.DataObject) -> None:
    body = json.loads((FIXTURES / "findings.sarif").read_bytes())
    node: Any = body["runs"][0]
    while True:
        keys = sorted(node) if isinstance(node, dict) else range(len(node))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(node[key], dict | list) or not node[key] or data.draw(st.booleans()):
            node[key] = data.draw(JSON)
            break
        node = node[key]
    try:
        read(json.dumps(body).encode(), "sarif")
    except (InvalidInput, LimitReached) as error:
        assert str(error)  # noqa: PT017  # refused as a whole is as good as told by item


def test_long_texts_are_cut_with_a_count_and_titles_with_a_mark() -> None:
    assert paragraphs("x" * 5_000).endswith("\n[1000 more characters at the source]")
    assert line("a\n b  " + "x" * 1_000_000).startswith("a b xxx")
    assert len(line("y" * 1_000)) == 300


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2016-08-16T10:23:19.007Z", 1_471_342_999),
        ("2016-08-16 10:23:19 UTC", 1_471_342_999),
        ("2016-08-16T12:23:19+02:00", 1_471_342_999),
        ("1969-12-31T23:59:59Z", -1),
        ("0001-01-01T00:00:00Z", None),
        ("", None),
    ],
)
def test_times_are_read_with_and_without_offsets(written: str, moment: int | None) -> None:
    assert seconds({"at": written}, "at") == moment
