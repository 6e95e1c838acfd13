"""The vector leg of recall: a question as a vector of one model, and items near it in meaning."""

from collections.abc import Collection
from dataclasses import dataclass

from remora.core import policy
from remora.core.graph import Item
from remora.core.store_read import StoreRead


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question as a vector of one model (little-endian float32), and that model's calibrated floor."""

    model: str
    data: bytes
    floor: float


def similar(
    view: StoreRead, families: Collection[str], scope: str, meaning: QueryVector | None
) -> list[tuple[Item, float]]:
    """Items above the model's floor, best first, with cosines stretched from the floor to 0.0 to 1.0."""
    if meaning is None:
        return []
    found = view.vector_candidates(
        families, (scope,), meaning.model, meaning.data, floor=meaning.floor, limit=policy.VECTOR_LIMIT
    )
    span = max(1e-9, 1.0 - meaning.floor)
    return [(item, (score - meaning.floor) / span) for item, score in found]
