"""Embeddings of a routed local provider, in OpenAI's shape or Ollama's; a model's floor is calibrated at first use."""

import json
import struct
import threading
import time
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from remora.adapters.openai_http.client import Endpoint
from remora.core.cosine import cosine, floats
from remora.core.embedding import TextKind
from remora.core.errors import Denied, Unavailable
from remora.core.models.routes import Kind
from remora.core.models.wire import NoAnswer, forwards, read_embeddings
from remora.core.policy import EMBED_BATCH, EMBED_FLOOR_SHARE, EMBED_REST_SECONDS, EMBED_SECONDS, EMBED_UNRELATED


class HttpEmbedder:
    """Implements `Embedder`. Texts go to a checked local address alone; figures come with the first answer."""

    max_batch = EMBED_BATCH

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._figures: tuple[int, float] | None = None
        self._rests_until = 0.0
        provider = endpoint.provider
        self.id = f"{provider.name}:{provider.embedding_model}"

    @property
    def dim(self) -> int:
        """Numbers of one vector; asks the model when nothing was embedded yet."""
        return self._known()[0]

    @property
    def floor(self) -> float:
        """The cosine that unrelated texts hardly reach."""
        return self._known()[1]

    def embed(self, texts: Sequence[str], kind: TextKind) -> Sequence[bytes]:  # noqa: ARG002  # of the port
        """A vector per text. Raises `Unavailable` for every fault, and `Denied` where the host is not local."""
        self._known()
        return self._asked(texts)

    def _known(self) -> tuple[int, float]:
        with self._lock:
            if self._figures is None:
                self._check_model()
                rows = [floats(row) for row in self._asked(EMBED_UNRELATED)]
                pairs = sorted(score for a, b in combinations(rows, 2) if (score := cosine(a, b)) is not None)
                if not pairs or not rows[0]:
                    raise Unavailable(f"{self.id} gave no usable vectors")
                self._figures = len(rows[0]), pairs[min(len(pairs) - 1, int(EMBED_FLOOR_SHARE * len(pairs)))]
            return self._figures

    def _check_model(self) -> None:
        """Ollama may forward a model to its cloud under any name."""
        provider = self._endpoint.provider
        if provider.kind is not Kind.OLLAMA:
            return
        assert provider.place is not None
        shown = self._post(f"{provider.place.path}/api/show", {"model": provider.embedding_model})
        if forwards(shown):
            raise Denied(f"{self.id} is run by another host", advice="mend the models' file")

    def _asked(self, texts: Sequence[str]) -> list[bytes]:
        provider = self._endpoint.provider
        assert provider.place is not None
        path = "/api/embed" if provider.kind is Kind.OLLAMA else "/embeddings"
        data = self._post(f"{provider.place.path}{path}", {"model": provider.embedding_model, "input": list(texts)})
        rows = read_embeddings(data)
        if rows is None or len(rows) != len(texts):
            raise Unavailable(f"{self.id} gave no vector for every text")
        return [_packed(row) for row in rows]

    def _post(self, path: str, body: dict[str, Any]) -> bytes:
        if time.monotonic() < self._rests_until:
            raise Unavailable(f"{self.id} did not answer a moment ago", advice="see `remora doctor`")
        seconds = min(self._endpoint.provider.timeout_seconds, EMBED_SECONDS)
        answer = self._endpoint.post(path, json.dumps(body).encode("ascii"), seconds)
        if isinstance(answer, NoAnswer):
            self._rests_until = time.monotonic() + EMBED_REST_SECONDS  # a save must not wait for it again and again
            raise Unavailable(f"{self.id} does not answer: {answer.fault}", advice="start it, or see `remora doctor`")
        return answer


def _packed(row: Sequence[float]) -> bytes:
    """Little-endian float32; b"" for numbers that it cannot hold, which the core refuses and counts."""
    try:
        return struct.pack(f"<{len(row)}f", *row)
    except (struct.error, OverflowError):
        return b""
