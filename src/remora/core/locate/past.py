"""What happened before, as locating needs it: changes like the one described, and which files change often."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from math import exp

from remora.core import policy
from remora.core.graph import TermStats
from remora.core.locate.contents import rarity
from remora.core.records.indexed import IndexedRecord, Narrowing, path_key
from remora.core.records.lifecycle import hidden, superseders
from remora.core.records.model import Record
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
class Past:
    """The changes that share words with a query, with how alike each is (0 to 1), and how often files changed."""

    alike: tuple[tuple[PastChange, float], ...] = ()
    recency: Mapping[str, float] = field(default_factory=dict)
    """Present path -> changes of the file, each weighing less the older it is and the more files it touched."""
    frequency: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """Former path -> the path that it has now; files that are gone are left out."""
    unlike: int = 0
    """Records that shared words and named no present file."""


def read_past(view: RecordView, terms: Sequence[str], present: Iterable[str], seen: Seen) -> Past:
    """Look up what records say; `present` are the files there are now."""
    found = view.text(terms, (), Narrowing(), limit=policy.LOCATE_ALIKE)
    superseded = superseders(found.items, view.linking)
    similar = [record for record in found.items if not hidden(record, superseded)]
    newest, _ = view.newest(Narrowing(), limit=policy.LOCATE_RECENT)
    recent = [change for change in (_change(record, seen) for record in newest) if change]
    changes = [(change, _alike(record, terms, found.stats)) for record in similar if (change := _change(record, seen))]
    names = _present_names(
        view, {path for change in (*recent, *(c for c, _ in changes)) for path in change.paths}, present
    )
    recency, frequency = _habits(recent, names)
    alike = [
        (change, likeness) for change, likeness in changes if likeness > 0.0 and any(p in names for p in change.paths)
    ]
    alike.sort(key=lambda pair: (-round(pair[1], 9), -pair[0].occurred_at, pair[0].id))
    return Past(tuple(alike), recency, frequency, names, len(similar) - len(alike))


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


def _alike(record: IndexedRecord, terms: Sequence[str], stats: TermStats) -> float:
    """Share of the query's rarity in the record's words, those of a summary half; long titles say less with each."""
    title, summary = set(record.tokens.get("title", ())), set(record.tokens.get("summary", ()))
    idf = {term: rarity(stats.frequency.get(term, 0), stats.documents) for term in terms}
    asked = sum(idf.values())
    shared = sum(
        weight * (1.0 if term in title else 0.5) for term, weight in idf.items() if term in title or term in summary
    )
    length = len(record.tokens.get("title", ())) / policy.LOCATE_TITLE_WORDS
    return shared / asked / (0.5 + 0.5 * length) if asked else 0.0


def _habits(recent: Sequence[PastChange], names: Mapping[str, str]) -> tuple[dict[str, float], dict[str, int]]:
    recency: defaultdict[str, float] = defaultdict(float)
    frequency: defaultdict[str, int] = defaultdict(int)
    for age, change in enumerate(recent):
        paths = {names[path] for path in change.paths if path in names}
        for path in paths:
            recency[path] += exp(-age / policy.LOCATE_FADING_CHANGES) / len(change.paths) ** 0.5
            frequency[path] += 1
    return dict(recency), dict(frequency)


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


def votes(past: Past, power: float) -> Iterator[tuple[str, float, PastChange]]:
    """(present path, weight, change) for every file of every change that is alike; large changes say less of each."""
    for change, likeness in past.alike:
        for path in dict.fromkeys(past.names[path] for path in change.paths if path in past.names):
            yield path, likeness**power / len(change.paths) ** 0.5, change
