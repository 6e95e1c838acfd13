"""Exact cosine of float32 vectors: correctly rounded sums, so that every engine computes the same score."""

import math
import struct
from collections.abc import Iterable, Sequence
from operator import mul


def floats(data: bytes) -> tuple[float, ...]:
    """Little-endian float32 bytes as numbers; an odd tail is no vector and gives an empty one."""
    count, tail = divmod(len(data), 4)
    return () if tail else struct.unpack(f"<{count}f", data)


def squared_length(values: Sequence[float]) -> float:
    """Exact sum of squares; 0 for what is no direction: nothing, zeros, anything not finite."""
    # products of two float32 are exact in a double, and fsum rounds once: the result does not depend on any order
    total = math.fsum(map(mul, values, values))
    return total if total < math.inf else 0.0  # also for NaN


def cosine(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Cosine in [-1, 1]; None when the lengths differ or a side is zero or not finite."""
    if not left or len(left) != len(right):
        return None
    squares = squared_length(left) * squared_length(right)
    if squares == 0:
        return None
    score = math.fsum(map(mul, left, right)) / math.sqrt(squares)
    return min(1.0, max(-1.0, score))


def best(scored: Iterable[tuple[str, float | None]], *, floor: float, limit: int) -> list[tuple[str, float]]:
    """The ids at or above the floor, best first, ties by id."""
    kept = [(name, score) for name, score in scored if score is not None and score >= floor]
    return sorted(kept, key=lambda pair: (-pair[1], pair[0]))[: max(0, limit)]
