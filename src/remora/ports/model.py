"""Models that answer in chat: asked by task, local where the task demands it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from remora.core.models.routes import Task
    from remora.core.models.wire import ChatRequest, Completion, NoAnswer


class Model(Protocol):
    """One model at one provider. Everything that goes wrong outside is a `NoAnswer`, not an exception."""

    @property
    def name(self) -> str:
        """`provider/model`, as provenance tells it."""
        ...

    @property
    def timeout_seconds(self) -> float:
        """The provider's own deadline."""
        ...

    def chat(self, request: ChatRequest) -> Completion | NoAnswer:
        """Ask once. The whole answer is there by the deadline or there is none.

        Where the task is local only, raises `Denied`, naming the route, unless every address of the host is local.
        """
        ...


class Models(Protocol):
    """The models that the operator routed."""

    def routed(self, task: Task) -> Model | None:
        """The model of a task, None when none was named. Raises `Denied` naming the route when it may not be used."""
        ...

    def described(self) -> tuple[str, ...]:
        """One line per routed task for `doctor`: the route, or why it is refused. Nothing is contacted."""
        ...
