"""The text index: exact terms and prefixes over our own postings, with exact document frequencies."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from remora.adapters.sqlite.rows import json_list, prefix_end
from remora.core.graph import TermStats
from remora.core.store_rules import storable, term_order

TERM = "SELECT item FROM posting WHERE part = ? AND term = ?"
PREFIX = "SELECT item FROM posting WHERE part = ? AND term >= ? AND term < ?"
PREFIX_OPEN = "SELECT item FROM posting WHERE part = ? AND term >= ?"
BY_KEY = "SELECT part, payload, crc, id FROM item WHERE key = ?"
ID_BY_KEY = "SELECT id, key FROM item WHERE key = ?"
LENGTHS = (
    "SELECT field, sum(tokens) FROM part_field WHERE part IN (SELECT value FROM json_each(?))"
    " GROUP BY field ORDER BY field"
)


class Narrowed(NamedTuple):
    """Rows (part, payload, crc, id) of the candidates, document frequency per term, and how many matched in all."""

    rows: Iterable[tuple[object, ...]]
    frequency: Mapping[str, int]
    total: int


def narrow(
    con: apsw.Connection, parts: Sequence[int], terms: Collection[str], prefixes: Collection[str], limit: int
) -> Narrowed:
    """Candidates of the terms and prefixes in the parts, cut by the engine-neutral cap."""
    matches = {term: _holding(con, parts, term, prefix=False) for term in terms}
    matches |= {term: _holding(con, parts, term, prefix=True) for term in prefixes if term}
    frequency = {term: len(keys) for term, keys in matches.items()}
    keys = set().union(*matches.values())
    total = len(keys)
    if total > limit:
        keys = _cut(con, matches, frequency, max(0, limit))
    rows = con.executemany(BY_KEY, [(key,) for key in sorted(keys)])
    return Narrowed(rows, frequency, total)


def _holding(con: apsw.Connection, parts: Sequence[int], term: str, *, prefix: bool) -> set[int]:
    if not storable(term):
        return set()
    if not prefix:
        rows = con.executemany(TERM, [(part, term) for part in parts])
    elif end := prefix_end(term):
        rows = con.executemany(PREFIX, [(part, term, end) for part in parts])
    else:
        rows = con.executemany(PREFIX_OPEN, [(part, term) for part in parts])
    return {key for (key,) in rows}


def _cut(con: apsw.Connection, matches: Mapping[str, set[int]], frequency: Mapping[str, int], limit: int) -> set[int]:
    chosen: set[int] = set()
    for term in term_order(frequency):
        room = limit - len(chosen)
        fresh = matches[term] - chosen
        if len(fresh) > room:
            by_id = sorted(con.executemany(ID_BY_KEY, [(key,) for key in fresh]))
            fresh = {key for _, key in by_id[:room]}
        chosen |= fresh
        if len(chosen) >= limit:
            break
    return chosen


def stats(con: apsw.Connection, parts: Sequence[int], documents: int, frequency: Mapping[str, int]) -> TermStats:
    """Corpus figures of the parts; mean field lengths are over the documents that have tokens."""
    rows = con.execute(LENGTHS, (json_list(parts),)) if documents else ()
    return TermStats(documents, {field: tokens / documents for field, tokens in rows if tokens}, frequency)
