"""Providers of models and the tasks routed to them; what each task accepts. What is not allowed is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from remora.core import policy
from remora.core.errors import Denied, InvalidInput
from remora.core.models.place import Place, cloud_tagged, parse_place


class Kind(StrEnum):
    """How a provider is spoken to. `builtin` runs in this process and offers embeddings alone."""

    OPENAI = "openai-compatible"
    OLLAMA = "ollama"
    BUILTIN = "builtin"


class Task(StrEnum):
    """What a model is asked for: facts from turns, vectors of texts, meanings of encounter nodes."""

    FACTS = "memory"
    EMBEDDINGS = "embeddings"
    MEANING = "meaning"


LOCAL_ONLY = frozenset({Task.FACTS, Task.EMBEDDINGS})
"""Tasks whose texts never leave this machine, or the hosts that the operator listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One place where models run. `api_key_env` is the name of a variable; the key itself is never here."""

    name: str
    kind: Kind
    place: Place | None = None
    model: str = ""
    embedding_model: str = ""
    api_key_env: str = ""
    local: bool = False
    timeout_seconds: float = policy.MODEL_TIMEOUT_SECONDS

    def model_for(self, task: Task) -> str:
        """The model's name for a task."""
        return self.embedding_model if task is Task.EMBEDDINGS else self.model


@dataclass(frozen=True, slots=True)
class Routes:
    """What the operator's file says. `cloud` names the tasks for which a provider elsewhere was allowed."""

    providers: Mapping[str, Provider] = field(default_factory=dict)
    tasks: Mapping[Task, str] = field(default_factory=dict)
    cloud: frozenset[Task] = frozenset()
    local_hosts: tuple[str, ...] = ()

    def provider(self, task: Task) -> Provider | None:
        """Who serves a task, None when nobody was named. Raises `Denied`, naming the route, when they may not."""
        name = self.tasks.get(task)
        if name is None:
            return None
        provider = self.providers[name]
        problem = _refusal(provider, task, self.cloud)
        if problem:
            raise refused(provider, task, problem)
        return provider


def route_name(provider: Provider, task: Task) -> str:
    """A route in words: the task, the provider and where it is."""
    where = f" at {provider.place}" if provider.place else ""
    return f"task {task} -> provider {provider.name}{where}"


def refused(provider: Provider, task: Task, problem: str) -> Denied:
    """A route that may not be used, by its name and with the reason."""
    return Denied(
        f"{route_name(provider, task)} is refused: {problem}", advice="mend the providers in the models' file"
    )


def _refusal(provider: Provider, task: Task, cloud: frozenset[Task]) -> str:
    """Why a provider may not serve a task as far as its description tells, "" when it may."""
    model = provider.model_for(task)
    if provider.kind is Kind.BUILTIN:
        return "" if task is Task.EMBEDDINGS else "the builtin provider makes embeddings only"
    if not model:
        return f"it names no {'embedding_model' if task is Task.EMBEDDINGS else 'model'}"
    if not provider.local:
        if task in LOCAL_ONLY:
            return "it is not declared local, and this task's texts stay on this machine"
        if task not in cloud:
            return "it is not declared local, and the task does not say allow_cloud: true"
        return "" if provider.place and provider.place.scheme == "https" else "a provider elsewhere must be https"
    if cloud_tagged(model):
        return f"the model {model} runs in a cloud, whatever forwards to it"
    return ""


def parse_routes(data: object) -> Routes:
    """Routes from a file's content. Raises `InvalidInput` naming the key; unknown keys are errors, as typos are."""
    top = _mapping("the models' file", data, {"providers", "tasks", "local_hosts"})
    rows = _mapping("providers", _or(top.get("providers"), {}), None)
    providers = {name: _provider(name, row) for name, row in rows.items()}
    providers.setdefault("builtin", Provider(name="builtin", kind=Kind.BUILTIN, local=True))
    tasks: dict[Task, str] = {}
    cloud: set[Task] = set()
    for word, row in _mapping("tasks", _or(top.get("tasks"), {}), {task.value for task in Task}).items():
        task = Task(word)
        name, allowed = _task(f"tasks.{word}", row)
        if name not in providers:
            raise InvalidInput(f"tasks.{word}", f"the provider {name[:80]!r} is unknown", allowed=", ".join(providers))
        tasks[task] = name
        if allowed:
            if task in LOCAL_ONLY:
                raise InvalidInput(f"tasks.{word}.allow_cloud", "this task's texts never leave", allowed="task meaning")
            cloud.add(task)
    return Routes(providers, tasks, frozenset(cloud), _hosts(_or(top.get("local_hosts"), [])))


def _or(value: object, empty: object) -> object:
    """A key without a value is an empty one."""
    return empty if value is None else value


def _task(where: str, row: object) -> tuple[str, bool]:
    if isinstance(row, str):
        return row, False
    body = _mapping(where, row, {"provider", "allow_cloud"})
    return _text(where, body, "provider"), _switch(where, body, "allow_cloud")


def _provider(name: str, row: object) -> Provider:
    where = f"providers.{name}"
    keys = {"kind", "base_url", "model", "embedding_model", "api_key_env", "local", "timeout"}
    body = _mapping(where, row, keys)
    word = _text(where, body, "kind")
    if word not in [kind.value for kind in Kind]:
        raise InvalidInput(f"{where}.kind", f"{word[:80]!r} is unknown", allowed=", ".join(kind.value for kind in Kind))
    kind = Kind(word)
    url = _text(where, body, "base_url")
    if kind is not Kind.BUILTIN and not url:
        raise InvalidInput(
            f"{where}.base_url", "is missing", allowed="http(s)://host:port/path or unix:/path.sock:/path"
        )
    key_name = _text(where, body, "api_key_env")
    if key_name and not key_name.isidentifier():  # a key put here by mistake must not come back in an error
        raise InvalidInput(
            f"{where}.api_key_env", "is not the name of a variable", allowed="a name such as LLM_API_KEY"
        )
    return Provider(
        name=name,
        kind=kind,
        place=parse_place(f"{where}.base_url", url) if url else None,
        model=_text(where, body, "model"),
        embedding_model=_text(where, body, "embedding_model"),
        api_key_env=key_name,
        local=kind is Kind.BUILTIN or _switch(where, body, "local"),
        timeout_seconds=_seconds(where, body.get("timeout")),
    )


def _mapping(where: str, value: object, known: set[str] | None) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidInput(where, "is not a table of names", allowed=", ".join(sorted(known or ())) or "names")
    for key in value:
        if known is not None and key not in known:
            raise InvalidInput(f"{where}.{key[:80]}", "is unknown", allowed=", ".join(sorted(known)))
        if not 0 < len(key) <= policy.MODEL_NAME_MAX_CHARS or not key.isprintable():
            raise InvalidInput(where, "holds a name that is empty, too long or not printable", allowed="plain names")
    return value


def _text(where: str, body: Mapping[str, Any], key: str) -> str:
    value = body.get(key, "")
    if not isinstance(value, str) or len(value) > policy.MODEL_NAME_MAX_CHARS or not value.isprintable():
        raise InvalidInput(f"{where}.{key}", "is not a short text", allowed="one line of text")
    return value.strip()


def _switch(where: str, body: Mapping[str, Any], key: str) -> bool:
    value = body.get(key, False)
    if not isinstance(value, bool):
        raise InvalidInput(f"{where}.{key}", "is not a switch", allowed="true or false")
    return value


def _seconds(where: str, value: object) -> float:
    if value is None:
        return policy.MODEL_TIMEOUT_SECONDS
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value <= policy.MODEL_TIMEOUT_MAX_SECONDS
    ):
        allowed = f"seconds, above 0 to {policy.MODEL_TIMEOUT_MAX_SECONDS:g}"
        raise InvalidInput(f"{where}.timeout", "is not a time limit", allowed=allowed)
    return float(value)


def _hosts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(host, str) and host.strip() for host in value):
        raise InvalidInput(
            "local_hosts", "is not a list", allowed="host names, addresses or networks such as 10.0.0.0/24"
        )
    return tuple(host.strip().lower() for host in value)
