"""How well any token stands for each word of a query, and how much of the query some tokens cover together."""

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass

from remora.core import policy
from remora.core.graph import TermStats
from remora.core.recall.bm25 import idf
from remora.core.recall.lexicon import forms, is_filler, is_generic, is_vague, related
from remora.core.recall.typos import mistyped
from remora.core.text import Query, tokens

_WORD = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")
"""The parts of a camelCase word."""
Strengths = Mapping[int, float]
"""Unit of the query -> how far it is matched, above 0.0 to 1.0."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One word of the query that can be covered on its own; parts of a compound word are units."""

    term: str
    whole: str
    raw: str
    forms: tuple[str, ...]
    related: tuple[str, ...]
    beginnings: tuple[str, ...]

    @classmethod
    def of(cls, term: str, whole: str, raw: str) -> "Unit":
        """With the word's forms, its relatives, and what a longer word may begin with."""
        long = tuple(dict.fromkeys(word for word in (term, whole) if len(word) >= policy.PREFIX_MIN_CHARS))
        return cls(term, whole, raw, forms(term), related(term), long)


@dataclass(frozen=True, slots=True)
class Question:
    """A query made ready: its units, and the terms an engine is asked for."""

    query: Query
    units: tuple[Unit, ...]
    terms: tuple[str, ...]

    @property
    def wholes(self) -> tuple[Unit, ...]:
        """Compound words as one unit each: a typo may stand where their parts meet."""
        written = _written(self.query)
        wholes = dict.fromkeys(unit.whole for unit in self.units if unit.whole != unit.term)
        return tuple(Unit.of(whole, whole, written.get(whole, whole)) for whole in wholes)

    @classmethod
    def of(cls, query: Query) -> "Question":
        """Filler words are left out as long as others remain; words of like meaning are added as terms."""
        raw = _written(query)
        groups = [group for group in query.groups if not is_filler(raw.get(group[0], group[0]))] or list(query.groups)
        units = tuple(Unit.of(term, group[0], raw.get(term, term)) for group in groups for term in (group[1:] or group))
        own = dict.fromkeys(term for group in groups for term in group)
        near = dict.fromkeys(term for unit in units for term in (*unit.forms, *unit.related) if term not in own)
        return cls(query, units, (*own, *tuple(near)[: policy.RELATED_TERMS_MAX]))


class Matcher:
    """Matches tokens against a question; each distinct token is compared once."""

    def __init__(self, question: Question, stats: TermStats, typos: Mapping[str, frozenset[str]] | None = None) -> None:
        self.question = question
        self._typos = typos or {}
        self._weights = [self._weight(unit, stats) for unit in question.units]
        self._rare = idf("", TermStats(stats.documents, {}, {}))
        self.rarities = tuple(weight / self._rare if self._rare else 0.0 for weight in self._weights)
        """Weight per unit, 1.0 for the rarest, whatever is named together afterwards."""
        self._seen: dict[str, Strengths] = {}
        self.total = sum(self._weights)

    def _weight(self, unit: Unit, stats: TermStats) -> float:
        """Rarity of the word; one that only words of like meaning stand for is as rare as these."""
        if is_vague(unit.term):
            return policy.VAGUE_WEIGHT * idf(unit.term, stats)
        if not stats.frequency.get(unit.term):
            near = max((stats.frequency.get(term, 0) for term in (*unit.forms, *unit.related)), default=0)
            if near:
                return idf("", TermStats(stats.documents, {}, {"": near}))
            if is_generic(unit.term):
                return policy.GENERIC_WEIGHT * idf(unit.term, stats)
        return idf(unit.term, stats) * (policy.GENERIC_HELD_WEIGHT if is_generic(unit.term) else 1.0)

    def name_together(self, named: Iterable[Strengths]) -> None:
        """Let each whole name that was asked weigh like one rare word, however many words it has or shares.

        The entity is known by then; what matters is how much of the rest of the question is covered.
        """
        taken: set[int] = set()
        for strengths in named:
            words = [self.question.units[at].term for at in strengths]
            if taken.isdisjoint(strengths) and not all(is_generic(word) or is_vague(word) for word in words):
                taken.update(strengths)
                for at in strengths:
                    self._weights[at] = self._rare / len(strengths)
        self.total = sum(self._weights)

    def knowing(self, typos: Mapping[str, frozenset[str]]) -> "Matcher":
        """The same with more typos known; weights stay."""
        found = copy(self)
        found.learn(typos)
        return found

    def learn(self, typos: Mapping[str, frozenset[str]]) -> None:
        """Take more typos for what they stand for."""
        self._typos = {**self._typos, **typos}
        self._seen = {}

    def token(self, token: str) -> Strengths:
        """How far one token stands for each unit."""
        found = self._seen.get(token)
        if found is None:
            found = {}
            for at, unit in enumerate(self.question.units):
                strength = self._compare(unit, token)
                if strength:
                    found[at] = strength
            self._seen[token] = found
        return found

    def _compare(self, unit: Unit, token: str) -> float:
        if token in (unit.term, unit.whole):
            return 1.0
        if token in unit.forms:
            return policy.FORM_STRENGTH
        if token.startswith(unit.beginnings):
            return policy.PREFIX_STRENGTH
        if token in self._typos.get(unit.term, ()) or token in self._typos.get(unit.whole, ()):
            return policy.TYPO_STRENGTH
        return policy.RELATED_STRENGTH if token in unit.related else 0.0

    def tokens(self, tokens: Iterable[str], factor: float = 1.0) -> dict[int, float]:
        """The best strength per unit over the tokens."""
        best: dict[int, float] = {}
        seen = self._seen
        for token in tokens:
            found = seen.get(token)
            if found is None:
                found = self.token(token)
            if found:
                for at, strength in found.items():
                    if strength * factor > best.get(at, 0.0):
                        best[at] = strength * factor
        return best

    def mass(self, strengths: Strengths) -> float:
        """Share (0.0 to 1.0) of the question's idf mass that is covered."""
        if self.total <= 0.0:
            return 0.0
        return sum(self._weights[at] * strength for at, strength in strengths.items()) / self.total


def respell(text: str, words: Mapping[str, str]) -> str:
    """The text with words (case folded) put right."""
    return _WORD.sub(lambda found: words.get(found.group().casefold(), found.group()), text)


def _written(query: Query) -> dict[str, str]:
    """Index token -> the word or part of a word that it was made from, case folded: what a typo is looked for in."""
    found: dict[str, str] = {}
    for word in _WORD.findall(query.text[: policy.QUERY_MAX_TERMS * policy.TOKEN_MAX_CHARS]):
        for part in (word, *_PART.findall(word)):
            for token in tokens(part.casefold())[:1]:
                found.setdefault(token, part.casefold())
    return found


def union(one: Strengths, other: Strengths) -> dict[int, float]:
    """The better of both per unit."""
    best = dict(one)
    for at, strength in other.items():
        if strength > best.get(at, 0.0):
            best[at] = strength
    return best


def _meant(unit: Unit, word: str, token: str) -> bool:
    """Whether the unit is the word mistyped, in this or another form of it."""
    return mistyped(unit.raw, word) or mistyped(unit.raw, word.removesuffix("s")) or mistyped(unit.term, token)


def corrections(units: Iterable[Unit], names: Iterable[str]) -> dict[str, frozenset[str]]:
    """Term of a unit -> tokens of words in the names that it may be a typo of. Words are compared as written."""
    whole = {word for name in names for word in _WORD.findall(name)}
    words = {part.casefold() for word in whole for part in (word, *_PART.findall(word))}
    found: dict[str, frozenset[str]] = {}
    for unit in units:
        meant = frozenset(token for word in words for token in tokens(word)[:1] if _meant(unit, word, token))
        if meant:
            found[unit.term] = meant
    return found
