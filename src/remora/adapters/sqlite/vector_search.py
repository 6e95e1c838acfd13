"""The vector leg: a fast pass over all vectors of a model, then exact scores for those near the cut."""

import heapq
import importlib
import sys
from collections.abc import Sequence
from operator import mul
from types import ModuleType
from typing import Any

from remora.adapters.sqlite.rows import Reader, number_list
from remora.core.cosine import floats, squared_length
from remora.core.policy import VECTOR_NUMPY_FROM, VECTOR_SCORE_SLACK

VECTORS = (
    "SELECT item, length, data FROM vector INDEXED BY vector_by_model"
    " WHERE model = ? AND part IN ({parts}) AND length > 0 AND length(data) = ?"
)


def near(
    reader: Reader, parts: Sequence[int], model: str, query: bytes, *, floor: float, limit: int
) -> dict[int, bytes]:
    """Item key -> vector of all that may belong to the best `limit` at or above the floor, and a few more."""
    if limit < 1 or not parts or squared_length(floats(query)) == 0:
        return {}
    rows = [
        (key, length, data)
        for key, length, data in reader.fetch(VECTORS.format(parts=number_list(parts)), [(model, len(query))])
        if isinstance(data, bytes) and len(data) == len(query)
    ]
    scores = _fast_scores(query, rows)
    cut = max(floor, min(heapq.nlargest(limit, scores), default=floor) if len(scores) > limit else floor)
    return {row[0]: row[2] for row, score in zip(rows, scores, strict=True) if score >= cut - VECTOR_SCORE_SLACK}


def _fast_scores(query: bytes, rows: Sequence[tuple[int, float, bytes]]) -> list[float]:
    numpy = _numpy(len(rows))
    if numpy is not None and rows:
        return _numpy_scores(numpy, query, rows)
    probe = floats(query)
    norm = squared_length(probe) ** 0.5
    return [sum(map(mul, probe, floats(data))) / (norm * length) for _, length, data in rows]


def _numpy(count: int) -> ModuleType | None:
    """numpy where it is loaded already, or where loading it pays; results do not depend on it."""
    if count < VECTOR_NUMPY_FROM:
        return sys.modules.get("numpy")
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None


def _numpy_scores(numpy: Any, query: bytes, rows: Sequence[tuple[int, float, bytes]]) -> list[float]:
    table = numpy.frombuffer(b"".join(data for _, _, data in rows), dtype="<f4").reshape(len(rows), -1)
    probe = numpy.frombuffer(query, dtype="<f4").astype("f8")
    norms = numpy.array([length for _, length, _ in rows]) * float(probe @ probe) ** 0.5
    scores: list[float] = ((table @ probe) / norms).tolist()
    return scores
