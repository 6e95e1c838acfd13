"""Texts as vectors: what an embedder offers, what of its output is usable, and a question made into a query vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from remora.core.cosine import floats, squared_length
from remora.core.errors import RemoraError
from remora.core.policy import EMBED_MAX_CHARS
from remora.core.text import clean


class TextKind(StrEnum):
    """What a text is: some models embed questions and what answers them differently."""

    QUERY = "query"
    PASSAGE = "passage"


class Embedder(Protocol):
    """One embedding model. Its figures are known without loading it; it loads when the first text comes."""

    @property
    def id(self) -> str:
        """Provider, model and revision; vectors of different ids are never compared."""
        ...

    @property
    def dim(self) -> int:
        """Numbers of one vector."""
        ...

    @property
    def max_batch(self) -> int:
        """Texts that one call takes."""
        ...

    @property
    def floor(self) -> float:
        """The cosine that unrelated texts hardly reach, calibrated for this model."""
        ...

    def embed(self, texts: Sequence[str], kind: TextKind) -> Sequence[bytes]:
        """A vector per text, little-endian float32. Raises `Unavailable` when the model cannot answer."""
        ...


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question as a vector of one model (little-endian float32), and that model's calibrated floor."""

    model: str
    data: bytes
    floor: float


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question's vector, or None with the reason why words alone answer ("" when no embedder is wanted)."""

    vector: QueryVector | None = None
    problem: str = ""


def usable(data: object, dim: int) -> bool:
    """Whether a vector has the model's size, is finite and points somewhere."""
    return isinstance(data, bytes) and len(data) == 4 * dim and squared_length(floats(data)) > 0


def passages(embedder: Embedder, texts: Sequence[str]) -> list[bytes | None]:
    """A vector per text, None where the embedder gave no usable one. Raises `Unavailable` when it cannot answer."""
    rows: list[bytes | None] = []
    for start in range(0, len(texts), embedder.max_batch):
        batch = [embeddable(text) for text in texts[start : start + embedder.max_batch]]
        made = embedder.embed(batch, TextKind.PASSAGE)
        rows += [row if usable(row, embedder.dim) else None for row in made[: len(batch)]]
        rows += [None] * (len(batch) - len(made))
    return rows


def question(embedder: Embedder | None, text: str) -> Meaning:
    """The text as a query vector. A model that fails leaves the words, and the reason is told."""
    if embedder is None:
        return Meaning()
    try:
        made = embedder.embed([embeddable(text)], TextKind.QUERY)
    except RemoraError as error:
        return Meaning(problem=str(error))
    if not made or not usable(made[0], embedder.dim):
        return Meaning(problem=f"{embedder.id} gave no usable vector")
    return Meaning(QueryVector(embedder.id, made[0], embedder.floor))


def embeddable(text: str) -> str:
    """The part of a text that is embedded, in one line."""
    return " ".join(clean(text[:EMBED_MAX_CHARS]).split())
