"""List the forgets that wait: what is hidden now and can still be brought back."""

from dataclasses import dataclass

from remora.core.encounters.values import scrubber
from remora.core.facts.layout import FACT
from remora.core.forgetting import Forgetting, pending
from remora.core.graph import Edge
from remora.core.scope import REPOSITORY, Grant, Right
from remora.ports import EncounterPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One that waits, what it is about, and how long it can be undone."""

    forgetting: Forgetting
    title: str
    seconds_left: int


def list_forgettings(ports: EncounterPorts, grant: Grant) -> tuple[Waiting, ...]:
    """The caller's own, soonest first; an administrator's list holds everyone's."""
    administrator = grant.right(ports.repository.identity) >= Right.ADMIN
    scrub = scrubber(ports.redact)
    with ports.store.read(grant) as view:
        now = ports.clock.now()
        found = [one for one in pending(view) if administrator or one.principal == grant.principal]
        return tuple(
            Waiting(forgetting=one, title=scrub(_title(view, one)), seconds_left=one.seconds_left(now)) for one in found
        )


def _title(view: StoreRead, forgetting: Forgetting) -> str:
    scopes = (REPOSITORY, forgetting.scope)
    item = view.get((forgetting.target,), scopes).get(forgetting.target)
    if item is None:
        return forgetting.target
    if isinstance(item, Edge) and item.label == FACT:
        ends = view.get((item.source, item.target), scopes)
        subject, target = (ends[end].name if end in ends else end for end in (item.source, item.target))
        return f"{subject} {item.name} {target}"
    return f"{item.label}: {item.name}"
