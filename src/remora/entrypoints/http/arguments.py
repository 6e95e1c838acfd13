"""Arguments of a request: query strings typed by an operation's schema, bodies as strict JSON."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from remora.core.errors import InvalidInput
from remora.core.schema import Schema
from remora.core.text import clean
from remora.entrypoints.http.problems import Problem, Refused

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,3})?")
_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


def from_query(schema: Schema, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Query parameters as the schema's types: lists are repeated names. Nothing is checked beyond what typing needs."""
    properties: Mapping[str, Schema] = schema.get("properties", {})
    given: dict[str, Any] = {}
    for written, raw in pairs:
        name = clean(written)[:200]
        inner = properties.get(name, {})
        if inner.get("type") == "array":
            given.setdefault(name, []).append(_typed(inner.get("items", {}), raw))
        elif name in given:
            raise InvalidInput(name[:60], "is given twice", allowed="once")
        else:
            given[name] = _typed(inner, raw)
    return given


def _typed(schema: Schema, raw: str) -> Any:
    kind = schema.get("type")
    if kind == "integer" and _INTEGER.fullmatch(raw):
        return int(raw)
    if kind == "number" and _NUMBER.fullmatch(raw):
        return float(raw)
    if kind == "boolean" and raw.lower() in _SWITCHES:
        return _SWITCHES[raw.lower()]
    return clean(raw)  # anything else is text; the schema check then says what is allowed


def from_body(body: bytes, content_type: str) -> dict[str, Any]:
    """A JSON object. Refuses other media types, NaN, duplicate names and what is not UTF-8."""
    if not body:
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(Problem("unsupported_media_type", f"{clean(kind)[:80]!r} is not JSON", "send application/json"))
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise InvalidInput("body", "is not UTF-8", allowed="a JSON object in UTF-8") from None
    except (ValueError, RecursionError) as error:
        problem = "is nested too deeply" if isinstance(error, RecursionError) else f"is not JSON: {str(error)[:200]}"
        raise InvalidInput("body", problem, allowed="a JSON object") from None
    if not isinstance(value, dict):
        raise InvalidInput("body", f"is a {type(value).__name__}", allowed="a JSON object")
    return value


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return value


def merged(first: Mapping[str, Any], path: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments together with those in the path; a name in both with another value is refused."""
    for name, value in path.items():
        if name in first and first[name] != value:
            raise InvalidInput(name, "differs from the one in the path", allowed="one of them")
    return {**first, **path}
