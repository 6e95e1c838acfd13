"""Jobs: what is being taken out of chats, and how it went. Counts and times, never content."""

from starlette.responses import Response

from remora.entrypoints.web.visit import Visit
from remora.usecases.list_jobs import ListJobsRequest, list_jobs


def show_jobs(visit: Visit) -> Response:
    """The caller's jobs, newest first, or everyone's for an administrator who asks."""
    everyone = visit.administrator and visit.asked("everyone") == "1"
    page = list_jobs(visit.ports, visit.grant, ListJobsRequest(cursor=visit.asked("cursor"), everyone=everyone))
    return visit.page("jobs.html", "jobs", jobs=page.jobs, total=page.total, more=page.next_cursor, everyone=everyone)
