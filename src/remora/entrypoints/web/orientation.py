"""The orient panel: what is heavy, what is open, what hangs by a thread, and what moved, each with its plot."""

from typing import Any

from starlette.responses import Response

from remora.entrypoints.web.visit import Visit
from remora.usecases.orient import orient

CUTS = (
    ("unanswered_questions", "Unanswered questions", "Nothing resolves them yet."),
    ("untested_hypotheses", "Untested hypotheses", "No observation speaks for or against them."),
    ("ungrounded_concepts", "Ungrounded concepts", "Nothing observed stands under them."),
    ("confidence_dissonance", "Confidence without support", "Held for sure, on little."),
    ("contested_hypotheses", "Contested hypotheses", "Observations speak for and against them."),
)


def show_orient(visit: Visit) -> Response:
    """The panel as plots and lists."""
    limit = 10
    found = orient(visit.ports, visit.grant, result_limit=limit)
    panel: dict[str, Any] = dict(found.panel)
    return visit.page("orient.html", "orient", panel=panel, cuts=CUTS, limit=limit)
