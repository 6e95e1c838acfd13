"""What every answer about the code carries: the state of the graph it was read from, and a budget it kept."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from remora.core import policy
from remora.core.codegraph.linked import TIERS
from remora.core.codegraph.names import Names
from remora.core.codegraph.snapshot import SymbolRow
from remora.core.errors import InvalidInput

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Freshness:
    """The commit the graph was built at and the files that changed since and are not in it."""

    index_commit: str = ""
    stale_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SymbolView:
    """A symbol as answers show it."""

    id: str
    kind: str
    qualified_name: str
    file: str
    line: int
    end_line: int
    signature: str
    doc: str
    public: bool
    test: bool

    @classmethod
    def of(cls, row: SymbolRow, names: Names) -> "SymbolView":
        """The view of one row."""
        return cls(
            names.id(row),
            row.kind,
            row.qualified,
            names.path(row),
            row.line,
            row.end_line,
            row.signature,
            row.doc,
            bool(row.public),
            bool(row.test),
        )


@dataclass(frozen=True, slots=True)
class Relation:
    """A symbol at the other end of an edge: `line` is where, `hops` how far, `tier` how sure."""

    id: str
    kind: str
    tier: str
    file: str
    line: int
    hops: int = 1
    test: bool = False


def tier_name(tier: int) -> str:
    """The tier as answers write it."""
    return TIERS[tier]


def within(rows: Sequence[Row], size: Callable[[Row], int], budget_chars: int) -> tuple[tuple[Row, ...], bool]:
    """The first rows that fit into the budget, and whether some did not."""
    kept: list[Row] = []
    for row in rows:
        budget_chars -= size(row)
        if budget_chars < 0:
            return tuple(kept), True
        kept.append(row)
    return tuple(kept), False


def relation_chars(row: Relation) -> int:
    """About how many characters a relation takes when written out."""
    return len(row.id) + len(row.kind) + policy.RELATION_OVERHEAD_CHARS


def checked_budget(budget_chars: int) -> int:
    """The budget, or `InvalidInput`."""
    if not policy.ANSWER_MIN_CHARS <= budget_chars <= policy.ANSWER_MAX_CHARS:
        allowed = f"{policy.ANSWER_MIN_CHARS} to {policy.ANSWER_MAX_CHARS}"
        raise InvalidInput("budget_chars", f"is {budget_chars}", allowed=allowed)
    return budget_chars


def by_tier(tiers: Iterable[int]) -> dict[str, int]:
    """How many of each tier, strongest first."""
    found = dict.fromkeys(TIERS, 0)
    for tier in tiers:
        found[TIERS[tier]] += 1
    return {name: count for name, count in found.items() if count}
