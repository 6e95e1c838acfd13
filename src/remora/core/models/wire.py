"""What is said to a chat server and how its envelope is read: OpenAI's shape and Ollama's. Bodies are JSON bytes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from remora.core import policy


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to a model; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A question whose answer should be JSON of `schema`. `timeout_seconds` is a deadline over the whole answer.

    None takes the provider's own. The schema is asked for, never relied on: answers are parsed defensively.
    """

    messages: Sequence[ChatMessage]
    schema: Mapping[str, Any]
    schema_name: str = "answer"
    max_tokens: int = policy.MODEL_ANSWER_MAX_TOKENS
    timeout_seconds: float | None = None


class Fault(StrEnum):
    """Why there is no answer."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    STATUS = "status"
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    NO_KEY = "no_key"


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer as it came. `cut` when the token budget ended it."""

    text: str
    model: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """There is no answer. `detail` is ours: neither question nor answer is ever in it."""

    fault: Fault
    detail: str = ""


def openai_body(model: str, request: ChatRequest) -> bytes:
    """Body of `POST /chat/completions`."""
    form = {"name": request.schema_name, "schema": dict(request.schema), "strict": True}
    return _encoded(
        {
            "model": model,
            "messages": _messages(request),
            "temperature": 0,
            "max_tokens": request.max_tokens,
            "stream": False,
            "response_format": {"type": "json_schema", "json_schema": form},
        }
    )


def ollama_body(model: str, request: ChatRequest) -> bytes:
    """Body of `POST /api/chat`."""
    options = {"temperature": 0, "num_predict": request.max_tokens}
    body = {"model": model, "messages": _messages(request), "stream": False, "format": dict(request.schema)}
    return _encoded({**body, "options": options})


def read_openai(data: bytes) -> Completion | NoAnswer:
    """The first choice's text."""
    body = read_object(data)
    choices = body.get("choices") if body is not None else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if body is None or not isinstance(choice, dict) or not isinstance(message, dict):
        return NoAnswer(Fault.MALFORMED, "the server's answer holds no message")
    return Completion(_text(message.get("content")), _name(body), choice.get("finish_reason") == "length")


def read_ollama(data: bytes) -> Completion | NoAnswer:
    """The message's text."""
    body = read_object(data)
    message = body.get("message") if body is not None else None
    if body is None or not isinstance(message, dict):
        return NoAnswer(Fault.MALFORMED, "the server's answer holds no message")
    return Completion(_text(message.get("content")), _name(body), body.get("done_reason") == "length")


def read_embeddings(data: bytes) -> list[list[float]] | None:
    """Vectors in the order of the texts: OpenAI's `data[].embedding` by index, Ollama's `embeddings`."""
    body = read_object(data) or {}
    rows = body.get("embeddings")
    if not isinstance(rows, list):
        listed = body.get("data")
        items = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
        rows = [row.get("embedding") for row in sorted(items, key=lambda row: _index(row.get("index")))]
    return rows if rows and all(map(_is_vector, rows)) else None


def _index(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_vector(row: object) -> bool:
    return isinstance(row, list) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in row)


def forwards(data: bytes) -> bool:
    """Whether Ollama's description of a model says that another host runs it; True also for what is no description."""
    body = read_object(data)
    return body is None or bool(body.get("remote_host") or body.get("remote_model"))


def read_object(data: bytes) -> dict[str, Any] | None:
    """A JSON object, None for anything else."""
    try:
        body = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _messages(request: ChatRequest) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _text(content: object) -> str:
    """Text as it is, or of the parts that some servers make of it."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _name(body: Mapping[str, Any]) -> str:
    name = body.get("model")
    return name[: policy.MODEL_NAME_MAX_CHARS] if isinstance(name, str) and name.isprintable() else ""


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=True).encode("ascii")
