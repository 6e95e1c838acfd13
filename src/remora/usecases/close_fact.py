"""Say that a fact holds no longer. Nothing is lost: its history shows when it held."""

from remora.core.facts.close import closing
from remora.core.graph import Changes
from remora.core.scope import REPOSITORY, Grant, Right
from remora.ports import FactPorts, StoreRead


def close_fact(ports: FactPorts, grant: Grant, fact_id: str) -> None:
    """End the open interval of a repository's fact.

    Raises `NotFound`, `Conflict` for one that is closed already, `Denied` for one of higher trust.
    """
    grant.require(ports.repository.identity, Right.WRITE)

    def plan(view: StoreRead, now: int) -> Changes:
        return Changes(put=(closing(view, REPOSITORY, fact_id, grant.trust, now)[1],))

    ports.store.apply(grant, plan)
