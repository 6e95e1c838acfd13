"""Give every idea in the graph its one-sentence meaning, kept beside it; what changed or vanished is put right."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.encounters.schema import FAMILY
from remora.core.encounters.values import scrubber
from remora.core.errors import RemoraError
from remora.core.graph import Changes, Json, Node
from remora.core.infusion.compression import compression_request, read_sentence
from remora.core.infusion.meanings import (
    FAMILY as MEANINGS,
)
from remora.core.infusion.meanings import (
    LABEL,
    Meaning,
    compressible,
    content_state,
    kept_meanings,
    meaning_node,
    source_text,
)
from remora.core.models.routes import Task
from remora.core.models.wire import Completion, Fault, NoAnswer
from remora.core.recall.vector_leg import IDEAS
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.ports import MeaningPorts, Model, StoreRead

LEASE = "meanings"
"""Name of the lease under which meanings are made in the background."""
_OURS_TO_MEND = frozenset({Fault.NO_KEY, Fault.REFUSED, Fault.UNREACHABLE})
"""Faults that are no node's: the run ends, and no node is blamed."""


@dataclass(slots=True)
class MeaningsMade:
    """Counts of one run: sentences made, nodes no answer was good for, meanings of vanished nodes taken away.

    `fault` says why the run ended early; "" when there was nothing left to do.
    """

    made: int = 0
    spoilt: int = 0
    swept: int = 0
    fault: str = ""
    model: str = ""

    def to_json(self) -> dict[str, Json]:
        """All of it."""
        return {"made": self.made, "spoilt": self.spoilt, "swept": self.swept, "fault": self.fault, "model": self.model}


def compress_meanings(
    ports: MeaningPorts,
    grant: Grant,
    *,
    whole: bool = True,
    limit: int = policy.MEANINGS_RUN_MAX,
    going_on: Callable[[], bool] = lambda: True,
) -> MeaningsMade:
    """Ask the model of task `meaning` once per node that has no meaning of its present text; nothing without a route.

    `whole` looks at every node and takes away meanings of nodes that are gone; else only the newest are looked at, as
    after a write. `going_on` is asked before each call. Raises `Denied` without the write right or for a refused route.
    """
    grant.require(ports.repository.identity, Right.WRITE)
    done = MeaningsMade()
    if whole:
        done.swept = _sweep(ports, grant)
    model = ports.models.routed(Task.MEANING) if ports.models else None
    if model is None:
        return done
    done.model = model.name
    run = _Run(ports, grant, model, done)
    for node in _due(ports, grant, whole=whole):
        if done.made + done.spoilt >= limit or not going_on():
            done.fault = "interrupted"
        elif run.compress(node):
            continue
        break
    return done


def compress_when_idle(
    ports: MeaningPorts, grant: Grant, going_on: Callable[[], bool], *, whole: bool = False
) -> MeaningsMade | None:
    """The same in the background, by one process of a repository at a time; trouble is told, never raised."""
    if grant.right(ports.repository.identity) < Right.WRITE:
        return None
    holder = ports.clock.token(policy.RUN_TOKEN_BYTES)

    def ours(seconds: int = policy.MEANINGS_LEASE_SECONDS) -> bool:
        return ports.store.lease(LEASE, holder, seconds)

    try:
        if ports.models is None or ports.models.routed(Task.MEANING) is None or not ours():
            return None
        try:
            return compress_meanings(ports, grant, whole=whole, going_on=lambda: going_on() and ours())
        finally:
            ours(0)
    except RemoraError as error:
        return MeaningsMade(fault=error.code)


def _due(ports: MeaningPorts, grant: Grant, *, whole: bool) -> Iterator[Node]:
    """Nodes without a meaning of what they say now, the newest of each type first."""
    for label in IDEAS:
        cursor = ""
        while True:
            with ports.store.read(grant) as view:
                page, cursor = view.scan(
                    FAMILY, label, (REPOSITORY,), after=cursor, limit=policy.MEANINGS_PAGE, newest_first=True
                )
                due = _without(view, [node for node in page if isinstance(node, Node) and compressible(node)])
            yield from due
            if not cursor or not (whole or due):
                break


def _without(view: StoreRead, nodes: list[Node]) -> list[Node]:
    kept = kept_meanings(view, nodes)
    return [node for node in nodes if node.id not in kept or not (kept[node.id].text or kept[node.id].given_up)]


def _sweep(ports: MeaningPorts, grant: Grant) -> int:
    """Take away meanings whose node is gone."""
    swept, cursor = 0, ""
    while True:
        with ports.store.read(grant) as view:
            page, cursor = view.scan(MEANINGS, LABEL, (SYSTEM,), after=cursor, limit=policy.MEANINGS_PAGE)
            there = view.get({item.name for item in page}, (REPOSITORY,))
        gone = tuple(item.id for item in page if item.name not in there)
        if gone:
            ports.store.apply(grant, lambda view, _now, gone=gone: _dropped(view, gone))  # type: ignore[misc]
            swept += len(gone)
        if not cursor:
            return swept


def _dropped(view: StoreRead, ids: tuple[str, ...]) -> Changes:
    return Changes(drop=tuple(view.get(ids, (SYSTEM,))))


def _concerns_all(answer: NoAnswer) -> bool:
    """Whether the next node would meet the same: no server, no key, or one that is loading or has too much to do."""
    if answer.fault is Fault.STATUS:
        return answer.detail.startswith(("status 5", "status 429"))
    return answer.fault in _OURS_TO_MEND


@dataclass
class _Run:
    ports: MeaningPorts
    grant: Grant
    model: Model
    done: MeaningsMade
    faults: int = field(default=0)

    def compress(self, node: Node) -> bool:
        """Ask once and keep the answer; False when going on makes no sense."""
        scrub = scrubber(self.ports.redact)
        answer = self.model.chat(compression_request(scrub(source_text(node))))
        if isinstance(answer, NoAnswer) and _concerns_all(answer):
            self.done.fault = answer.fault.value
            return False
        sentence = scrub(read_sentence(answer.text)) if isinstance(answer, Completion) else ""
        self._keep(node, sentence)
        self.done.made += bool(sentence)
        self.done.spoilt += not sentence
        self.faults = self.faults + 1 if isinstance(answer, NoAnswer) else 0
        if isinstance(answer, NoAnswer) and self.faults >= policy.MEANING_TIMEOUTS_MAX:
            self.done.fault = answer.fault.value
            return False
        return True

    def _keep(self, node: Node, sentence: str) -> None:
        """Unless the node changed or went while the model thought."""
        state = content_state(node)

        def plan(view: StoreRead, now: int) -> Changes:
            there = view.get((node.id,), (REPOSITORY,)).get(node.id)
            if not isinstance(there, Node) or content_state(there) != state:
                return Changes()
            before = kept_meanings(view, (there,)).get(node.id)
            meaning = Meaning(node.id, state, sentence, (before.attempts if before else 0) + 1)
            return Changes(put=(meaning_node(meaning, now),))

        self.ports.store.apply(self.grant, plan)
