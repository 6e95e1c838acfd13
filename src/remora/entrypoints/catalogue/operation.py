"""What an operation is: one row that MCP tools, HTTP routes and the reference page are all made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from remora.core.schema import Schema
from remora.core.scope import Grant
from remora.core.sessions import SessionRef

if TYPE_CHECKING:
    from remora.ports import Ports


@dataclass(frozen=True, slots=True)
class Answer:
    """One result in both forms: `data` for machines (strict JSON), `text` for models and people."""

    data: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """What an operation runs on. `own_session` names the caller's session when its arguments name none."""

    ports: Ports
    grant: Grant
    own_session: Callable[[], SessionRef] = SessionRef
    identity: SessionRef = field(default_factory=SessionRef)
    """The runtime session that the request's headers name; a handle that belongs to another one is refused."""
    memory: bool = True
    """False while memory is switched off: answers about code then carry no evidence."""

    def session(self, arguments: Mapping[str, Any]) -> SessionRef:
        """The session a call works in: the handle it gives, else the door's own when the call is session-scoped."""
        if arguments.get("session"):
            return replace(self.identity, handle=arguments["session"])
        if self.identity.given:
            return self.identity
        return self.own_session() if arguments.get("memory_scope") == "session" else SessionRef()


Run = Callable[[Call, Mapping[str, Any]], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing that a door offers. `run` gets checked arguments; it imports its use case when called."""

    name: str
    title: str
    description: str
    profiles: frozenset[str]
    input: Schema
    output: Schema
    run: Run
    read_only: bool
    destructive: bool = False
    idempotent: bool = True
    gated: bool = False
    """Neither listed nor callable without `--allow-memory-write`."""
    memory: bool = True
    """Whether the memory switch turns it off (code-graph operations stay)."""
    http: tuple[str, str] = field(default=("", ""))
    """Method and path under `/api/v1/repos/{repo}`."""


def arguments(**properties: Schema) -> dict[str, Any]:
    """An object schema; a property without a default is required unless it is `optional`."""
    required = [name for name, schema in properties.items() if "default" not in schema and not schema.get("x-optional")]
    clean = {name: {k: v for k, v in s.items() if k != "x-optional"} for name, s in properties.items()}
    schema: dict[str, Any] = {"type": "object", "properties": clean, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def text(description: str = "", *, max_chars: int = 2_000, **more: Any) -> dict[str, Any]:
    """A string argument."""
    return _described({"type": "string", "maxLength": max_chars, **more}, description)


def choice(description: str, *values: str, default: str | None = None) -> dict[str, Any]:
    """One of several words."""
    schema: dict[str, Any] = {"type": "string", "enum": list(values)}
    return _described(schema | ({} if default is None else {"default": default}), description)


def integer(description: str, *, low: int, high: int, default: int) -> dict[str, Any]:
    """A whole number in a range."""
    return _described({"type": "integer", "minimum": low, "maximum": high, "default": default}, description)


def number(description: str, *, low: float, high: float, **more: Any) -> dict[str, Any]:
    """A number in a range."""
    return _described({"type": "number", "minimum": low, "maximum": high, **more}, description)


def switch(description: str, *, default: bool = False) -> dict[str, Any]:
    """True or false."""
    return _described({"type": "boolean", "default": default}, description)


def many(items: Schema, description: str = "", *, most: int, **more: Any) -> dict[str, Any]:
    """A list."""
    return _described({"type": "array", "items": dict(items), "maxItems": most, **more}, description)


def optional(schema: Schema) -> dict[str, Any]:
    """An argument that may be left out and then is absent."""
    return {**schema, "x-optional": True}


def rows(*names: str) -> dict[str, Any]:
    """The output schema of a result whose members speak for themselves."""
    return {"type": "object", "properties": {name: {} for name in names}}


def _described(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return schema | ({"description": description} if description else {})


def without_secrets(operation: Operation) -> Operation:
    """The operation with secrets taken out of everything that it answers: constants of the code lie in its graph."""

    def run(call: Call, given: Mapping[str, Any]) -> Answer:
        answer = operation.run(call, given)
        return Answer(_redacted(answer.data, call.ports.redact), call.ports.redact(answer.text))

    return replace(operation, run=run)


def _redacted(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _redacted(item, redact) for name, item in value.items()}
    return [_redacted(item, redact) for item in value] if isinstance(value, list | tuple) else value
