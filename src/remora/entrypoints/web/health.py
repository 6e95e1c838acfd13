"""Health: the doctor's report as a page; it looks at everything, so the page comes first and the report after it."""

from starlette.responses import Response

from remora.entrypoints.web.visit import Visit
from remora.usecases.diagnose import diagnose

_PLACES = frozenset({"root", "home"})
"""Figures that name folders of this machine: its operator's."""


def show_health(visit: Visit) -> Response:
    """The page, which asks for its report."""
    return visit.page("health.html", "health")


def show_report(visit: Visit) -> Response:
    """The report."""
    found = diagnose(visit.ports, visit.grant)
    figures = [
        {name: value for name, value in finding.figures.items() if visit.grant.operator or name not in _PLACES}
        for finding in found.findings
    ]
    return visit.part("parts/report.html", "health", findings=list(zip(found.findings, figures, strict=True)))
