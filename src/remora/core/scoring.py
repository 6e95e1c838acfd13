"""Figures of retrieval: recall at a depth, reciprocal rank, candidate fraction, and a bootstrap interval of a mean."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import fsum

from remora.core import policy


def first_rank(found: Iterable[str], wanted: Collection[str]) -> int:
    """Rank (from 1) of the first wanted one among what was found, 0 when there is none."""
    return next((rank for rank, item in enumerate(found, start=1) if item in wanted), 0)


def reciprocal_rank(rank: int) -> float:
    """1/rank; 0.0 for what was not found (rank 0)."""
    return 1.0 / rank if rank else 0.0


def recall_at(depth: int, ranks: Sequence[int]) -> float:
    """Share of the cases whose first wanted item stands within the depth; 0.0 without cases."""
    return mean([float(1 <= rank <= depth) for rank in ranks])


def mrr(ranks: Sequence[int]) -> float:
    """Mean reciprocal rank; 0.0 without cases."""
    return mean([reciprocal_rank(rank) for rank in ranks])


def candidate_fraction(candidates: int, total: int) -> float:
    """Share of everything that had to be scored; 0.0 of nothing."""
    return candidates / total if total else 0.0


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; 0.0 of nothing."""
    return fsum(values) / len(values) if values else 0.0


def bootstrap_interval(
    values: Sequence[float], *, share: float = 0.95, rounds: int = policy.BOOTSTRAP_ROUNDS
) -> tuple[float, float]:
    """Percentile interval of the mean from resampled cases; equal values give equal intervals, always."""
    if not values:
        return 0.0, 0.0
    draws = _draws(len(values))
    means = sorted(fsum(values[next(draws)] for _ in values) / len(values) for _ in range(rounds))
    tail = (1.0 - share) / 2.0
    low, high = int(tail * rounds), min(rounds - 1, int((1.0 - tail) * rounds))
    return means[low], means[high]


_MULTIPLIER, _INCREMENT, _MODULUS = 6_364_136_223_846_793_005, 1_442_695_040_888_963_407, 1 << 64
"""Knuth's MMIX generator: the core takes no randomness from outside, and a figure must be the same tomorrow."""


def _draws(size: int) -> Iterator[int]:
    state = 20_011
    while True:
        state = (state * _MULTIPLIER + _INCREMENT) % _MODULUS
        yield (state >> 33) % size
