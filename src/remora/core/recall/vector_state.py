"""What is known of a store's vectors of one model: how many were made and refused, and when the last ones were."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from remora.core.embedding import Embedder, Meaning, question
from remora.core.graph import Item, Node, Vector
from remora.core.ids import computed_id, digest
from remora.core.scope import SYSTEM
from remora.core.store_read import StoreRead

FAMILY: Final = "vectors"
STATE: Final = "VectorState"


@dataclass(frozen=True, slots=True)
class VectorState:
    """Counts since the model was first used here; `at` is the last time that vectors were made (microseconds)."""

    model: str
    made: int = 0
    refused: int = 0
    at: int = 0

    def after(self, made: int, refused: int, now: int) -> "VectorState":
        """The state after one more write."""
        at = now if made else self.at
        return replace(self, made=self.made + made, refused=self.refused + refused, at=at)


def state_id(model: str) -> str:
    """Id of the node that keeps a model's state."""
    return computed_id("vst_", model)


def read_state(view: StoreRead, model: str) -> VectorState | None:
    """The state of a model here; None when none of its vectors was ever made."""
    node = view.get((state_id(model),), (SYSTEM,)).get(state_id(model))
    if node is None:
        return None
    made, refused = node.body.get("made"), node.body.get("refused")
    return VectorState(
        model, made if isinstance(made, int) else 0, refused if isinstance(refused, int) else 0, node.updated
    )


def state_node(state: VectorState) -> Node:
    """The stored form."""
    return Node(
        id=state_id(state.model),
        family=FAMILY,
        label=STATE,
        scope=SYSTEM,
        name=state.model,
        body={"made": state.made, "refused": state.refused},
        updated=state.at,
    )


def asked(view: StoreRead, embedder: Embedder | None, text: str) -> Meaning:
    """The question as a vector, where the store has any to compare it with: no model is loaded for nothing."""
    if embedder is None or read_state(view, embedder.id) is None:
        return Meaning()
    return question(embedder, text)


def vector_of(item: str, model: str, text: str, data: bytes) -> Vector:
    """A vector as it is stored, with a hash of what it was made from."""
    return Vector(item=item, model=model, text_hash=digest(text.encode())[:16], data=data)


def still_there(view: StoreRead, items: Iterable[Item], scope: str) -> set[str]:
    """Ids of the items that still say what they said when they were embedded."""
    before = {item.id: item for item in items}
    now = view.get(before, (scope,))
    return {name for name, item in now.items() if dict(item.tokens) == dict(before[name].tokens)}
