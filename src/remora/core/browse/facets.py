"""Facets: what a list is narrowed to by family, scope, kind, source, trust and time."""

from dataclasses import dataclass

from remora.core.browse.rows import CHAT, FAMILIES, Row
from remora.core.encounters.schema import NODE_TYPES
from remora.core.errors import InvalidInput
from remora.core.records.vocabulary import RecordKind
from remora.core.scope import Trust

SCOPES = ("repository", "private", "workspace", CHAT)
TRUSTS = tuple(trust.name.lower() for trust in sorted(Trust, reverse=True))
KINDS: dict[str, tuple[str, ...]] = {
    "facts": ("fact",),
    "records": tuple(sorted(kind.value for kind in RecordKind)),
    "encounters": tuple(NODE_TYPES),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Empty values narrow nothing. `since` and `until` are microseconds, both included; `past` shows what is over.

    `emphasis` asks for what is pinned or buried; `source` is any part of a source line, whatever its case.
    """

    family: str = ""
    scope: str = ""
    kind: str = ""
    source: str = ""
    trust: str = ""
    since: int | None = None
    until: int | None = None
    past: bool = False

    def checked(self) -> "Facets":
        """Itself; raises `InvalidInput` for a word that no list has."""
        kinds = [kind for row in KINDS.values() for kind in row]
        for name, value, allowed in (
            ("family", self.family, FAMILIES),
            ("scope", self.scope, SCOPES),
            ("kind", self.kind, kinds),
            ("trust", self.trust, TRUSTS),
        ):
            if value and value not in allowed:
                raise InvalidInput(name, f"{value[:40]!r} is unknown", allowed=", ".join(allowed))
        return self

    @property
    def families(self) -> tuple[str, ...]:
        """Families that can hold anything that passes."""
        wanted = [family for family in FAMILIES if not self.family or family == self.family]
        if self.kind:
            wanted = [family for family in wanted if self.kind in KINDS[family]]
        if self.trust:  # records state sources and verification instead
            wanted = [family for family in wanted if family != "records"]
        if self.scope in ("private", "workspace"):
            wanted = [family for family in wanted if family == "records"]
        if self.scope == CHAT:
            wanted = [family for family in wanted if family == "facts"]
        return tuple(wanted)

    @property
    def narrow(self) -> bool:
        """Whether anything is asked for at all."""
        return self != Facets(past=self.past)

    def admits(self, row: Row) -> bool:
        """Whether the row passes."""
        return (
            (self.past or not row.past)
            and (not self.kind or row.kind == self.kind)
            and (not self.scope or row.scope.partition(" ")[0] == self.scope)
            and (not self.trust or row.trust == self.trust)
            and (self.since is None or row.at >= self.since)
            and (self.until is None or row.at <= self.until)
            and (not self.source or self.source.casefold() in row.source.casefold())
        )
