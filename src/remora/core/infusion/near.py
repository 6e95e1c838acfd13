"""What lies near a moment in meaning: by the prompt alone, and by the prompt as it follows the turn before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.embedding import Embedder, QueryVector
from remora.core.encounters.schema import FAMILY
from remora.core.graph import Item
from remora.core.infusion.chores import chore_likeness
from remora.core.infusion.select import Likeness
from remora.core.recall.vector_leg import nearest
from remora.core.recall.vector_state import asked
from remora.core.scope import REPOSITORY
from remora.core.store_read import StoreRead


@dataclass(frozen=True, slots=True)
class Near:
    """The prompt's vector, the nearest nodes, and how near they are; empty without an embedder."""

    vector: QueryVector | None = None
    nodes: tuple[Item, ...] = ()
    likeness: Likeness | None = None


def near_moment(
    view: StoreRead,
    embedder: Embedder | None,
    chores: Callable[[], Sequence[bytes]],
    prompt: str,
    turns: tuple[str, ...],
) -> Near:
    """A node is as near as the nearer of both readings: a prompt may go on from its turn or change the subject.

    `chores` makes vectors of everyday requests; it is asked only when there is something to compare.
    """
    alone = asked(view, embedder, prompt).vector
    if alone is None:
        return Near()
    followed = asked(view, embedder, f"{turns[-1]} {prompt}").vector if turns else None
    nodes: dict[str, Item] = {}
    scores: dict[str, float] = {}
    for vector in (alone, followed):
        for item, score in nearest(view, (FAMILY,), REPOSITORY, vector, policy.INFUSE_NEAR_MAX):
            nodes[item.id] = item
            scores[item.id] = max(score, scores.get(item.id, -1.0))
    return Near(alone, tuple(nodes.values()), Likeness(scores, chore_likeness(alone.data, chores())))
