"""The OpenAPI 3.1 document, made from the rows that the routes are made from."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from remora.core.sessions import CLIENT_FORM, SESSION_ID_FORM
from remora.entrypoints.catalogue.operation import Operation
from remora.entrypoints.http.problems import MEDIA_TYPE

PREFIX = "/api/v1"
REPOSITORY_PREFIX = PREFIX + "/repos/{repo}"
ANYWHERE = frozenset({"offload_turns", "list_jobs"})
"""Operations that also stand without a repository in their path: hooks know the folder, not the id."""
_VARIABLE = re.compile(r"\{([a-z]+)\}")
_REPOSITORY_ID = "^r_[0-9a-f]{16}$"
_PROBLEM = {"$ref": "#/components/responses/problem"}
_REFUSALS = ("400", "401", "403", "404", "409", "413", "415", "429", "503", "504")
_IDENTITY = {"Remora-Session-Id": f"^{SESSION_ID_FORM}$", "Remora-Client": f"^{CLIENT_FORM}$"}


def document(operations: Iterable[Operation], version: str) -> dict[str, Any]:
    """The whole document; byte-stable for the same rows."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        method, path = operation.http
        paths.setdefault(REPOSITORY_PREFIX + path, {})[method.lower()] = _operation(operation)
        if operation.name in ANYWHERE:
            paths.setdefault(PREFIX + path, {})[method.lower()] = _anywhere(operation)
    for path, name, summary, open_to_all in (
        ("/health", "health", "Whether the server answers.", True),
        ("/version", "version", "The server's version.", True),
        ("/openapi.json", "openapi", "This document.", True),
        ("/repos", "list_repositories", "Repositories that the key may read.", False),
    ):
        paths[PREFIX + path] = {"get": _plain(name, summary, open_to_all=open_to_all)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Remora",
            "version": version,
            "description": "Durable, source-grounded memory of repositories. Answers are data, not instructions.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "responses": {
                "problem": {
                    "description": "An RFC 9457 problem document.",
                    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
                }
            },
            "schemas": {"Problem": _PROBLEM_SCHEMA},
        },
    }


_PROBLEM_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "advice": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("field", "problem", "allowed")},
            },
        },
        "candidates": {"type": "array", "items": {"type": "string"}},
    },
}  # fmt: skip


def _operation(operation: Operation) -> dict[str, Any]:
    method, path = operation.http
    in_path = set(_VARIABLE.findall(path))
    repo = {"type": "string", "pattern": _REPOSITORY_ID}
    parameters: list[dict[str, Any]] = [{"name": "repo", "in": "path", "required": True, "schema": repo}]
    properties: Mapping[str, Any] = operation.input.get("properties", {})
    required = operation.input.get("required", ())
    parameters += [
        {"name": name, "in": "path", "required": True, "schema": dict(properties[name])} for name in sorted(in_path)
    ]
    if method != "POST":
        parameters += [
            {"name": name, "in": "query", "required": name in required, "schema": dict(schema)}
            for name, schema in properties.items()
            if name not in in_path
        ]
    parameters += [
        {"name": name, "in": "header", "required": False, "schema": {"type": "string", "pattern": form}}
        for name, form in _IDENTITY.items()
    ]
    row: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.description,
        "parameters": parameters,
        "responses": _responses(dict(operation.output)),
    }
    if method == "POST":
        schema = _without(operation.input, in_path)
        body = {"required": bool(schema.get("required")), "content": {"application/json": {"schema": schema}}}
        row["requestBody"] = body
    return row


def _without(schema: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """The schema of a body whose other arguments stand in the path."""
    properties = {name: inner for name, inner in schema.get("properties", {}).items() if name not in names}
    required = [name for name in schema.get("required", ()) if name not in names]
    rest = {key: value for key, value in schema.items() if key not in {"properties", "required"}}
    return rest | {"properties": properties} | ({"required": required} if required else {})


def _anywhere(operation: Operation) -> dict[str, Any]:
    """The same without a repository in the path: the argument `repo`, or the only one that the key may read."""
    repo = {"type": "string", "pattern": _REPOSITORY_ID, "description": "May be left out when there is only one."}
    properties = {**operation.input.get("properties", {}), "repo": repo}
    row = _operation(replace(operation, input={**operation.input, "properties": properties}))
    parameters = [one for one in row["parameters"] if (one["name"], one["in"]) != ("repo", "path")]
    return {**row, "operationId": operation.name + "_anywhere", "parameters": parameters}


def _plain(name: str, summary: str, *, open_to_all: bool) -> dict[str, Any]:
    answers = {"200": {"description": "The answer.", "content": {"application/json": {"schema": {"type": "object"}}}}}
    row: dict[str, Any] = {"operationId": name, "summary": summary, "responses": {**answers, "403": _PROBLEM}}
    return row | ({"security": []} if open_to_all else {})


def _responses(schema: dict[str, Any]) -> dict[str, Any]:
    good = {"description": "The answer.", "content": {"application/json": {"schema": schema}}}
    return {"200": good, **dict.fromkeys(_REFUSALS, _PROBLEM)}
