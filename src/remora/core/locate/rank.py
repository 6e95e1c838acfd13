"""Legs of evidence weighed together into a ranking of files that says why each file is in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.locate.contents import Contents, ContentScores, score_contents
from remora.core.locate.past import Past
from remora.core.locate.past_legs import HABITS, companions, past_legs, speaking
from remora.core.locate.path_legs import Leg, path_legs, path_words, scaled
from remora.core.locate.query import LocateQuery

Legs = Mapping[str, Leg]


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
    """Files, best first. `candidates` counts those that any leg spoke for, `unread` those whose text was not read."""

    files: tuple[LocatedFile, ...]
    candidates: int
    total: int
    unread: int = 0


def legs_of(query: LocateQuery, contents: Contents, past: Past) -> tuple[Legs, ContentScores]:
    """What each leg says.

    Text and passage are shares of what the whole query could score, while the best file of the votes always has 1.0:
    contents that cover little of a query say little, and so the weight of contents to messages adapts to each query.
    """
    scores = score_contents(contents, query.terms)
    asked = sum(scores.idf.values()) or 1.0
    most = asked * (policy.BM25_K1 + 1.0)
    legs: dict[str, Leg] = {
        "text": {path: score / most for path, score in scores.text.items()},
        "passage": {path: score / asked for path, score in scores.passage.items()},
        "declared": scaled(scores.declared),
        **path_legs(query, contents.lengths),
        **past_legs(past, contents.lengths),
    }
    first = dict(weigh({name: leg for name, leg in legs.items() if name not in HABITS}, policy.LOCATE_WEIGHTS))
    legs["companion"] = companions(past, first, lambda path: (-round(first[path], 9), path))
    return legs, scores


def weigh(legs: Legs, weights: Mapping[str, float], paths: Sequence[str] = ()) -> list[tuple[str, float]]:
    """(path, score), best first, ties by path, of all that a leg speaks for and of `paths`."""
    sums = dict.fromkeys(paths, 0.0)
    for name, leg in legs.items():
        weight = weights[name]
        for path, value in leg.items():
            sums[path] = sums.get(path, 0.0) + weight * value
    return sorted(sums.items(), key=lambda pair: (-round(pair[1], 9), pair[0]))


def locate(query: LocateQuery, contents: Contents, past: Past, *, limit: int) -> Located:
    """The files that a change so described will most likely touch; none where no word of it is known."""
    legs, scores = legs_of(query, contents, past)
    spoken = {path for name, leg in legs.items() if name not in HABITS for path in leg}
    if query.empty or not spoken:
        return Located((), 0, len(contents.lengths), contents.unread)
    ranked = weigh(legs, policy.LOCATE_WEIGHTS, tuple(contents.lengths))[:limit]
    why = _Reasons(query, contents, past, scores, legs)
    files = (
        LocatedFile(path, round(score, 6), why.of(path), scores.passage_line.get(path, -1) + 1)
        for path, score in ranked
    )
    return Located(tuple(files), len(spoken), len(contents.lengths), contents.unread)


class _Reasons:
    """Tells why a file is where it is, the strongest ground of each kind."""

    def __init__(self, query: LocateQuery, contents: Contents, past: Past, scores: ContentScores, legs: Legs) -> None:
        self._terms = sorted(query.terms, key=lambda term: (-scores.idf[term], term))
        self._contents = contents
        self._past = past
        self._legs = legs
        self._changes = speaking(past)

    def of(self, path: str) -> tuple[Reason, ...]:
        """The grounds for one file; whatever else is missing, how often it changes."""
        found = [*self._records(path), *self._words(path)]
        count = self._past.frequency.get(path, 0)
        if count and (not found or path in self._legs["companion"]):
            together = "companion" if path in self._legs["companion"] else "habit"
            found.append(Reason(together, f"touched by {count} of the last {len(self._past.recent)} changes"))
        return tuple(found)

    def _records(self, path: str) -> list[Reason]:
        found = []
        for change in self._changes.get(path, ())[: policy.LOCATE_REASON_RECORDS]:
            former = [old for old in change.paths if self._past.names.get(old) == path and old != path]
            title = f"{change.title} (as {former[0]})" if former else change.title
            found.append(Reason("lineage" if former else "record", title, change.id, change.source))
        return found

    def _words(self, path: str) -> list[Reason]:
        name, folder = path_words(path)
        grounds = (
            ("path", [term for term in self._terms if term in name or term in folder]),
            ("declares", [term for term in self._terms if path in self._contents.declared.get(term, ())]),
            ("text", [term for term in self._terms if path in self._contents.places.get(term, {})]),
        )
        return [Reason(leg, ", ".join(words[: policy.LOCATE_REASON_WORDS])) for leg, words in grounds if words]
