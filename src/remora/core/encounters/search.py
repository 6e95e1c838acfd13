"""The shared search engine over encounter nodes: names, descriptions and short properties; rank, silence, hits."""

from collections.abc import Collection, Iterable, Mapping

from remora.core import policy
from remora.core.encounters.frontier import displaced
from remora.core.encounters.nodes import number, reference, text, trust
from remora.core.encounters.schema import FAMILY, REBINDS, SUPERSEDES
from remora.core.facts.words import Redact
from remora.core.graph import Item, Json, Node, TermStats
from remora.core.recall.bm25 import bm25
from remora.core.recall.families import Hit
from remora.core.recall.matching import Matcher, Question
from remora.core.recall.pipeline import Answer
from remora.core.recall.rank import Scored, above_floor, silent
from remora.core.scope import REPOSITORY, Trust
from remora.core.store_read import StoreRead
from remora.core.text import Query, has_phrase

WEIGHTS: Mapping[str, float] = {"name": 2.0, "description": 1.0, "extra": 0.5}
"""A name is a synthesis of its node, so a word there says more than one in the text below it."""


def rank_nodes(matcher: Matcher, nodes: Iterable[Node], stats: TermStats) -> tuple[list[Scored], float]:
    """Nodes best first, and the share of the query that the best of them covers. Ties by recency, then id."""
    query = matcher.question.query
    scored: list[Scored] = []
    covered = 0.0
    for node in nodes:
        mass = matcher.mass(matcher.tokens(token for row in node.tokens.values() for token in row))
        if mass <= 0.0:
            continue
        covered = max(covered, mass)
        score = bm25(node.tokens, matcher.question.terms, query.prefixes, stats, WEIGHTS)
        score = score / (1.0 + score) + mass
        if any(has_phrase(row, phrase) for row in node.tokens.values() for phrase in query.phrases):
            score += policy.PHRASE_BONUS
        why = tuple(field for field, row in node.tokens.items() if matcher.tokens(row))
        scored.append(Scored(node, score, why))
    scored.sort(key=lambda found: (-round(found.score, 9), -found.item.updated, found.item.id))
    return scored, covered


def find_nodes(
    view: StoreRead,
    query: Query,
    *,
    labels: Collection[str] = (),
    similar: Mapping[str, float] | None = None,
) -> tuple[list[Scored], float, int]:
    """Ranked nodes, covered share of the query, and how many matched. `similar` maps ids to similarity of meaning."""
    question = Question.of(query)
    found = view.text_candidates(
        (FAMILY,), (REPOSITORY,), question.terms, query.prefixes, labels=labels, limit=policy.CANDIDATE_LIMIT
    )
    near = dict(similar or {})
    items: dict[str, Item] = {item.id: item for item in found.items}
    items.update(view.get([item for item in near if item not in items], (REPOSITORY,)))
    nodes = [item for item in items.values() if isinstance(item, Node) and (not labels or item.label in labels)]
    scored, covered = rank_nodes(Matcher(question, found.stats), nodes, found.stats)
    if near:
        scored = _with_meaning(scored, nodes, near)
    return scored, covered, max(found.total, len(scored))


def recall_nodes(
    view: StoreRead,
    query: Query,
    *,
    limit: int = policy.RECALL_LIMIT,
    unasked: bool = False,
    similar: Mapping[str, float] | None = None,
    redact: Redact,
) -> Answer:
    """Encounter nodes that answer a query, as hits of one family, or silence; what was superseded comes last."""
    if query.empty:
        return Answer()
    scored, covered, _ = find_nodes(view, query, similar=similar)
    if silent(covered, (similar or {}).values()):
        return Answer(silent=bool(scored))
    kept = [row for row in above_floor(scored) if not unasked or trust(row.item) >= Trust.AGENT]
    kept = current_first(view, kept[: 2 * limit])
    return Answer(tuple(_hit(row, redact) for row in kept[:limit]), truncated=len(kept) > limit)


def _with_meaning(scored: list[Scored], nodes: Iterable[Node], near: Mapping[str, float]) -> list[Scored]:
    """Similarity of meaning added to what words say, on the scale that facts use."""
    lexical = {row.item.id: row for row in scored}
    rows = [
        Scored(
            node,
            (lexical[node.id].score if node.id in lexical else 0.0) + policy.VECTOR_BONUS * near.get(node.id, 0.0),
            (*(lexical[node.id].why if node.id in lexical else ()), *(("meaning",) if node.id in near else ())),
        )
        for node in nodes
        if node.id in lexical or node.id in near
    ]
    return sorted(rows, key=lambda row: (-round(row.score, 9), -row.item.updated, row.item.id))


def current_first(view: StoreRead, rows: Iterable[Scored]) -> list[Scored]:
    """The rows with superseded and rebound nodes after all others, each part in its order."""
    kept = list(rows)
    around = view.expand(
        [row.item.id for row in kept],
        (REPOSITORY,),
        labels=(SUPERSEDES, REBINDS),
        outgoing=False,
        per_node=1,
        limit=max(1, len(kept)),
    )
    gone = displaced(around.edges)
    return sorted(kept, key=lambda row: row.item.id in gone)


def _hit(row: Scored, redact: Redact) -> Hit:
    node = row.item
    assert isinstance(node, Node)
    description = redact(text(node, "description") or text(node, "summary"))
    detail: dict[str, Json] = {"tick": number(node, "tick")}
    if text(node, "status"):
        detail["status"] = text(node, "status")
    return Hit(
        family=FAMILY,
        id=node.id,
        title=redact(reference(node)),
        text=description if len(description) <= policy.CARD_CHARS else description[: policy.CARD_CHARS - 1] + "…",
        source=f"encounter tick {number(node, 'tick')}",
        score=row.score,
        matched_by=row.why,
        trust=trust(node).name.lower(),
        updated=node.updated,
        detail=detail,
    )
