"""Save facts: a caller's batch is all or nothing, an extracted one keeps what is sound and counts the rest."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.errors import Conflict, InvalidInput
from remora.core.facts.batch import Batch, Statement, Triple
from remora.core.facts.decide import decide
from remora.core.facts.draft import Writer
from remora.core.facts.place import Place, ScopeName, place_of
from remora.core.facts.words import user_name
from remora.core.graph import Changes, Json
from remora.core.ids import computed_id, digest
from remora.core.recall.spoken import embed_statements
from remora.core.scope import REPOSITORY, Grant, is_session_scope
from remora.core.sessions import SessionRef
from remora.core.source import Provenance
from remora.ports import FactPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """What to save. `model` names the model that extracted the triples; such a batch drops bad triples singly."""

    triples: Sequence[Triple]
    replace: bool = False
    memory_scope: str = ScopeName.REPOSITORY
    session: SessionRef = field(default_factory=SessionRef)
    idempotency_key: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """One triple's outcome, in the words in which it is stored."""

    index: int
    outcome: str
    id: str
    subject: str
    predicate: str
    object: str
    closed: tuple[str, ...] = ()
    merged: Mapping[str, Json] | None = None

    def to_json(self) -> dict[str, Json]:
        """Closed facts by id; merges with their counts."""
        row: dict[str, Json] = {
            "index": self.index,
            "outcome": self.outcome,
            "id": self.id,
            "subject": self.subject,
            "predicate": self.predicate,
            "object": self.object,
        }
        if self.closed:
            row["closed"] = list(self.closed)
        if self.merged:
            row["merged"] = dict(self.merged)
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberResult:
    """Outcomes per triple, what was dropped and why (extracted batches), totals against limits."""

    saved: tuple[Saved, ...]
    dropped: Mapping[str, int]
    totals: Mapping[str, Json]
    memory_scope: str
    seq: int
    replayed: bool = False
    unembedded: str = ""
    """Why private facts got no vectors, though an embedder is in use."""

    def to_json(self, *, max_chars: int = policy.REPLY_MAX_CHARS) -> dict[str, Json]:
        """Counts always; rows as far as they fit, with `truncated` when they do not."""
        counts = Counter(row.outcome for row in self.saved)
        counts["closed"] = sum(len(row.closed) for row in self.saved)
        rows: list[Json] = []
        for row in self.saved:
            shown = row.to_json()
            max_chars -= len(json.dumps(shown, ensure_ascii=False)) + 2
            if max_chars < 0:
                break
            rows.append(shown)
        told: dict[str, Json] = {"unembedded": self.unembedded} if self.unembedded else {}
        return told | {
            "outcomes": rows,
            "counts": {name: count for name, count in sorted(counts.items()) if count},
            "dropped": dict(self.dropped),
            "totals": dict(self.totals),
            "memory_scope": self.memory_scope,
            "replayed": self.replayed,
            "truncated": len(rows) < len(self.saved),
        }


def remember(ports: FactPorts, grant: Grant, request: RememberRequest) -> RememberResult:
    """Save the triples in one transaction.

    Raises `InvalidBatch` with every error, `LimitReached`, `NotFound` for a session that is not open, `Denied`, and
    `Conflict` when the idempotency key was used for other triples.
    """
    scope = ScopeName.parse(request.memory_scope)
    place = _place(ports, grant, scope, request.session)
    batch = Batch.resolve(
        request.triples,
        scope=place.scope,
        user=user_name(grant, place.scope),
        redact=ports.redact,
        replacing=request.replace,
        extracted=bool(request.model),
    )
    key, said = _key(request.idempotency_key, place.scope), _digest(batch)
    writer = Writer(
        Provenance.of(grant, session=place.session, model=request.model),
        computed_id("", grant.principal, key)[:12] if key else "",
    )

    spoken = embed_statements(ports.embedder if is_session_scope(place.scope) else None, batch.statements)

    def plan(view: StoreRead, now: int) -> Changes:
        if request.session.given:
            place_of(view, grant, scope, request.session, now)  # it may have ended since
        planned = decide(view, batch, writer, now)
        made = spoken.joined(view, planned, now)
        result = made.result if isinstance(made.result, dict) else {}
        return replace(made, result={**result, "said": said})

    applied = ports.store.apply(grant, plan, idempotency_key=key)
    result = applied.result if isinstance(applied.result, dict) else {}
    if applied.replayed and result.get("said", said) != said:
        raise Conflict("idempotency_key: this key was used for other triples", advice="use a new key for a new batch")
    return RememberResult(
        saved=_saved(batch.statements, result.get("outcomes")),
        dropped=_counts(result.get("dropped")),
        totals=_object(result.get("totals")),
        memory_scope=scope.value,
        seq=applied.seq,
        replayed=applied.replayed,
        unembedded=spoken.problem,
    )


def _place(ports: FactPorts, grant: Grant, scope: ScopeName, ref: SessionRef) -> Place:
    if scope is ScopeName.REPOSITORY and not ref.given:
        return Place(REPOSITORY)
    with ports.store.read(grant) as view:
        return place_of(view, grant, scope, ref, ports.clock.now())


def _key(raw: str, scope: str) -> str:
    if len(raw) > policy.IDEMPOTENCY_KEY_MAX_CHARS:
        allowed = f"at most {policy.IDEMPOTENCY_KEY_MAX_CHARS} characters"
        raise InvalidInput("idempotency_key", f"has {len(raw):,} characters", allowed=allowed)
    return computed_id("remember:", scope, digest(raw.encode("utf-8", "surrogatepass"))) if raw else ""


def _digest(batch: Batch) -> str:
    said = [
        [s.subject.key, s.predicate, s.object.key, s.confidence, s.subject_type, s.object_type, list(s.citations)]
        for s in batch.statements
    ]
    return digest(json.dumps([batch.replace, said], separators=(",", ":")).encode())[:24]


def _saved(statements: Sequence[Statement], outcomes: Json) -> tuple[Saved, ...]:
    by_index = {statement.index: statement for statement in statements}
    rows = [row for row in outcomes if isinstance(row, dict)] if isinstance(outcomes, list) else []
    saved: list[Saved] = []
    for row in rows:
        index, closed = row.get("index"), row.get("closed")
        statement = by_index.get(index) if isinstance(index, int) else None
        if statement is None:
            continue
        saved.append(
            Saved(
                index=statement.index,
                outcome=str(row.get("outcome")),
                id=str(row.get("id")),
                subject=statement.subject.text,
                predicate=statement.predicate,
                object=statement.object.text,
                closed=tuple(str(item) for item in closed) if isinstance(closed, list) else (),
                merged=_object(row.get("merged")) or None,
            )
        )
    return tuple(saved)


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _counts(value: Json) -> Mapping[str, int]:
    return {key: count for key, count in _object(value).items() if isinstance(count, int)}
