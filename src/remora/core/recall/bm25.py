"""Lexical ranking: BM25 over weighted fields, the covered share of a query, and fusion of rankings."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log

from remora.core.graph import TermStats
from remora.core.policy import BM25_B, BM25_K1, BM25_PREFIX_WEIGHT


def idf(term: str, stats: TermStats) -> float:
    """Weight of a term by rarity, always above zero. A term that no document holds weighs like one held once."""
    held = max(1, stats.frequency.get(term, 0))
    return log(1.0 + (max(stats.documents, held) - held + 0.5) / (held + 0.5))


def bm25(
    fields: Mapping[str, Sequence[str]],
    query_terms: Sequence[str],
    prefixes: Sequence[str],
    stats: TermStats,
    weights: Mapping[str, float],
) -> float:
    """BM25F score of one document (>= 0, higher is better); a field without a weight counts 1.0, weight 0 hides it.

    Occurrences are weighted and length-normalised per field, summed, and saturated once per term. A prefix counts only
    where its word is not among the matched terms, and less than an exact hit.
    """
    parts = [(found, _factor(name, found, stats, weights)) for name, found in fields.items() if found]
    score = 0.0
    matched: list[str] = []
    for term in query_terms:
        mass = sum(factor * found.count(term) for found, factor in parts if factor and term in found)
        if mass > 0.0:
            matched.append(term)
            score += idf(term, stats) * mass * (BM25_K1 + 1.0) / (mass + BM25_K1)
    # Tokens hold no white space, so one search of the joined field finds those that begin with a prefix.
    joined = [(" " + " ".join(found), found, factor) for found, factor in parts if factor] if prefixes else []
    for prefix in prefixes:
        if prefix in matched:
            continue
        exact = [term for term in matched if term.startswith(prefix)]
        mass = sum(
            factor * (line.count(" " + prefix) - sum(map(found.count, exact)))
            for line, found, factor in joined
            if " " + prefix in line
        )
        if mass > 0.0:
            score += BM25_PREFIX_WEIGHT * idf(prefix, stats) * mass * (BM25_K1 + 1.0) / (mass + BM25_K1)
    return score


def _factor(name: str, found: Sequence[str], stats: TermStats, weights: Mapping[str, float]) -> float:
    mean = stats.length.get(name, 0.0)
    norm = 1.0 - BM25_B + BM25_B * len(found) / mean if mean > 0.0 else 1.0
    return weights.get(name, 1.0) / norm


def coverage(
    fields: Mapping[str, Sequence[str]], groups: Iterable[Sequence[str]], prefixes: Sequence[str], stats: TermStats
) -> float:
    """Share (0.0 to 1.0) of the query's idf mass that a document covers: the signal for keeping silent.

    `groups` are `Query.groups`: a compound word is covered by its whole, else in part by its parts; a word counts in
    part where only a prefix of it matches.
    """
    found = {token for part in fields.values() for token in part}
    line = " ".join(["", *found]) if prefixes else ""
    begun = [prefix for prefix in prefixes if " " + prefix in line]
    asked = covered = 0.0
    for group in groups:
        masses = {term: idf(term, stats) for term in group[1:] or group}
        asked += (whole := sum(masses.values()))
        covered += (
            whole
            if group and group[0] in found
            else sum(
                mass * (1.0 if term in found else BM25_PREFIX_WEIGHT * any(prefix.startswith(term) for prefix in begun))
                for term, mass in masses.items()
            )
        )
    return covered / asked if asked > 0.0 else 0.0


def fuse(rankings: Sequence[Sequence[str]], k: int) -> list[tuple[str, float]]:
    """Reciprocal rank fusion: (key, score) best first, ties by key. A key counts once per ranking, at its best rank."""
    shares: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            shares.setdefault(key, []).append(1.0 / (k + rank))
    scores = {key: fsum(share) for key, share in shares.items()}  # fsum: the order of rankings makes no difference
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
