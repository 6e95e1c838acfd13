"""Bundles: records on the way from store to store, with one checksum over all of them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from remora.core import ids
from remora.core.errors import Corrupt, InvalidInput, LimitReached
from remora.core.graph import Json
from remora.core.records import codec
from remora.core.records.log import BadRecord
from remora.core.records.model import VERSION, Record
from remora.core.records.schema import BUNDLE_RECORDS_MAX, BUNDLE_SCHEMA, PUBLIC_BUNDLE_SCHEMA
from remora.core.records.vocabulary import ScopeKind

_RECORDS = '"records":'


@dataclass(frozen=True, slots=True)
class Bundle:
    """The records of a bundle whose checksum held, and those that are no valid records."""

    records: tuple[Record, ...]
    bad: tuple[BadRecord, ...] = ()


def encode_bundle(records: Iterable[Record], *, legacy: bool = False) -> bytes:
    """A bundle, sorted by id; `legacy` writes the public layout, which knows no digests of single records."""
    ordered = sorted(records, key=lambda record: record.id)
    if len(ordered) > BUNDLE_RECORDS_MAX:
        raise LimitReached(f"a bundle holds at most {BUNDLE_RECORDS_MAX} records, these are {len(ordered)}")
    write = codec.undigested if legacy else codec.to_json
    body: list[Json] = [write(record) for record in ordered]
    rows = codec.compact_json(body)
    schema = PUBLIC_BUNDLE_SCHEMA if legacy else BUNDLE_SCHEMA
    head = codec.compact_json({"schema": schema})[:-1]
    return f'{head},{_RECORDS}{rows},"digest":"{ids.digest(rows.encode())}"}}\n'.encode()


def decode_bundle(data: bytes) -> Bundle:
    """Read a bundle of ours or of the public layout; raises `Corrupt` when its checksum does not hold."""
    body = codec.load_object(data)
    if body.get("schema") not in (BUNDLE_SCHEMA, PUBLIC_BUNDLE_SCHEMA):
        raise InvalidInput("schema", "is not a bundle's", allowed=f"{BUNDLE_SCHEMA}, {PUBLIC_BUNDLE_SCHEMA}")
    rows = body.get("records")
    if not isinstance(rows, list):
        raise InvalidInput("records", "is not a list")
    if len(rows) > BUNDLE_RECORDS_MAX:
        raise LimitReached(f"a bundle holds at most {BUNDLE_RECORDS_MAX} records, this one says {len(rows)}")
    if body.get("digest") not in _digests(data, rows):
        raise Corrupt("the bundle's checksum does not match its records")
    return _read(rows)


def _digests(data: bytes, rows: Json) -> set[str]:
    """Checksums of the rows as they are written and as we would write them (numbers have several spellings)."""
    found = {ids.digest(codec.compact_json(rows).encode())}
    text = data.decode("utf-8", "surrogatepass")
    start = text.find(_RECORDS)
    if start >= 0:
        start += len(_RECORDS)
        _, end = json.JSONDecoder().raw_decode(text, start + len(text[start:]) - len(text[start:].lstrip()))
        found.add(ids.digest(text[start:end].strip().encode("utf-8", "surrogatepass")))
    return found


def _read(rows: list[object]) -> Bundle:
    records: list[Record] = []
    bad: list[BadRecord] = []
    for number, row in enumerate(rows):
        try:
            records.append(_row(row))
        except InvalidInput as error:
            name = str(row.get("id", ""))[:40] if isinstance(row, dict) else ""
            bad.append(BadRecord(f"record {number}", str(error), name))
    return Bundle(tuple(records), tuple(bad))


def _row(row: object) -> Record:
    if not isinstance(row, dict):
        raise InvalidInput("record", "is not an object")
    record = codec.from_json(row)
    if "digest" in row and row["digest"] != codec.record_digest(record):
        raise InvalidInput("digest", "does not match the content")
    return record


def united(held: Iterable[Record], ours: Iterable[Record]) -> tuple[Record, ...]:
    """What a bundle holds, as it holds it, and what of ours it lacks."""
    found = {record.id: record for record in held}
    for record in ours:
        found.setdefault(record.id, record)
    return tuple(found.values())


def adopted(record: Record, principal: str, *, operator: bool) -> Record:
    """The record as its importer stores it: in our layout, and a private one belongs to the importer.

    The operator, who may write for anyone, keeps a named owner.
    """
    owner = record.owner
    if not operator or (record.access_scope.scope is ScopeKind.PRIVATE and not owner):
        owner = principal
    return replace(record, owner=owner, version=VERSION)
