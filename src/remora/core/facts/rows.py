"""Facts and entities as callers read them: names instead of ids, times as RFC 3339, secrets masked once more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from remora.core.encounters.times import shown
from remora.core.facts.layout import ENTITY, Entity, Fact
from remora.core.facts.words import Redact
from remora.core.graph import Item, Json
from remora.core.source import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow:
    """A fact with its names."""

    fact: Fact
    subject: str
    object: str

    @property
    def text(self) -> str:
        """The fact as one line: `Billing USES Postgres`."""
        return f"{self.subject} {self.fact.predicate} {self.object}"

    @property
    def source(self) -> str:
        """Who saved it, through which door and when, as one short line."""
        return saved_by(self.fact.provenance, self.fact.created)

    def to_json(self, *, history: bool = False) -> dict[str, Json]:
        """Everything a list shows; intervals only when history was asked for."""
        fact = self.fact
        row: dict[str, Json] = {
            "id": fact.id,
            "subject": self.subject,
            "predicate": fact.predicate,
            "object": self.object,
            "confidence": fact.confidence,
            "confirmations": fact.confirmations,
            "sources": len(fact.sources),
            "current": fact.current,
            "trust": fact.trust.name.lower(),
            "provenance": provenance_json(fact.provenance),
            "created_at": shown(fact.created),
            "updated_at": shown(fact.updated),
        }
        if fact.citations:
            row["citations"] = list(fact.citations)
        if fact.promoted:
            row["promoted"] = dict(fact.promoted)
        if fact.intervals:
            row["valid_from"] = shown(fact.intervals[-1][0])
            if not fact.current:
                row["valid_to"] = _time(fact.intervals[-1][1])
        if history:
            row["intervals"] = [[_time(start), _time(end)] for start, end in fact.intervals]
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRow:
    """An entity as a search or a subgraph shows it."""

    entity: Entity
    names: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        """Name, aliases and type; empty members are left out."""
        row: dict[str, Json] = {"id": self.entity.id, "name": self.names[0]}
        if len(self.names) > 1:
            row["aliases"] = list(self.names[1:])
        if self.entity.type:
            row["type"] = self.entity.type
        return row


def provenance_json(provenance: Provenance) -> dict[str, Json]:
    """Who, through what; the trust is told beside it."""
    return {key: value for key, value in provenance.to_json().items() if key != "trust"}


def saved_by(provenance: Provenance, created: int) -> str:
    """`ann via mcp (claude-code), 2026-11-30`."""
    door = provenance.channel.value + (f" ({provenance.client})" if provenance.client else "")
    model = f", extracted by {provenance.model}" if provenance.model else ""
    return f"{provenance.principal} via {door}{model}, {shown(created)[:10]}"


def fact_row(fact: Fact, names: Mapping[str, str], redact: Redact) -> FactRow:
    """A fact with its ends' names; an end that is missing is shown by its id."""
    return FactRow(
        fact=fact,
        subject=redact(names.get(fact.subject, fact.subject)),
        object=redact(names.get(fact.object, fact.object)),
    )


def entity_row(entity: Entity, redact: Redact) -> EntityRow:
    """An entity with its names masked again: old secrets must not come back at read."""
    return EntityRow(entity=entity, names=tuple(redact(name) for name in entity.names))


def names_of(items: Iterable[Item]) -> dict[str, str]:
    """Entity id -> shown name."""
    return {item.id: item.name for item in items if item.label == ENTITY}


def _time(microseconds: int | None) -> str | None:
    return None if microseconds is None else shown(microseconds)
