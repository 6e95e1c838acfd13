"""Records as JSON: the version 3 layout in its fixed order, its checksum, and strict reading of versions 1 to 3."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from remora.core import ids
from remora.core.errors import Corrupt, InvalidInput
from remora.core.graph import Json
from remora.core.records.model import (
    VERSION,
    AccessScope,
    Link,
    PathChange,
    Record,
    SourceArtifact,
    SymbolAnchor,
    SymbolChange,
    Verification,
    check_record,
)
from remora.core.records.vocabulary import (
    Lifecycle,
    PathChangeKind,
    RecordKind,
    Relation,
    ScopeKind,
    SymbolChangeKind,
    VerificationStatus,
)

_Enum = TypeVar("_Enum", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A record as read, its checksum, and whether it carried one (that held)."""

    record: Record
    verified: bool
    digest: str


# --- Writing ----------------------------------------------------------------------------------------------------------


def to_json(record: Record) -> dict[str, Json]:
    """The record in the layout's field order with its digest last; optional empty fields are left out."""
    body = undigested(record)
    body["digest"] = _digest_of(body)
    return body


def undigested(record: Record) -> dict[str, Json]:
    """The record without the digest: what foreign stores of the public layout read and write."""
    body: dict[str, Json] = {
        "version": record.version,
        "id": record.id,
        "idempotency_key": record.idempotency_key,
        "kind": record.kind.value,
        "title": record.title,
        "summary": record.summary,
        "repository": record.repository,
        "branch": record.branch,
        "commit": record.commit,
        "occurred_at": record.occurred_at,
        "recorded_at": record.recorded_at,
        "sources": [_source(source) for source in record.sources],
        "affected_symbols": [_anchor(anchor) for anchor in record.affected_symbols],
        "symbol_changes": [_symbol_change(change) for change in record.symbol_changes],
        "path_changes": [_path_change(change) for change in record.path_changes],
        "verification": _verification(record.verification),
        "confidence": record.confidence,
        "lifecycle": record.lifecycle.value,
        "access_scope": _filled(scope=record.access_scope.scope.value, workspace=record.access_scope.workspace),
        "owner": record.owner,
        "links": [{"relation": link.relation.value, "target": link.target} for link in record.links],
    }
    for name in _OPTIONAL:
        if not body[name]:
            del body[name]
    return body


_OPTIONAL = ("branch", "commit", "affected_symbols", "symbol_changes", "path_changes", "owner", "links")


def _filled(**fields: Json) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value not in ("", [])}


def _source(source: SourceArtifact) -> Json:
    return {"kind": source.kind, "uri": source.uri} | _filled(revision=source.revision, digest=source.digest)


def _anchor(anchor: SymbolAnchor) -> dict[str, Json]:
    head: dict[str, Json] = {"node_id": anchor.node_id, "label": anchor.label, "source_file": anchor.source_file}
    return head | _filled(repo=anchor.repo, commit=anchor.commit) | {"confidence": anchor.confidence}


def _symbol_change(change: SymbolChange) -> Json:
    return {
        "kind": change.kind.value,
        "old": _anchor(change.old),
        "new": _anchor(change.new),
        "confidence": change.confidence,
    }


def _path_change(change: PathChange) -> Json:
    return {"kind": change.kind.value} | _filled(old_path=change.old_path, new_path=change.new_path)


def _verification(verification: Verification) -> Json:
    commands: list[Json] = list(verification.commands)
    return {"status": verification.status.value} | _filled(commands=commands, notes=verification.notes)


def compact_json(body: Json) -> str:
    """One line of UTF-8 JSON without spaces; lone surrogates (undecodable paths) stay as escapes."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def _digest_of(body: dict[str, Json]) -> str:
    return ids.digest(compact_json(body).encode())


def record_digest(record: Record) -> str:
    """BLAKE3 of the record's compact JSON without the digest field, 64 hex digits."""
    return _digest_of(undigested(record))


def encode_line(record: Record) -> bytes:
    """The record with its digest on one line, without the newline: a line of a segment."""
    text = compact_json(undigested(record))
    return f'{text[:-1]},"digest":"{ids.digest(text.encode())}"}}'.encode()  # `to_json` in one pass over the record


def encode_file(record: Record) -> bytes:
    """The record as an indented document that ends in a newline: a loose file, readable in a review."""
    text = json.dumps(to_json(record), ensure_ascii=False, indent=2, allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:
        return compact_json(to_json(record)).encode() + b"\n"


# --- Reading ----------------------------------------------------------------------------------------------------------


def parse(data: bytes, *, trusted: bool = False) -> Parsed:
    """Read one JSON document; raises `Corrupt` saying what is wrong with the bytes.

    `trusted` skips the checksum and the rules, for bytes that were checked when they were taken in.
    """
    body = load_object(data)
    try:
        record = from_json(body) if not trusted else _read(body)
    except InvalidInput as error:
        raise Corrupt(f"not a valid record: {error}") from error
    stated = body.get("digest")
    if trusted and isinstance(stated, str):
        return Parsed(record, verified=True, digest=stated)
    digest = record_digest(record)
    if stated is not None and stated != digest:
        raise Corrupt("the checksum does not match the content")
    return Parsed(record, verified=stated is not None, digest=digest)


def load_object(data: bytes) -> dict[str, Any]:
    """Strict JSON object; raises `Corrupt` on anything else (also NaN, endless nesting and bad UTF-8)."""
    try:
        body = json.loads(data.removeprefix(b"\xef\xbb\xbf"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"not JSON: {str(error)[:120]}") from error
    if not isinstance(body, dict):
        raise Corrupt("not a JSON object")
    return body


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def from_json(body: Mapping[str, Any]) -> Record:
    """Read a record of version 1, 2 or 3; raises `InvalidInput` naming the field. The digest is not looked at.

    Unknown enum values and missing sources are errors. Fields of other makers are not kept.
    """
    record = _read(body)
    check_record(record)
    return record


def _read(body: Mapping[str, Any]) -> Record:
    version = _whole(body, "version")
    if not 1 <= version <= VERSION:
        raise InvalidInput("version", f"{version} is not known", allowed=f"1 to {VERSION}")
    return Record(
        version=version,
        id=_text(body, "id"),
        idempotency_key=_text(body, "idempotency_key"),
        kind=_enum(RecordKind, body, "kind"),
        title=_text(body, "title"),
        summary=_text(body, "summary"),
        repository=_text(body, "repository"),
        branch=_text(body, "branch", ""),
        commit=_text(body, "commit", ""),
        occurred_at=_whole(body, "occurred_at"),
        recorded_at=_whole(body, "recorded_at"),
        sources=tuple(_read_source(item) for item in _items(body, "sources")),
        affected_symbols=tuple(_read_anchor(item) for item in _items(body, "affected_symbols")),
        symbol_changes=tuple(_read_symbol_change(item) for item in _items(body, "symbol_changes")),
        path_changes=tuple(_read_path_change(item) for item in _items(body, "path_changes")),
        verification=_read_verification(body.get("verification")),
        confidence=_number(body, "confidence", 1.0),
        lifecycle=_enum(Lifecycle, body, "lifecycle", Lifecycle.ACTIVE),
        access_scope=_read_scope(body.get("access_scope")),
        owner=_text(body, "owner", ""),
        links=tuple(_read_link(item) for item in _items(body, "links")),
    )


def _read_source(item: Mapping[str, Any]) -> SourceArtifact:
    return SourceArtifact(
        _text(item, "kind"), _text(item, "uri"), _text(item, "revision", ""), _text(item, "digest", "")
    )


def _read_anchor(item: Mapping[str, Any]) -> SymbolAnchor:
    return SymbolAnchor(
        _text(item, "node_id"),
        _text(item, "label"),
        _text(item, "source_file"),
        _text(item, "repo", ""),
        _text(item, "commit", ""),
        _number(item, "confidence", 1.0),
    )


def _read_symbol_change(item: Mapping[str, Any]) -> SymbolChange:
    return SymbolChange(
        _read_anchor(_object(item, "old")),
        _read_anchor(_object(item, "new")),
        _number(item, "confidence", 1.0),
        _enum(SymbolChangeKind, item, "kind"),
    )


def _read_path_change(item: Mapping[str, Any]) -> PathChange:
    return PathChange(_enum(PathChangeKind, item, "kind"), _text(item, "old_path", ""), _text(item, "new_path", ""))


def _read_verification(item: object) -> Verification:
    if item is None:
        return Verification()
    if not isinstance(item, dict):
        raise InvalidInput("verification", "is not an object")
    commands = item.get("commands") or []
    if not isinstance(commands, list) or not all(isinstance(command, str) for command in commands):
        raise InvalidInput("verification.commands", "is not a list of strings")
    return Verification(_enum(VerificationStatus, item, "status"), tuple(commands), _text(item, "notes", ""))


def _read_scope(item: object) -> AccessScope:
    if item is None:  # the first layouts had no scope; the narrowest one leaks nothing
        return AccessScope()
    if not isinstance(item, dict):
        raise InvalidInput("access_scope", "is not an object")
    return AccessScope(_enum(ScopeKind, item, "scope"), _text(item, "workspace", ""))


def _read_link(item: Mapping[str, Any]) -> Link:
    return Link(_enum(Relation, item, "relation"), _text(item, "target"))


def _text(body: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = body.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise InvalidInput(name, "is missing" if value is None else "is not a string")
    return value


def _whole(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInput(name, "is missing" if value is None else "is not a whole number")
    return value


def _number(body: Mapping[str, Any], name: str, default: float) -> float:
    value = body.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InvalidInput(name, "is not a number")
    return float(value) if abs(value) <= 1 else 2.0  # anything above one is out of range alike


def _enum(kind: type[_Enum], body: Mapping[str, Any], name: str, default: _Enum | None = None) -> _Enum:
    value = body.get(name)
    if value is None and default is not None:
        return default
    member: _Enum | None = _members(kind).get(value) if isinstance(value, str) else None
    if member is None:
        raise InvalidInput(name, f"{str(value)[:80]!r} is not known", allowed=", ".join(_members(kind)))
    return member


@cache
def _members(kind: type[_Enum]) -> dict[str, _Enum]:
    return {member.value: member for member in kind}


def _items(body: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidInput(name, "is not a list of objects")
    return value


def _object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if not isinstance(value, dict):
        raise InvalidInput(name, "is not an object")
    return value
