"""Local selection: which nodes the moment is about, by words, vectors or a matcher; and when it is about none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from remora.core.graph import Candidates, Item, Node, TermStats
from remora.core.policy import (
    FOCAL_MAX,
    FOCAL_SHARE,
    FUSION_K,
    INFUSE_COVERAGE_MIN,
    INFUSE_RARE_SHARE,
    INFUSE_RARE_WORDS_MIN,
    TRAJECTORY_WEIGHT,
)
from remora.core.recall.bm25 import bm25, coverage, fuse
from remora.core.text import Query

_WEIGHTS: Mapping[str, float] = {"name": 2.0, "description": 1.0, "extra": 0.5, "meaning": 1.5}


@dataclass(frozen=True, slots=True)
class Focal:
    """A node that the moment is about, and the way it was recognised ("words", "vectors", "meaning", "trajectory")."""

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
    """What is being worked on: the prompt and the turns before it, as queries."""

    prompt: Query
    trajectory: Query

    @property
    def empty(self) -> bool:
        """Whether there is not one word to go by."""
        return self.prompt.empty and self.trajectory.empty

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms of both, the prompt's first."""
        return tuple(dict.fromkeys((*self.prompt.terms, *self.trajectory.terms)))


def select_local(
    moment: Moment, candidates: Candidates, vectors: Sequence[tuple[Item, float]] = (), *, fallback: str = ""
) -> Selection:
    """Rank the candidates by words (and vectors, when there are any) and keep those that are recognised.

    `vectors` are items by similarity to the prompt, already above the model's floor. A candidate is recognised when it
    covers enough of the prompt's idf mass, or several of its rare words, or when a vector found it; the trajectory
    lifts what is recognised, and recognises only what covers it as well.
    """
    nodes = [item for item in candidates.items if isinstance(item, Node)]
    words = [_read(node, moment, candidates.stats) for node in nodes]
    lexical = sorted((row for row in words if row.why), key=lambda row: (-row.score, row.id))
    near = [Focal(item.id, score, 0.0, "vectors") for item, score in vectors if isinstance(item, Node)]
    known = {row.id: row for row in (*near, *lexical)}
    if near:
        order = [known[item] for item, _ in fuse([[r.id for r in lexical], [r.id for r in near]], FUSION_K)]
    else:
        order = [row for row in lexical if row.score >= FOCAL_SHARE * lexical[0].score]
    return Selection(tuple(order[:FOCAL_MAX]), "local", fallback, len(nodes))


def select_matched(chosen: Iterable[str], nodes: Mapping[str, Item], considered: int) -> Selection:
    """What a meaning matcher chose, in its order; ids that it made up are left out."""
    kept = [item for item in dict.fromkeys(chosen) if isinstance(nodes.get(item), Node)]
    focal = tuple(Focal(item, 1.0 / place, 1.0, "meaning") for place, item in enumerate(kept, start=1))
    return Selection(focal[:FOCAL_MAX], "meaning", "", considered)


def _read(node: Node, moment: Moment, stats: TermStats) -> Focal:
    fields = node.tokens
    own = bm25(fields, moment.prompt.terms, moment.prompt.prefixes, stats, _WEIGHTS)
    before = bm25(fields, moment.trajectory.terms, (), stats, _WEIGHTS) if moment.trajectory.terms else 0.0
    covered = coverage(fields, moment.prompt.groups, moment.prompt.prefixes, stats) if own else 0.0
    why = ""
    if covered >= INFUSE_COVERAGE_MIN or _rare_words(fields, moment.prompt, stats) >= INFUSE_RARE_WORDS_MIN:
        why = "words"
    elif before and coverage(fields, moment.trajectory.groups, (), stats) >= INFUSE_COVERAGE_MIN:
        why = "trajectory"
    return Focal(node.id, own + TRAJECTORY_WEIGHT * before, covered, why)


def _rare_words(fields: Mapping[str, Sequence[str]], query: Query, stats: TermStats) -> int:
    """How many rare words of the query the node holds; a word counts once, whole or by its parts."""
    held = {token for part in fields.values() for token in part}
    rare = max(1.0, INFUSE_RARE_SHARE * stats.documents)
    return sum(
        any(term in held and 0 < stats.frequency.get(term, 0) <= rare for term in group) for group in query.groups
    )
