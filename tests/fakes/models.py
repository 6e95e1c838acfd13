"""Models whose answers are scripted, for what is decided around them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from remora.core.errors import RemoraError
from remora.core.models.routes import Task
from remora.core.models.wire import ChatRequest, Completion, NoAnswer

Answer = str | NoAnswer | RemoraError | Callable[[ChatRequest], str]


@dataclass
class FakeModels:
    """One model for task `meaning`. Compressions and choices are scripted apart; the last answer goes on for ever."""

    choices: list[Answer] = field(default_factory=lambda: ['{"ids": []}'])
    compressions: list[Answer] = field(default_factory=lambda: [meaning_of])
    asked: list[ChatRequest] = field(default_factory=list)
    route: RemoraError | None = None
    name: str = "fake/model"
    timeout_seconds: float = 60.0

    def routed(self, task: Task) -> Any:
        if self.route:
            raise self.route
        return self if task is Task.MEANING else None

    def described(self) -> tuple[str, ...]:
        return ("task meaning -> provider fake",)

    def chat(self, request: ChatRequest) -> Completion | NoAnswer:
        self.asked.append(request)
        script = self.choices if request.schema_name == "choice" else self.compressions
        answer = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(answer, RemoraError):
            raise answer
        if isinstance(answer, NoAnswer):
            return answer
        return Completion(answer if isinstance(answer, str) else answer(request))

    def of(self, name: str) -> list[ChatRequest]:
        return [request for request in self.asked if request.schema_name == name]


def told(request: ChatRequest) -> dict[str, Any]:
    """What a request carries as data."""
    return json.loads(request.messages[-1].content)


def meaning_of(request: ChatRequest) -> str:
    """A meaning that repeats the name of what is compressed."""
    name = told(request)["note"].partition("\n")[0]
    return json.dumps({"meaning": f"Matters before anyone touches {name}"})


def choosing(*parts: str) -> Callable[[ChatRequest], str]:
    """Choose the notes whose meanings hold these words, in this order."""

    def choose(request: ChatRequest) -> str:
        notes = told(request)["notes"]
        ids = [note["id"] for part in parts for note in notes if part in note["matters_when"]]
        return json.dumps({"ids": ids})

    return choose
