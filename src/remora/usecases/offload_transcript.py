"""Take from a client's transcript the turns that are old enough and were not taken before, and queue them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.clients.transcript import read_turns
from remora.core.clients.turns import Cursor, Older, Turn, make_turn, older_turns
from remora.core.errors import QueueFull
from remora.core.graph import Changes
from remora.core.jobs import (
    JOB_BYTES,
    JOB_PREFIX,
    Job,
    Offload,
    cursor_node,
    enqueued,
    lease_name,
    read_cursor,
)
from remora.core.scope import Grant
from remora.core.sessions import Session, resolve_runtime
from remora.core.store_read import StoreRead
from remora.ports import TranscriptPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadTranscriptRequest:
    """The chat, and where its turns are: sent along, in a file, or as the summary of a compaction (one more turn).

    Turns of the last `keep` exchanges stay with the client. Below `at_least` characters nothing is taken yet.
    """

    client: str
    session_id: str
    path: str = ""
    turns: Sequence[Turn] = field(default=(), repr=False)
    summary: str = field(default="", repr=False)
    keep: int = policy.RECENT_EXCHANGES
    at_least: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadedTranscript:
    """The job ("" when there was nothing to take), how many turns it has, and what was stepped over, by reason."""

    job: str = ""
    turns: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def offload_transcript(ports: TranscriptPorts, grant: Grant, request: OffloadTranscriptRequest) -> OffloadedTranscript:
    """Queue what is new. Job and cursor are written together, so that no turn is taken twice or left between two.

    Raises `NotFound` for a session that is not open, `QueueFull`, and `Unavailable` for a file that cannot be read. A
    route that may not be used is found by the job: nothing is sent then, its row names the route, and rules read.
    """
    skipped: Counter[str] = Counter()
    with ports.store.read(grant) as view:
        session = resolve_runtime(view, grant, request.client, request.session_id, ports.clock.now())
        cursor = read_cursor(view, session)
    turns, after = _new(ports, request, cursor, skipped)
    size = sum(len(turn.content) for turn in turns)
    if not turns or size < request.at_least:
        return OffloadedTranscript(skipped=skipped)
    if not ports.jobs.reserve():
        raise QueueFull(policy.OFFLOAD_QUEUE_MAX, policy.OFFLOAD_RETRY_SECONDS)
    submitted = False
    try:
        told = {reason: count for reason, count in skipped.items() if count}
        job = replace(_job(ports, grant, session, turns, size), skipped=told)
        if _noted(ports, grant, request, job, cursor, after):
            clean = tuple(replace(turn, content=ports.redact(turn.content)) for turn in turns)
            ports.jobs.submit(_offload(job, grant, request, clean))
            submitted = True
    finally:
        if not submitted:
            ports.jobs.release()
    return OffloadedTranscript(job=job.id if submitted else "", turns=len(turns), skipped=skipped)


def _offload(job: Job, grant: Grant, request: OffloadTranscriptRequest, turns: tuple[Turn, ...]) -> Offload:
    return Offload(
        job=job.id,
        grant=grant,
        holder=job.holder,
        client=request.client,
        session_id=request.session_id,
        turns=turns,
    )


def _noted(
    ports: TranscriptPorts, grant: Grant, request: OffloadTranscriptRequest, job: Job, before: Cursor, after: Cursor
) -> bool:
    """Whether these turns are ours to run: a hook that ran at the same time may have taken them first."""
    ports.store.lease(lease_name(job.holder), job.holder, policy.JOB_START_SECONDS)

    def plan(view: StoreRead, now: int) -> Changes:
        session = resolve_runtime(view, grant, request.client, request.session_id, now)
        if read_cursor(view, session) != before:
            return Changes()
        changes = enqueued(view, replace(job, created=now))
        return replace(changes, put=(*changes.put, cursor_node(session, after, now)))

    return bool(ports.store.apply(grant, plan).result)


def _new(
    ports: TranscriptPorts, request: OffloadTranscriptRequest, cursor: Cursor, skipped: Counter[str]
) -> tuple[tuple[Turn, ...], Cursor]:
    """The turns to take now, and the cursor once they are taken."""
    if request.summary.strip():
        turn = make_turn("assistant", request.summary.strip())
        if turn.key in cursor.seen:
            skipped["repeated"] += 1
            return (), cursor
        return (turn,), replace(cursor, seen=(*cursor.seen, turn.key)[-policy.SEEN_TURNS :])
    if request.turns:
        older = older_turns(request.turns, Cursor(seen=cursor.seen), keep=request.keep)
        return _counted(older, skipped), replace(cursor, seen=older.seen)
    if not request.path:
        skipped["no_transcript"] += 1
        return (), cursor
    opened = ports.transcripts.open(request.path, cursor)
    skipped["left_out_bytes"] += opened.left_out
    said = read_turns(opened.chunks, request.client, skipped, start=opened.start, torn=opened.torn)
    older = older_turns(said, cursor, keep=request.keep)
    if not older.turns:
        return _counted(older, skipped), cursor
    return _counted(older, skipped), Cursor(older.offset, opened.anchor(older.offset), older.seen)


def _counted(older: Older, skipped: Counter[str]) -> tuple[Turn, ...]:
    skipped["repeated"] += older.repeated
    return older.turns


def _job(ports: TranscriptPorts, grant: Grant, session: Session, turns: Sequence[Turn], size: int) -> Job:
    return Job(
        id=JOB_PREFIX + ports.clock.token(JOB_BYTES),
        principal=grant.principal,
        session=session.id,
        client=session.client,
        holder=ports.jobs.holder,
        turns=len(turns),
        chars=size,
        created=0,
    )
