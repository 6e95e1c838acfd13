"""The vector leg: a fast pass over all vectors of a model, then exact scores for those near the cut."""

import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import mul
from typing import Any

import apsw

from remora.adapters.sqlite.rows import json_list
from remora.core.cosine import best, cosine, floats
from remora.core.policy import VECTOR_SCORE_SLACK
from remora.core.store_rules import storable

VECTORS = (
    "SELECT item.id, vector.data FROM vector INDEXED BY vector_by_model CROSS JOIN item ON item.key = vector.item"
    " WHERE vector.model = ?1 AND vector.part IN (SELECT value FROM json_each(?2)) AND length(vector.data) = ?3"
)


def nearest(
    con: apsw.Connection, parts: Sequence[int], model: str, query: bytes, *, floor: float, limit: int
) -> list[tuple[str, float]]:
    """(item id, exact cosine) at or above the floor, best first. Vectors of another size are no candidates."""
    probe = floats(query)
    if limit < 1 or not storable(model) or cosine(probe, probe) is None:
        return []
    rows: list[tuple[str, bytes]] = list(con.execute(VECTORS, (model, json_list(parts), len(query))))
    scores = _fast_scores(probe, [data for _, data in rows])
    cut = max(floor, _kth(scores, limit)) - VECTOR_SCORE_SLACK
    near = (rows[index] for index, score in enumerate(scores) if not score < cut)
    return best(((item, cosine(probe, floats(data))) for item, data in near), floor=floor, limit=limit)


def _kth(scores: Sequence[float], limit: int) -> float:
    known = sorted((score for score in scores if score == score), reverse=True)  # noqa: PLR0124 - NaN differs from itself
    return known[limit - 1] if len(known) >= limit else -1.0


def _fast_scores(probe: "array[float]", blobs: Sequence[bytes]) -> list[float]:
    numpy = sys.modules.get("numpy")
    # importing numpy costs more than the plain loop over 5,000 vectors, so it is used where something loaded it already
    return _numpy_scores(numpy, probe, blobs) if numpy and blobs else [_plain_score(probe, blob) for blob in blobs]


def _plain_score(probe: Sequence[float], blob: bytes) -> float:
    values = floats(blob)
    squares = sum(map(mul, values, values)) * sum(map(mul, probe, probe))
    return float(sum(map(mul, probe, values)) / squares**0.5) if squares > 0 else -1.0


def _numpy_scores(numpy: Any, probe: Iterable[float], blobs: Sequence[bytes]) -> list[float]:
    with numpy.errstate(all="ignore"):
        table = numpy.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1).astype("f8")
        line = numpy.asarray(list(probe), dtype="f8")
        norms = numpy.sqrt((table * table).sum(axis=1) * (line @ line))
        scores: list[float] = numpy.where(norms > 0, (table @ line) / norms, -1.0).tolist()
    return scores
