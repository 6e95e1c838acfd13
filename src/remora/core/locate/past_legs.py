"""What the past says about a query: files of changes that were alike, and how the repository changes anyway."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from math import log

from remora.core import policy
from remora.core.locate.past import Past, PastChange
from remora.core.locate.path_legs import Leg, scaled

HABITS = frozenset({"habit", "area", "kind", "churn"})
"""Legs that speak of every file, whatever is asked."""


def past_legs(past: Past, paths: Collection[str]) -> dict[str, Leg]:
    """Every leg that needs records."""
    legs: dict[str, Leg] = {
        "votes": scaled(_damped(past, ((path, w**2 / n) for path, w, n, _ in _likeness(past)))),
        "scored": scaled(_damped(past, _scored(past))),
        "associated": scaled(_associated(past)),
    }
    if past.recent:
        recency: defaultdict[str, float] = defaultdict(float)
        for change in past.recent:
            for path in change.paths:
                recency[path] += change.weight / len(change.paths) ** 0.5
        legs["habit"] = _log_shares({path: recency.get(path, 0.0) for path in paths})
        legs["area"] = _rates(recency, paths)
        legs["kind"] = _kinds(past, paths)
        legs["churn"] = {path: -log(1.0 + count) for path, count in past.frequency.items()}
    return legs


def _likeness(past: Past) -> Iterator[tuple[str, float, float, PastChange]]:
    """(present path, likeness, root of the change's size, change); large changes say less of each file."""
    for item in past.alike:
        for path in past.present(item.change):
            yield path, item.likeness, len(item.change.paths) ** 0.5, item.change


def speaking(past: Past) -> dict[str, list[PastChange]]:
    """The changes that speak for each file, most alike first."""
    found: defaultdict[str, list[PastChange]] = defaultdict(list)
    for path, _, _, change in _likeness(past):
        found[path].append(change)
    return dict(found)


def _damped(past: Past, shares: Iterator[tuple[str, float]]) -> dict[str, float]:
    """Sums, less for files that change with everything."""
    voted: defaultdict[str, float] = defaultdict(float)
    for path, share in shares:
        voted[path] += share
    return {path: value / (1.0 + past.frequency.get(path, 0)) ** 0.5 for path, value in voted.items()}


def _scored(past: Past) -> Iterator[tuple[str, float]]:
    for item in past.alike:
        for path in past.present(item.change):
            yield path, item.score**policy.LOCATE_SCORE_POWER / len(item.change.paths) ** 0.5


def _associated(past: Past) -> dict[str, float]:
    """How often changes that told each word touched the file, the rarer the word the more."""
    told: Counter[str] = Counter()
    with_path: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in past.alike:
        told.update(item.shared)
        for path in past.present(item.change):
            with_path[path].update(item.shared)
    worth = {word: 1.0 / (count + 2.0) / log(2.0 + count) for word, count in told.items()}
    return {path: sum(n * worth[word] for word, n in sorted(words.items())) for path, words in with_path.items()}


# --- Habits -----------------------------------------------------------------------------------------------------------


def _log_shares(values: Leg) -> dict[str, float]:
    """Logs of the shares of the largest, so that a file which never changes is far below one that sometimes does."""
    most, floor = max(values.values(), default=0.0), policy.LOCATE_HABIT_FLOOR
    return {path: log((value / most + floor) / (1.0 + floor)) for path, value in values.items()} if most else {}


def _rates(recency: Mapping[str, float], paths: Collection[str]) -> dict[str, float]:
    """How often a file of each folder changes."""
    count = Counter(map(_folder, paths))
    busy: defaultdict[str, float] = defaultdict(float)
    for path in sorted(recency):
        busy[_folder(path)] += recency[path]
    return _log_shares({path: busy[_folder(path)] / (count[_folder(path)] + 1.0) for path in paths})


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _extension(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2]


def _kinds(past: Past, paths: Collection[str]) -> dict[str, float]:
    """Which share of the repairs touched a file of each kind: programs here, documents there."""
    fixes = Counter(
        kind for change in past.recent if change.fix for kind in {_extension(path) for path in change.paths}
    )
    total = sum(fixes.values())
    return _log_shares({path: fixes[_extension(path)] / total for path in paths}) if total else {}


def companions(past: Past, first: Leg, key: Callable[[str], tuple[float, str]]) -> dict[str, float]:
    """Files that changed together with those that a first ranking puts on top."""
    top = sorted(first, key=key)[: policy.LOCATE_COMPANIONS_OF]
    weight = sum(first[path] for path in top)
    alone: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for change in past.recent:
        if len(change.paths) <= policy.LOCATE_COMPANIONS_MAX:
            for path in [path for path in top if path in change.paths]:
                alone[path] += 1
                together.update((path, other) for other in change.paths if other != path)
    found: defaultdict[str, float] = defaultdict(float)
    for (path, other), count in sorted(together.items()):
        found[other] += first[path] / weight * count / (alone[path] + policy.LOCATE_COMPANIONS_DOUBT)
    return dict(found)
