"""Artifacts: what other systems say happened (issues, reviews, CI runs, ...), as values, and their envelope as JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from remora.core import ids, policy
from remora.core.capture.paths import is_inside
from remora.core.errors import InvalidBatch, InvalidInput, LimitReached
from remora.core.graph import Json
from remora.core.records import codec
from remora.core.records.model import Link, whole_text
from remora.core.records.schema import ARTIFACTS_MAX, ARTIFACTS_SCHEMA, PUBLIC_ARTIFACTS_SCHEMA, artifacts_schema
from remora.core.records.vocabulary import RecordKind, Relation, ScopeKind, VerificationStatus
from remora.core.schema import Schema, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One thing that another system keeps, in one of its versions.

    `external_id` and `source_uri` stay the same when the thing changes; files are repository-relative with `/`;
    `occurred_at` is in Unix seconds, None where the export does not say.
    """

    kind: RecordKind
    external_id: str
    title: str
    summary: str
    source_uri: str
    repository: str
    occurred_at: int | None = None
    status: str = ""
    branch: str = ""
    commit: str = ""
    affected_symbols: tuple[str, ...] = ()
    affected_files: tuple[str, ...] = ()
    verification_status: VerificationStatus = VerificationStatus.UNKNOWN
    verification_commands: tuple[str, ...] = ()
    verification_notes: str = ""
    confidence: float = 1.0
    scope: ScopeKind = ScopeKind.PRIVATE
    workspace: str = ""
    links: tuple[Link, ...] = ()
    settles: bool = False
    """Recorded only where a failed version of it stands, to take its place; such as a test that passes again."""

    @property
    def digest(self) -> str:
        """BLAKE3 of the canonical payload: sorted names, fields at their defaults left out."""
        return ids.digest(codec.canonical(dict(sorted(self._payload().items()))))

    def _payload(self) -> dict[str, Json]:
        links: list[Json] = [{"relation": link.relation.value, "target": link.target} for link in self.links]
        optional: dict[str, Json] = {
            "occurred_at": self.occurred_at,
            "status": self.status,
            "branch": self.branch,
            "commit": self.commit,
            "affected_symbols": list(self.affected_symbols),
            "affected_files": list(self.affected_files),
            "verification_commands": list(self.verification_commands),
            "verification_notes": self.verification_notes,
            "workspace": self.workspace,
            "links": links,
        }
        if self.verification_status is not VerificationStatus.UNKNOWN:
            optional["verification_status"] = self.verification_status.value
        if self.confidence != 1.0:
            optional["confidence"] = self.confidence
        if self.scope is not ScopeKind.PRIVATE:
            optional["scope"] = self.scope.value
        body: dict[str, Json] = {
            "kind": self.kind.value,
            "external_id": self.external_id,
            "title": self.title,
            "summary": self.summary,
            "source_uri": self.source_uri,
            "repository": self.repository,
        }
        body.update((name, value) for name, value in optional.items() if value or value == 0)
        return body


@dataclass(frozen=True, slots=True)
class BadArtifact:
    """An item that was left out: its place in the file, from 0, the field, and what is wrong with it."""

    index: int
    field: str
    problem: str


@dataclass(frozen=True, slots=True)
class ArtifactList:
    """What a file holds, by place in it: good artifacts, and a name for every bad one.

    `skipped` counts by reason what was left out on purpose, `ignored_fields` names fields that mean nothing to us.
    """

    artifacts: tuple[tuple[int, Artifact], ...] = ()
    bad: tuple[BadArtifact, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    ignored_fields: tuple[str, ...] = ()


def load_json(data: bytes) -> Any:
    """Strict JSON of a file; raises `InvalidInput` that says where it stops being JSON. A BOM is passed over."""
    if len(data) > policy.ARTIFACTS_FILE_MAX_BYTES:
        allowed = f"at most {policy.ARTIFACTS_FILE_MAX_BYTES} bytes"
        raise InvalidInput("file", f"has {len(data)} bytes", allowed=allowed)
    try:
        return json.loads(decoded(data), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput("file", f"is not JSON: {error.msg} at {where}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput("file", f"is not JSON: {str(error)[:120]}") from error


def decoded(data: bytes) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its mark (what shells of Windows write)."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidInput("file", f"is not UTF-8: byte {error.start} is {data[error.start]:#04x}") from error


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON value")


def is_envelope(body: object) -> bool:
    """Whether a JSON value is an envelope of artifacts, ours or the public one."""
    return isinstance(body, dict) and "schema" in body and "artifacts" in body


def read_envelope(body: object) -> ArtifactList:
    """Artifacts of an envelope. Raises `InvalidInput` or `LimitReached` only for what concerns the file as a whole."""
    names = f"{ARTIFACTS_SCHEMA}, {PUBLIC_ARTIFACTS_SCHEMA}"
    if not isinstance(body, dict):
        raise InvalidInput("file", "is not an envelope of artifacts", allowed=names)
    if body.get("schema") not in (ARTIFACTS_SCHEMA, PUBLIC_ARTIFACTS_SCHEMA):
        raise InvalidInput("schema", f"{str(body.get('schema'))[:80]!r} is not known", allowed=names)
    items = body.get("artifacts")
    if not isinstance(items, list):
        raise InvalidInput("artifacts", "is missing" if items is None else "is not a list")
    check_count(items)
    schema = _item_schema()
    known = schema["properties"]
    ignored: dict[str, None] = {}
    found: list[tuple[int, Artifact]] = []
    bad: list[BadArtifact] = []
    for index, item in enumerate(items):
        try:
            found.append((index, _read_item(schema, item)))
            ignored.update(dict.fromkeys(str(name)[:60] for name in item if name not in known))
        except InvalidInput as error:
            bad += named(index, error)
    return ArtifactList(tuple(found), tuple(bad), ignored_fields=tuple(sorted(ignored)))


def check_count(items: list[Any]) -> None:
    """Raise `LimitReached` when a file holds too many items to be one export."""
    if len(items) > ARTIFACTS_MAX:
        raise LimitReached(
            f"a file holds at most {ARTIFACTS_MAX} artifacts, this one {len(items)}", advice="import it in parts"
        )


def named(index: int, error: InvalidInput) -> Iterator[BadArtifact]:
    """Everything that an error says about one item; `artifacts[3].title` names a field of it."""
    for each in error.errors if isinstance(error, InvalidBatch) else (error,):
        name = each.field.removeprefix(_ITEM).lstrip(".") or "item"
        problem = each.problem + (f" (allowed: {each.allowed})" if each.allowed else "")
        yield BadArtifact(index, name, problem)


_ITEM = "item"


def _item_schema() -> Mapping[str, Any]:
    whole: Any = artifacts_schema()
    schema: Mapping[str, Any] = whole["properties"]["artifacts"]["items"]
    return schema


def _read_item(schema: Schema, item: object) -> Artifact:
    if not isinstance(item, dict):
        raise InvalidInput(_ITEM, f"is a {type(item).__name__}", allowed="object")
    given = {name: value for name, value in item.items() if value is not None}  # exporters write null for nothing
    body = _whole(checked(schema, given, _ITEM))
    links = body.get("links", ())
    return Artifact(
        kind=RecordKind(body["kind"]),
        external_id=body["external_id"],
        title=body["title"],
        summary=body["summary"],
        source_uri=body["source_uri"],
        repository=body["repository"],
        occurred_at=body["occurred_at"],
        status=body.get("status", ""),
        branch=body.get("branch", ""),
        commit=body.get("commit", ""),
        affected_symbols=tuple(body.get("affected_symbols", ())),
        affected_files=tuple(_files(body.get("affected_files", ()))),
        verification_status=VerificationStatus(body.get("verification_status", "unknown")),
        verification_commands=tuple(body.get("verification_commands", ())),
        verification_notes=body.get("verification_notes", ""),
        confidence=float(body["confidence"]),
        scope=ScopeKind(body["scope"]),
        workspace=body.get("workspace", ""),
        links=tuple(Link(Relation(link["relation"]), link["target"]) for link in links),
    )


def _whole(value: Any) -> Any:
    """The value with lone surrogates in its texts replaced, so that it can be written everywhere."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return value


def _files(paths: Iterable[str]) -> Iterator[str]:
    for index, path in enumerate(paths):
        cleaned = repository_path(path)
        if not cleaned:
            raise InvalidInput(f"{_ITEM}.affected_files[{index}]", f"{path[:80]!r} is no path in the repository")
        yield cleaned


def repository_path(path: str) -> str:
    """A path as the repository writes it, with `/` and without `./`; "" when it leads out of the repository."""
    cleaned = path.strip().replace("\\", "/")
    while cleaned.startswith("./"):
        cleaned = cleaned[2:]
    drive = cleaned[1:2] == ":"
    return cleaned if is_inside(cleaned) and not drive else ""
