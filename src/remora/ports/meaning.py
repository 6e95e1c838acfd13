"""The meaning matcher: a model that chooses what bears on a moment from one-sentence meanings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class MeaningMatcher(Protocol):
    """Bound to one repository's sidecar of compressed meanings and to the model routed to task `meaning`."""

    def meanings(self, states: Mapping[str, str]) -> Mapping[str, str]:
        """Node id -> its one sentence, for the nodes whose content hash (the mapping's value) is compressed."""
        ...

    def choose(self, prompt: str, trajectory: Sequence[str], meanings: Mapping[str, str]) -> Sequence[str]:
        """Ids of the nodes that bear on the moment, best first.

        Raises `Unavailable` on a timeout or a malformed answer, `Denied` without a route.
        """
        ...
