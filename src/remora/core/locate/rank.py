"""Legs of evidence weighed together into a ranking of files that says why each file is in it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from remora.core import policy
from remora.core.locate.contents import Contents, ContentScores, rarity, score_contents
from remora.core.locate.past import Past, PastChange, votes
from remora.core.locate.query import LocateQuery
from remora.core.text import tokens

Legs = Mapping[str, Mapping[str, float]]
"""Leg -> path -> how strongly the leg speaks for the file; absent files have 0."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One ground for a file: the leg, words or names that show it, and a record when there is one."""

    leg: str
    detail: str
    record: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """A file with its score; `line` (from 1) is where its best passage begins, 0 when its text holds no word."""

    path: str
    score: float
    reasons: tuple[Reason, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Located:
    """Files, best first. `candidates` counts those that any leg spoke for."""

    files: tuple[LocatedFile, ...]
    candidates: int
    total: int
    unread: int = 0
    notes: tuple[str, ...] = field(default=())


def legs_of(query: LocateQuery, contents: Contents, past: Past) -> tuple[Legs, ContentScores]:
    """What each leg says; every leg's best file has 1.0, except for `habit`, a log share."""
    scores = score_contents(contents, query.terms)
    by_name, by_folder, whole_name = _path_scores(query.terms, contents.lengths)
    voted, best = _votes(past)
    legs = {
        "text": _scaled(scores.text),
        "passage": _scaled(scores.passage),
        "declared": _scaled(scores.declared),
        "name": _scaled(by_name),
        "folder": _scaled(by_folder),
        "whole_name": whole_name,
        "votes": _scaled(voted),
        "like": _scaled(best),
        "habit": _habit(past, contents.lengths),
        "churn": {path: -log(1.0 + count) for path, count in past.frequency.items()},
    }
    return legs, scores


def weigh(legs: Legs, weights: Mapping[str, float], paths: Sequence[str]) -> list[tuple[str, float]]:
    """(path, score), best first, ties by path; the sum of the weighted legs."""
    sums = dict.fromkeys(paths, 0.0)
    for name, leg in legs.items():
        weight = weights.get(name, 0.0)
        for path, value in leg.items():
            sums[path] += weight * value
    return sorted(sums.items(), key=lambda pair: (-round(pair[1], 9), pair[0]))


def locate(query: LocateQuery, contents: Contents, past: Past, *, limit: int) -> Located:
    """The files that a change so described will most likely touch; none for a query without words."""
    legs, scores = legs_of(query, contents, past)
    spoken = {path for name, leg in legs.items() if name not in ("habit", "churn") for path in leg}
    if query.empty or not spoken:
        return Located((), 0, len(contents.lengths), contents.unread)
    ranked = weigh(legs, policy.LOCATE_WEIGHTS, tuple(contents.lengths))
    why = _Reasons(query, contents, past, scores)
    files = tuple(
        LocatedFile(path, round(score, 6), why.of(path), scores.passage_line.get(path, -1) + 1)
        for path, score in ranked[:limit]
    )
    return Located(files, len(spoken), len(contents.lengths), contents.unread)


# --- Legs -------------------------------------------------------------------------------------------------------------


def _scaled(values: Mapping[str, float]) -> Mapping[str, float]:
    most = max(values.values(), default=0.0)
    return {path: value / most for path, value in values.items() if value > 0.0} if most > 0.0 else {}


@lru_cache(maxsize=65_536)
def _path_words(path: str) -> tuple[frozenset[str], frozenset[str]]:
    folder, _, name = path.rpartition("/")
    return frozenset(tokens(name)), frozenset(token for part in folder.split("/") for token in tokens(part))


def _path_scores(
    terms: Sequence[str], lengths: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Per path: rarity of the words in its name, in its folders, and the share of its name that the words are."""
    held: defaultdict[str, int] = defaultdict(int)
    for path in lengths:
        for word in frozenset.union(*_path_words(path)):
            held[word] += 1
    asked = frozenset(terms)
    names: dict[str, float] = {}
    folders: dict[str, float] = {}
    whole: dict[str, float] = {}
    for path in lengths:
        name, folder = _path_words(path)
        if shared := sorted(asked & name):
            names[path] = sum(rarity(held[word], len(lengths)) for word in shared)
            whole[path] = names[path] / sum(rarity(held[word], len(lengths)) for word in sorted(name))
        if shared := sorted(asked & folder - name):
            folders[path] = sum(rarity(held[word], len(lengths)) for word in shared)
    return names, folders, whole


def _votes(past: Past) -> tuple[dict[str, float], dict[str, float]]:
    """All alike changes of a file together, damped by how often it changes anyway; and its single best one."""
    voted: defaultdict[str, float] = defaultdict(float)
    best: defaultdict[str, float] = defaultdict(float)
    for path, weight, _ in votes(past, policy.LOCATE_LIKENESS_POWER):
        voted[path] += weight / (1.0 + past.frequency.get(path, 0)) ** 0.5
    for path, weight, _ in votes(past, 1.0):
        best[path] = max(best[path], weight)
    return dict(voted), dict(best)


def _habit(past: Past, lengths: Mapping[str, int]) -> dict[str, float]:
    most = max(past.recency.values(), default=0.0)
    if most <= 0.0:
        return {}
    floor = policy.LOCATE_HABIT_FLOOR
    return {path: log((past.recency.get(path, 0.0) / most + floor) / (1.0 + floor)) for path in lengths}


# --- Reasons ----------------------------------------------------------------------------------------------------------


class _Reasons:
    """Tells why a file is where it is, the strongest ground of each kind."""

    def __init__(self, query: LocateQuery, contents: Contents, past: Past, scores: ContentScores) -> None:
        self._terms = sorted(query.terms, key=lambda term: (-scores.idf[term], term))
        self._contents = contents
        self._past = past
        self._by_path: defaultdict[str, list[tuple[float, PastChange]]] = defaultdict(list)
        for path, weight, change in votes(past, 1.0):
            self._by_path[path].append((weight, change))

    def of(self, path: str) -> tuple[Reason, ...]:
        """The grounds for one file."""
        found: list[Reason] = []
        for _, change in self._by_path.get(path, ())[: policy.LOCATE_REASON_RECORDS]:
            former = [old for old in change.paths if self._past.names.get(old) == path and old != path]
            leg = "lineage" if former else "record"
            found.append(
                Reason(leg, f"{change.title} (as {former[0]})" if former else change.title, change.id, change.source)
            )
        name, folder = _path_words(path)
        for leg, words in (
            ("path", [term for term in self._terms if term in name or term in folder]),
            ("declares", [term for term in self._terms if path in self._contents.declared.get(term, ())]),
            ("text", [term for term in self._terms if path in self._contents.places.get(term, {})]),
        ):
            if words:
                found.append(Reason(leg, ", ".join(words[: policy.LOCATE_REASON_WORDS])))
        if not found and self._past.frequency.get(path):
            found.append(Reason("habit", f"changed by {self._past.frequency[path]} recent records"))
        return tuple(found)
