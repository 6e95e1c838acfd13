"""The vector leg: a fast pass over all vectors of a model, then exact scores are taken of those near the cut."""

import heapq
from collections.abc import Sequence
from operator import mul

from remora.adapters.neo4j.link import Fetch
from remora.core.cosine import floats, squared_length
from remora.core.policy import VECTOR_SCORE_SLACK

VECTORS = """
UNWIND $places AS place
MATCH (v:RemoraVector)
WHERE v.place = place AND v.model = $model AND v.length > 0 AND v.size = $size AND v.born <= $seq AND v.died > $seq
RETURN v.item, v.length, v.data
"""


def near(
    fetch: Fetch, places: Sequence[str], model: str, query: bytes, *, floor: float, limit: int
) -> dict[str, bytes]:
    """Item id -> vector of all that may belong to the best `limit` at or above the floor, and a few more."""
    probe = floats(query)
    norm = squared_length(probe) ** 0.5
    if limit < 1 or not places or not norm:
        return {}
    rows = fetch(VECTORS, {"places": places, "model": model, "size": len(query)})
    scores = [sum(map(mul, probe, floats(data))) / (norm * length) for _, length, data in rows]
    cut = max(floor, min(heapq.nlargest(limit, scores), default=floor) if len(scores) > limit else floor)
    return {row[0]: row[2] for row, score in zip(rows, scores, strict=True) if score >= cut - VECTOR_SCORE_SLACK}
