"""The last jobs of offloaded turns: counts, times and states of one's own."""

from dataclasses import dataclass
from functools import partial

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.core.graph import Changes, Json
from remora.core.jobs import FAMILY, JOB, OPEN, Job, JobState, lease_name, moved, read_job
from remora.core.scope import SYSTEM, Grant, Right
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class ListJobsRequest:
    """A page. `everyone` needs the admin right."""

    limit: int = policy.LIST_LIMIT
    cursor: str = ""
    everyone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsPage:
    """Newest first; `total` of what is kept."""

    jobs: tuple[Job, ...]
    total: int
    next_cursor: str

    def to_json(self) -> dict[str, Json]:
        """Rows without content."""
        return {
            "jobs": [job.to_json() for job in self.jobs],
            "total": self.total,
            "truncated": bool(self.next_cursor),
            "next_cursor": self.next_cursor,
        }


def list_jobs(ports: FactPorts, grant: Grant, request: ListJobsRequest) -> JobsPage:
    """One's own jobs. Those whose process died are marked lost first. Raises `InvalidInput` for a foreign cursor."""
    if request.everyone:
        grant.require(ports.repository.identity, Right.ADMIN)
    _mark_lost(ports, grant)
    with ports.store.read(grant) as view:
        rows, _ = view.scan(FAMILY, JOB, (SYSTEM,), limit=2 * policy.JOBS_KEPT, newest_first=True)
    own = [job for job in map(read_job, rows) if request.everyone or job.principal == grant.principal]
    own = sorted(own, key=lambda job: (-job.created, job.id))[: policy.JOBS_KEPT]
    ids = [job.id for job in own]
    if request.cursor and request.cursor not in ids:
        raise InvalidInput("cursor", "is not a cursor of this list", allowed="a former result's next_cursor")
    start = ids.index(request.cursor) + 1 if request.cursor else 0
    page = own[start : start + request.limit]
    more = page[-1].id if page and start + len(page) < len(own) else ""
    return JobsPage(jobs=tuple(page), total=len(own), next_cursor=more)


def _lost(job: str, view: StoreRead, now: int) -> Changes:
    return moved(view, job, now, state=JobState.LOST, ended=now)


def _mark_lost(ports: FactPorts, grant: Grant) -> None:
    """Open jobs of a process whose lease ran out will never end by themselves."""
    with ports.store.read(grant) as view:
        rows, _ = view.scan(FAMILY, JOB, (SYSTEM,), limit=2 * policy.JOBS_KEPT, newest_first=True)
    pending = [job for job in map(read_job, rows) if job.state in OPEN]
    asker = ports.clock.token(policy.RUN_TOKEN_BYTES)
    for holder in {job.holder for job in pending}:
        if not ports.store.lease(lease_name(holder), asker, 1):
            continue
        for job in (job for job in pending if job.holder == holder):
            ports.store.apply(grant, partial(_lost, job.id))
        ports.store.lease(lease_name(holder), asker, 0)
