"""Whether what was found is ground for an answer: how much of a question a fact covers, and whose facts they are."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.graph import Edge, Node
from remora.core.recall.lexicon import is_generic, is_vague
from remora.core.recall.matching import Matcher, Strengths, union
from remora.core.text import has_phrase, name_key, tokens

_CLAUSE = re.compile(r"[.!?;:,]\s+|\n|\s[-–—]\s")
_ASKING = re.compile(r"\W*(?:what|who|whom|whose|which|where|when|why|how|is|are|does|do|did|can)\b", re.IGNORECASE)
_WRITTEN = re.compile(r"[\w$@+#/\\](?:[\w.$@+#:/\\-]*[\w+#])?")
_IDENTIFIER = re.compile(r"\d|\w[_./\\#]\w|::|[a-z][A-Z]|[A-Z]{2}[a-z]{2}|\w-\w+-\w")
"""What is written like a name of code, a version or the number of something."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """Signals of one question, each the best that any fact reaches.

    `covered`: share of one clause's rarity. `evidence`: how many rare words. `unknown`: whether an identifier of the
    question is nobody's. `told`: of what is asked about the entities that the question mentions, the share that a fact
    of theirs (with those beside it) covers. `aside`: rare words in names of other entities.
    """

    covered: float = 0.0
    evidence: float = 0.0
    unknown: bool = False
    told: float = 1.0
    aside: float = 0.0

    def enough(self, likeness: float = 0.0) -> bool:
        """Whether what was found is ground for an answer; `likeness` is the best cosine beyond the model's floor.

        Likeness stands in for words, never for whom they are about: `INC-2140` is much like `INC-2126`.
        """
        if self.unknown and self.covered < policy.GROUNDS_DESPITE_UNKNOWN:
            return False
        if self.told < policy.GROUNDS_TOLD and self.aside < policy.GROUNDS_ASIDE:
            return False
        lean = self.covered >= policy.GROUNDS_LEAN and self.evidence >= policy.GROUNDS_EVIDENCE
        alike = likeness >= (policy.LIKENESS_LEAN if self.covered >= policy.GROUNDS_SOME else policy.LIKENESS_ALONE)
        return lean or alike or self.covered >= policy.GROUNDS_COVERED


class Ground:
    """Reads the signals off facts. `met`: strengths of each known entity's names."""

    def __init__(self, matcher: Matcher, nodes: Mapping[str, Node], met: Mapping[str, Strengths]) -> None:
        self._matcher = matcher
        self._text = matcher.question.query.text
        self._units = matcher.question.units
        self._weights = matcher.rarities
        self._met = met
        self._clauses = self._places(_CLAUSE.split(self._text)[: policy.CLAUSES_MAX])
        asking = [part for part in _CLAUSE.split(self._text)[: policy.CLAUSES_MAX] if _ASKING.match(part)]
        self._questions = self._places(asking)[1:]
        self._identifiers = self._written()
        self.mentioned = self._mentions(nodes)

    def read(
        self, edges: Mapping[str, Edge], own: Mapping[str, Strengths], beside: Mapping[str, Sequence[str]]
    ) -> Grounds:
        """`own`: strengths per fact; `beside`: the best facts at each entity."""
        said = {at for places in self.mentioned.values() for at in places}
        asked = [rest for places in self._clauses if said.intersection(places) and (rest := _less(places, said))]
        if any(said.issuperset(places) for places in self._questions):  # the entity itself is asked for
            asked = []
        rest = _less(range(len(self._units)), said)
        covered = evidence = aside = 0.0
        told = 0.0 if asked else 1.0
        known: set[int] = set()
        for item, edge in edges.items():
            strengths = self._sound(own[item])
            known.update(strengths)
            evidence = max(evidence, self._mass(strengths, strengths))
            covered = max(covered, *(self._share(places, strengths) for places in self._clauses))
            if any(end in self.mentioned or self._goes_on(end) for end in (edge.source, edge.target)):
                beyond = self._beyond(edge, own, beside)
                told = max(told, *(self._share(places, beyond) for places in asked), 0.0)
            else:
                names = union(self._met.get(edge.source, {}), self._met.get(edge.target, {}))
                aside = max(aside, self._mass(rest, names))
        unknown = any(known.isdisjoint(places) for places in self._identifiers)
        return Grounds(covered, evidence, unknown, told, aside)

    def _beyond(self, edge: Edge, own: Mapping[str, Strengths], beside: Mapping[str, Sequence[str]]) -> Strengths:
        """What a fact covers together with the best facts at its ends."""
        strengths = own[edge.id]
        for end in (edge.source, edge.target):
            for other in beside.get(end, ()):
                strengths = union(strengths, own[other])
        return self._sound(strengths)

    def _sound(self, strengths: Strengths) -> Strengths:
        """The strengths without identifiers that are matched in part: `INC-2140` is not a little of `INC-2126`."""
        gone = {
            at
            for places in self._identifiers
            if self._share(places, strengths) < policy.IDENTIFIER_SHARE
            for at in places
        }
        return {at: strength for at, strength in strengths.items() if at not in gone} if gone else strengths

    def _mass(self, places: Collection[int], strengths: Strengths) -> float:
        return sum(self._weights[at] * strengths.get(at, 0.0) for at in places)

    def _share(self, places: Collection[int], strengths: Strengths) -> float:
        total = sum(self._weights[at] for at in places)
        return self._mass(places, strengths) / total if total else 0.0

    def _places(self, clauses: Iterable[str]) -> list[tuple[int, ...]]:
        """Units of the whole question, and of each of the clauses."""
        found = [tuple(range(len(self._units)))]
        for part in clauses:
            held = frozenset(tokens(part))
            found.append(tuple(at for at, unit in enumerate(self._units) if unit.term in held or unit.whole in held))
        return [places for places in dict.fromkeys(found) if places]

    def _written(self) -> list[list[int]]:
        """Units of each identifier that the question writes."""
        written = [word for word in _WRITTEN.findall(self._text[: policy.EMBED_MAX_CHARS]) if _IDENTIFIER.search(word)]
        wholes = {token for word in written for token in tokens(word)[:1]}
        places: dict[str, list[int]] = {}
        for at, unit in enumerate(self._units):
            if unit.whole in wholes:
                places.setdefault(unit.whole, []).append(at)
        return list(places.values())

    def _mentions(self, nodes: Mapping[str, Node]) -> dict[str, set[int]]:
        """Entity -> units of the name by which the question mentions it; a longer name hides those inside it."""
        asked = tokens(self._text)
        held = frozenset(asked)
        words = {name_key(word) for word in _WRITTEN.findall(self._text)}
        found: dict[str, set[int]] = {}
        for item, node in nodes.items():
            if not self._met.get(item):
                continue
            for name, row in _names(node):
                if not row or row[-1] not in held or not (name_key(name) in words or _says(asked, row)):
                    continue
                places = {at for token in row for at, s in self._matcher.token(token).items() if s >= policy.SAME_WORD}
                if not all(self._says_little(at) for at in places):
                    found[item] = places
        return {item: places for item, places in found.items() if not any(places < other for other in found.values())}

    def _goes_on(self, entity: str) -> bool:
        """Whether the entity's name is a mentioned one's with more of the question: `rg --multiline` beside `rg`."""
        strengths = self._met.get(entity, {})
        return any(len(strengths) > len(places) and places <= strengths.keys() for places in self.mentioned.values())

    def _says_little(self, at: int) -> bool:
        return is_vague(self._units[at].term) or is_generic(self._units[at].term)


def _names(node: Node) -> Iterator[tuple[str, Sequence[str]]]:
    """Every name of an entity with its tokens; those of the first are stored."""
    yield node.name, node.tokens.get("name", ())
    aliases = node.body.get("aliases")
    for name in aliases if isinstance(aliases, list | tuple) else ():
        yield str(name), tokens(str(name))


def _less(places: Collection[int], said: Collection[int]) -> list[int]:
    return [at for at in places if at not in said]


def _says(asked: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a name of several words stands in the question in one piece."""
    parts = [token for at, token in enumerate(row) if not _compound(row, at)]
    return len(parts) > 1 and has_phrase(asked, parts)


def _compound(row: Sequence[str], at: int) -> bool:
    follower = row[at + 1] if at + 1 < len(row) else ""
    return 0 < len(follower) < len(row[at]) and follower in row[at]
