"""Records held in memory and views of them as of a moment: what evaluations ask instead of an index."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from math import log

from remora.core import policy
from remora.core.graph import TermStats
from remora.core.records import codec
from remora.core.records.indexed import (
    AnchorKey,
    IndexedRecord,
    IndexState,
    Lineage,
    Narrowing,
    RecordCandidates,
    category_of,
    index_entry,
    narrowed,
)
from remora.core.records.model import Record
from remora.core.records.vocabulary import Relation


class RecordShelf:
    """Records with everything that they are found under, numbered newest first."""

    def __init__(self, records: Iterable[Record]) -> None:
        ordered = sorted(records, key=lambda record: (-record.occurred_at, record.id))
        self.items: list[IndexedRecord] = []
        self.by_id: dict[str, int] = {}
        self.words: defaultdict[str, list[int]] = defaultdict(list)
        self.keys: defaultdict[str, list[int]] = defaultdict(list)
        self.lineage: defaultdict[str, list[tuple[int, Lineage]]] = defaultdict(list)
        self.links: defaultdict[str, list[tuple[int, Relation]]] = defaultdict(list)
        self.sources: defaultdict[str, list[int]] = defaultdict(list)
        for number, record in enumerate(ordered):
            self._add(number, record)
        self.vocabulary = sorted(self.words)

    def _add(self, number: int, record: Record) -> None:
        entry = index_entry(record)
        self.items.append(_indexed(record, entry.words))
        self.by_id[record.id] = number
        for word in {word for found in entry.words.values() for word in found}:
            self.words[word].append(number)
        for key in entry.keys:
            self.keys[key].append(number)
        for step in entry.lineage:
            for key in (step.old, step.new):
                self.lineage[key].append((number, step))
        for link in record.links:
            self.links[link.target].append((number, link.relation))
        for source in record.sources:
            self.sources[source.uri].append(number)

    def beginning(self, prefix: str) -> Iterator[str]:
        """Words that begin with the prefix."""
        for at in range(bisect_left(self.vocabulary, prefix), len(self.vocabulary)):
            if not self.vocabulary[at].startswith(prefix):
                return
            yield self.vocabulary[at]


def _indexed(record: Record, words: dict[str, tuple[str, ...]]) -> IndexedRecord:
    return IndexedRecord(
        id=record.id,
        kind=record.kind,
        category=category_of(record),
        lifecycle=record.lifecycle,
        occurred_at=record.occurred_at,
        confidence=record.confidence,
        verification=record.verification.status,
        repository=record.repository,
        access_scope=record.access_scope,
        owner=record.owner,
        tokens=words,
        data=codec.encode_line(record),
    )


class CutView:
    """A view of only some of a shelf's records, as if the others had not happened yet."""

    def __init__(self, shelf: RecordShelf, visible: Iterable[str]) -> None:
        self._shelf = shelf
        self._visible = {shelf.by_id[record_id] for record_id in visible if record_id in shelf.by_id}
        self._newest = sorted(self._visible)
        lengths: defaultdict[str, int] = defaultdict(int)
        for number in self._visible:
            for name, found in shelf.items[number].tokens.items():
                lengths[name] += len(found)
        self._length = {name: total / len(self._visible) for name, total in lengths.items()}

    @property
    def total(self) -> int:
        """How many records are visible."""
        return len(self._visible)

    @property
    def state(self) -> IndexState:
        """Nothing was read from disk."""
        return IndexState(len(self._visible), 0, "unchanged")

    def text(
        self, terms: Collection[str], prefixes: Collection[str], narrowing: Narrowing, *, limit: int
    ) -> RecordCandidates:
        """Records that share words with the query, cut by the rarity of what they share, newest first."""
        held = {term: self._seen(self._shelf.words.get(term, ())) for term in dict.fromkeys(terms)}
        expanded: dict[str, set[int]] = {}
        for prefix in dict.fromkeys(prefixes):
            exact = held.get(prefix, ()) or self._seen(self._shelf.words.get(prefix, ()))
            if len(exact) < policy.RECORD_PREFIX_ENOUGH:
                words = islice(self._shelf.beginning(prefix), policy.RECORD_PREFIX_EXPANSIONS)
                found = {number for word in words for number in self._seen(self._shelf.words[word])}
                if found:
                    expanded[prefix] = found
        everything = held | expanded
        scores: defaultdict[int, int] = defaultdict(int)
        for found in everything.values():
            weight = int(1000 * log(1 + (self.total - len(found) + 0.5) / (len(found) + 0.5))) + 1
            for number in found:
                if narrowed(self._shelf.items[number], narrowing):
                    scores[number] += weight
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        items = sorted((self._shelf.items[number] for number in best), key=lambda record: record.id)
        frequency = {term: len(found) for term, found in everything.items()}
        return RecordCandidates(
            tuple(items), TermStats(self.total, self._length, frequency), tuple(expanded), len(scores)
        )

    def concrete(self, keys: Collection[str], *, limit: int) -> tuple[str, ...]:
        """Path endings and folders as whole path keys; other anchor keys stay as they are."""
        found: dict[str, None] = {}
        for key in keys:
            found |= dict.fromkeys(islice(self._concrete(key), max(0, limit - len(found))))
        return tuple(found)

    def _concrete(self, key: str) -> Iterator[str]:
        kind, _, rest = key.partition(":")
        if kind not in ("e", "d"):
            yield key
            return
        for name in sorted(self._shelf.keys):
            path = name.removeprefix("p:")
            if path != name and (path.startswith(f"{rest}/") if kind == "d" else f"/{path}".endswith(f"/{rest}")):
                yield name

    def anchored(
        self, keys: Collection[AnchorKey], narrowing: Narrowing, *, limit: int
    ) -> tuple[tuple[IndexedRecord, ...], int]:
        """Records that hold any of the keys within its time, newest first, and how many there are in all."""
        found = {
            number
            for key in keys
            for number in self._seen(self._shelf.keys.get(key.key, ()))
            if key.since <= self._shelf.items[number].occurred_at <= key.until
        }
        return self._page(sorted(found), narrowing, limit)

    def lineage(self, keys: Collection[str]) -> tuple[Lineage, ...]:
        """Renames and copies that visible records tell of these keys, oldest first."""
        steps = {step for key in keys for number, step in self._shelf.lineage.get(key, ()) if number in self._visible}
        return tuple(sorted(steps, key=lambda step: (step.at, step.old, step.new)))

    def newest(
        self, narrowing: Narrowing, *, limit: int, after: tuple[int, str] | None = None
    ) -> tuple[tuple[IndexedRecord, ...], int]:
        """The newest records, and how many there are in all."""
        if after is not None:
            kept = [number for number in self._newest if narrowed(self._shelf.items[number], narrowing)]
            behind = [n for n in kept if _place(self._shelf.items[n]) > (-after[0], after[1])]
            return tuple(self._shelf.items[number] for number in behind[:limit]), len(kept)
        if narrowing == Narrowing():
            return tuple(self._shelf.items[number] for number in self._newest[:limit]), self.total
        return self._page(self._newest, narrowing, limit)

    def get(self, ids: Collection[str]) -> dict[str, IndexedRecord]:
        """The visible ones of these records."""
        numbers = {record_id: self._shelf.by_id.get(record_id, -1) for record_id in ids}
        return {key: self._shelf.items[number] for key, number in numbers.items() if number in self._visible}

    def by_source(self, uris: Collection[str]) -> tuple[IndexedRecord, ...]:
        """Records that cite any of these sources, newest first."""
        found = {number for uri in uris for number in self._seen(self._shelf.sources.get(uri, ()))}
        return tuple(self._shelf.items[number] for number in sorted(found))

    def linking(self, targets: Collection[str]) -> tuple[tuple[str, Relation, IndexedRecord], ...]:
        """(target, relation, record) of records with a link to any of the targets, newest first."""
        found = sorted(
            (number, target, relation)
            for target in targets
            for number, relation in self._shelf.links.get(target, ())
            if number in self._visible
        )
        return tuple((target, relation, self._shelf.items[number]) for number, target, relation in found)

    def _seen(self, numbers: Iterable[int]) -> set[int]:
        return self._visible.intersection(numbers)

    def _page(self, numbers: Sequence[int], narrowing: Narrowing, limit: int) -> tuple[tuple[IndexedRecord, ...], int]:
        fitting = [self._shelf.items[number] for number in numbers if narrowed(self._shelf.items[number], narrowing)]
        return tuple(fitting[:limit]), len(fitting)


def _place(record: IndexedRecord) -> tuple[int, str]:
    return -record.occurred_at, record.id
