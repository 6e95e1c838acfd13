"""When a working tree that keeps changing has come to rest."""

from dataclasses import dataclass, field

from remora.core import policy
from remora.core.codegraph.snapshot import Listing


@dataclass(slots=True)
class Settling:
    """Looks at listings as they come: a change counts once nothing more changed for a while. Times are in seconds."""

    quiet_seconds: float = policy.WATCH_QUIET_SECONDS
    _handled: Listing | None = None
    _seen: Listing | None = None
    _since: float = field(default=0.0)

    def look(self, listing: Listing, now: float) -> bool:
        """Whether there is a change that has settled and was not told of before. The first listing is one."""
        if self._seen is None or listing != self._seen:
            first = self._seen is None
            self._seen, self._since = listing, now
            if not first:
                return False
        elif now - self._since < self.quiet_seconds:
            return False
        if self._handled == listing:
            return False
        self._handled = listing
        return True

    def pause(self, cost_seconds: float) -> float:
        """How long to wait until the next look: shorter while things move, longer where looking is dear."""
        moving = self._handled != self._seen
        base = self.quiet_seconds if moving else policy.WATCH_POLL_SECONDS
        return max(base, cost_seconds * policy.WATCH_COST_FACTOR)
