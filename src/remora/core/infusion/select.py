"""Local selection: which nodes the moment is about, by words or vectors, or by a matcher; and when it is about none."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.encounters.search import WEIGHTS
from remora.core.graph import Item, Node, TermStats
from remora.core.recall.bm25 import bm25, idf
from remora.core.recall.matching import Matcher, Question, Strengths
from remora.core.text import parse_query, tokens

_TASK_WORDS = """
add adjust again apply branch build change check clean code comment commit create debug delete do edit explain file
files fix format function generate handle implement improve issue line lines look make merge method migrate modify
move new open optimise optimize print problem project push read refactor remove rename replace review rewrite run set
show simplify split test tests thing think try turn update upgrade use using variable want work write wrong
"""
TASK_TERMS = frozenset(term for word in _TASK_WORDS.split() for term in tokens(word))
"""What every prompt to a coding agent is made of: such a word is searched for, but it recognises nothing by itself."""


Links = Callable[[Sequence[str]], Iterable[tuple[str, str]]]
"""Reads which of these nodes are joined by an authored relation."""


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
class Choice:
    """What a matcher chose among `offered` meanings: node ids, best first; None with a `fault` when it did not."""

    ids: tuple[str, ...] | None = None
    offered: int = 0
    fault: str = ""
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Patience:
    """How many times in a row a matcher took too long, and until when it is not asked (microseconds)."""

    timeouts: int = 0
    until: int = 0

    def after(self, choice: Choice, now: int) -> "Patience":
        """The state after one more answer."""
        if not choice.timed_out:
            return Patience()
        tired = self.timeouts + 1 >= policy.MEANING_TIMEOUTS_MAX
        return Patience(0, now + policy.MEANING_REST_SECONDS * 1_000_000) if tired else Patience(self.timeouts + 1)


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
                if term not in TASK_TERMS:
                    words[term] = max(words.get(term, 0.0), weight)
            weight *= policy.TRAJECTORY_DECAY
        newest = sorted(words, key=lambda term: (-words[term], term))[: policy.TRAJECTORY_TERMS_MAX]
        asked = Question.of(parse_query(prompt))
        telling = tuple(unit for unit in asked.units if unit.term not in TASK_TERMS)
        return cls(replace(asked, units=telling), {term: words[term] for term in newest})

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms of both, the prompt's first."""
        return tuple(dict.fromkeys((*self.prompt.terms, *self.trajectory)))


@dataclass(frozen=True, slots=True)
class Likeness:
    """Node id -> cosine to the moment, near or not, and the best cosine of the prompt to an everyday request."""

    scores: Mapping[str, float]
    chore: float = -1.0

    @property
    def idle(self) -> bool:
        """Whether the prompt is an everyday request rather than about anything that is remembered."""
        return self.chore - max(self.scores.values(), default=0.0) > policy.INFUSE_CHORE_MARGIN

    def of(self, item: str) -> float:
        """The cosine, -1.0 where the node is not among the nearest."""
        return self.scores.get(item, -1.0)

    def near(self, item: str) -> bool:
        """Whether the node is what the prompt is about: an everyday request is near to anything."""
        return self.of(item) >= max(policy.INFUSE_NEAR_MIN, self.chore)


def select_local(
    moment: Moment,
    items: Iterable[Item],
    stats: TermStats,
    likeness: Likeness | None = None,
    links: Links | None = None,
    *,
    named: Sequence[Node] = (),
    fallback: str = "",
) -> Selection:
    """Rank the items by words (and by likeness of meaning, where given) and keep those that are recognised.

    Components that the moment names outright are. Another node is recognised when it covers several of the prompt's
    words, when it is linked to a named component and shares a word or is not unlike the prompt, or when it is near in
    meaning. With a model, words alone count only on what is not unlike, and an everyday request recognises nothing.
    The trajectory lifts what is recognised, and recognises alone only what covers much of it.
    """
    if likeness is not None and likeness.idle:
        return Selection(fallback=fallback)
    reader = _Reader(moment, stats, likeness)
    matches = [reader.match(item) for item in items if isinstance(item, Node)]
    ordered = sorted(matches, key=lambda match: (-round(match.score, 9), match.node.id))
    nodes = {match.node.id: match for match in ordered}
    for node in named:
        nodes.setdefault(node.id, reader.match(node))
    first = {node.id for node in named}
    beside: set[str] = set()
    if first and links:
        pairs = links([*first, *(item for item in nodes if item not in first)][: policy.INFUSE_LINKED])
        beside = {end for one, other in pairs for end in (one, other) if first & {one, other}}
    others = [match for item, match in nodes.items() if item not in first]
    rows = [row for match in others if (row := reader.read(match, beside=match.node.id in beside))]
    rows.sort(key=lambda row: (-round(row.score, 9), row.id))
    kept = [row for row in rows if row.score >= policy.FOCAL_SHARE * rows[0].score]
    told = [Focal(node.id, 1.0, nodes[node.id].covered, "name") for node in named]
    return Selection((*kept[: policy.FOCAL_MAX - len(told)], *told), "local", fallback, len(matches))


def ranked_locally(moment: Moment, items: Iterable[Item], stats: TermStats) -> list[str]:
    """Ids of everything that shares a word with the moment, best first: what a matcher is offered."""
    reader = _Reader(moment, stats, None)
    matches = [reader.match(item) for item in items if isinstance(item, Node)]
    ordered = sorted(matches, key=lambda match: (-round(match.score, 9), match.node.id))
    return [match.node.id for match in ordered if match.score > 0]


def select_matched(chosen: Iterable[str], nodes: Mapping[str, Item], considered: int) -> Selection:
    """What a meaning matcher chose, in its order; ids that it made up are left out."""
    kept = [item for item in dict.fromkeys(chosen) if isinstance(nodes.get(item), Node)]
    focal = tuple(Focal(item, 1.0 / place, 1.0, "meaning") for place, item in enumerate(kept, start=1))
    return Selection(focal[: policy.FOCAL_MAX], "meaning", "", considered)


@dataclass(frozen=True, slots=True)
class _Match:
    """What a node holds of the prompt, and of the trajectory how many words and what share of their weight."""

    node: Node
    score: float
    covered: float
    strengths: Strengths
    earlier_words: int
    before: float


class _Reader:
    def __init__(self, moment: Moment, stats: TermStats, likeness: Likeness | None) -> None:
        self._prompt = moment.prompt
        self._stats = stats
        self._likeness = likeness
        self._matcher = Matcher(moment.prompt, stats)
        self._before = {term: idf(term, stats) * weight for term, weight in moment.trajectory.items()}
        self._before_total = sum(self._before.values())

    def match(self, node: Node) -> _Match:
        """Compare a node's words with the moment's; the score says how much it has to do with it, recognised or not."""
        held = frozenset(token for row in node.tokens.values() for token in row)
        shared = held & self._before.keys()
        before = sum(self._before[term] for term in shared) / self._before_total if shared else 0.0
        strengths = self._matcher.tokens(held)
        covered = self._matcher.mass(strengths)
        score = covered + policy.TRAJECTORY_WEIGHT * before
        if self._likeness is not None:
            score += policy.INFUSE_LIKENESS_WEIGHT * max(0.0, self._likeness.of(node.id))
        if covered:
            lexical = bm25(node.tokens, self._prompt.terms, (), self._stats, WEIGHTS)
            score += lexical / (1.0 + lexical)
        return _Match(node, score, covered, strengths, len(shared), before)

    def read(self, match: _Match, *, beside: bool) -> Focal | None:
        """The node as recognised, or None; `beside` when it is linked to a named component."""
        lift = 0.0
        if self._by_words(match):
            why = "words"
        elif beside and self._beside(match):
            why, lift = "words beside a name", policy.INFUSE_BESIDE_WORTH
        elif self._likeness is not None and self._likeness.near(match.node.id):
            why = "vectors"
        elif self._by_trajectory(match):
            why = "trajectory"
        else:
            return None
        return Focal(match.node.id, match.score + lift, match.covered, why)

    def _beside(self, match: _Match) -> bool:
        """Whether it has anything to do with the prompt beyond the component."""
        return bool(match.strengths) or (
            self._likeness is not None and self._likeness.of(match.node.id) >= policy.INFUSE_NOT_UNLIKE
        )

    def _by_words(self, match: _Match) -> bool:
        """Whether the prompt's words recognise it, and a model that compares meanings does not think otherwise."""
        if self._likeness is not None and self._likeness.of(match.node.id) < policy.INFUSE_WORDS_UNLIKE:
            return False
        return match.covered >= policy.INFUSE_LONE_COVERAGE_MIN or self._enough(match.strengths)

    def _enough(self, strengths: Strengths) -> bool:
        """Whether two words or more are covered, and not too little of the prompt."""
        if self._matcher.mass(strengths) < policy.INFUSE_COVERAGE_MIN:
            return False
        units = self._prompt.units
        words = {units[at].whole for at, strength in strengths.items() if strength >= policy.INFUSE_WORD_STRENGTH}
        return len(words) >= policy.INFUSE_WORDS_MIN

    def _by_trajectory(self, match: _Match) -> bool:
        """By what covers much of the earlier turns, or half as much when it shares a word with the prompt too."""
        if match.earlier_words >= policy.INFUSE_WORDS_MIN and match.before >= policy.TRAJECTORY_COVERAGE_MIN:
            return True
        return bool(match.strengths) and match.before >= policy.TRAJECTORY_COVERAGE_MIN / 2
