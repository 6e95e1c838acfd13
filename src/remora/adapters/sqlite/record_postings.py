"""Postings of the record index: term -> documents, in buckets of packed offsets, apart for each audience."""

# ruff: noqa: S608 - spliced into SQL are only our own integers

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial

import apsw

from remora.adapters.sqlite.record_layout import blob, packed, whole

_BUCKET_BITS = 14
_OFFSET_MASK = (1 << _BUCKET_BITS) - 1

_ADD = """INSERT INTO posting VALUES(?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET docs = CAST(docs || excluded.docs AS BLOB)"""

KIND_TERM = "\x01k:"
CATEGORY_TERM = "\x01c:"
"""Prefixes of terms that no text yields: they list the documents of a kind or category."""


class PostingWriter:
    """Gathers postings and writes them in key order."""

    def __init__(self, con: apsw.Connection) -> None:
        self._con = con
        self._gathered: dict[tuple[int, int], defaultdict[str, array[int]]] = {}

    def add(self, doc: int, part: int, terms: Iterable[str]) -> None:
        """List the document under each of the distinct terms."""
        offset = doc & _OFFSET_MASK
        place = (part, doc >> _BUCKET_BITS)
        lists = self._gathered.get(place)
        if lists is None:
            lists = self._gathered[place] = defaultdict(partial(array, "H"))
        for term in terms:
            lists[term].append(offset)

    def flush(self) -> None:
        """Write what was gathered."""
        rows = [
            (term, part, bucket, offsets.tobytes())
            for (part, bucket), lists in self._gathered.items()
            for term, offsets in lists.items()
        ]
        self._con.executemany(_ADD, sorted(rows))
        self._gathered.clear()


def remove_postings(con: apsw.Connection, doc: int, part: int, terms: Iterable[str]) -> None:
    """Take the document out of each term's list."""
    bucket, offset = doc >> _BUCKET_BITS, doc & _OFFSET_MASK
    for term in terms:
        data = con.execute("SELECT docs FROM posting WHERE term=? AND part=? AND bucket=?", (term, part, bucket)).get
        found = array("H", blob(data or b""))
        if offset in found:
            found.remove(offset)
        if found:
            row = (found.tobytes(), term, part, bucket)
            con.execute("UPDATE posting SET docs=? WHERE term=? AND part=? AND bucket=?", row)
        else:
            con.execute("DELETE FROM posting WHERE term=? AND part=? AND bucket=?", (term, part, bucket))


class Postings:
    """Reads postings of the audiences that a caller belongs to; None means all."""

    def __init__(self, con: apsw.Connection, parts: tuple[int, ...] | None) -> None:
        self._con = con
        self._filter = "" if parts is None else f" AND part IN ({','.join(map(str, parts))})"

    def documents(self, term: str) -> list[int]:
        """Documents that hold the term exactly; each once."""
        return list(
            _unpacked(self._con.execute(f"SELECT bucket, docs FROM posting WHERE term=?{self._filter}", (term,)))
        )

    def count(self, term: str) -> int:
        """How many documents hold the term."""
        query = f"SELECT total(length(docs)) FROM posting WHERE term=?{self._filter}"
        return whole(self._con.execute(query, (term,)).get) // 2

    def expansions(self, prefix: str, limit: int) -> list[str]:
        """Terms that begin with the prefix, shortest first."""
        query = f"""SELECT DISTINCT term FROM posting WHERE term >= ? AND term < ?{self._filter}
          ORDER BY length(term), term LIMIT ?"""
        return [str(term) for (term,) in self._con.execute(query, (prefix, prefix + "\U0010ffff", limit))]

    def documents_of(self, terms: Iterable[str]) -> set[int]:
        """Documents that hold any of the terms."""
        query = f"SELECT bucket, docs FROM posting WHERE term IN (SELECT value FROM json_each(?)){self._filter}"
        return set(_unpacked(self._con.execute(query, (packed(list(terms)),))))


def _unpacked(rows: Iterable[tuple[object, ...]]) -> Iterator[int]:
    for bucket, data in rows:
        offsets = array("H", blob(data))
        base = whole(bucket) << _BUCKET_BITS
        for offset in offsets:
            yield base + offset
