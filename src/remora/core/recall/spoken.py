"""Vectors of statements, made before their write and stored with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.embedding import Embedder, passages
from remora.core.errors import RemoraError
from remora.core.facts.batch import Statement
from remora.core.facts.plan import Plan
from remora.core.graph import Changes, Edge
from remora.core.recall.vector_leg import fact_passage
from remora.core.recall.vector_state import VectorState, read_state, state_node, vector_of
from remora.core.store_read import StoreRead


@dataclass(frozen=True, slots=True)
class Spoken:
    """Statement index -> its text and vector; `problem` says why there are none."""

    model: str = ""
    rows: Mapping[int, tuple[str, bytes]] = field(default_factory=dict)
    refused: int = 0
    problem: str = ""

    def joined(self, view: StoreRead, planned: Plan, now: int) -> Changes:
        """The planned changes with the vectors of the facts that they put."""
        changes = planned.changes
        facts = {item.id for item in changes.put if isinstance(item, Edge)}
        vectors = tuple(
            vector_of(outcome.item, self.model, *self.rows[outcome.index])
            for outcome in planned.outcomes
            if outcome.item in facts and outcome.index in self.rows
        )
        if not vectors and not self.refused:
            return changes
        state = (read_state(view, self.model) or VectorState(self.model)).after(len(vectors), self.refused, now)
        return replace(changes, put=(*changes.put, state_node(state)), vectors=vectors)


def embed_statements(embedder: Embedder | None, statements: Sequence[Statement]) -> Spoken:
    """Embed a batch as it was said. A model that fails costs the vectors and never the batch."""
    if embedder is None or not statements:
        return Spoken()
    first = statements[: policy.EMBED_WITH_WRITE_MAX]
    texts = [fact_passage(said.subject.text, said.predicate, said.object.text) for said in first]
    try:
        rows = passages(embedder, texts)
    except RemoraError as error:
        return Spoken(problem=str(error))
    made = {said.index: (text, row) for said, text, row in zip(first, texts, rows, strict=True) if row is not None}
    return Spoken(embedder.id, made, len(rows) - len(made))
