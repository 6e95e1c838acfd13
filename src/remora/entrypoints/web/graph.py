"""The graph tab."""

from starlette.responses import Response

from remora.entrypoints.web.visit import Visit


def show_graph(visit: Visit) -> Response:
    """The page around the drawing."""
    return visit.page("graph.html", "graph", focus="", size=300)


def graph_data(visit: Visit) -> Response:
    """The drawing."""
    return Response("{}", media_type="application/json")
