"""The graph tab: a drawing laid out here and drawn in the browser, and the same nodes as a list to read."""

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from remora.core.drawing import Drawing
from remora.core.errors import NotFound
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.policy import GRAPH_NODES, GRAPH_NODES_MAX
from remora.entrypoints.http.endpoints import in_json
from remora.entrypoints.web.visit import HEADERS, Visit
from remora.usecases.draw_graph import DrawRequest, draw_graph

_LISTED = 300


def show_graph(visit: Visit) -> Response:
    """The page around the drawing, with the best connected nodes as links."""
    missing = ""
    drawing = Drawing(dots=(), lines=())
    try:
        drawing = draw_graph(visit.ports, visit.grant, _request(visit))
    except NotFound as error:
        missing = str(error)
    listed = sorted(drawing.dots, key=lambda dot: (-dot.degree, dot.name, dot.id))[:_LISTED]
    return visit.page(
        "graph.html", "graph", drawing=drawing, listed=listed, missing=missing, name=visit.asked("name"),
        large=_large(visit), query=_query(visit), most=GRAPH_NODES_MAX, few=GRAPH_NODES,
        focus=visit.asked("focus"), family=FACTS,
    )  # fmt: skip


def graph_data(visit: Visit) -> Response:
    """Dots and lines by number, so that five thousand of them are half a megabyte."""
    drawing = draw_graph(visit.ports, visit.grant, _request(visit))
    index = {dot.id: at for at, dot in enumerate(drawing.dots)}
    data: dict[str, Any] = {
        "dots": [[dot.id, dot.name[:80], dot.kind, dot.x, dot.y, dot.degree] for dot in drawing.dots],
        "lines": [[index[line.source], index[line.target], line.name] for line in drawing.lines],
        "focus": [index[item] for item in drawing.focus if item in index],
    }
    response = in_json(data)
    response.headers.update(HEADERS)
    return response


def _request(visit: Visit) -> DrawRequest:
    nodes = GRAPH_NODES_MAX if _large(visit) else GRAPH_NODES
    return DrawRequest(focus=visit.asked("focus")[:100], name=visit.asked("name")[:500], nodes=nodes)


def _large(visit: Visit) -> bool:
    return visit.asked("size") == "large"


def _query(visit: Visit) -> str:
    given = {name: visit.asked(name) for name in ("focus", "name", "size") if visit.asked(name)}
    return f"?{urlencode(given)}" if given else ""
