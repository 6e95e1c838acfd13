"""An embedder without a model: words of one meaning point one way, so that tests know what is near what."""

import struct
from collections.abc import Sequence

from remora.core.embedding import TextKind
from remora.core.errors import Unavailable
from remora.core.text import tokens

MEANINGS = (
    "postgres database persistence layer storage",
    "billing invoice invoicing payment",
    "lisbon city trams portugal",
    "idempotent double twice repeat",
    "lunch food eat",
)
AXES = {token: axis for axis, words in enumerate(MEANINGS) for word in words.split() for token in tokens(word)}


class FakeEmbedder:
    """Implements `Embedder`. `spoil` words give NaN, `broken` gives nothing at all, `asked` counts texts."""

    max_batch = 4
    floor = 0.3

    def __init__(self, name: str = "fake:words@1", *, broken: bool = False, spoil: str = "") -> None:
        self.id = name
        self.dim = len(MEANINGS) + 1
        self.broken = broken
        self.spoil = spoil
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], kind: TextKind) -> list[bytes]:
        if self.broken:
            raise Unavailable("the fake embedder is broken")
        self.asked += texts
        return [self._row(text) for text in texts]

    def _row(self, text: str) -> bytes:
        row = [0.0] * self.dim
        for token in tokens(text):
            row[AXES.get(token, self.dim - 1)] += 1.0 if token in AXES else 0.1
        if self.spoil and self.spoil in text:
            row[0] = float("nan")
        return struct.pack(f"<{self.dim}f", *row)
