"""Recall over facts: narrow, rank, expand, keep silent or answer. One function for every channel that recalls facts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from remora.core import policy
from remora.core.facts.layout import ENTITY, FACT, FAMILY, edge_holds, edge_trust, mirrored, read_entity, read_fact
from remora.core.facts.rows import fact_row, names_of
from remora.core.facts.words import Redact
from remora.core.graph import Candidates, Edge, Item, Json, Node, TermStats
from remora.core.recall.families import Hit
from remora.core.recall.lexicon import respelled
from remora.core.recall.matching import Matcher, Question, Unit, corrections, respell
from remora.core.recall.rank import (
    Known,
    Pool,
    Scored,
    above_floor,
    known,
    rank_entities,
    rank_facts,
)
from remora.core.scope import Trust
from remora.core.store_read import StoreRead
from remora.core.text import Query, parse_query, tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What recall is asked to respect: how far to walk, what time to read, and whom to believe unasked."""

    hops: int = 1
    history: bool = False
    at: int | None = None
    unasked: bool = False

    def admits(self, edge: Edge) -> bool:
        """Whether the fact may be told: it holds at the asked time, and unasked only when trusted or corroborated."""
        if not (self.history or edge_holds(edge, self.at)):
            return False
        return not self.unasked or edge_trust(edge) >= Trust.AGENT or len(read_fact(edge).sources) > 1


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What the lexical leg found: entities best first, matched facts, and the matcher that knows the typos."""

    matcher: Matcher
    entities: tuple[Scored, ...]
    edges: Mapping[str, Edge]
    nodes: Mapping[str, Node]
    told: Mapping[str, Known]
    missed: tuple[Unit, ...]
    """Words that nothing stands for yet."""
    whole: bool
    """Whether every entity with a matching word is among the nodes."""


def narrow(view: StoreRead, scope: str, query: Query) -> Narrowed:
    """Entities and facts that hold a word of the query, words of like meaning, prefixes, or a mistyped word.

    Entities are asked for apart from facts: they are few, so that the cap on facts never hides an entity.
    """
    question, named, said = _asked(view, scope, query)
    missed = _missed(question, _together(named.stats, said.stats))
    alike = _mistyped(view, scope, missed) if missed else []
    fixes = corrections(missed, (name for node in alike for name in read_entity(node).names)) if missed else {}
    ordinary = {
        unit.raw: word
        for unit in missed
        if (word := respelled(unit.raw)) and fixes.get(unit.term, frozenset()) <= frozenset(tokens(word))
    }
    if ordinary:
        question, named, said = _asked(view, scope, parse_query(respell(query.text, ordinary)))
    nodes = {item.id: item for item in named.items if isinstance(item, Node)}
    edges = {item.id: item for item in said.items if isinstance(item, Edge)}
    nodes |= {node.id: node for node in alike if fixes}
    matcher = Matcher(question, _together(named.stats, said.stats), fixes)
    entities, told = rank_entities(matcher, nodes.values(), named.stats)
    matcher.name_together(
        told[found.item.id].strengths for found in entities[: policy.ENTRY_ENTITIES] if told[found.item.id].named == 1.0
    )
    left = tuple(unit for unit in missed if unit.term not in fixes and unit.raw not in ordinary)
    whole = named.total <= policy.ENTITY_CANDIDATES
    return Narrowed(matcher, tuple(entities), edges, nodes, told, left, whole)


def _asked(view: StoreRead, scope: str, query: Query) -> tuple[Question, Candidates, Candidates]:
    """The question, and the entities and facts that hold a word of it."""
    question = Question.of(query)
    named = _candidates(view, scope, question.terms, query.prefixes, ENTITY, policy.ENTITY_CANDIDATES)
    said = _candidates(view, scope, question.terms, query.prefixes, FACT, policy.FACT_CANDIDATES)
    return question, named, said


def _candidates(
    view: StoreRead, scope: str, terms: Collection[str], prefixes: Collection[str], label: str, limit: int
) -> Candidates:
    return view.text_candidates((FAMILY,), (scope,), terms, prefixes, labels=(label,), limit=limit)


def _together(one: TermStats, other: TermStats) -> TermStats:
    frequency = {term: count + other.frequency.get(term, 0) for term, count in one.frequency.items()}
    return TermStats(one.documents + other.documents, {**other.length, **one.length}, frequency)


def _missed(question: Question, stats: TermStats) -> list[Unit]:
    """Words that nothing stands for, longest first: the candidates for a typo."""
    held = {term for term, count in stats.frequency.items() if count}
    begun = [prefix for prefix in question.query.prefixes if prefix in held]
    missed = {
        unit.term: unit
        for unit in (*question.units, *question.wholes)
        if len(unit.raw) >= policy.TYPO_MIN_CHARS
        and unit.raw.isalpha()
        and held.isdisjoint((unit.term, unit.whole, *unit.forms, *unit.related))
        and not any(prefix.startswith(unit.term) for prefix in begun)
    }
    return sorted(missed.values(), key=lambda unit: (-len(unit.raw), unit.raw))[: policy.TYPO_WORDS]


def _mistyped(view: StoreRead, scope: str, missed: Iterable[Unit]) -> list[Node]:
    """Entities with a word that begins or ends like one of the words."""
    prefixes: dict[str, None] = {}
    for unit in missed:
        kept = max(2, len(unit.raw) * 2 // 5)
        turned = (unit.raw[:at] + unit.raw[at + 1] + unit.raw[at] + unit.raw[at + 2 :] for at in range(1, kept))
        prefixes |= dict.fromkeys(word[:kept] for word in (unit.raw, *turned))
        prefixes |= dict.fromkeys(image[: kept + 1] for image in mirrored(unit.term))
    near = _candidates(view, scope, (), tuple(prefixes), ENTITY, policy.TYPO_CANDIDATES)
    return [item for item in near.items if isinstance(item, Node)]


@dataclass(frozen=True, slots=True)
class Answer:
    """Facts best first, whether recall kept silent although something matched, and whether more facts answer."""

    hits: tuple[Hit, ...] = ()
    silent: bool = False
    truncated: bool = False


def recall_facts(
    view: StoreRead,
    scope: str,
    query: Query,
    terms: Terms,
    *,
    redact: Redact,
    limit: int = policy.RECALL_LIMIT,
    similar: Sequence[tuple[Item, float]] = (),
) -> Answer:
    """The facts that answer a query, or silence. `similar`: items of a vector leg, each with 0.0 to 1.0."""
    if query.empty:
        return Answer()
    narrowed = narrow(view, scope, query)
    pool, near = _pool(view, scope, narrowed, terms, similar)
    narrowed = _in_predicates(narrowed, pool)
    scored, grounds = rank_facts(narrowed.matcher, pool, narrowed.told)
    more = _further(view, scope, scored, pool, near, terms, narrowed)
    if more is not None:
        pool = more
        scored, grounds = rank_facts(narrowed.matcher, pool, narrowed.told)
    if not grounds().enough(max(pool.similar.values(), default=0.0)):
        return Answer(silent=bool(scored))
    kept = above_floor(scored)
    names = _names(view, scope, kept[:limit], near)
    return Answer(
        tuple(_hit(found, names, redact, history=terms.history) for found in kept[:limit]),
        truncated=len(kept) > limit,
    )


def _pool(
    view: StoreRead, scope: str, narrowed: Narrowed, terms: Terms, similar: Sequence[tuple[Item, float]]
) -> tuple[Pool, dict[str, Node]]:
    """What is ranked, and the entities met on the way."""
    entries = [found.item.id for found in narrowed.entities[: policy.ENTRY_ENTITIES]]
    entries += [item.id for item, _ in similar if isinstance(item, Node)][: policy.ENTRY_ENTITIES]
    near = view.expand(
        dict.fromkeys(entries),
        (scope,),
        labels=(FACT,),
        hops=terms.hops,
        per_node=policy.EXPAND_PER_NODE,
        limit=policy.EXPAND_LIMIT,
    )
    meant = [item for item, _ in similar if isinstance(item, Edge) and item.label == FACT]
    edges = {edge.id: edge for edge in (*narrowed.edges.values(), *meant, *near.edges)}
    met = {**narrowed.nodes, **{node.id: node for node in near.nodes}}
    pool = Pool(
        edges={item: edge for item, edge in edges.items() if terms.admits(edge)},
        nodes=narrowed.nodes if narrowed.whole else met,
        similar={item.id: score for item, score in similar},
    )
    return pool, met


def _in_predicates(narrowed: Narrowed, pool: Pool) -> Narrowed:
    """With words that are typos of what the facts at hand say, where no name was meant by them."""
    said = {edge.name.replace("_", " ").lower() for edge in pool.edges.values()} if narrowed.missed else set()
    fixes = corrections(narrowed.missed, said)
    if not fixes:
        return narrowed
    matcher = narrowed.matcher.knowing(fixes)
    told = {item: known(matcher, node) for item, node in narrowed.nodes.items()}
    return replace(narrowed, matcher=matcher, told=told)


def _further(
    view: StoreRead,
    scope: str,
    scored: Sequence[Scored],
    pool: Pool,
    met: dict[str, Node],
    terms: Terms,
    narrowed: Narrowed,
) -> Pool | None:
    """The pool with matching facts at the far ends of the best ones, when these leave part of the question open.

    The best ones of all, and the best of each entity whose whole name was asked: one of those may be on the way.
    """
    facts = [found.item for found in scored if isinstance(found.item, Edge)]
    best = facts[: policy.FURTHER_FROM]
    if not best or scored[0].covered >= policy.WHOLE_COVERAGE:
        return None
    named = [found.item.id for found in narrowed.entities if narrowed.told[found.item.id].named == 1.0]
    for entity in named[: policy.FURTHER_NAMED]:
        best += [edge for edge in facts if entity in (edge.source, edge.target)][: policy.FURTHER_FROM]
    matcher = narrowed.matcher
    near = view.expand(
        dict.fromkeys(end for edge in best for end in (edge.source, edge.target)),
        (scope,),
        labels=(FACT,),
        per_node=policy.EXPAND_PER_NODE,
        limit=policy.FURTHER_LIMIT,
    )
    fresh = {
        edge.id: edge
        for edge in near.edges
        if edge.id not in pool.edges
        and terms.admits(edge)
        and matcher.tokens(word for row in edge.tokens.values() for word in row)
    }
    met |= {node.id: node for node in near.nodes}
    return replace(pool, edges={**pool.edges, **fresh}) if fresh else None


def _names(view: StoreRead, scope: str, kept: Iterable[Scored], known: Mapping[str, Node]) -> dict[str, str]:
    """Names of the ends of what is told; those not met yet are looked up."""
    ends = {end for found in kept if isinstance(found.item, Edge) for end in (found.item.source, found.item.target)}
    missing = ends.difference(known)
    more = view.get(missing, (scope,)) if missing else {}
    return names_of((*(known[end] for end in ends if end in known), *more.values()))


def _hit(found: Scored, names: Mapping[str, str], redact: Redact, *, history: bool) -> Hit:
    fact = read_fact(found.item)
    row = fact_row(fact, names, redact)
    detail: dict[str, Json] = {}
    if fact.confidence < 1.0:
        detail["confidence"] = fact.confidence
    if len(fact.sources) > 1:
        detail["sources"] = len(fact.sources)
    if history or not fact.current:
        detail |= {key: value for key, value in row.to_json().items() if key in ("valid_from", "valid_to")}
    if fact.citations:
        detail["citations"] = list(fact.citations[: policy.CITATIONS_SHOWN])
        if len(fact.citations) > policy.CITATIONS_SHOWN:
            detail["citations_in_all"] = len(fact.citations)
    return Hit(
        family=FAMILY,
        id=fact.id,
        title=row.text,
        source=row.source,
        score=found.score,
        matched_by=found.why,
        trust=fact.trust.name.lower(),
        updated=fact.updated,
        detail=detail,
    )
