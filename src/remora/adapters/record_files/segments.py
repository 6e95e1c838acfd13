"""Segments: immutable, content-addressed files of many records, one per line, sorted by id, with a checksum footer."""

import json
import mmap
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from remora.adapters.record_files.disk import Disk, read_regular
from remora.core import ids, policy
from remora.core.errors import Corrupt
from remora.core.records import codec
from remora.core.records.log import BadRecord, StoredRecord, UnitContent
from remora.core.records.model import Record

SCHEMA = "remora.memory-segment/v1"
NAME = re.compile(r"[0-9a-f]{64}\.jsonl")
_LINE_ID = re.compile(rb'\{"version":[0-9],"id":"(mem_[0-9a-f]{24})"')
_LINE_IDS = re.compile(rb"^" + _LINE_ID.pattern, re.MULTILINE)


def write_segment(disk: Disk, folder: Path, lines: Sequence[tuple[str, bytes]]) -> Path:
    """Publish (id, line) pairs as one segment, durably; the same records always make the same file."""
    payload = b"".join(line + b"\n" for _, line in sorted(lines))
    digest = ids.digest(payload)
    path = folder / f"{digest}.jsonl"
    footer = codec.canonical({"segment": SCHEMA, "records": len(lines), "digest": digest}) + b"\n"
    disk.publish(path, (payload, footer))
    return path


def read_segment(path: Path, unit: str) -> UnitContent:
    """Every good record of a segment. When the whole does not verify, each line stands by its own checksum."""
    try:
        data = read_regular(path, policy.SEGMENT_FILE_MAX_BYTES)
    except Corrupt as error:
        return UnitContent(unit, "", bad=(BadRecord(unit, str(error)),))
    lines, problem = _checked_lines(data, path.stem)
    records: list[StoredRecord] = []
    bad = [BadRecord(unit, problem)] if problem else []
    for line in lines:
        try:
            parsed = codec.parse(line, trusted=not problem)
        except Corrupt as error:
            bad.append(BadRecord(unit, str(error), _id_of(line)))
        else:
            if problem and not parsed.verified:  # neither the segment nor the record vouches for these bytes
                bad.append(BadRecord(unit, "no checksum in a damaged segment", parsed.record.id))
            else:
                records.append(StoredRecord(parsed.record, line, parsed.verified, parsed.digest))
    return UnitContent(unit, ids.digest(data) if problem else path.stem, tuple(records), tuple(bad))


def _checked_lines(data: bytes, stem: str) -> tuple[list[bytes], str]:
    """The record lines, and what is wrong with the segment as a whole ("" when it verifies)."""
    payload, footer = _split_footer(data)
    lines = payload.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if footer is None:
        return lines, "the checksum footer is missing or damaged"
    if footer.get("digest") != stem or ids.digest(payload) != stem or footer.get("records") != len(lines):
        return lines, "the checksum of the segment does not match"
    return lines, ""


def _split_footer(data: bytes) -> tuple[bytes, dict[str, object] | None]:
    body = data.removesuffix(b"\n")
    cut = body.rfind(b"\n") + 1
    try:
        footer = json.loads(body[cut:])
    except (ValueError, RecursionError):
        return data, None
    if not isinstance(footer, dict) or footer.get("segment") != SCHEMA:
        return data, None
    return data[:cut], footer


def _id_of(line: bytes) -> str:
    match = _LINE_ID.match(line)
    return match.group(1).decode() if match else ""


def find_line(path: Path, record_id: str) -> bytes | None:
    """The line of one record by bisection of the sorted file; None when the segment does not hold it."""
    wanted = record_id.encode()
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _bisect(data, wanted)
    except ValueError:  # an empty file cannot be mapped
        return None


def _bisect(data: mmap.mmap, wanted: bytes) -> bytes | None:
    low, high = 0, len(data)
    while low < high:
        middle = (low + high) // 2
        start = data.rfind(b"\n", 0, middle) + 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end]
        match = _LINE_ID.match(line)
        if match is None or match.group(1) > wanted:  # the footer, last in the file, has no id
            high = start
        elif match.group(1) < wanted:
            low = end + 1
        else:
            return line
    return None


def line_ids(path: Path) -> set[str]:
    """The ids of all records of one segment, without parsing them."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return {match.decode() for match in _LINE_IDS.findall(data)}
    except ValueError:
        return set()


def chunked(lines: Iterable[tuple[str, bytes]]) -> Iterable[list[tuple[str, bytes]]]:
    """Groups of lines, each small enough for one segment."""
    chunk: list[tuple[str, bytes]] = []
    size = 0
    for item in lines:
        chunk.append(item)
        size += len(item[1]) + 1
        if len(chunk) >= policy.SEGMENT_RECORDS_MAX or size >= policy.SEGMENT_BYTES_MAX:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def segment_lines(records: Iterable[Record]) -> list[tuple[str, bytes]]:
    """(id, line) of each record."""
    return [(record.id, codec.encode_line(record)) for record in records]
