"""How an item lies in its node, and what may be indexed: altered bytes are found out, never served."""

import sys
import zlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from remora.core.errors import InvalidInput
from remora.core.graph import Edge, Item
from remora.core.ids import digest
from remora.core.item_codec import decode_item, decode_json, encode_item, encode_json
from remora.core.policy import SERVER_INDEXED_CHARS

_MARK = "\x01"


def pack(item: Item) -> tuple[str, int]:
    """Payload and CRC-32 of an item; raises `InvalidInput` when its body is not JSON."""
    payload = encode_item(item)
    return payload, zlib.crc32(payload.encode("ascii"))


def unpack(payload: object, crc: object) -> Item | None:
    """The item, or None when the node is not what was written."""
    if not isinstance(payload, str) or not payload.isascii() or zlib.crc32(payload.encode("ascii")) != crc:
        return None
    try:
        return decode_item(payload)
    except ValueError:
        return None


def indexed(term: str) -> str:
    """A token as the index holds it: a long one as its beginning and a digest, since index entries are short."""
    if len(term) <= SERVER_INDEXED_CHARS:
        return term
    return f"{term[:SERVER_INDEXED_CHARS]}{_MARK}{digest(term.encode())}"


def check_indexable(item: Item) -> None:
    """Raise `InvalidInput` for names of places that no index of the server can hold."""
    texts = {"id": item.id, "family": item.family, "label": item.label, "scope": item.scope}
    if isinstance(item, Edge):
        texts |= {"source": item.source, "target": item.target}
    for name, text in texts.items():
        if len(text) > SERVER_INDEXED_CHARS * 2:
            raise InvalidInput(name, f"of item {item.id[:80]!r} is longer than {SERVER_INDEXED_CHARS * 2} characters")


def terms(item: Item) -> set[str]:
    """The index terms of an item."""
    return {indexed(token) for row in item.tokens.values() for token in row}


def keys_of(data: bytes) -> "array[int]":
    """Item keys out of a posting's bytes (little-endian, 32 bits each)."""
    keys = array("I")
    keys.frombytes(data)
    if sys.byteorder == "big":
        keys.byteswap()
    return keys


def bytes_of(keys: Iterable[int]) -> bytes:
    """The bytes of a posting; keys in order."""
    row = array("I", sorted(keys))
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()


@dataclass
class Part:
    """One (family, label) of a scope with its exact counts. `place` is its short name in the indexes."""

    place: str
    family: str
    label: str
    scope: str
    items: int = 0
    documents: int = 0
    fields: dict[str, int] = field(default_factory=dict)

    def count(self, item: Item, sign: int) -> None:
        """An item came (1) or left (-1)."""
        self.items += sign
        if any(item.tokens.values()):
            self.documents += sign
            for name, tokens in item.tokens.items():
                total = self.fields.get(name, 0) + sign * len(tokens)
                self.fields[name] = total
                if not total:
                    del self.fields[name]


def pack_parts(parts: Iterable[Part]) -> str:
    """The parts of one scope as one JSON text."""
    rows = [[p.place, p.family, p.label, p.items, p.documents, p.fields] for p in parts]
    return encode_json(sorted(rows, key=lambda row: str(row[0])), "parts", "scope")


def unpack_parts(text: str, scope: str) -> list[Part]:
    """Read what `pack_parts` wrote; raises ValueError on anything else."""
    rows: list[Any] = decode_json(text)
    try:
        return [Part(place, family, label, scope, items, documents, dict(fields))
                for place, family, label, items, documents, fields in rows]  # fmt: skip
    except TypeError as error:
        raise ValueError("not the parts of a scope") from error


def row_of(item: Item, key: int, place: str) -> Mapping[str, Any]:
    """The properties of a new version but for `repo`, `born` and `died`."""
    check_indexable(item)
    payload, crc = pack(item)
    row: dict[str, Any] = {
        "id": item.id, "key": key, "place": place, "updated": item.updated, "name": item.name,
        "scope": item.scope, "searchable": any(item.tokens.values()), "payload": payload, "crc": crc,
    }  # fmt: skip
    return row | ({"source": item.source, "target": item.target} if isinstance(item, Edge) else {})
