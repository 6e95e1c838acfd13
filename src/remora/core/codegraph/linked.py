"""What linking one file gives."""

from dataclasses import dataclass, field

from remora.core.codegraph.boundaries.endpoints import Endpoint
from remora.core.codegraph.facts import Site
from remora.core.codegraph.values import Values

Target = tuple[int, int]
"""A symbol: file index and scope index; a file's module is scope 0."""
EXTRACTED, INFERRED, AMBIGUOUS = 0, 1, 2
TIERS = ("EXTRACTED", "INFERRED", "AMBIGUOUS")
KINDS = (
    "contains",
    "calls",
    "imports",
    "inherits",
    "implements",
    "references",
    "crosses",
    "serves",
    "couples",
    "heeds",
)
"""The last four are of boundaries: who reaches for one, what handles it, both in one step, who gets what is sent."""


@dataclass(slots=True)
class Linked:
    """What linking a file gives. Edges are (source scope, kind, target) -> (tier, line)."""

    edges: dict[tuple[int, str, Target], tuple[int, int]] = field(default_factory=dict)
    unresolved: list[tuple[int, int, str]] = field(default_factory=list)
    """(scope, line, name as written) of calls that could not be told."""
    external: int = 0
    calls: int = 0
    modules: frozenset[str] = frozenset()
    """Every name by which the file's imports look for modules."""
    flows: dict[tuple[int, int, int], Values] = field(default_factory=dict)
    """(file, scope, parameter) -> values this file passes."""
    outside: list[tuple[Site, Values]] = field(default_factory=list)
    """Calls of external things that boundaries may be about."""
    passing: list[tuple[Site, Values]] = field(default_factory=list)
    """Calls that give texts to functions of the tree."""
    endpoints: list[Endpoint] = field(default_factory=list)

    def add(self, other: "Linked") -> None:
        """Take in what a part of the file gave; of two equal edges the surer, then the earlier stands."""
        for key, (tier, line) in other.edges.items():
            self.edge(key, tier, line)
        self.unresolved += other.unresolved
        self.external += other.external
        self.calls += other.calls
        self.outside += other.outside
        self.passing += other.passing
        for place, values in other.flows.items():
            held = self.flows.get(place)
            if held is None:
                self.flows[place] = values
            else:
                held.update(values)

    def clear(self) -> None:
        """Be as new; cheaper than a new one for every call."""
        if self.edges:
            self.edges.clear()
        if self.unresolved:
            self.unresolved.clear()
        if self.flows:
            self.flows.clear()
        if self.outside:
            self.outside.clear()
        if self.passing:
            self.passing.clear()
        self.external = self.calls = 0

    def edge(self, key: tuple[int, str, Target], tier: int, line: int) -> None:
        """Add one edge."""
        found = self.edges.get(key)
        self.edges[key] = (tier, line) if found is None else min(found, (tier, line))

    def copy(self) -> "Linked":
        """A copy that can grow by itself."""
        flows = {place: dict(values) for place, values in self.flows.items()}
        counts = (self.external, self.calls, self.modules)
        return Linked(dict(self.edges), list(self.unresolved), *counts, flows, list(self.outside), list(self.passing))
