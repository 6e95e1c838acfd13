"""The one stored form of an item: a compact JSON array of ASCII, the same in every engine."""

import json
from typing import Any

from remora.core.errors import InvalidInput
from remora.core.graph import Edge, Item, Node
from remora.core.policy import JSON_DEPTH_MAX

_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_decoder = json.JSONDecoder()
_NODE_FIELDS = 9
_CONTAINERS = (dict, list, tuple)


def encode_item(item: Item) -> str:
    """`[id, family, label, scope, name, body, tokens, created, updated(, source, target)]`.

    Raises `InvalidInput` when the body is not JSON.
    """
    fields = [
        item.id,
        item.family,
        item.label,
        item.scope,
        item.name,
        dict(item.body),
        {field: list(tokens) for field, tokens in item.tokens.items()},
        item.created,
        item.updated,
    ]
    if isinstance(item, Edge):
        fields += (item.source, item.target)
    return encode_json(fields, "body", item.id)


def encode_json(value: object, field: str, place: str) -> str:
    """Compact ASCII JSON; raises `InvalidInput` naming the field for values that JSON cannot carry."""
    try:
        text = _encoder.encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput(field, f"of {place[:80]!r} is not JSON: {error}") from error
    # few brackets cannot nest deeply; only a text with many is looked at closely
    if text.count("[") + text.count("{") > JSON_DEPTH_MAX and _deeper_than(JSON_DEPTH_MAX, value):
        raise InvalidInput(field, f"of {place[:80]!r} is nested too deeply", allowed=f"{JSON_DEPTH_MAX} levels")
    return text


def _deeper_than(levels: int, value: object) -> bool:
    level = [value]
    for _ in range(levels):
        inner = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, _CONTAINERS)]
        level = [part for parts in inner for part in parts]
    return any(isinstance(part, _CONTAINERS) for part in level)


def decode_json(text: str) -> Any:
    """Read what `encode_json` wrote; raises ValueError on anything else."""
    try:
        value, end = _decoder.raw_decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if end != len(text):
        raise ValueError("text after the end of the value")
    return value


def decode_item(text: str) -> Item:
    """Read what `encode_item` wrote; raises ValueError on anything else."""
    fields = decode_json(text)
    try:
        item_id, family, label, scope, name, body, tokens, created, updated = fields[:_NODE_FIELDS]
        words = {field: tuple(row) for field, row in tokens.items()}
        if len(fields) == _NODE_FIELDS:
            return Node(
                id=item_id, family=family, label=label, scope=scope, name=name,
                body=body, tokens=words, created=created, updated=updated,
            )  # fmt: skip
        source, target = fields[_NODE_FIELDS:]
        return Edge(
            id=item_id, family=family, label=label, scope=scope, name=name, source=source, target=target,
            body=body, tokens=words, created=created, updated=updated,
        )  # fmt: skip
    except (TypeError, AttributeError) as error:
        raise ValueError("not an item") from error
