"""Run one job of the queue: turns become facts of their session, by the routed model or by rules alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.clients.turns import Turn
from remora.core.errors import Denied, InvalidInput, NotFound, RemoraError
from remora.core.extraction.answer import read_answer
from remora.core.extraction.grounding import Heard, grounded
from remora.core.extraction.known import KnownNames
from remora.core.extraction.prompt import extraction_request, windows
from remora.core.extraction.rules import RULES, rule_triples
from remora.core.facts.batch import Batch, Triple
from remora.core.facts.decide import decide
from remora.core.facts.draft import Writer
from remora.core.facts.words import USER
from remora.core.graph import Changes
from remora.core.ids import computed_id
from remora.core.jobs import JobState, Offload, lease_name, moved
from remora.core.models.routes import Task
from remora.core.models.wire import Completion, Fault, NoAnswer
from remora.core.recall.spoken import embed_statements
from remora.core.sessions import Session, resolve_runtime
from remora.core.source import Provenance
from remora.ports import Model, OffloadPorts, StoreRead

UNREADABLE = "unreadable"
"""The model answered, and no JSON was in it."""
_GIVING_UP = frozenset({Fault.TIMEOUT, Fault.UNREACHABLE, Fault.NO_KEY, Fault.REFUSED, Fault.STATUS})
"""Faults after which the next window would fare no better."""


@dataclass
class _Run:
    """What a job has come to so far."""

    extractor: str = ""
    windows: int = 0
    error: str = ""
    detail: str = ""
    facts: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)

    def fail(self, error: str, detail: str = "") -> None:
        """The first reason stays."""
        self.error, self.detail = self.error or error, self.detail or detail


def extract_facts(ports: OffloadPorts, offload: Offload) -> JobState:
    """Extract, save in the session's scope, and note the outcome in the job's row. Nothing raises out of a job.

    Where the model gives no usable answer the job has failed, and rules alone read those turns.
    """
    run = _Run()
    begun = _note(ports, offload, state=JobState.RUNNING, started=ports.clock.now())
    if not begun:
        return JobState.LOST
    try:
        model = _model(ports, run)
        _read(ports, offload, model, run)
    except NotFound:
        run.fail("session_closed")
    except Denied as error:
        run.fail("denied", str(error))
    except RemoraError as error:
        run.fail(error.code)
    except Exception as error:  # noqa: BLE001 -- the row must say that the job ended; its words could be content
        run.fail("internal", type(error).__name__)
    state = JobState.FAILED if run.error else JobState.DONE
    _note(
        ports, offload, state=state, ended=ports.clock.now(), extractor=run.extractor, windows=run.windows,
        error=run.error, detail=run.detail, facts=dict(run.facts), dropped=dict(run.dropped),
    )  # fmt: skip
    return state


def _note(ports: OffloadPorts, offload: Offload, **members: object) -> bool:
    return bool(ports.store.apply(offload.grant, lambda view, now: moved(view, offload.job, now, **members)).result)


def _model(ports: OffloadPorts, run: _Run) -> Model | None:
    """The routed model. A route that became unusable since the turns were taken leaves the rules."""
    try:
        return ports.models.routed(Task.FACTS)
    except (Denied, InvalidInput) as error:
        run.fail("denied", str(error))
        return None


def _read(ports: OffloadPorts, offload: Offload, model: Model | None, run: _Run) -> None:
    until = ports.clock.now() + int(policy.JOB_MAX_SECONDS * 1_000_000)
    run.extractor = model.name if model else RULES
    asking = model
    if model is None:
        _save(ports, offload, rule_triples(offload.turns), RULES, "rules", run)
        return
    for index, window in enumerate(windows(offload.turns)):
        if ports.clock.now() > until:
            run.fail("deadline")
            asking = None
        ports.store.lease(
            lease_name(offload.holder), offload.holder, policy.JOB_LEASE_SECONDS + int(model.timeout_seconds)
        )
        with ports.store.read(offload.grant) as view:
            session = resolve_runtime(view, offload.grant, offload.client, offload.session_id, ports.clock.now())
            known = KnownNames.read(view, session.scope, ports.redact)
        found, asking = _asked(asking, window, known, run)
        run.windows += 1
        if found is None:
            found, name = rule_triples(window), RULES
        else:
            name = model.name
        _save(ports, offload, _grounded(ports, offload, session, window, found, run), name, str(index), run)


def _asked(
    model: Model | None, window: Sequence[Turn], known: KnownNames, run: _Run
) -> tuple[Sequence[Triple] | None, Model | None]:
    """(the model's triples, None where rules must do; the model to ask next, None when asking on is useless)."""
    if model is None:
        return None, None
    request = extraction_request(window, known.offered(turn.content for turn in window))
    for _ in range(policy.JOB_ATTEMPTS):
        try:
            answer: Completion | NoAnswer = model.chat(request)
        except Denied as error:  # the host is not local after all: nothing was sent
            run.fail("denied", str(error))
            return None, None
        if not (isinstance(answer, NoAnswer) and answer.fault is Fault.UNREACHABLE):
            break
    if isinstance(answer, NoAnswer):
        run.fail(answer.fault.value, answer.detail)
        return None, None if answer.fault in _GIVING_UP else model
    read = read_answer(answer.text)
    if not read.readable:
        run.fail(UNREADABLE)
        return None, model
    run.dropped.update(read.dropped)
    run.dropped["cut"] += answer.cut or read.cut
    return read.triples, model


def _grounded(
    ports: OffloadPorts, offload: Offload, session: Session, window: Sequence[Turn], found: Sequence[Triple], run: _Run
) -> tuple[Triple, ...]:
    """Those whose names were said, in this window or under another name of a known entity."""
    heard = Heard(turn.content for turn in window)
    with ports.store.read(offload.grant) as view:
        names_of = KnownNames.look_up(view, session.scope, found)
        kept = grounded(found, heard, names_of)
    run.dropped.update(kept.dropped)
    return kept.triples


def _save(ports: OffloadPorts, offload: Offload, triples: Sequence[Triple], name: str, part: str, run: _Run) -> None:
    """One transaction; the session is looked up inside it, since it may have ended meanwhile."""
    if not triples:
        return
    grant, key = offload.grant, computed_id("extract:", offload.job, part)
    with ports.store.read(grant) as view:
        session = resolve_runtime(view, grant, offload.client, offload.session_id, ports.clock.now())
    batch = Batch.resolve(triples, scope=session.scope, user=USER, redact=ports.redact, extracted=True)
    writer = Writer(Provenance.of(grant, session=session.id, model=name), key[-12:])
    spoken = embed_statements(ports.embedder, batch.statements)

    def plan(view: StoreRead, now: int) -> Changes:
        resolve_runtime(view, grant, offload.client, offload.session_id, now)
        return spoken.joined(view, decide(view, batch, writer, now), now)

    result = ports.store.apply(grant, plan, idempotency_key=key).result
    told = result if isinstance(result, dict) else {}
    outcomes, dropped = told.get("outcomes"), told.get("dropped")
    for row in outcomes if isinstance(outcomes, list) else []:
        run.facts[str(row.get("outcome")) if isinstance(row, dict) else ""] += 1
    for reason, count in dropped.items() if isinstance(dropped, dict) else ():
        run.dropped[reason] += count if isinstance(count, int) else 0
