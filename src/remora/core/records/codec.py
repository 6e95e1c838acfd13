"""Records as bytes: canonical JSON with a checksum of its own, and strict reading of layouts 1 to 3."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remora.core import ids
from remora.core.errors import Corrupt, InvalidInput
from remora.core.graph import Json
from remora.core.records.fields import RECORD
from remora.core.records.model import Record, check_record

_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INDENTED = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2)
_LONE = "backslashreplace"
"""A lone surrogate (a byte of a path that is no UTF-8) has no UTF-8 form; this writes it as its JSON escape."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A record as it was read. `verified`: its bytes carried a checksum, and it held."""

    record: Record
    verified: bool
    digest: str


# --- Writing ----------------------------------------------------------------------------------------------------------


def undigested(record: Record) -> dict[str, Json]:
    """The record as a JSON object in the layout's order, as stores without checksums keep it."""
    return RECORD.written(record)


def to_json(record: Record) -> dict[str, Json]:
    """The same with its checksum at the end."""
    body = RECORD.written(record)
    return body | {"digest": ids.digest(canonical(body))}


def canonical(body: Json) -> bytes:
    """JSON in its one shortest spelling: the bytes that checksums are taken of. NaN is refused."""
    return _COMPACT.encode(body).encode("utf-8", _LONE)


def encode_line(record: Record) -> bytes:
    """The record and its checksum as one line without a newline, for a segment."""
    body = canonical(RECORD.written(record))
    return b'%b,"digest":"%b"}' % (body[:-1], ids.digest(body).encode("ascii"))


def encode_file(record: Record) -> bytes:
    """The record and its checksum as a file of its own, indented for people who review it."""
    return _INDENTED.encode(to_json(record)).encode("utf-8", _LONE) + b"\n"


# --- Reading ----------------------------------------------------------------------------------------------------------


def parse(data: bytes, *, trusted: bool = False) -> Parsed:
    """The record in these bytes; raises `Corrupt` with what is wrong.

    Bytes that were checked when they were taken in are `trusted`: neither rules nor checksum are gone over again.
    """
    body = load_object(data)
    stated = body.get("digest")
    try:
        record = RECORD.read(body)
        if trusted and isinstance(stated, str):
            return Parsed(record, True, stated)
        if not trusted:
            check_record(record)
    except InvalidInput as error:
        raise Corrupt(f"not a valid record: {error}") from error
    counted = checksum(body, record)
    if not counted:
        raise Corrupt("the checksum does not match the content")
    return Parsed(record, stated is not None, counted)


def checksum(body: Mapping[str, Any], record: Record) -> str:
    """The checksum of the record that was read from this object; "" unless it is the one that the object states.

    One that states a checksum holds the record's fields and no others, in whatever order: a name that was damaged would
    else pass as a field of somebody else's. Objects without a checksum are other makers', and may hold more.
    """
    written = RECORD.written(record)
    counted = ids.digest(canonical(written))
    if body.get("digest") is None:
        return "" if counted in body.values() else counted  # its checksum is there, under a damaged name
    rest = {name: value for name, value in body.items() if name != "digest"}
    return counted if body["digest"] == counted and rest == written else ""


def from_json(body: Mapping[str, Any]) -> Record:
    """The record of a JSON object, its checksum aside. Raises `InvalidInput` naming the field that breaks a rule."""
    record = RECORD.read(body)
    check_record(record)
    return record


def load_object(data: bytes) -> dict[str, Any]:
    """The JSON object in these bytes; raises `Corrupt` for anything else: other values, NaN, no UTF-8, no end."""
    try:
        body = json.loads(str(data, "utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"not JSON: {str(error)[:120]}") from error
    if type(body) is not dict:
        raise Corrupt("not a JSON object")
    return body


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")
