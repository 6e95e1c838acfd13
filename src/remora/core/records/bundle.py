"""Bundles: records that travel from store to store under one checksum."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from remora.core import ids
from remora.core.errors import Corrupt, InvalidInput, LimitReached
from remora.core.records import codec
from remora.core.records.log import BadRecord
from remora.core.records.model import VERSION, Record
from remora.core.records.schema import BUNDLE_RECORDS_MAX, BUNDLE_SCHEMA, PUBLIC_BUNDLE_SCHEMA
from remora.core.records.vocabulary import ScopeKind


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a bundle holds: its records, and a name for each row that is none."""

    records: tuple[Record, ...]
    bad: tuple[BadRecord, ...] = ()


# --- Writing ----------------------------------------------------------------------------------------------------------


def encode_bundle(records: Iterable[Record], *, legacy: bool = False) -> bytes:
    """The bundle as one line of JSON, by id; `legacy` is the public layout, whose records carry no checksums."""
    rows = [codec.undigested(row) if legacy else codec.to_json(row) for row in sorted(records, key=attrgetter("id"))]
    _require_room(len(rows))
    content = codec.canonical([*rows])
    name = PUBLIC_BUNDLE_SCHEMA if legacy else BUNDLE_SCHEMA
    return b'{"schema":"%b","records":%b,"digest":"%b"}\n' % (name.encode(), content, ids.digest(content).encode())


def _require_room(count: int) -> None:
    if count > BUNDLE_RECORDS_MAX:
        raise LimitReached(f"a bundle holds at most {BUNDLE_RECORDS_MAX} records, these are {count}")


# --- Reading ----------------------------------------------------------------------------------------------------------


def decode_bundle(data: bytes) -> Bundle:
    """The records of a bundle in either layout. Raises `InvalidInput` for no bundle, `Corrupt` for a changed one.

    A row that is no record, or not the one its own checksum was taken of, is named and loses no other.
    """
    body = codec.load_object(data)
    known = (BUNDLE_SCHEMA, PUBLIC_BUNDLE_SCHEMA)
    if body.get("schema") not in known:
        raise InvalidInput("schema", "is not a bundle's", allowed=", ".join(known))
    rows = body.get("records")
    if not isinstance(rows, list):
        raise InvalidInput("records", "is not a list")
    _require_room(len(rows))
    if all(ids.digest(spelling) != body.get("digest") for spelling in _spellings(rows, data)):
        raise Corrupt("the bundle's checksum does not match its records")
    return _sorted_out(rows)


def _spellings(rows: list[Any], data: bytes) -> Iterator[bytes]:
    """What the checksum may have been taken of: the rows as we write them, else as they are written but for blanks.

    Other makers spell numbers otherwise (`1e0`), which reading and writing again loses.
    """
    yield codec.canonical(rows)
    text = _BLANKS.sub(lambda match: match["text"] or "", str(data, "utf-8-sig"))
    decode, at, spelt = json.JSONDecoder().raw_decode, 1, ""
    while text[at] != "}":
        name, colon = decode(text, at)
        _, end = decode(text, colon + 1)
        spelt = text[colon + 1 : end] if name == "records" else spelt  # of a name that stands twice the last one counts
        at = end + (text[end] == ",")
    yield spelt.encode("utf-8", "surrogatepass")


_BLANKS = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*")|[ \t\r\n]+', re.DOTALL)


def _sorted_out(rows: list[Any]) -> Bundle:
    good: list[Record] = []
    bad: list[BadRecord] = []
    for place, row in enumerate(rows):
        try:
            good.append(_checked(row))
        except InvalidInput as error:
            told = str(row.get("id") or "")[:40] if isinstance(row, dict) else ""
            bad.append(BadRecord(f"record {place}", str(error), told))
    return Bundle(tuple(good), tuple(bad))


def _checked(row: Any) -> Record:
    if not isinstance(row, dict):
        raise InvalidInput("record", "is not an object")
    record = codec.from_json(row)
    if not codec.checksum(row, record):
        raise InvalidInput("digest", "does not match the content")
    return record


# --- Exchange ---------------------------------------------------------------------------------------------------------


def united(held: Iterable[Record], ours: Iterable[Record]) -> tuple[Record, ...]:
    """The records of both sides; what a bundle holds stays as it holds it."""
    both = {record.id: record for record in ours}
    both.update((record.id, record) for record in held)
    return tuple(both.values())


def adopted(record: Record, principal: str, *, operator: bool) -> Record:
    """The record as its importer keeps it, in the present layout and as its own.

    An operator, who may write for anyone, leaves a named owner; a private record of nobody becomes its importer's.
    """
    ownerless = record.access_scope.scope is ScopeKind.PRIVATE and not record.owner
    owner = principal if ownerless or not operator else record.owner
    return replace(record, version=VERSION, owner=owner)
