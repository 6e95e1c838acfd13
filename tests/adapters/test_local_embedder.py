"""The builtin embedder with its real files: near things are near, one text is one vector, nothing goes out."""

import subprocess
import sys

import pytest

from remora.adapters.local_embedder.model import TOKENIZER, LocalEmbedder, default_model, installed
from remora.core.cosine import cosine, floats
from remora.core.embedding import TextKind, embeddable, question, usable
from remora.core.errors import Unavailable


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    assert installed()
    return LocalEmbedder()


def near(embedder: LocalEmbedder, one: str, other: str) -> float:
    left, right = embedder.embed([one, other], TextKind.QUERY)
    found = cosine(floats(left), floats(right))
    assert found is not None
    return found


def test_what_means_the_same_is_nearer_than_the_floor_and_chance_is_not(embedder: LocalEmbedder) -> None:
    asked = "how long until a failed charge is attempted again"
    assert near(embedder, asked, "Payment gateway retries after 30 seconds") > embedder.floor
    assert near(embedder, asked, "Lisbon has trams") < embedder.floor


def test_a_text_has_one_vector_whatever_else_is_in_the_batch(embedder: LocalEmbedder) -> None:
    texts = ["billing uses postgres", "x " * 400, "", "日本語 🚀", "a"]
    together = embedder.embed(texts, TextKind.PASSAGE)
    assert together == [embedder.embed([text], TextKind.PASSAGE)[0] for text in texts]
    assert all(usable(row, embedder.dim) for row in together)


@pytest.mark.parametrize("text", ["\0", "\ud800", "\u202e" * 50, "w" * 100_000, "\n\t", "[CLS] [MASK] ##ing"])
def test_hostile_texts_are_embedded_or_left_out_and_crash_nothing(embedder: LocalEmbedder, text: str) -> None:
    assert usable(embedder.embed([embeddable(text)], TextKind.QUERY)[0], embedder.dim)


def test_files_that_are_not_the_pinned_ones_are_refused_in_a_sentence(tmp_path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(default_model().read_bytes()[:-1] + b"?")
    for bad in (LocalEmbedder(model=other), LocalEmbedder(model=tmp_path / "none"), LocalEmbedder(tokenizer=other)):
        with pytest.raises(Unavailable, match=r"pinned|cannot be read"):
            bad.embed(["x"], TextKind.QUERY)
        assert "builtin embedder" in question(bad, "x").problem
    assert TOKENIZER.stat().st_size < 500_000


def test_nothing_heavy_is_imported_before_the_first_text_and_no_network_library_after_it() -> None:
    code = (
        "import sys\n"
        "from remora.adapters.local_embedder.model import LocalEmbedder, installed\n"
        "assert installed(); made = LocalEmbedder()\n"
        "assert not {'onnxruntime', 'tokenizers', 'numpy'} & set(sys.modules)\n"
        "import socket; socket.socket = None\n"
        "from remora.core.embedding import TextKind\n"
        "print(len(made.embed(['x'], TextKind.QUERY)[0]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("1536\n", "")
