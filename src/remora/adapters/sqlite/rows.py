"""How an item lies in its row, and how rows are read: altered bytes are found out, never served."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from remora.adapters.sqlite.faults import DAMAGED_ADVICE, translated
from remora.core.errors import Corrupt
from remora.core.graph import Item
from remora.core.item_codec import decode_item, encode_item

Row = tuple[Any, ...]
"""What a damaged file yields may have any type, whatever its table says."""


class Reader:
    """Runs statements on one connection; every fault is an error of our tree that names the file."""

    def __init__(self, con: apsw.Connection, path: Path) -> None:
        self._con = con
        self._path = path

    def close(self) -> None:
        """Part with the connection: a view kept beyond its block must not see another's transaction."""
        del self._con

    def fetch(self, statement: str, bindings: Iterable[Sequence[Any]] = ((),)) -> list[Row]:
        """All rows of a statement run for each of the bindings."""
        try:
            with translated(self._path):
                return list(self._con.executemany(statement, bindings))
        except UnicodeDecodeError as error:
            raise self.damaged("stored text is not UTF-8") from error

    def stream(self, statement: str, binding: Sequence[Any]) -> Iterator[Row]:
        """Rows as they are needed, for callers that stop early. Only for values that damage cannot make unreadable."""
        with translated(self._path):
            yield from self._con.cursor().execute(statement, binding)

    def typed(self, row: Row, *types: type) -> Row:
        """The row, when its values have these types; anything else counts as a damaged file."""
        if len(row) != len(types) or not all(map(isinstance, row, types)):
            raise self.damaged("a stored value has another type than its column")
        return row

    def damaged(self, what: str) -> Corrupt:
        """The error for content that is not what was written."""
        return Corrupt(f"the store {self._path} is damaged: {what}", advice=DAMAGED_ADVICE)


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
