"""The timeline: records and encounters by day, newest first, with how much happened when."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from starlette.responses import Response

from remora.core.browse.facets import Facets
from remora.core.browse.rows import Row
from remora.core.encounters.schema import ENCOUNTER
from remora.entrypoints.web.templating import day
from remora.entrypoints.web.visit import Visit
from remora.usecases.browse import BrowseRequest, browse

_DAY = 86_400_000_000
_DAYS = 90
_PLOTTED = 500
"""Items of the plot at most; it says from when on they are."""


def show_timeline(visit: Visit) -> Response:
    """The whole page, or the next days."""
    what = visit.asked("what")
    facets = Facets(family=what if what in ("records", "encounters") else "", past=True)
    page = browse(visit.ports, visit.grant, _request(facets, visit.asked("cursor"), 50, what))
    rows = [row for row in page.rows if row.family != "facts"]
    values: dict[str, Any] = {"days": _days(rows), "page": page, "what": what}
    if visit.fragment and visit.asked("cursor"):
        return visit.part("parts/days.html", "timeline", **values)
    now = visit.ports.clock.now()
    lately = browse(
        visit.ports, visit.grant,
        _request(Facets(family=facets.family, past=True, since=now - _DAYS * _DAY), "", _PLOTTED, what),
    )  # fmt: skip
    plot, since = activity(lately.rows, now, whole=not lately.next_cursor)
    return visit.page("timeline.html", "timeline", plot=plot, since=since, **values)


def _request(facets: Facets, cursor: str, limit: int, what: str) -> BrowseRequest:
    """Facts have a list of their own; of the encounters only the spine, unless they alone are asked for."""
    return BrowseRequest(
        facets=facets, cursor=cursor, limit=limit, newest_of=() if what == "encounters" else (ENCOUNTER,),
        without=("facts",),
    )  # fmt: skip


def _days(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    return [(name, list(group)) for name, group in groupby(rows, key=lambda row: day(row.at))]


def activity(rows: Sequence[Row], now: int, *, whole: bool) -> tuple[list[tuple[str, tuple[int, int, int]]], str]:
    """Per day (pitfalls, other records, encounters) up to today, and since when these are all."""
    first = now - (_DAYS - 1) * _DAY
    if not whole and rows:
        first = max(first, rows[-1].at)
    counted = {day(first + at * _DAY): [0, 0, 0] for at in range((now - first) // _DAY + 1)} | {day(now): [0, 0, 0]}
    for row in rows:
        place = 2 if row.family == "encounters" else 0 if row.warns else 1
        if (name := day(row.at)) in counted:
            counted[name][place] += 1
    return [(name, (pits, others, met)) for name, (pits, others, met) in counted.items()], day(first)
