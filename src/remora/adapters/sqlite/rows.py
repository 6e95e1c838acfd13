"""How an item lies in its row: one JSON payload with a checksum, so that altered bytes are never served."""

import json
import zlib
from collections.abc import Iterable

from remora.core.graph import Item
from remora.core.item_codec import decode_item, encode_item


def pack(item: Item) -> tuple[str, int]:
    """Payload and CRC-32 of an item; raises `InvalidInput` when its body is not JSON."""
    payload = encode_item(item)
    return payload, zlib.crc32(payload.encode())


def unpack(payload: object, crc: object) -> Item | None:
    """The item, or None when the row is not what was written."""
    if not isinstance(payload, str) or zlib.crc32(payload.encode(errors="replace")) != crc:
        return None
    try:
        return decode_item(payload)
    except ValueError:
        return None


def json_list(values: Iterable[str | int]) -> str:
    """A bound parameter for `json_each`."""
    return json.dumps(list(values))


def prefix_end(prefix: str) -> str:
    """The least text above every text that starts with `prefix`, in the order of UTF-8 bytes; "" when there is none."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return ""
    code = ord(kept[-1]) + 1
    return kept[:-1] + chr(0xE000 if code == 0xD800 else code)
