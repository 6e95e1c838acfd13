"""Checking a call's arguments against its JSON Schema: every error at once, defaults filled in, nothing coerced.

The dialect is what our own operations use: type, enum, required, properties, additionalProperties, items, default,
minimum/maximum, minLength/maxLength, minItems/maxItems.
"""

from collections.abc import Mapping
from typing import Any

from remora.core.errors import InvalidBatch, InvalidInput

Schema = Mapping[str, Any]

_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def checked(schema: Schema, arguments: object, field: str = "arguments") -> dict[str, Any]:
    """The arguments with defaults filled in. Raises `InvalidInput`, or `InvalidBatch` that lists every error."""
    errors: list[InvalidInput] = []
    value = _check(schema, {} if arguments is None else arguments, field, errors)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise InvalidBatch(field, errors)
    return dict(value)


def _check(schema: Schema, value: Any, field: str, errors: list[InvalidInput]) -> Any:
    shown = "the value" if schema.get("writeOnly") else _shown(value)  # what somebody said is in no error
    if not _has_type(schema, value):
        errors.append(InvalidInput(field, f"{shown} is a {type(value).__name__}", allowed=_types(schema)))
        return value
    if "enum" in schema and value not in schema["enum"]:
        allowed = ", ".join(str(choice) for choice in schema["enum"])
        errors.append(InvalidInput(field, f"{shown} is unknown", allowed=allowed))
    if isinstance(value, str):
        _bounds(schema, len(value), "Length", "characters", field, errors)
    elif isinstance(value, list | tuple):
        _bounds(schema, len(value), "Items", "items", field, errors)
        inner = schema.get("items", {})
        return [_check(inner, item, f"{field}[{index}]", errors) for index, item in enumerate(value)]
    elif isinstance(value, dict):
        return _check_object(schema, value, field, errors)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _range(schema, value, field, errors)
    return value


def _check_object(schema: Schema, value: dict[str, Any], field: str, errors: list[InvalidInput]) -> dict[str, Any]:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    prefix = "" if field == "arguments" else f"{field}."
    out: dict[str, Any] = {}
    for name, item in value.items():
        if name in properties:
            out[name] = _check(properties[name], item, prefix + name, errors)
        elif schema.get("additionalProperties", True) is False:
            errors.append(InvalidInput(prefix + str(name)[:60], "is unknown", allowed=", ".join(properties)))
        else:
            out[name] = item
    for name, inner in properties.items():
        if name not in value and name in schema.get("required", ()):
            errors.append(InvalidInput(prefix + name, "is missing", allowed=_types(inner)))
        elif name not in value and "default" in inner:
            out[name] = inner["default"]
    return out


def _has_type(schema: Schema, value: Any) -> bool:
    names = schema.get("type")
    if names is None:
        return True
    for name in [names] if isinstance(names, str) else names:
        if isinstance(value, _PYTHON_TYPES[name]) and (name == "boolean" or not isinstance(value, bool)):
            return True
    return False


def _types(schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(str(choice) for choice in schema["enum"])
    names = schema.get("type", "any value")
    return names if isinstance(names, str) else " or ".join(names)


def _bounds(schema: Schema, size: int, suffix: str, unit: str, field: str, errors: list[InvalidInput]) -> None:
    low, high = schema.get(f"min{suffix}", 0), schema.get(f"max{suffix}")
    if size < low or (high is not None and size > high):
        allowed = f"{low} to {high} {unit}" if high is not None else f"at least {low} {unit}"
        errors.append(InvalidInput(field, f"has {size} {unit}", allowed=allowed))


def _range(schema: Schema, value: float, field: str, errors: list[InvalidInput]) -> None:
    low, high = schema.get("minimum"), schema.get("maximum")
    if value != value or (low is not None and value < low) or (high is not None and value > high):  # noqa: PLR0124  # NaN
        errors.append(InvalidInput(field, f"{value} is out of range", allowed=f"{low} to {high}"))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
