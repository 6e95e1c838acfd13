"""Recall: what memory holds about a question, or silence."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.emphasis import NONE, emphases
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.encounters.search import recall_nodes
from remora.core.errors import InvalidInput
from remora.core.facts.layout import FAMILY
from remora.core.facts.place import ScopeName, place_of
from remora.core.graph import Json
from remora.core.recall.families import Hit, fuse_families
from remora.core.recall.gate import gate
from remora.core.recall.notice import NOTICE
from remora.core.recall.pipeline import Answer, Terms, recall_facts
from remora.core.recall.record_hits import recall_records
from remora.core.recall.vector_leg import similar
from remora.core.recall.vector_state import asked
from remora.core.scope import Grant
from remora.core.sessions import SessionRef
from remora.core.text import parse_query
from remora.ports import RecallPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A question, and how to answer it. `as_of` is microseconds UTC; `unasked` is for hooks: believe less."""

    query: str
    memory_scope: str = ScopeName.SESSION
    hops: int = 1
    limit: int = policy.RECALL_LIMIT
    history: bool = False
    as_of: int | None = None
    session: SessionRef = field(default_factory=SessionRef)
    max_chars: int = policy.RECALL_MAX_CHARS
    unasked: bool = False
    fusion_k: int = policy.FUSION_K


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """Hits best first. Empty with `gated` when the question was not one, with `silent` when nothing answers it."""

    hits: tuple[Hit, ...] = ()
    memory_scope: str
    gated: str = ""
    silent: bool = False
    left_out: int = 0
    truncated: bool = False
    legs: tuple[str, ...] = ("lexical",)
    words_alone: str = ""
    """Why an embedder that is in use did not take part."""
    as_of: int | None = None

    def to_json(self) -> dict[str, Json]:
        """The answer with its notice; it fits the request's `max_chars` but for this frame."""
        row: dict[str, Json] = {"hits": [hit.to_json() for hit in self.hits], "memory_scope": self.memory_scope}
        if self.gated:
            row["gated"] = self.gated
        if self.silent:
            row["silent"] = True
        if self.truncated:
            row |= {"truncated": True, "left_out": self.left_out}
        if self.as_of is not None:
            row["as_of_note"] = "facts by their validity at that time, under today's names"
        if self.words_alone:
            row["words_alone"] = self.words_alone
        return {**row, "legs": list(self.legs), "notice": NOTICE}


def recall(
    ports: RecallPorts,
    grant: Grant,
    request: RecallRequest,
    *,
    more: Sequence[Sequence[Hit]] = (),
) -> RecallResult:
    """Answer a question from one scope; a session's answer never draws on the repository.

    `more` are ranked hits of other families, fused in for the repository scope only. Raises `NotFound` for a session
    that is not open, `InvalidInput` for bad options.
    """
    _check(request)
    scope = ScopeName.parse(request.memory_scope)
    gated = gate(request.query)
    query = parse_query(request.query)
    durable = scope is ScopeName.REPOSITORY
    with ports.store.read(grant) as view:
        place = place_of(view, grant, scope, request.session, ports.clock.now())
        if gated is not None:
            return RecallResult(memory_scope=scope.value, gated=gated.value)
        meaning = asked(view, ports.embedder, query.text)
        held = emphases(view) if durable else NONE
        room = held.room(request.limit)
        facts = recall_facts(
            view,
            place.scope,
            query,
            Terms(hops=request.hops, history=request.history, at=request.as_of, unasked=request.unasked),
            redact=ports.redact,
            limit=room,
            similar=similar(view, (FAMILY,), place.scope, meaning.vector),
        )
        nodes = Answer()
        if durable and request.as_of is None:  # nodes have versions, not intervals to look back through
            near = {item.id: score for item, score in similar(view, (ENCOUNTERS,), place.scope, meaning.vector)}
            nodes = recall_nodes(view, query, limit=room, unasked=request.unasked, similar=near, redact=ports.redact)
    families = (facts.hits, nodes.hits, *(_durable(ports, grant, request, room, more) if durable else ()))
    fused = fuse_families(
        [held.ordered(hits) for hits in families], limit=request.limit, max_chars=request.max_chars, k=request.fusion_k
    )
    return RecallResult(
        hits=fused.hits,
        memory_scope=scope.value,
        silent=not fused.hits and fused.left_out == 0,
        left_out=fused.left_out,
        truncated=fused.truncated or facts.truncated or nodes.truncated,
        legs=("lexical", "vector") if meaning.vector else ("lexical",),
        words_alone=meaning.problem,
        as_of=request.as_of,
    )


def _durable(
    ports: RecallPorts, grant: Grant, request: RecallRequest, room: int, more: Sequence[Sequence[Hit]]
) -> tuple[Sequence[Hit], ...]:
    """The other families, which all are of repository scope. Records have no closed intervals to look back through."""
    if request.as_of is not None:
        return tuple(more)
    with ports.record_index.view(grant) as view:
        return (recall_records(view, request.query, limit=room), *more)


def _check(request: RecallRequest) -> None:
    if request.hops not in (1, 2):
        raise InvalidInput("hops", f"is {request.hops}", allowed="1 or 2")
    if not 1 <= request.limit <= policy.RECALL_LIMIT_MAX:
        raise InvalidInput("limit", f"is {request.limit}", allowed=f"1 to {policy.RECALL_LIMIT_MAX}")
    if request.max_chars < 1:
        raise InvalidInput("max_chars", f"is {request.max_chars}", allowed="1 or more characters")
    if request.fusion_k < 1:
        raise InvalidInput("fusion_k", f"is {request.fusion_k}", allowed="1 or more")
