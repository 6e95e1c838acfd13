"""Lists that GitHub's `gh` prints with `--json`: issues, pull requests with their reviews, and runs of workflows."""

from collections.abc import Iterable, Iterator

from remora.core.capture.artifacts import Artifact, ArtifactList
from remora.core.capture.exports.reading import (
    ExportPlace,
    Gathered,
    Item,
    an_object,
    choice,
    filled,
    line,
    listed,
    number,
    objects,
    paragraphs,
    paths,
    seconds,
    text,
)
from remora.core.errors import InvalidInput
from remora.core.records.model import Link
from remora.core.records.vocabulary import RecordKind, Relation, VerificationStatus

_RUN = frozenset({"workflowName", "workflowDatabaseId", "headSha", "conclusion", "displayTitle"})
_PULL = frozenset({"headRefName", "baseRefName", "mergedAt", "mergeCommit", "isDraft", "reviewDecision"})
_ISSUE = frozenset({"stateReason", "number"})
_RUN_STATES = ("queued", "completed", "in_progress", "requested", "waiting", "pending")
_CONCLUSIONS = (
    "success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required", "stale", "startup_failure",
)  # fmt: skip
_BROKEN = frozenset({"failure", "timed_out", "startup_failure", "error"})
_SOUND = frozenset({"success", "neutral", "skipped"})


def recognises(item: Item) -> bool:
    """Whether an item looks like one of `gh`'s."""
    return "iid" not in item and bool(item.keys() & (_RUN | _PULL | _ISSUE))


def read(items: Iterable[object], place: ExportPlace) -> ArtifactList:
    """Artifacts of a list. Runs that have not ended are left out: they will say something else soon."""
    return Gathered().take_all(items, lambda item: _read(item, place))


def _read(item: object, place: ExportPlace) -> Iterable[Artifact] | str:
    if not isinstance(item, dict):
        raise InvalidInput("item", f"is a {type(item).__name__}", allowed="object")
    url = text(item, "url", "")
    if "/actions/" in url or _RUN & item.keys():
        return _run(item)
    if "/pull/" in url or _PULL & item.keys():
        return list(_pull(item, place))
    return [_issue(item)]


def _address(item: Item, mark: str) -> tuple[str, str]:
    """(page, repository) of an item."""
    url = filled(item, "url")
    repository, found, _ = url.partition(mark)
    if not found:
        raise InvalidInput("url", f"{url[:80]!r} has no {mark!r}")
    return url, repository


def _issue(item: Item) -> Artifact:
    url, repository = _address(item, "/issues/")
    state = choice(item, "state", ("open", "closed"), "open")
    reason = choice(item, "stateReason", ("", "completed", "not_planned", "duplicate", "reopened"), "")
    status = reason if state == "closed" and reason in ("not_planned", "duplicate") else state
    return Artifact(
        kind=RecordKind.ISSUE,
        external_id=str(number(item, "number")),
        title=line(filled(item, "title")),
        summary=paragraphs(
            text(item, "body", ""),
            listed("Labels", _labels(item)),
            f"Closed as {status.replace('_', ' ')}." if status not in (state, "") else "",
        ),
        source_uri=url,
        repository=repository,
        occurred_at=seconds(item, "closedAt", "createdAt", "updatedAt"),
        status=status,
        links=tuple(
            Link(Relation.OBSERVED_IN, filled(pull, "url")) for pull in objects(item, "closedByPullRequestsReferences")
        ),
    )


def _labels(item: Item) -> Iterator[str]:
    return (text(label, "name", "") for label in objects(item, "labels"))


def _pull(item: Item, place: ExportPlace) -> Iterator[Artifact]:
    url, repository = _address(item, "/pull/")
    state = choice(item, "state", ("open", "closed", "merged"), "open")
    state = "merged" if text(item, "mergedAt", "") else state
    head, base = text(item, "headRefName", ""), text(item, "baseRefName", "")
    where = f" into {base}" if base and state == "merged" else ""
    files = paths(place, (text(file, "path", "") for file in objects(item, "files")))
    yield Artifact(
        kind=RecordKind.PULL_REQUEST,
        external_id=str(number(item, "number")),
        title=line(filled(item, "title")),
        summary=paragraphs(
            text(item, "body", ""), listed("Labels", _labels(item)), f"{state.capitalize()}{where}.", _decision(item)
        ),
        source_uri=url,
        repository=repository,
        occurred_at=seconds(item, "mergedAt", "closedAt", "createdAt", "updatedAt"),
        status=state,
        branch=head,
        commit=text(an_object(item, "mergeCommit"), "oid", ""),
        affected_files=files,
        verification_status=_checks(objects(item, "statusCheckRollup")),
        links=tuple(Link(Relation.FIXED, filled(issue, "url")) for issue in objects(item, "closingIssuesReferences")),
    )
    for review in objects(item, "reviews"):
        finding = _finding(item, review, url, state, files)
        if finding:
            yield finding


def _decision(item: Item) -> str:
    words = {"approved": "Approved.", "changes_requested": "Changes were requested.", "review_required": "", "": ""}
    return words[choice(item, "reviewDecision", words, "")]


def _checks(checks: Iterable[Item]) -> VerificationStatus:
    """What the checks of a pull request say together; a pending or cancelled one leaves it open."""
    words = {(text(check, "conclusion", "") or text(check, "state", "")).casefold() for check in checks}
    if words & _BROKEN:
        return VerificationStatus.FAILED
    return VerificationStatus.PASSED if "success" in words and words <= _SOUND else VerificationStatus.UNKNOWN


def _finding(item: Item, review: Item, url: str, state: str, files: tuple[str, ...]) -> Artifact | None:
    """A review that asked for changes, also when it was overruled: that it was is worth knowing."""
    words = ("approved", "changes_requested", "commented", "dismissed", "pending")
    verdict = choice(review, "state", words, "commented")
    body = text(review, "body", "")
    if verdict not in ("changes_requested", "dismissed") or not body.strip():
        return None
    settled = "resolved" if state == "merged" else "open"
    return Artifact(
        kind=RecordKind.REVIEW_FINDING,
        external_id=filled(review, "id"),
        title=line(f"Review of {filled(item, 'title')!r}: {body}"),
        summary=paragraphs(body),
        source_uri=f"{url}#{filled(review, 'id')}",
        repository=url.partition("/pull/")[0],
        occurred_at=seconds(review, "submittedAt"),
        status="dismissed" if verdict == "dismissed" else settled,
        branch=text(item, "headRefName", ""),
        affected_files=files,
        links=(Link(Relation.OBSERVED_IN, url),),
    )


def _run(item: Item) -> Iterable[Artifact] | str:
    url, repository = _address(item, "/actions/")
    if choice(item, "status", _RUN_STATES, "completed") != "completed":
        return "runs that have not ended"
    conclusion = choice(item, "conclusion", _CONCLUSIONS)
    workflow = text(item, "workflowName", "") or text(item, "name", "") or "Workflow"
    branch, commit, event = text(item, "headBranch", ""), text(item, "headSha", ""), text(item, "event", "")
    said = " ".join((f"on {branch}" if branch else "", f"({event})" if event else "")).strip()
    status = VerificationStatus.PASSED if conclusion == "success" else VerificationStatus.UNKNOWN
    run = Artifact(
        kind=RecordKind.CI_RUN,
        external_id=str(number(item, "databaseId")),
        title=line(f"{workflow} {conclusion.replace('_', ' ')}: {text(item, 'displayTitle', '') or branch or commit}"),
        summary=paragraphs(
            " ".join(f"{workflow} {said} ended with {conclusion.replace('_', ' ')}.".split()),
            listed("Failed", _failed_jobs(item)),
        ),
        source_uri=url.partition("/attempts/")[0],
        repository=repository,
        occurred_at=seconds(item, "startedAt", "createdAt", "updatedAt"),
        status=conclusion,
        branch=branch,
        commit=commit,
        verification_status=VerificationStatus.FAILED if conclusion in _BROKEN else status,
        links=(Link(Relation.OBSERVED_IN, f"git:{commit}"),) if commit else (),
    )
    return [run]


def _failed_jobs(item: Item) -> Iterator[str]:
    for job in objects(item, "jobs"):
        if text(job, "conclusion", "").casefold() in _BROKEN:
            steps = [
                text(step, "name", "")
                for step in objects(job, "steps")
                if text(step, "conclusion", "").casefold() in _BROKEN
            ]
            yield " / ".join([text(job, "name", ""), *steps])
