"""Rankings compared: positions, the divergence of two readings, and drift against a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SCORE_DIGITS = 12
"""Scores that differ by less are equal: summation order must not decide a rank."""


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Ids, highest score first; ties by id."""
    return sorted(scores, key=lambda item: (-round(scores[item], _SCORE_DIGITS), item))


def percentiles(order: Sequence[str]) -> dict[str, float]:
    """(position - 1) / max(n - 1, 1): 0.0 is the first, 1.0 the last."""
    span = max(len(order) - 1, 1)
    return {item: at / span for at, item in enumerate(order)}


def divergence(mass: Mapping[str, float], frontier_mass: Mapping[str, float]) -> dict[str, float]:
    """Per node in both: frontier percentile - mass percentile, 4 decimals; empty with fewer than two in common.

    > 0: prominent only by accumulation. < 0: lifted by open work. Each percentile is that of the node's own ranking.
    """
    shared = mass.keys() & frontier_mass.keys()
    if len(shared) < 2:
        return {}
    by_mass, by_frontier = percentiles(ranked(mass)), percentiles(ranked(frontier_mass))
    return {item: round(by_frontier[item] - by_mass[item], 4) for item in sorted(shared)}


@dataclass(frozen=True, slots=True)
class Drift:
    """How the mass reading moved since the baseline: shift = baseline position - current position, by node."""

    risers: tuple[tuple[str, int], ...] = ()
    fallers: tuple[tuple[str, int], ...] = ()
    new: tuple[str, ...] = ()


def drift(baseline: Mapping[str, float], current: Mapping[str, float]) -> Drift:
    """Risers (largest shift first), fallers (smallest first) and nodes that the baseline lacks (best placed first)."""
    before = {item: at for at, item in enumerate(ranked(baseline))}
    after = {item: at for at, item in enumerate(ranked(current))}
    shifts = {item: before[item] - after[item] for item in before.keys() & after.keys()}
    return Drift(
        risers=tuple(sorted(((i, s) for i, s in shifts.items() if s > 0), key=lambda p: (-p[1], p[0]))),
        fallers=tuple(sorted(((i, s) for i, s in shifts.items() if s < 0), key=lambda p: (p[1], p[0]))),
        new=tuple(item for item in ranked(current) if item not in baseline),
    )
