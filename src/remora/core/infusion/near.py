"""What lies near a moment in meaning: by the prompt alone, and by the prompt as it follows the turn before it."""

from dataclasses import dataclass

from remora.core.embedding import Embedder, QueryVector
from remora.core.encounters.schema import FAMILY
from remora.core.graph import Item
from remora.core.recall.vector_leg import similar
from remora.core.recall.vector_state import asked
from remora.core.scope import REPOSITORY
from remora.core.store_read import StoreRead


@dataclass(frozen=True, slots=True)
class Near:
    """The prompt's vector, and nodes above the model's floor with their similarity (0 there to 1), best first."""

    vector: QueryVector | None = None
    nodes: tuple[tuple[Item, float], ...] = ()


def near_moment(view: StoreRead, embedder: Embedder | None, prompt: str, turns: tuple[str, ...]) -> Near:
    """A node is as near as the nearer of both readings: a prompt may go on from its turn or change the subject."""
    alone = asked(view, embedder, prompt).vector
    if alone is None:
        return Near()
    followed = asked(view, embedder, f"{turns[-1]} {prompt}").vector if turns else None
    best: dict[str, tuple[Item, float]] = {}
    for vector in (alone, followed):
        for item, score in similar(view, (FAMILY,), REPOSITORY, vector):
            if item.id not in best or best[item.id][1] < score:
                best[item.id] = (item, score)
    return Near(alone, tuple(sorted(best.values(), key=lambda row: (-round(row[1], 9), row[0].id))))
