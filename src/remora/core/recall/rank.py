"""Ranking of facts: words covered by a fact and its nearest neighbour, entry entities, silence."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2

from remora.core import policy
from remora.core.graph import Edge, Item, Node, TermStats
from remora.core.recall.bm25 import bm25
from remora.core.recall.grounds import Ground, Grounds
from remora.core.recall.kinds import asked_kind, fits
from remora.core.recall.matching import Matcher, union
from remora.core.text import has_phrase

ENTITY_WEIGHTS: Mapping[str, float] = {"name": 1.0, "alias": 1.0, "type": 0.5, "mirror": 0.0}
"""An alias counts like the name: names are merged before ranking."""


@dataclass(frozen=True, slots=True)
class Scored:
    """An item with its score, why it came, and the share of the question that its own words cover."""

    item: Item
    score: float
    why: tuple[str, ...] = ()
    covered: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Everything one recall ranks: matched and neighbouring facts, and the entities known among their ends."""

    edges: Mapping[str, Edge] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    similar: Mapping[str, float] = field(default_factory=dict)
    """Item id -> similarity of meaning (0.0 to 1.0), from the vector leg."""


def entity_tokens(node: Node) -> list[str]:
    """All words of an entity's names."""
    return [*node.tokens.get("name", ()), *node.tokens.get("alias", ())]


@dataclass(frozen=True, slots=True)
class Known:
    """What an entity's names and type say to a question: strengths per word, and how far one name was asked whole."""

    strengths: Mapping[int, float]
    named: float


def known(matcher: Matcher, node: Node) -> Known:
    """Match one entity."""
    strengths: Mapping[int, float] = {}
    named = 0.0
    for field_name in ("name", "alias"):
        row = node.tokens.get(field_name, ())
        found = matcher.tokens(row)
        if found:
            strengths = union(strengths, found) if strengths else found
            named = max(named, sum(bool(matcher.token(word)) for word in row) / len(row))
    typed = node.tokens.get("type")
    if typed:
        strengths = union(strengths, matcher.tokens(typed, policy.TYPE_STRENGTH))
    return Known(strengths, named)


def rank_entities(matcher: Matcher, nodes: Iterable[Node], stats: TermStats) -> tuple[list[Scored], dict[str, Known]]:
    """Entities by what they cover of the query and BM25 over names, aliases and type, and what each one covers.

    Ties by recency, then id.
    """
    told = {node.id: (node, known(matcher, node)) for node in nodes}
    covering = [(matcher.mass(found.strengths) + found.named, node) for node, found in told.values() if found.strengths]
    covering.sort(key=lambda pair: (-round(pair[0], 9), -pair[1].updated, pair[1].id))
    query = matcher.question.query
    scored: list[Scored] = []
    for at, (covered, node) in enumerate(covering):
        score = 0.0
        if at < policy.ENTITIES_RANKED:
            score = bm25(node.tokens, matcher.question.terms, query.prefixes, stats, ENTITY_WEIGHTS)
        scored.append(Scored(node, covered + score / (1.0 + score), ("name",)))
    scored.sort(key=lambda found: (-round(found.score, 9), -found.item.updated, found.item.id))
    return scored, {item: found for item, (_, found) in told.items()}


def rank_facts(matcher: Matcher, pool: Pool, met: Mapping[str, Known]) -> tuple[list[Scored], Callable[[], Grounds]]:
    """Facts best first, and a way to read what speaks for answering with them.

    A fact is worth the words it covers, and in part those that one neighbour covers beyond it: so a question over two
    facts finds both. Ties by recency, then id.
    """
    told = {item: met[item] if item in met else known(matcher, node) for item, node in pool.nodes.items()}
    own = {item: _edge_strengths(matcher, edge, told) for item, edge in pool.edges.items()}
    masses = {item: matcher.mass(strengths) for item, strengths in own.items()}
    leaders, degree = _leaders(pool.edges.values(), masses)
    kind = asked_kind(matcher.question.query.text)
    scored: list[Scored] = []
    for item, edge in pool.edges.items():
        way = _joined(matcher, edge, own, leaders, degree, masses[item])
        fitting = fits(kind, edge.tokens)
        score = masses[item] + way + _bonus(matcher, edge, told) + fitting * policy.KIND_BONUS
        if pool.similar:
            score += policy.VECTOR_BONUS * max(pool.similar.get(key, 0.0) for key in (item, edge.source, edge.target))
        if score > 0.0:
            scored.append(Scored(edge, score, (), masses[item]))
    scored.sort(key=lambda found: (-round(found.score, 9), -found.item.updated, found.item.id))
    scored[: policy.RECALL_LIMIT_MAX] = [_told(matcher, found, pool) for found in scored[: policy.RECALL_LIMIT_MAX]]
    met_names = {item: found.strengths for item, found in told.items()}
    return scored, lambda: Ground(matcher, pool.nodes, met_names).read(pool.edges, own, leaders)


def _edge_strengths(matcher: Matcher, edge: Edge, told: Mapping[str, Known]) -> Mapping[int, float]:
    words: Mapping[int, float] = matcher.tokens(word for row in edge.tokens.values() for word in row)
    for end in (edge.source, edge.target):
        found = told.get(end)
        if found is not None and found.strengths:
            words = union(words, found.strengths)
    return words


def _leaders(edges: Iterable[Edge], masses: Mapping[str, float]) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Entity -> its two best facts, and how many facts of the pool it has."""
    leaders: dict[str, list[str]] = {}
    degree: dict[str, int] = {}
    for edge in edges:
        for end in {edge.source, edge.target}:
            degree[end] = degree.get(end, 0) + 1
            best = leaders.setdefault(end, [])
            best.append(edge.id)
            best.sort(key=lambda item: (-masses[item], item))
            del best[2:]
    return leaders, degree


def _joined(
    matcher: Matcher,
    edge: Edge,
    own: Mapping[str, Mapping[int, float]],
    leaders: Mapping[str, Sequence[str]],
    degree: Mapping[str, int],
    mass: float,
) -> float:
    """What it is worth that a fact covers more together with its best neighbour; hubs connect less."""
    worth = 0.0
    for end in {edge.source, edge.target}:
        neighbour = next((item for item in leaders[end] if item != edge.id), "")
        if not neighbour:
            continue
        together = matcher.mass(union(own[edge.id], own[neighbour]))
        damped = policy.JOIN_WEIGHT / (1.0 + log2(max(1, degree[end] - 1)) / 4.0)
        worth = max(worth, (together - mass) * damped)
    return worth


def _bonus(matcher: Matcher, edge: Edge, told: Mapping[str, Known]) -> float:
    bonus = policy.NAMED_BONUS * max(told[end].named if end in told else 0.0 for end in (edge.source, edge.target))
    phrases = matcher.question.query.phrases
    if phrases and any(has_phrase(row, phrase) for row in edge.tokens.values() for phrase in phrases):
        bonus += policy.PHRASE_BONUS
    return bonus


def _told(matcher: Matcher, found: Scored, pool: Pool) -> Scored:
    """With the reason why it came; looked for where it may be shown."""
    assert isinstance(found.item, Edge)
    return replace(found, why=_why(matcher, found.item, pool, found.covered))


def _why(matcher: Matcher, edge: Edge, pool: Pool, mass: float) -> tuple[str, ...]:
    why = [name for name in ("subject", "predicate", "object") if matcher.tokens(edge.tokens.get(name, ()))]
    if any(pool.similar.get(key) for key in (edge.id, edge.source, edge.target)):
        why.append("meaning")
    if not why:
        why.append("alias or type" if mass > 0.0 else "neighbour")
    return tuple(why)


def silent(covered: float, similar: Collection[float], floor: float = policy.SILENCE_COVERAGE) -> bool:
    """Whether to say nothing: too little of the question is covered, and nothing is near in meaning."""
    return covered < floor and not any(similar)


def above_floor(scored: Sequence[Scored]) -> list[Scored]:
    """The leading facts that are not far below the best one."""
    if not scored:
        return []
    least = scored[0].score * policy.RELATIVE_FLOOR
    return [found for found in scored if found.score >= least]
