"""Changes of the text index: postings lie in bounded pieces, and a write makes new versions of those it touches."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from remora.adapters.neo4j.link import Fetch
from remora.adapters.neo4j.rows import bytes_of, keys_of
from remora.adapters.neo4j.schema import LIVE
from remora.core.policy import SERVER_BATCH_ROWS, SERVER_POSTING_KEYS

PIECES = """
UNWIND $wanted AS w
CALL (w) {
  MATCH (p:RemoraPosting) WHERE p.place = w[0] AND p.term = w[1] AND p.died = $live AND p.first <= w[2]
  RETURN p ORDER BY p.first DESC LIMIT 1
}
RETURN DISTINCT w[0], w[1], p.first, p.keys
"""
KILL_PIECES = """
UNWIND $gone AS w
MATCH (p:RemoraPosting) WHERE p.place = w[0] AND p.term = w[1] AND p.first = w[2] AND p.died = $live
SET p.died = $seq, p:RemoraDead
"""
MAKE_PIECES = """
UNWIND $rows AS row
CREATE (:RemoraPosting {repo: $repo, born: $seq, died: $live, place: row[0], term: row[1], first: row[2], keys: row[3]})
"""
_NEWEST = 1 << 40

Place = tuple[str, str]
"""(place, index term)."""


class PostingWriter:
    """Collects what one write adds and removes; `settle` writes it. A piece covers the keys from its `first` on."""

    def __init__(self, fetch: Fetch, bound: dict[str, Any], next_key: int) -> None:
        self._fetch = fetch
        self._bound = bound | {"live": LIVE}
        self._next_key = next_key
        self._added: defaultdict[Place, set[int]] = defaultdict(set)
        self._removed: defaultdict[Place, set[int]] = defaultdict(set)

    def add(self, place: str, terms: Iterable[str], key: int) -> None:
        """An item came to hold these terms."""
        for term in terms:
            self._added[place, term].add(key)

    def remove(self, place: str, terms: Iterable[str], key: int) -> None:
        """An item holds these terms no more."""
        for term in terms:
            self._removed[place, term].add(key)

    def settle(self) -> None:
        """Write new versions of the pieces that change."""
        for place in self._added.keys() & self._removed.keys():
            both = self._added[place] & self._removed[place]
            self._added[place] -= both
            self._removed[place] -= both
        pieces = self._pieces()
        gone: list[list[Any]] = []
        rows: list[list[Any]] = []
        for place in sorted(self._added.keys() | self._removed.keys()):
            self._change(place, pieces.get(place, {}), gone, rows)
        for part in _batches(gone):
            self._fetch(KILL_PIECES, self._bound | {"gone": part})
        for part in _batches(rows):
            self._fetch(MAKE_PIECES, self._bound | {"rows": part})

    def _pieces(self) -> dict[Place, dict[int, set[int]]]:
        """The present pieces that hold, or would hold, the keys of this write."""
        wanted: set[tuple[str, str, int]] = set()
        for changes in (self._added, self._removed):
            for (place, term), keys in changes.items():
                # keys never given before lie behind all others: the last piece takes them, however many
                wanted |= {(place, term, min(key, _NEWEST) if key < self._next_key else _NEWEST) for key in keys}
        found: defaultdict[Place, dict[int, set[int]]] = defaultdict(dict)
        for part in _batches([list(row) for row in sorted(wanted)]):
            for place, term, first, data in self._fetch(PIECES, self._bound | {"wanted": part}):
                found[place, term][first] = set(keys_of(data))
        return found

    def _change(self, place: Place, pieces: dict[int, set[int]], gone: list[list[Any]], rows: list[list[Any]]) -> None:
        former = {first: set(keys) for first, keys in pieces.items()}
        for key in self._removed.get(place, ()):
            pieces[_covering(pieces, key)].discard(key)
        for key in self._added.get(place, ()):
            pieces.setdefault(_covering(pieces, key), set()).add(key)
        for first, keys in pieces.items():
            if keys == former.get(first):
                continue
            if first in former:
                gone.append([*place, first])
            rows += [[*place, start, bytes_of(part)] for start, part in _split(first, sorted(keys))]


def _covering(pieces: dict[int, set[int]], key: int) -> int:
    return max((first for first in pieces if first <= key), default=0)


def _split(first: int, keys: list[int]) -> Iterable[tuple[int, list[int]]]:
    """Pieces of at most the bound; the first one keeps where it starts."""
    for at in range(0, len(keys), SERVER_POSTING_KEYS):
        yield (keys[at] if at else first), keys[at : at + SERVER_POSTING_KEYS]


def _batches(rows: list[Any]) -> Iterable[list[Any]]:
    return (rows[at : at + SERVER_BATCH_ROWS] for at in range(0, len(rows), SERVER_BATCH_ROWS))
