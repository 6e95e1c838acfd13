"""Lists of GitLab's API (also what `glab ... --output json` prints): issues, merge requests and pipelines."""

from collections.abc import Iterable

from remora.core.capture.artifacts import Artifact, ArtifactList
from remora.core.capture.exports.reading import (
    ExportPlace,
    Gathered,
    Item,
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
from remora.core.records.model import Link, whole_text
from remora.core.records.vocabulary import RecordKind, Relation, VerificationStatus

_MERGE = frozenset({"source_branch", "target_branch", "merge_commit_sha", "merged_at"})
_MARKS = ("/-/", "/issues/", "/merge_requests/", "/pipelines/")
_UNENDED = (
    "created", "waiting_for_resource", "waiting_for_callback", "preparing", "pending", "running", "canceling", "manual",
    "scheduled",
)  # fmt: skip
_ENDED = ("success", "failed", "canceled", "skipped")
_VERIFIED = {"success": VerificationStatus.PASSED, "failed": VerificationStatus.FAILED}


def recognises(item: Item) -> bool:
    """Whether an item looks like one of GitLab's."""
    return "web_url" in item and ("iid" in item or {"sha", "ref"} <= item.keys())


def read(items: Iterable[object], place: ExportPlace) -> ArtifactList:
    """Artifacts of a list. Pipelines that have not ended are left out: they will say something else soon."""
    return Gathered().take_all(items, lambda item: _read(item, place))


def _read(item: object, place: ExportPlace) -> Iterable[Artifact] | str:
    if not isinstance(item, dict):
        raise InvalidInput("item", f"is a {type(item).__name__}", allowed="object")
    url = filled(item, "web_url")
    if "/pipelines/" in url or {"ref", "status"} <= item.keys():
        return _pipeline(item, url)
    if "/merge_requests/" in url or _MERGE & item.keys():
        return [_merge_request(item, url, place)]
    return [_issue(item, url)]


def _project(url: str) -> str:
    for mark in _MARKS:
        project, found, _ = url.partition(mark)
        if found:
            return project
    raise InvalidInput("web_url", f"{url[:80]!r} is no page of a project")


def _labels(item: Item) -> str:
    labels = item.get("labels")
    if labels is None:
        return ""
    if not isinstance(labels, list):
        raise InvalidInput("labels", f"is a {type(labels).__name__}", allowed="array")
    names = (label.get("name", "") if isinstance(label, dict) else label for label in labels)
    return listed("Labels", (whole_text(str(name)) for name in names))


def _issue(item: Item, url: str) -> Artifact:
    kind = choice(item, "issue_type", ("issue", "incident", "test_case", "task", "requirement", "ticket"), "issue")
    return Artifact(
        kind=RecordKind.INCIDENT if kind == "incident" else RecordKind.ISSUE,
        external_id=str(number(item, "iid")),
        title=line(filled(item, "title")),
        summary=paragraphs(text(item, "description", ""), _labels(item)),
        source_uri=url,
        repository=_project(url),
        occurred_at=seconds(item, "closed_at", "created_at", "updated_at"),
        status=choice(item, "state", ("opened", "closed", "reopened"), "opened"),
    )


def _merge_request(item: Item, url: str, place: ExportPlace) -> Artifact:
    state = choice(item, "state", ("opened", "closed", "locked", "merged"), "opened")
    target = text(item, "target_branch", "")
    where = f" into {target}" if target and state == "merged" else ""
    changed = (text(change, "new_path", "") for change in objects(item, "changes"))
    pipeline = item.get("head_pipeline") or item.get("pipeline")
    checked = text(pipeline, "status", "") if isinstance(pipeline, dict) else ""
    return Artifact(
        kind=RecordKind.PULL_REQUEST,
        external_id=str(number(item, "iid")),
        title=line(filled(item, "title")),
        summary=paragraphs(text(item, "description", ""), _labels(item), f"{state.capitalize()}{where}."),
        source_uri=url,
        repository=_project(url),
        occurred_at=seconds(item, "merged_at", "closed_at", "created_at", "updated_at"),
        status=state,
        branch=text(item, "source_branch", ""),
        commit=text(item, "merge_commit_sha", "") or text(item, "squash_commit_sha", ""),
        affected_files=paths(place, changed),
        verification_status=_VERIFIED.get(checked.casefold(), VerificationStatus.UNKNOWN),
    )


def _pipeline(item: Item, url: str) -> Iterable[Artifact] | str:
    status = choice(item, "status", (*_ENDED, *_UNENDED))
    if status in _UNENDED:
        return "pipelines that have not ended"
    branch, commit, source = text(item, "ref", ""), text(item, "sha", ""), text(item, "source", "")
    name = text(item, "name", "") or "Pipeline"
    pipeline = Artifact(
        kind=RecordKind.CI_RUN,
        external_id=str(number(item, "id")),
        title=line(f"{name} {status}: {branch or commit}"),
        summary=" ".join(
            f"{name} on {branch or commit} {f'({source})' if source else ''} ended with {status}.".split()
        ),
        source_uri=url,
        repository=_project(url),
        occurred_at=seconds(item, "started_at", "created_at", "updated_at"),
        status=status,
        branch=branch,
        commit=commit,
        verification_status=_VERIFIED.get(status, VerificationStatus.UNKNOWN),
        links=(Link(Relation.OBSERVED_IN, f"git:{commit}"),) if commit else (),
    )
    return [pipeline]
