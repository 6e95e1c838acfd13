"""Pages: one list merged from several, newest first, cut at a cursor that a later page goes on from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge

from remora.core import policy
from remora.core.browse.facets import Facets
from remora.core.browse.rows import FAMILIES, Row
from remora.core.errors import InvalidInput

_CURSOR = re.compile(r"(-?[0-9]{1,18}):([0-2]):([A-Za-z0-9_]{1,80})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Rows, newest or best first. `looked` were looked at; `next_cursor` is "" at the end.

    `ranked` says that rows answer a question; `total` counts what matched, None when nobody counted.
    """

    rows: tuple[Row, ...] = ()
    next_cursor: str = ""
    looked: int = 0
    ranked: bool = False
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the merged order: after this time, family and id. Items of one instant go by family, then id."""

    at: int
    family: int
    id: str

    @classmethod
    def parse(cls, cursor: str) -> "Position | None":
        """Read a cursor; "" is the beginning. Raises `InvalidInput`."""
        if not cursor:
            return None
        match = _CURSOR.fullmatch(cursor)
        if match is None:
            raise InvalidInput("cursor", "is not a cursor of this list", allowed="a former page's next_cursor")
        return cls(int(match[1]), int(match[2]), match[3])

    @classmethod
    def of(cls, row: Row) -> "Position":
        """Where a row stands."""
        return cls(row.at, FAMILIES.index(row.family), row.id)

    @property
    def cursor(self) -> str:
        """As a caller passes it back."""
        return f"{self.at}:{self.family}:{self.id}"

    def within(self, family: str) -> tuple[int, str]:
        """(time, id) after which one family's own list goes on: an id of "" takes in everything of that instant."""
        number = FAMILIES.index(family)
        if number == self.family:
            return self.at, self.id
        return (self.at, "") if number > self.family else (self.at - 1, "")


def order(row: Row) -> tuple[int, int, str]:
    """The order of every merged list."""
    return -row.at, FAMILIES.index(row.family), row.id


def paged(lists: Sequence[Iterator[Row]], facets: Facets, limit: int) -> Page:
    """The next rows that pass. Looks at a bounded number of items, then stops where it stands and says so."""
    rows: list[Row] = []
    looked = 0
    merged = merge(*lists, key=order)
    last: Row | None = None
    for row in merged:
        if facets.since is not None and row.at < facets.since:
            return Page(rows=tuple(rows), looked=looked)
        looked += 1
        last = row
        if facets.admits(row):
            rows.append(row)
        if len(rows) == limit or looked == policy.BROWSE_LOOKED_MAX:
            more = next(merged, None) is not None
            return Page(rows=tuple(rows), looked=looked, next_cursor=Position.of(last).cursor if more else "")
    return Page(rows=tuple(rows), looked=looked)
