"""The text index: exact terms and prefixes over our own postings, with exact document frequencies."""

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from remora.adapters.neo4j.link import Fetch
from remora.adapters.neo4j.memo import Memo
from remora.adapters.neo4j.rows import Part, indexed, keys_of
from remora.core.graph import TermStats
from remora.core.policy import SERVER_INDEXED_CHARS
from remora.core.store_rules import storable, term_order

POSTINGS = """
UNWIND $places AS place
CALL (place) {
  UNWIND $terms AS term
  MATCH (p:RemoraPosting) WHERE p.place = place AND p.term = term AND p.born <= $seq AND p.died > $seq
  RETURN term AS asked, false AS open, p.keys AS keys
 UNION ALL
  UNWIND $prefixes AS prefix
  MATCH (p:RemoraPosting)
  WHERE p.place = place AND p.term STARTS WITH prefix AND p.born <= $seq AND p.died > $seq
  RETURN prefix AS asked, true AS open, p.keys AS keys
}
RETURN asked, open, keys
"""
IDS_OF_KEYS = """
UNWIND $keys AS key MATCH (i:RemoraItem)
WHERE i.repo = $repo AND i.key = key AND i.born <= $seq AND i.died > $seq RETURN i.key, i.id
"""


class Narrowed(NamedTuple):
    """Keys of the candidates, document frequency per term, and how many matched in all."""

    keys: Collection[int]
    frequency: Mapping[str, int]
    total: int


class TextIndex:
    """The postings of some parts as they were at `seq`."""

    def __init__(
        self,
        fetch: Fetch,
        seq: int,
        parts: Sequence[Part],
        memo: Memo,
        holding: Callable[[set[int], str], set[int]],
    ) -> None:
        """`holding(keys, prefix)` are those of the items of which a token really starts with the prefix."""
        self._fetch = fetch
        self._holding = holding
        self._memo = memo
        self._seq = seq
        self._parts = parts
        self._documents = sum(part.documents for part in parts)

    def narrow(self, terms: Collection[str], prefixes: Collection[str], limit: int) -> Narrowed:
        """Candidates of the terms and prefixes, cut by the engine-neutral cap."""
        open_ends = [prefix for prefix in prefixes if prefix]
        exact = [term for term in terms if term not in open_ends]
        matches = self._matches(exact, open_ends)
        frequency = {term: len(keys) for term, keys in matches.items()}
        everything: set[int] = set().union(*matches.values())
        total = len(everything)
        keys = everything if total <= limit else self._cut(matches, frequency, max(0, limit))
        return Narrowed(keys, frequency, total)

    def _matches(self, exact: Sequence[str], open_ends: Sequence[str]) -> dict[str, set[int]]:
        matches: dict[str, set[int]] = {term: set() for term in (*exact, *open_ends)}
        held = {indexed(term): term for term in exact if storable(term)}
        begun: dict[str, list[str]] = {}
        for prefix in filter(storable, open_ends):
            begun.setdefault(prefix[:SERVER_INDEXED_CHARS], []).append(prefix)
        if not self._parts or not (held or begun):
            return matches
        bound = {
            "places": [part.place for part in self._parts], "terms": list(held), "prefixes": list(begun),
            "seq": self._seq,
        }  # fmt: skip
        for asked, is_open, data in self._fetch(POSTINGS, bound):
            for term in begun[asked] if is_open else (held[asked],):
                matches[term].update(keys_of(data))
        for prefix in open_ends:
            if len(prefix) > SERVER_INDEXED_CHARS:  # the index holds only the beginning of such tokens
                matches[prefix] = self._holding(matches[prefix], prefix)
        return matches

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
        known = self._memo.ids
        ids = {key: known[key] for key in keys if key in known}
        if unknown := list(keys - ids.keys()):
            fresh = {row[0]: row[1] for row in self._fetch(IDS_OF_KEYS, {"keys": unknown})}
            self._memo.learn(fresh.items())
            ids |= fresh
        return set(heapq.nsmallest(count, ids, key=ids.__getitem__))

    def stats(self, frequency: Mapping[str, int]) -> TermStats:
        """Corpus figures; mean field lengths are over the documents that have tokens."""
        totals: dict[str, int] = {}
        for part in self._parts:
            for name, tokens in part.fields.items():
                totals[name] = totals.get(name, 0) + tokens
        lengths = {name: tokens / self._documents for name, tokens in sorted(totals.items()) if tokens}
        return TermStats(self._documents, lengths, frequency)
