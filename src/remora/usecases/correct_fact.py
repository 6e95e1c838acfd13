"""Put another object in the place of a fact's: the former value is closed, the new one holds, in one transaction."""

from dataclasses import dataclass

from remora.core.errors import InvalidInput
from remora.core.facts.batch import Batch, Triple
from remora.core.facts.close import closing
from remora.core.facts.decide import decide
from remora.core.facts.draft import Writer
from remora.core.facts.layout import ENTITY
from remora.core.facts.words import user_name
from remora.core.graph import Changes
from remora.core.scope import REPOSITORY, Grant, Right
from remora.core.source import Provenance
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectFactRequest:
    """Which fact, and what its object should be."""

    fact: str
    object: str


def correct_fact(ports: FactPorts, grant: Grant, request: CorrectFactRequest) -> str:
    """The id of the fact that holds now.

    Raises `InvalidInput` when nothing changes, `NotFound`, `Conflict` for a closed fact, `Denied` for higher trust.
    """
    grant.require(ports.repository.identity, Right.WRITE)

    def plan(view: StoreRead, now: int) -> Changes:
        fact, ended = closing(view, REPOSITORY, request.fact, grant.trust, now)
        subject = view.get((fact.subject,), (REPOSITORY,))[fact.subject]
        assert subject.label == ENTITY
        triple = Triple(subject=subject.name, predicate=fact.predicate, object=request.object, citations=fact.citations)
        batch = Batch.resolve([triple], scope=REPOSITORY, user=user_name(grant, REPOSITORY), redact=ports.redact)
        made = decide(view, batch, Writer(Provenance.of(grant)), now)
        saved = made.outcomes[0].item
        if saved == fact.id:
            raise InvalidInput("object", "is what the fact says already", allowed="another name")
        return Changes(put=(*made.changes.put, ended), drop=made.changes.drop, result=saved)

    return str(ports.store.apply(grant, plan).result)
