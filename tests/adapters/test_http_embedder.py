"""Embeddings of a routed local provider: a vector per text, a calibrated floor, faults that cost only vectors."""

import hashlib
import json
import struct
from collections.abc import Callable
from typing import Any

import pytest

from chat_server import Behaviour, chat_server, hangs, http, sends
from remora.adapters.openai_http.client import Endpoint
from remora.adapters.openai_http.embedder import HttpEmbedder
from remora.core.embedding import TextKind, question
from remora.core.errors import Denied, Unavailable
from remora.core.models.routes import Task, parse_routes


def numbers(text: str) -> list[float]:
    """A direction of its own for every text."""
    return [byte / 128 - 1 for byte in hashlib.blake2b(text.encode(), digest_size=32).digest()]


def embeds(vector: Callable[[str], Any] = numbers) -> Behaviour:
    def behave(wire: Any, asked: Any) -> None:
        rows = [vector(text) for text in asked.body["input"]]
        body: Any = {"embeddings": rows}
        if asked.path.endswith("/embeddings"):  # out of order, as servers may
            body = {"data": [{"index": at, "embedding": row} for at, row in reversed(list(enumerate(rows)))]}
        wire.sendall(http(json.dumps(body).encode()))

    return behave


def embedder(url: str, kind: str = "openai-compatible", **more: Any) -> HttpEmbedder:
    row = {"kind": kind, "base_url": url, "embedding_model": "e", "local": True, "timeout": 2, **more}
    routes = parse_routes({"providers": {"here": row}, "tasks": {"embeddings": "here"}})
    provider = routes.provider(Task.EMBEDDINGS)
    assert provider is not None
    return HttpEmbedder(Endpoint(provider, Task.EMBEDDINGS, (), lambda name: ""))


@pytest.mark.parametrize("kind", ["openai-compatible", "ollama"])
def test_each_text_gets_its_own_vector_in_order(kind: str) -> None:
    with chat_server(embeds()) as server:
        made = embedder(server.url if kind != "ollama" else server.url.removesuffix("/v1"), kind)
        rows = made.embed(["alpha", "beta"], TextKind.PASSAGE)
        assert rows == [struct.pack("<32f", *numbers(text)) for text in ("alpha", "beta")]
        assert made.dim == 32
        assert 0 < made.floor < 0.6
        assert made.id == "here:e"
        assert question(made, "alpha").vector is not None


@pytest.mark.parametrize(
    "behaviour",
    [
        hangs(4), sends(http(b"{}")), sends(http(b'{"data": []}')), sends(http(b'{"embeddings": [[1], ["x"]]}')),
        sends(http(b'{"embeddings": [[1, 2]]}')), sends(http(b"", status="500 Oops")), embeds(lambda text: "vector"),
        embeds(lambda text: [0.0, 0.0]), embeds(lambda text: [float("nan")] * 3), embeds(lambda text: [1e300] * 3),
    ],
)  # fmt: skip
def test_what_is_no_vector_makes_the_embedder_unavailable_and_words_go_on(behaviour: Behaviour) -> None:
    with chat_server(behaviour) as server:
        made = embedder(server.url, timeout=0.5)
        with pytest.raises(Unavailable):
            made.embed(["alpha"], TextKind.QUERY)
        told = question(made, "alpha")
        assert told.vector is None
        assert told.problem


def test_texts_go_to_no_host_that_is_not_local() -> None:
    made = embedder("http://192.0.2.1:9/v1")
    with pytest.raises(Denied, match="task embeddings -> provider here"):
        made.embed(["alpha"], TextKind.QUERY)
    assert "task embeddings" in question(made, "alpha").problem
    with chat_server(embeds()) as server:
        server.shown = {"remote_model": "big"}
        with pytest.raises(Denied, match="another host"):
            embedder(server.url.removesuffix("/v1"), "ollama").embed(["alpha"], TextKind.QUERY)
        assert server.asked == []
