"""What happened before, as locating needs it: changes like the one described, and which files change often."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from math import exp

from remora.core import policy
from remora.core.graph import TermStats
from remora.core.locate.contents import rarity
from remora.core.locate.fixes import is_fix
from remora.core.recall.bm25 import bm25
from remora.core.records.indexed import IndexedRecord, Narrowing, path_key
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
from remora.core.records.search import WEIGHTS
from remora.core.records.view import RecordView


@dataclass(frozen=True, slots=True)
class PastChange:
    """A record that names files: its words and the files as they were called then (new names first)."""

    id: str
    title: str
    source: str
    occurred_at: int
    paths: tuple[str, ...]


Seen = MutableMapping[str, PastChange]
"""Record id -> what was read of it, so that a record is decoded once however many queries meet it."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A past change that shares words with a query."""

    change: PastChange
    likeness: float
    """Share of the query's rarity in its words, 0 to 1; less where its title says much else."""
    score: float
    """BM25 as a share of the best one's."""
    shared: frozenset[str]


@dataclass(frozen=True, slots=True)
class RecentChange:
    """One of the newest changes: the present paths of its files, and whether it repaired something."""

    paths: tuple[str, ...]
    weight: float
    """Less the older it is, 0 to 1."""
    fix: bool


@dataclass(frozen=True, slots=True)
class Past:
    """The changes that share words with a query, most alike first, and the newest changes whatever they say."""

    alike: tuple[Alike, ...] = ()
    recent: tuple[RecentChange, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """Former path -> the path that it has now; files that are gone are left out."""
    frequency: Mapping[str, int] = field(default_factory=dict)
    """Present path -> how many of the recent changes touched it."""

    def present(self, change: PastChange) -> tuple[str, ...]:
        """The files of a change as they are called now."""
        return tuple(dict.fromkeys(self.names[path] for path in change.paths if path in self.names))


def read_past(view: RecordView, terms: Sequence[str], present: Iterable[str], seen: Seen) -> Past:
    """Look up what records say; `present` are the files there are now."""
    found = view.text(terms, (), Narrowing(), limit=policy.LOCATE_ALIKE)
    pairs = [(change, record) for record in _shown(view, found.items) if (change := _change(record, seen))]
    newest, _ = view.newest(Narrowing(), limit=policy.LOCATE_RECENT)
    recent = [change for record in _shown(view, newest) if (change := _change(record, seen))]
    told = {path for change in (*recent, *(change for change, _ in pairs)) for path in change.paths}
    names = _present_names(view, told, present)
    compared = _compared(pairs, terms, found.stats)
    alike = [item for item in compared if any(path in names for path in item.change.paths)]
    alike.sort(key=lambda item: (-round(item.likeness, 9), -item.change.occurred_at, item.change.id))
    habits = tuple(_recent(recent, names))
    frequency = Counter(path for change in habits for path in change.paths)
    return Past(tuple(alike), habits, names, dict(frequency))


def _shown(view: RecordView, records: Collection[IndexedRecord]) -> list[IndexedRecord]:
    superseded = superseders(records, view.linking)
    return [record for record in records if not hidden(record, superseded)]


def _change(record: IndexedRecord, seen: Seen) -> PastChange | None:
    known = seen.get(record.id)
    if known is None:
        known = seen[record.id] = _read(record.record)
    return known if known.paths else None


def _read(record: Record) -> PastChange:
    changed = [change.new_path or change.old_path for change in record.path_changes]
    named = [anchor.source_file for anchor in record.affected_symbols if not changed]
    paths = tuple(dict.fromkeys(path for path in (*changed, *named) if path))
    sweep = len(paths) > policy.LOCATE_SWEEP_FILES
    return PastChange(record.id, record.title, record.sources[0].uri, record.occurred_at, () if sweep else paths)


def _compared(pairs: Sequence[tuple[PastChange, IndexedRecord]], terms: Sequence[str], stats: TermStats) -> list[Alike]:
    """How alike each change is to the query; those that share no word of title or summary are left out."""
    idf = {term: rarity(stats.frequency.get(term, 0), stats.documents) for term in terms}
    asked = sum(idf.values())
    scores = [bm25(record.tokens, terms, (), stats, WEIGHTS) for _, record in pairs]
    most = max(scores, default=0.0)
    found = []
    for (change, record), score in zip(pairs, scores, strict=True):
        title, summary = record.tokens.get("title", ()), record.tokens.get("summary", ())
        inside = {term: 1.0 if term in title else 0.5 for term in terms if term in title or term in summary}
        if inside:
            shared = sum(idf[term] * weight for term, weight in inside.items()) / asked
            length = 0.5 + 0.5 * len(title) / policy.LOCATE_TITLE_WORDS
            found.append(Alike(change, shared / length, score / most, frozenset(inside)))
    return found


def _recent(changes: Sequence[PastChange], names: Mapping[str, str]) -> Iterator[RecentChange]:
    for age, change in enumerate(changes):
        paths = tuple(dict.fromkeys(names[path] for path in change.paths if path in names))
        if paths:
            yield RecentChange(paths, exp(-age / policy.LOCATE_FADING_CHANGES), is_fix(change.title))


def _present_names(view: RecordView, paths: Iterable[str], present: Iterable[str]) -> dict[str, str]:
    """Each path that is a file now, or became one by renames, with what it is called now."""
    here = {path_key(path): path for path in present}
    names: dict[str, str] = {}
    left: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        key = path_key(path)
        if key in here:
            names[path] = here[key]
        else:
            left[key].append(path)
    for _ in range(policy.LOCATE_RENAMES):
        if not left:
            break
        left = _step(view, left, here, names)
    return names


def _step(
    view: RecordView, left: Mapping[str, list[str]], here: Mapping[str, str], names: dict[str, str]
) -> dict[str, list[str]]:
    """Follow one rename of each path that is not there; the newest one counts."""
    further: dict[str, list[str]] = defaultdict(list)
    newest = {step.old: step.new for step in view.lineage(tuple(left)) if not step.copied and step.old in left}
    for key, origins in left.items():
        target = newest.get(key, "")
        if target in here:
            names.update(dict.fromkeys(origins, here[target]))
        elif target:
            further[target].extend(origins)
    return further
