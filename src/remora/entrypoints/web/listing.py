"""The list: everything that may be seen, with search and facets, page after page."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from starlette.responses import Response

from remora.core.browse.facets import KINDS, SCOPES, TRUSTS, Facets
from remora.core.browse.paging import Page
from remora.core.browse.rows import FAMILIES
from remora.core.encounters.times import micros
from remora.core.errors import InvalidInput
from remora.core.text import clean
from remora.entrypoints.web.visit import Visit
from remora.usecases.browse import BrowseRequest, browse
from remora.usecases.count_items import count_items
from remora.usecases.list_forgettings import list_forgettings

_FIELDS = ("q", "family", "scope", "kind", "source", "trust", "since", "until", "past")


def show_list(visit: Visit) -> Response:
    """The whole page, its results, or (with a cursor) the next rows."""
    values = list_values(visit)
    if visit.fragment and visit.asked("cursor"):
        return visit.part("parts/rows.html", "list", **values)
    if visit.fragment:
        response = visit.part("parts/results.html", "list", **values)
        response.headers["hx-replace-url"] = _where(visit) + (f"?{values['query']}" if values["query"] else "")
        return response
    return visit.page("list.html", "list", **whole_values(visit), **values)


def _where(visit: Visit) -> str:
    """The path that the browser shows: the list's, or that of an item in the drawer."""
    path = urlsplit(visit.request.headers.get("hx-current-url", "")).path
    return path if path.startswith(f"{visit.base}/items/") and path.isascii() else visit.base


def list_values(visit: Visit) -> dict[str, Any]:
    """What the results need."""
    facets, problem = _facets(visit)
    page = Page()
    if not problem:
        page = browse(
            visit.ports, visit.grant,
            BrowseRequest(text=_asked(visit)["q"], facets=facets, cursor=visit.asked("cursor")),
        )  # fmt: skip
    return {"page": page, "asked": _asked(visit), "query": query_of(visit), "facets": facets, "problem": problem}


def whole_values(visit: Visit) -> dict[str, Any]:
    """What only the whole page needs: facets to choose from, counts, forgets that wait."""
    counts = count_items(visit.ports, visit.grant)
    nodes = sum(counts.encounter_nodes.values())
    return {
        "families": FAMILIES, "kinds": KINDS, "scopes": SCOPES, "trusts": TRUSTS, "item": None,
        "counts": {"facts": counts.facts, "records": counts.records, "encounters": nodes},
        "waiting": list_forgettings(visit.ports, visit.grant),
    }  # fmt: skip


def query_of(visit: Visit, **more: str) -> str:
    """The list's own address, as the part after the question mark."""
    given = {name: value for name, value in _asked(visit).items() if value} | more
    return urlencode({name: value for name, value in given.items() if value})


def _asked(visit: Visit) -> dict[str, str]:
    params = visit.request.query_params
    return {name: clean(params.get(name, ""))[:2_000] for name in _FIELDS}


def _facets(visit: Visit) -> tuple[Facets, str]:
    """The facets, and what is wrong with them in words fit to show beside the form."""
    asked = _asked(visit)
    try:
        since, until = _day(asked["since"], "since"), _day(asked["until"], "until", end=True)
        facets = Facets(
            family=asked["family"], scope=asked["scope"], kind=asked["kind"], source=asked["source"],
            trust=asked["trust"], since=since, until=until, past=asked["past"] == "1",
        )  # fmt: skip
        return facets.checked(), ""
    except InvalidInput as error:
        return Facets(), str(error)


def _day(text: str, field: str, *, end: bool = False) -> int | None:
    """A date of a form as microseconds: its first instant, or its last."""
    if not text:
        return None
    try:
        date = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1 if end else 0)
    except (ValueError, OverflowError):
        raise InvalidInput(field, f"{text[:40]!r} is no date", allowed="YYYY-MM-DD") from None
    return micros(date.isoformat(), field) - (1 if end else 0)
