"""Local selection: which nodes the moment is about, by words or vectors, or by a matcher; and when it is about none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.encounters.search import WEIGHTS
from remora.core.graph import Item, Node, TermStats
from remora.core.recall.bm25 import bm25, idf
from remora.core.recall.matching import Matcher, Question
from remora.core.text import parse_query, tokens

_TASK_WORDS = """
add adjust apply change check clean code commit create debug delete do edit explain file files fix format function
generate handle implement improve issue line lines look make method migrate modify move new open optimise optimize
print problem project refactor remove rename replace review rewrite run set simplify split thing think try turn
update upgrade use using variable want work write wrong
"""
_TASK_TERMS = frozenset(term for word in _TASK_WORDS.split() for term in tokens(word))
"""What every prompt to a coding agent is made of: such a word is searched for, but it recognises nothing by itself."""


@dataclass(frozen=True, slots=True)
class Focal:
    """A node that the moment is about, and how it was recognised: by words, by trajectory, by vectors, by meaning."""

    id: str
    score: float
    coverage: float
    why: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Focal nodes, best first; `channel` says what recognised them, `fallback` why a better way was not taken."""

    focal: tuple[Focal, ...] = ()
    channel: str = "local"
    fallback: str = ""
    considered: int = 0


@dataclass(frozen=True, slots=True)
class Moment:
    """What is being worked on: the prompt as a question, and words of the turns before it, the newest weighing most."""

    prompt: Question
    trajectory: Mapping[str, float]

    @classmethod
    def of(cls, prompt: str, turns: Sequence[str]) -> "Moment":
        """Read a prompt and the bounded turns before it (oldest first)."""
        words: dict[str, float] = {}
        weight = 1.0
        for turn in reversed(turns):
            for term in Question.of(parse_query(turn)).terms:
                if term not in _TASK_TERMS:
                    words[term] = max(words.get(term, 0.0), weight)
            weight *= policy.TRAJECTORY_DECAY
        newest = sorted(words, key=lambda term: (-words[term], term))[: policy.TRAJECTORY_TERMS_MAX]
        asked = Question.of(parse_query(prompt))
        telling = tuple(unit for unit in asked.units if unit.term not in _TASK_TERMS)
        return cls(replace(asked, units=telling), {term: words[term] for term in newest})

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms of both, the prompt's first."""
        return tuple(dict.fromkeys((*self.prompt.terms, *self.trajectory)))


def select_local(
    moment: Moment,
    items: Iterable[Item],
    stats: TermStats,
    similar: Mapping[str, float] | None = None,
    *,
    fallback: str = "",
) -> Selection:
    """Rank the items by words (and by similarity of meaning, where given) and keep those that are recognised.

    A node is recognised when it covers enough of the prompt's idf mass, or several of its rare words, or when it is
    near in meaning (`similar` holds only what is above the model's floor). The trajectory lifts what is recognised,
    and recognises alone only what covers much of it.
    """
    nodes = [item for item in items if isinstance(item, Node)]
    reader = _Reader(moment, stats, similar or {})
    rows = sorted(filter(None, map(reader.read, nodes)), key=lambda row: (-round(row.score, 9), row.id))
    kept = [row for row in rows if row.score >= policy.FOCAL_SHARE * rows[0].score]
    return Selection(tuple(kept[: policy.FOCAL_MAX]), "local", fallback, len(nodes))


def ranked_locally(moment: Moment, items: Iterable[Item], stats: TermStats) -> list[str]:
    """Ids of everything that shares a word with the moment, best first: what a matcher is offered."""
    reader = _Reader(moment, stats, {})
    scores = {item.id: reader.score(item) for item in items if isinstance(item, Node)}
    return sorted((item for item in scores if scores[item] > 0), key=lambda item: (-round(scores[item], 9), item))


def select_matched(chosen: Iterable[str], nodes: Mapping[str, Item], considered: int) -> Selection:
    """What a meaning matcher chose, in its order; ids that it made up are left out."""
    kept = [item for item in dict.fromkeys(chosen) if isinstance(nodes.get(item), Node)]
    focal = tuple(Focal(item, 1.0 / place, 1.0, "meaning") for place, item in enumerate(kept, start=1))
    return Selection(focal[: policy.FOCAL_MAX], "meaning", "", considered)


class _Reader:
    def __init__(self, moment: Moment, stats: TermStats, similar: Mapping[str, float]) -> None:
        self._moment = moment
        self._stats = stats
        self._similar = similar
        self._matcher = Matcher(moment.prompt, stats)
        self._before = {term: idf(term, stats) * weight for term, weight in moment.trajectory.items()}
        self._before_total = sum(self._before.values())
        rare = max(1.0, policy.INFUSE_RARE_SHARE * stats.documents)
        self._rare = [
            {unit.term, unit.whole}
            for unit in moment.prompt.units
            if 0 < max(stats.frequency.get(unit.term, 0), stats.frequency.get(unit.whole, 0)) <= rare
        ]

    def _parts(self, node: Node) -> tuple[frozenset[str], float, float]:
        """The node's tokens, and the covered shares of the prompt and of the trajectory."""
        held = frozenset(token for row in node.tokens.values() for token in row)
        covered = self._matcher.mass(self._matcher.tokens(held))
        shared = held & self._before.keys()
        before = sum(self._before[term] for term in shared) / self._before_total if shared else 0.0
        return held, covered, before

    def score(self, node: Node) -> float:
        """How much the node has to do with the moment, recognised or not."""
        _, covered, before = self._parts(node)
        return self._score(node, covered, before)

    def _score(self, node: Node, covered: float, before: float) -> float:
        prompt = self._moment.prompt
        lexical = bm25(node.tokens, prompt.terms, prompt.query.prefixes, self._stats, WEIGHTS) if covered else 0.0
        words = lexical / (1.0 + lexical) + covered
        return words + policy.TRAJECTORY_WEIGHT * before + policy.VECTOR_BONUS * self._similar.get(node.id, 0.0)

    def read(self, node: Node) -> Focal | None:
        """The node as recognised, or None."""
        held, covered, before = self._parts(node)
        rare = sum(bool(words & held) for words in self._rare)
        if covered >= policy.INFUSE_COVERAGE_MIN or rare >= policy.INFUSE_RARE_WORDS_MIN:
            why = "words"
        elif node.id in self._similar:
            why = "vectors"
        elif before >= policy.INFUSE_COVERAGE_MIN:
            why = "trajectory"
        else:
            return None
        return Focal(node.id, self._score(node, covered, before), covered, why)
