"""The text index: exact terms and prefixes over our own postings, with exact document frequencies."""

from collections.abc import Collection, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple

from remora.adapters.sqlite.rows import Reader, number_list, prefix_end
from remora.core.graph import TermStats
from remora.core.store_rules import storable, term_order

TERM = "SELECT item FROM posting WHERE part = ? AND term = ?"
PREFIX = "SELECT item FROM posting WHERE part = ? AND term >= ? AND term < ?"
PREFIX_OPEN = "SELECT item FROM posting WHERE part = ? AND term >= ?"
# hex() orders like the bytes of the id and is readable text even where a file is damaged
ID_BY_KEY = "SELECT hex(id), key FROM item WHERE key = ?"
IDS_OF_PART = "SELECT hex(id), key FROM item INDEXED BY item_by_id WHERE part = ? ORDER BY id"
LENGTHS = "SELECT field, sum(tokens) FROM part_field WHERE part IN ({parts}) GROUP BY field ORDER BY field"


class Narrowed(NamedTuple):
    """Keys of the candidates, document frequency per term, and how many matched in all."""

    keys: Collection[int]
    frequency: Mapping[str, int]
    total: int


class TextIndex:
    """The postings of some parts; `documents` is how many of their items have tokens."""

    def __init__(self, reader: Reader, parts: Sequence[int], documents: int) -> None:
        self._reader = reader
        self._parts = parts
        self._documents = documents

    def narrow(self, terms: Collection[str], prefixes: Collection[str], limit: int) -> Narrowed:
        """Candidates of the terms and prefixes, cut by the engine-neutral cap."""
        matches = {term: self._holding(term, prefix=False) for term in terms}
        matches |= {term: self._holding(term, prefix=True) for term in prefixes if term}
        frequency = {term: len(keys) for term, keys in matches.items()}
        everything: set[int] = set().union(*matches.values())
        total = len(everything)
        keys = everything if total <= limit else self._cut(matches, frequency, max(0, limit))
        return Narrowed(keys, frequency, total)

    def _holding(self, term: str, *, prefix: bool) -> set[int]:
        if not storable(term):
            return set()
        if not prefix:
            rows = self._reader.fetch(TERM, [(part, term) for part in self._parts])
        elif end := prefix_end(term):
            rows = self._reader.fetch(PREFIX, [(part, term, end) for part in self._parts])
        else:
            rows = self._reader.fetch(PREFIX_OPEN, [(part, term) for part in self._parts])
        return {key for (key,) in rows}

    def _cut(self, matches: Mapping[str, set[int]], frequency: Mapping[str, int], limit: int) -> set[int]:
        chosen: set[int] = set()
        for term in term_order(frequency):
            room = limit - len(chosen)
            if room <= 0:
                break
            fresh = matches[term] - chosen
            chosen |= fresh if len(fresh) <= room else self._first_by_id(fresh, room)
        return chosen

    def _first_by_id(self, keys: set[int], count: int) -> set[int]:
        if len(keys) ** 2 < count * self._documents:  # few: look each up and sort
            by_id = sorted(self._reader.fetch(ID_BY_KEY, [(key,) for key in keys]))
            return {key for _, key in by_id[:count]}
        # many: walking the documents in the order of ids meets enough of them soon
        walks = (self._reader.stream(IDS_OF_PART, (part,)) for part in self._parts)
        return set(islice((key for _, key in merge(*walks) if key in keys), count))

    def stats(self, frequency: Mapping[str, int]) -> TermStats:
        """Corpus figures; mean field lengths are over the documents that have tokens."""
        rows = self._reader.fetch(LENGTHS.format(parts=number_list(self._parts))) if self._documents else []
        lengths = {self._reader.typed((field,), str)[0]: tokens / self._documents for field, tokens in rows if tokens}
        return TermStats(self._documents, lengths, frequency)
