"""Which operations there are, and which of them a door offers."""

from collections.abc import Iterable

from remora.core.errors import InvalidInput
from remora.entrypoints.catalogue import analytics, encounters, facts, graph, locate, records
from remora.entrypoints.catalogue.operation import Operation, without_secrets

OPERATIONS: tuple[Operation, ...] = (
    *facts.OPERATIONS, *records.OPERATIONS, *locate.OPERATIONS, *map(without_secrets, graph.OPERATIONS),
    *encounters.OPERATIONS, *analytics.OPERATIONS,
)  # fmt: skip
PROFILES = ("core", "facts", "records", "graph", "encounters", "analytics", "all", "read-only")


def offered(profiles: Iterable[str], *, memory: bool = True, gated_writes: bool = False) -> tuple[Operation, ...]:
    """The operations of the profiles together, in catalogue order.

    `read-only` narrows the others to operations that write nothing. `memory=False` leaves only the code graph.
    Raises `InvalidInput` for an unknown profile.
    """
    wanted = set(profiles)
    for name in sorted(wanted - set(PROFILES)):
        raise InvalidInput("profile", f"{name!r} is unknown", allowed=", ".join(PROFILES))
    read_only = "read-only" in wanted
    named = wanted - {"read-only"} or {"all"}
    return tuple(
        operation
        for operation in OPERATIONS
        if ("all" in named or operation.profiles & named)
        and (operation.read_only or not read_only)
        and (memory or not operation.memory)
        and (gated_writes or not operation.gated)
    )


def by_name(name: str) -> Operation:
    """The operation of this name, which exists."""
    return next(operation for operation in OPERATIONS if operation.name == name)
