"""Jobs: what is being taken out of chats by a local model, and how it went. Counts and times, never content."""

from starlette.responses import Response

from remora.entrypoints.web.visit import Visit


def show_jobs(visit: Visit) -> Response:
    """The caller's jobs, newest first."""
    return visit.page("jobs.html", "jobs", jobs=())
