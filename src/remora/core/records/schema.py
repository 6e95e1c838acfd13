"""JSON Schema of every record format, built from the vocabularies; printed by `remora memory schema`."""

from enum import StrEnum

from remora.core import policy
from remora.core.graph import Json
from remora.core.records.vocabulary import (
    Lifecycle,
    PathChangeKind,
    RecordKind,
    Relation,
    ScopeKind,
    SymbolChangeKind,
    VerificationStatus,
)

ARTIFACTS_SCHEMA = "remora.memory-artifacts/v1"
BUNDLE_SCHEMA = "remora.memory-bundle/v1"
BENCHMARK_SCHEMA = "remora.memory-benchmark/v1"
PUBLIC_ARTIFACTS_SCHEMA = "synaptic.memory-artifacts/v1"
PUBLIC_BUNDLE_SCHEMA = "synaptic.memory-bundle/v1"
PUBLIC_BENCHMARK_SCHEMA = "synaptic.memory-benchmark/v1"
"""The `synaptic` names are read for the sake of existing exports; only our own are written."""

ARTIFACT_KINDS = (
    RecordKind.ISSUE,
    RecordKind.PULL_REQUEST,
    RecordKind.REVIEW_FINDING,
    RecordKind.CI_RUN,
    RecordKind.INCIDENT,
    RecordKind.RELEASE,
    RecordKind.CUSTOMER_REPORT,
    RecordKind.REGRESSION,
    RecordKind.FAILED_ATTEMPT,
    RecordKind.AGENT_TASK,
)
ARTIFACTS_MAX = 10_000
BUNDLE_RECORDS_MAX = 100_000
CASES_MAX = 10_000

_Object = dict[str, Json]


def _string(**rules: Json) -> _Object:
    return {"type": "string"} | rules


def _enum(kind: type[StrEnum]) -> _Object:
    return {"enum": [member.value for member in kind]}


def _array(items: Json, **rules: Json) -> _Object:
    return {"type": "array", "items": items} | rules


def _object(required: dict[str, Json], optional: dict[str, Json] | None = None) -> _Object:
    names: list[Json] = list(required)
    return {"type": "object", "properties": required | (optional or {}), "required": names}


_TEXT = _string()
_FILLED = _string(minLength=1)
_SECONDS: _Object = {
    "type": "integer",
    "minimum": -policy.RECORD_TIME_MAX_SECONDS,
    "maximum": policy.RECORD_TIME_MAX_SECONDS,
    "description": "Unix seconds",
}
_CONFIDENCE: _Object = {"type": "number", "minimum": 0, "maximum": 1, "default": 1}
_DIGEST = _string(pattern="^[0-9a-f]{64}$", description="BLAKE3, hex")


def record_schema() -> _Object:
    """The record, version 3."""
    anchor = _object(
        {"node_id": _TEXT, "label": _TEXT, "source_file": _TEXT},
        {"repo": _TEXT, "commit": _TEXT, "confidence": _CONFIDENCE},
    )
    required: dict[str, Json] = {
        "version": {"type": "integer", "minimum": 1, "maximum": 3},
        "id": _string(pattern="^mem_[0-9a-f]{24}$"),
        "idempotency_key": _FILLED,
        "kind": _enum(RecordKind),
        "title": _TEXT,
        "summary": _TEXT,
        "repository": _FILLED,
        "occurred_at": _SECONDS,
        "recorded_at": _SECONDS,
        "sources": _array(_object({"kind": _TEXT, "uri": _FILLED}, {"revision": _TEXT, "digest": _TEXT}), minItems=1),
    }
    return _titled("Remora record v3", required, _record_options(anchor))


def _record_options(anchor: _Object) -> dict[str, Json]:
    change = _object({"kind": _enum(SymbolChangeKind), "old": anchor, "new": anchor}, {"confidence": _CONFIDENCE})
    path = _object({"kind": _enum(PathChangeKind)}, {"old_path": _TEXT, "new_path": _TEXT})
    verification = _object({"status": _enum(VerificationStatus)}, {"commands": _array(_TEXT), "notes": _TEXT})
    return {
        "branch": _TEXT,
        "commit": _TEXT,
        "affected_symbols": _array(anchor),
        "symbol_changes": _array(change),
        "path_changes": _array(path),
        "verification": verification,
        "confidence": _CONFIDENCE,
        "lifecycle": _enum(Lifecycle) | {"default": Lifecycle.ACTIVE.value},
        "access_scope": _object({"scope": _enum(ScopeKind)}, {"workspace": _FILLED}),
        "owner": _TEXT,
        "links": _array(_object({"relation": _enum(Relation), "target": _FILLED})),
        "digest": _DIGEST | {"description": "BLAKE3 of the record's compact JSON without this field"},
    }


def artifacts_schema() -> _Object:
    """The envelope of exports from outside systems."""
    kinds: list[Json] = [kind.value for kind in ARTIFACT_KINDS]
    required: dict[str, Json] = {
        "kind": {"enum": kinds},
        "external_id": _FILLED,
        "title": _FILLED,
        "summary": _TEXT,
        "source_uri": _FILLED,
        "repository": _FILLED,
        "occurred_at": _SECONDS,
    }
    optional: dict[str, Json] = {
        "status": _TEXT,
        "branch": _TEXT,
        "commit": _TEXT,
        "affected_symbols": _array(_TEXT),
        "affected_files": _array(_TEXT),
        "verification_status": _enum(VerificationStatus),
        "verification_commands": _array(_TEXT),
        "verification_notes": _TEXT,
        "confidence": _CONFIDENCE,
        "scope": _enum(ScopeKind) | {"default": ScopeKind.PRIVATE.value},
        "workspace": _FILLED,
        "links": _array(_object({"relation": _enum(Relation), "target": _FILLED})),
    }
    items = _array(_object(required, optional), maxItems=ARTIFACTS_MAX)
    return _enveloped("Remora artifacts v1", (ARTIFACTS_SCHEMA, PUBLIC_ARTIFACTS_SCHEMA), {"artifacts": items})


def bundle_schema() -> _Object:
    """The exchange of records between stores."""
    records = _array(record_schema(), maxItems=BUNDLE_RECORDS_MAX, description="sorted by id")
    fields: dict[str, Json] = {
        "records": records,
        "digest": _DIGEST | {"description": "BLAKE3 of the records' compact JSON, hex"},
    }
    return _enveloped("Remora bundle v1", (BUNDLE_SCHEMA, PUBLIC_BUNDLE_SCHEMA), fields)


def benchmark_schema() -> _Object:
    """Cases of a retrieval evaluation."""
    required: dict[str, Json] = {
        "name": _FILLED,
        "query": _TEXT,
        "expected_sources": _array(_FILLED, minItems=1),
    }
    case = _object(required, {"symbol": _TEXT, "kinds": _array(_enum(RecordKind))})
    names = (BENCHMARK_SCHEMA, PUBLIC_BENCHMARK_SCHEMA)
    return _enveloped("Remora benchmark v1", names, {"cases": _array(case, maxItems=CASES_MAX)})


def _titled(title: str, required: dict[str, Json], optional: dict[str, Json] | None = None) -> _Object:
    head: _Object = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return head | _object(required, optional)


def _enveloped(title: str, names: tuple[str, ...], fields: dict[str, Json]) -> _Object:
    allowed: list[Json] = list(names)
    schema: dict[str, Json] = {"schema": {"enum": allowed}}
    return _titled(title, schema | fields)


def all_schemas() -> dict[str, _Object]:
    """Format name -> JSON Schema."""
    return {
        "record": record_schema(),
        "artifacts": artifacts_schema(),
        "bundle": bundle_schema(),
        "benchmark": benchmark_schema(),
    }
