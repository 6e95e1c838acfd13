"""Take turns to make facts of later: redact, note a job, queue. The answer comes before any model runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.clients.turns import Turn, make_turn
from remora.core.errors import InvalidInput, QueueFull
from remora.core.graph import Changes, Json
from remora.core.ids import computed_id, digest
from remora.core.jobs import JOB_BYTES, JOB_PREFIX, Job, Offload, enqueued, lease_name
from remora.core.models.routes import Task
from remora.core.scope import Grant
from remora.core.sessions import Session, SessionRef, resolve
from remora.core.store_read import StoreRead
from remora.ports import OffloadPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadRequest:
    """Turns as a caller sends them: `{role, content}` each, roles user and assistant. Session scope only."""

    turns: Sequence[Mapping[str, object]] = field(repr=False)
    session: SessionRef
    idempotency_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadResult:
    """The job that will read the turns. `extractor`: who will: a model by its route's name, or rules."""

    job: str
    turns: int
    cut_chars: int
    extractor: str
    replayed: bool = False

    def to_json(self) -> dict[str, Json]:
        """All of it."""
        return {
            "job": self.job,
            "state": "queued",
            "turns": self.turns,
            "cut_chars": self.cut_chars,
            "extractor": self.extractor,
            "replayed": self.replayed,
        }


def offload_turns(ports: OffloadPorts, grant: Grant, request: OffloadRequest) -> OffloadResult:
    """Queue the turns. Raises `Denied` naming the route when the routed model may not have them, `QueueFull`,
    `NotFound` for a session that is not open, and `InvalidInput`.
    """
    if not request.session.given:
        allowed = "the handle that registration returned; turns are offloaded in session scope only"
        raise InvalidInput("session", "is missing", allowed=allowed)
    turns = _turns(request.turns)
    with ports.store.read(grant) as view:
        session = resolve(view, grant, request.session, ports.clock.now())
    model = ports.models.routed(Task.FACTS)
    if not ports.jobs.reserve():
        raise QueueFull(policy.OFFLOAD_QUEUE_MAX, policy.OFFLOAD_RETRY_SECONDS)
    submitted = False
    try:
        clean = tuple(make_turn(turn.role, ports.redact(turn.content)) for turn in turns)
        job = _job(ports, grant, session, clean)
        done = _noted(ports, grant, request, job)
        if done[1]:
            job = replace(job, id=done[0])
        else:
            ports.jobs.submit(_offload(job, grant, session, clean))
            submitted = True
    finally:
        if not submitted:
            ports.jobs.release()
    return OffloadResult(
        job=job.id,
        turns=len(clean),
        cut_chars=sum(turn.cut for turn in clean),
        extractor=model.name if model else "rules",
        replayed=done[1],
    )


def _offload(job: Job, grant: Grant, session: Session, turns: tuple[Turn, ...]) -> Offload:
    return Offload(
        job=job.id,
        grant=grant,
        holder=job.holder,
        client=session.client,
        session_id=session.session_id,
        turns=turns,
    )


def _noted(ports: OffloadPorts, grant: Grant, request: OffloadRequest, job: Job) -> tuple[str, bool]:
    """(the job's id, whether this very call was taken before)."""
    raw = request.idempotency_key
    if len(raw) > policy.IDEMPOTENCY_KEY_MAX_CHARS:
        allowed = f"at most {policy.IDEMPOTENCY_KEY_MAX_CHARS} characters"
        raise InvalidInput("idempotency_key", f"has {len(raw):,} characters", allowed=allowed)
    key = computed_id("offload:", job.session, digest(raw.encode("utf-8", "surrogatepass"))) if raw else ""
    ports.store.lease(lease_name(job.holder), job.holder, policy.JOB_LEASE_SECONDS)

    def plan(view: StoreRead, now: int) -> Changes:
        resolve(view, grant, request.session, now)
        return enqueued(view, replace(job, created=now))

    applied = ports.store.apply(grant, plan, idempotency_key=key)
    told = applied.result if isinstance(applied.result, dict) else {}
    return str(told.get("job", job.id)), applied.replayed


def _job(ports: OffloadPorts, grant: Grant, session: Session, turns: Sequence[Turn]) -> Job:
    return Job(
        id=JOB_PREFIX + ports.clock.token(JOB_BYTES),
        principal=grant.principal,
        session=session.id,
        client=session.client,
        holder=ports.jobs.holder,
        turns=len(turns),
        chars=sum(len(turn.content) for turn in turns),
        created=0,
    )


def _turns(raw: Sequence[Mapping[str, object]]) -> list[Turn]:
    """Checked, uncut. No error repeats a word of a turn."""
    if not 1 <= len(raw) <= policy.OFFLOAD_TURNS_MAX:
        raise InvalidInput("turns", f"has {len(raw):,} turns", allowed=f"1 to {policy.OFFLOAD_TURNS_MAX:,}")
    turns: list[Turn] = []
    for index, row in enumerate(raw):
        role, content = row.get("role"), row.get("content")
        if role not in ("user", "assistant"):
            raise InvalidInput(f"turns[{index}].role", "is neither side of a conversation", allowed="user or assistant")
        if not isinstance(content, str) or not content.strip():
            raise InvalidInput(f"turns[{index}].content", "says nothing", allowed="text")
        turns.append(Turn("user" if role == "user" else "assistant", content))
    size = sum(len(turn.content) for turn in turns)
    if size > policy.OFFLOAD_MAX_CHARS:
        allowed = f"at most {policy.OFFLOAD_MAX_CHARS:,}; send the older turns first"
        raise InvalidInput("turns", f"have {size:,} characters", allowed=allowed)
    return turns
