"""How an item lies in its row: one JSON payload with a checksum, so that altered bytes are never served."""

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from remora.core.graph import Item
from remora.core.item_codec import decode_item, encode_item

Row = tuple[Any, ...]
"""What a damaged file yields may have any type, whatever its table says."""


def pack(item: Item) -> tuple[bytes, int]:
    """Payload and CRC-32 of an item; raises `InvalidInput` when its body is not JSON."""
    payload = encode_item(item).encode("ascii")
    return payload, zlib.crc32(payload)


def unpack(payload: object, crc: object) -> Item | None:
    """The item, or None when the row is not what was written."""
    if not isinstance(payload, bytes) or zlib.crc32(payload) != crc:
        return None
    try:
        return decode_item(payload.decode("ascii"))
    except ValueError:
        return None


def fetch(con: apsw.Connection, statement: str, bindings: Iterable[Sequence[Any]] = ((),)) -> list[Row]:
    """All rows of a statement run for each of the bindings; text that is no UTF-8 counts as a damaged file."""
    try:
        return list(con.executemany(statement, bindings))
    except UnicodeDecodeError as error:
        raise apsw.CorruptError("stored text is not UTF-8") from error


def typed(row: Row, *types: type) -> Row:
    """The row, when its values have these types; anything else counts as a damaged file."""
    if len(row) != len(types) or not all(isinstance(value, kind) for value, kind in zip(row, types, strict=True)):
        raise apsw.CorruptError("a stored value has another type than its column")
    return row


def number_list(values: Iterable[int]) -> str:
    """Our own row numbers as the inside of `IN (...)`; cheaper than a bound list and safe, being integers."""
    return ", ".join(str(int(value)) for value in sorted(values))


def prefix_end(prefix: str) -> str:
    """The least text above every text that starts with `prefix`, in the order of UTF-8 bytes; "" when there is none."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return ""
    code = ord(kept[-1]) + 1
    return kept[:-1] + chr(0xE000 if code == 0xD800 else code)
