"""Pin or bury an item in the repository's rankings, or take that back."""

from dataclasses import dataclass

from remora.core.emphasis import Emphasis, emphasise
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.errors import NotFound
from remora.core.facts.layout import FACT
from remora.core.graph import Changes, Node
from remora.core.records.model import is_record_id
from remora.core.scope import REPOSITORY, Grant, Right
from remora.ports import RecallPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class EmphasiseRequest:
    """`emphasis` is pin, bury or "" for neither."""

    item: str
    emphasis: str


def emphasise_item(ports: RecallPorts, grant: Grant, request: EmphasiseRequest) -> str:
    """What the item is now: pin, bury or "". Needs the write right; `NotFound` alike for absent and hidden items."""
    grant.require(ports.repository.identity, Right.WRITE)
    wanted = Emphasis.parse(request.emphasis) if request.emphasis else None
    record = is_record_id(request.item)
    if record:
        with ports.record_index.view(grant) as records:
            if request.item not in records.get([request.item]):
                raise _absent()

    def plan(view: StoreRead, now: int) -> Changes:
        found = view.get((request.item,), (REPOSITORY,)).get(request.item)
        known = found is not None and (found.label == FACT or (isinstance(found, Node) and found.family == ENCOUNTERS))
        if not (known or record):
            raise _absent()
        return emphasise(view, grant, request.item, wanted, now)

    ports.store.apply(grant, plan)
    return wanted.value if wanted else ""


def _absent() -> NotFound:
    return NotFound("no item has this id", advice="look for it in the list")
