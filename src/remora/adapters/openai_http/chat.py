"""Implements `ports.Models`: chat at the providers that the operator routed."""

import time
from dataclasses import dataclass

from remora.adapters.openai_http.client import Endpoint, Resolve, Variable, resolved
from remora.core.errors import Denied
from remora.core.models.routes import Kind, Routes, Task, refused, route_name
from remora.core.models.wire import (
    ChatRequest,
    Completion,
    NoAnswer,
    forwards,
    ollama_body,
    openai_body,
    read_ollama,
    read_openai,
)


@dataclass(frozen=True)
class RoutedModels:
    """The models of one machine's routes. Opening one contacts nothing."""

    routes: Routes
    variable: Variable
    resolve: Resolve = resolved

    def routed(self, task: Task) -> "HttpModel | None":
        """The model of a task, None when none was named."""
        provider = self.routes.provider(task)
        if provider is None:
            return None
        return HttpModel(Endpoint(provider, task, self.routes.local_hosts, self.variable, self.resolve))

    def described(self) -> tuple[str, ...]:
        """One line per routed task."""
        lines = []
        for task in sorted(self.routes.tasks):
            try:
                provider = self.routes.provider(task)
            except Denied as error:
                lines.append(str(error))
                continue
            assert provider is not None
            cloud = "" if provider.local else ": texts of this task leave this machine (allow_cloud)"
            lines.append(f"{route_name(provider, task)}, model {provider.model_for(task) or 'builtin'}{cloud}")
        return tuple(lines)


@dataclass(frozen=True)
class HttpModel:
    """Implements `ports.Model`."""

    endpoint: Endpoint

    @property
    def name(self) -> str:
        """`provider/model`."""
        return f"{self.endpoint.provider.name}/{self.endpoint.provider.model}"

    @property
    def timeout_seconds(self) -> float:
        """The provider's own deadline."""
        return self.endpoint.provider.timeout_seconds

    def chat(self, request: ChatRequest) -> Completion | NoAnswer:
        """Ask once, at a local provider of Ollama's kind only after it said that the model runs there."""
        provider = self.endpoint.provider
        place = provider.place
        assert place is not None
        seconds = request.timeout_seconds or provider.timeout_seconds
        if provider.kind is not Kind.OLLAMA:
            answer = self.endpoint.post(f"{place.path}/chat/completions", openai_body(provider.model, request), seconds)
            return answer if isinstance(answer, NoAnswer) else read_openai(answer)
        started = time.monotonic()
        if provider.local:
            refusal = self._forwarded(place.path, seconds)
            if refusal is not None:
                return refusal
        seconds = max(0.001, seconds - (time.monotonic() - started))
        answer = self.endpoint.post(f"{place.path}/api/chat", ollama_body(provider.model, request), seconds)
        return answer if isinstance(answer, NoAnswer) else read_ollama(answer)

    def _forwarded(self, path: str, seconds: float) -> NoAnswer | None:
        """Ollama passes some models on to its cloud, under any name that a user gave them; it says so when asked."""
        import json

        model = self.endpoint.provider.model
        shown = self.endpoint.post(f"{path}/api/show", json.dumps({"model": model}).encode("ascii"), seconds)
        if isinstance(shown, NoAnswer):
            return shown
        if forwards(shown):
            raise refused(self.endpoint.provider, self.endpoint.task, f"the model {model} is run by another host")
        return None
