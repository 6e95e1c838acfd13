"""Jobs that turn offloaded turns into facts: rows of counts, times and states. No word of a turn is ever in one."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from remora.core import policy
from remora.core.clients.turns import Cursor, Turn
from remora.core.graph import Changes, Item, Json, Node
from remora.core.ids import computed_id
from remora.core.scope import SYSTEM, Grant
from remora.core.sessions import Session
from remora.core.store_read import StoreRead

FAMILY: Final = "jobs"
JOB: Final = "Job"
CURSOR: Final = "OffloadCursor"
JOB_PREFIX: Final = "job_"
JOB_BYTES: Final = 12
_LEASE = "jobs:"


class JobState(StrEnum):
    """Where a job is. `failed`: the model gave no usable answer; `lost`: its process ended before it did."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    LOST = "lost"


OPEN = frozenset({JobState.QUEUED, JobState.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One offload. Times are microseconds, 0 for not yet; `error` is a kind, `detail` names a route at most."""

    id: str
    principal: str
    session: str
    client: str
    holder: str
    turns: int
    chars: int
    created: int
    state: JobState = JobState.QUEUED
    started: int = 0
    ended: int = 0
    extractor: str = ""
    windows: int = 0
    error: str = ""
    detail: str = ""
    facts: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    """What was stepped over in the transcript that the turns came from."""

    def to_json(self) -> dict[str, Json]:
        """What its owner may know; empty members are left out."""
        row: dict[str, Json] = {
            "id": self.id,
            "state": self.state.value,
            "session": self.session,
            "client": self.client,
            "turns": self.turns,
            "chars": self.chars,
            "created_at": self.created,
            "facts": dict(self.facts),
            "dropped": dict(self.dropped),
        }
        more: dict[str, Json] = {
            "started_at": self.started,
            "ended_at": self.ended,
            "waited_ms": (self.started - self.created) // 1000 if self.started else 0,
            "ran_ms": (self.ended - self.started) // 1000 if self.ended and self.started else 0,
            "extractor": self.extractor,
            "windows": self.windows,
            "error": self.error,
            "detail": self.detail,
            "skipped": dict(self.skipped),
        }
        return row | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offload:
    """What a queue holds in memory until the job ended: the turns, and as whom and where facts are saved."""

    job: str
    grant: Grant
    holder: str
    client: str
    session_id: str
    turns: tuple[Turn, ...] = field(repr=False)


def offload_bytes(offload: Offload) -> bytes:
    """The form for a pipe to a process of the same user; never written anywhere else."""
    turns = [[turn.role, turn.content] for turn in offload.turns]
    body = {
        "job": offload.job,
        "holder": offload.holder,
        "client": offload.client,
        "session_id": offload.session_id,
        "turns": turns,
    }
    return json.dumps(body).encode("ascii")


def read_offload(data: bytes, grant_of: Callable[[str], Grant]) -> Offload:
    """Read what `offload_bytes` made; `grant_of` gives the grant of a client's hook. Raises `ValueError`."""
    body = json.loads(data)
    turns = tuple(Turn("user" if role == "user" else "assistant", content) for role, content in body["turns"])
    return Offload(
        job=body["job"],
        grant=grant_of(body["client"]),
        holder=body["holder"],
        client=body["client"],
        session_id=body["session_id"],
        turns=turns,
    )


def lease_name(holder: str) -> str:
    """Name of the lease by which a queue's process says that it lives."""
    return _LEASE + holder


def cursor_id(session: Session) -> str:
    """Id of the node that says how far a session's turns were offloaded."""
    return computed_id("cur_", session.id)


def read_cursor(view: StoreRead, session: Session) -> Cursor:
    """How far the session's turns were offloaded."""
    key = cursor_id(session)
    node = view.get((key,), (session.scope,)).get(key)
    return Cursor.from_json(dict(node.body) if node is not None else None)


def cursor_node(session: Session, cursor: Cursor, now: int) -> Node:
    """Kept in the session's own scope, so that it ends with it. Holds offsets and hashes."""
    body: dict[str, Json] = {"offset": cursor.offset, "anchor": cursor.anchor, "seen": list(cursor.seen)}
    return Node(
        id=cursor_id(session), family=FAMILY, label=CURSOR, scope=session.scope, name="", body=body,
        created=now, updated=now,
    )  # fmt: skip


def enqueued(view: StoreRead, job: Job) -> Changes:
    """A new row; the oldest beyond those that are kept go."""
    rows, _ = view.scan(FAMILY, JOB, (SYSTEM,), limit=2 * policy.JOBS_KEPT, newest_first=True)
    old = [row.id for row in rows[policy.JOBS_KEPT - 1 :] if read_job(row).state not in OPEN]
    return Changes(put=(job_node(job, job.created),), drop=tuple(old), result={"job": job.id})


def moved(view: StoreRead, job: str, now: int, **changes: object) -> Changes:
    """The row with some members set; nothing when it is gone or has ended, so that an end is told once."""
    node = view.get((job,), (SYSTEM,)).get(job)
    if node is None or read_job(node).state not in OPEN:
        return Changes()
    return Changes(put=(job_node(replace(read_job(node), **changes), now),), result=True)  # type: ignore[arg-type]


def job_node(job: Job, now: int) -> Node:
    """The stored form: bookkeeping, never searchable."""
    body: dict[str, Json] = {
        "principal": job.principal,
        "session": job.session,
        "client": job.client,
        "holder": job.holder,
        "turns": job.turns,
        "chars": job.chars,
        "state": job.state.value,
        "started": job.started,
        "ended": job.ended,
        "extractor": job.extractor,
        "windows": job.windows,
        "error": job.error,
        "detail": job.detail,
        "facts": dict(job.facts),
        "dropped": dict(job.dropped),
        "skipped": dict(job.skipped),
    }
    return Node(
        id=job.id, family=FAMILY, label=JOB, scope=SYSTEM, name="", body=body, created=job.created, updated=now
    )  # fmt: skip


def read_job(node: Item) -> Job:
    """Read what `job_node` wrote."""
    body = node.body
    return Job(
        id=node.id,
        principal=str(body.get("principal", "")),
        session=str(body.get("session", "")),
        client=str(body.get("client", "")),
        holder=str(body.get("holder", "")),
        turns=_number(body.get("turns")),
        chars=_number(body.get("chars")),
        created=node.created,
        state=JobState(str(body.get("state", JobState.LOST.value))),
        started=_number(body.get("started")),
        ended=_number(body.get("ended")),
        extractor=str(body.get("extractor", "")),
        windows=_number(body.get("windows")),
        error=str(body.get("error", "")),
        detail=str(body.get("detail", "")),
        facts=_counts(body.get("facts")),
        dropped=_counts(body.get("dropped")),
        skipped=_counts(body.get("skipped")),
    )


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _counts(value: Json) -> dict[str, int]:
    return {key: count for key, count in value.items() if isinstance(count, int)} if isinstance(value, dict) else {}
