"""Give the memory of a scope its vectors: what has none of the present model is embedded, in small writes."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from remora.core import policy
from remora.core.embedding import passages
from remora.core.errors import Unavailable
from remora.core.facts.place import ScopeName, place_of
from remora.core.graph import Changes, Item, Json, Vector
from remora.core.recall.vector_leg import EMBEDDED, ends_of, passage
from remora.core.recall.vector_state import VectorState, read_state, state_node, still_there, vector_of
from remora.core.scope import Grant, Right
from remora.core.sessions import SessionRef
from remora.ports import Embedder, FactPorts, StoreRead

LEASE = "vectors"
"""Name of the lease under which vectors are made in the background."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexMemoryRequest:
    """Which scope, and how many items at most in this run."""

    memory_scope: str = ScopeName.REPOSITORY
    session: SessionRef = field(default_factory=SessionRef)
    limit: int = policy.EMBED_RUN_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexMemoryResult:
    """How many vectors were made, how many the model spoilt, and how many items still have none."""

    model: str
    embedded: int
    refused: int
    missing: int

    def to_json(self) -> dict[str, Json]:
        """All of it."""
        return {
            "model": self.model,
            "embedded": self.embedded,
            "refused": self.refused,
            "missing": self.missing,
        }


def index_memory(
    ports: FactPorts,
    grant: Grant,
    request: IndexMemoryRequest,
    *,
    going_on: Callable[[], bool] = lambda: True,
) -> IndexMemoryResult:
    """Embed what has no vector yet, `EMBED_BATCH` items a write; `going_on` is asked before each.

    Raises `Denied` unless the grant may write the scope, `Unavailable` when there is no embedder or it fails; what was
    written before stays, so that asking again goes on where it stopped.
    """
    scope = ScopeName.parse(request.memory_scope)
    durable = scope is ScopeName.REPOSITORY
    grant.require(ports.repository.identity, Right.WRITE if durable else Right.READ)
    embedder = ports.embedder
    if embedder is None:
        raise Unavailable("no embedder is in use", advice="install the extra: pip install 'remora[embed]'")
    run = _Run(ports, grant, embedder)
    with ports.store.read(grant) as view:
        place = place_of(view, grant, scope, request.session, ports.clock.now()).scope
    while run.embedded < request.limit and going_on() and run.batch(place, request.limit - run.embedded):
        pass
    with ports.store.read(grant) as view:
        missing = len(missing_vectors(view, place, embedder.id, limit=policy.EMBED_RUN_MAX))
    return IndexMemoryResult(model=embedder.id, embedded=run.embedded, refused=len(run.refused), missing=missing)


def missing_vectors(view: StoreRead, scope: str, model: str, *, limit: int, passed: Collection[str] = ()) -> list[Item]:
    """Items of the scope that should have a vector of the model and have none, but for those passed over."""
    found: list[Item] = []
    for family, labels in EMBEDDED.items():
        wanted = limit + len(passed) - len(found)
        found += view.vectors_missing((family,), (scope,), model, labels=labels, limit=wanted)
    return [item for item in found if item.id not in passed][:limit]


def index_when_idle(ports: FactPorts, grant: Grant, going_on: Callable[[], bool]) -> IndexMemoryResult | None:
    """The same for what was just saved, by one process of a repository at a time; the others leave it to that one."""
    if ports.embedder is None or grant.right(ports.repository.identity) < Right.WRITE:
        return None
    store, holder = ports.store, ports.clock.token(policy.RUN_TOKEN_BYTES)

    def ours(seconds: int = policy.INDEX_LEASE_SECONDS) -> bool:
        return store.lease(LEASE, holder, seconds)

    if not ours():
        return None
    try:
        return index_memory(ports, grant, IndexMemoryRequest(), going_on=lambda: going_on() and ours())
    finally:
        ours(0)


class _Run:
    """One run over a scope. Items whose vector was refused are counted and passed over until the next run."""

    def __init__(self, ports: FactPorts, grant: Grant, embedder: Embedder) -> None:
        self._ports = ports
        self._grant = grant
        self._embedder = embedder
        self.embedded = 0
        self.refused: set[str] = set()

    def batch(self, scope: str, most: int) -> bool:
        """Embed and write the next few; False when there are none."""
        model, size = self._embedder.id, min(most, self._embedder.max_batch)
        with self._ports.store.read(self._grant) as view:
            items = missing_vectors(view, scope, model, limit=size, passed=self.refused)
            nodes = ends_of(view, items, scope)
        if not items:
            return False
        texts = [passage(item, nodes) for item in items]
        rows = passages(self._embedder, texts)
        spoilt = {item.id for item, row in zip(items, rows, strict=True) if row is None}
        made = [
            vector_of(item.id, model, text, row)
            for item, text, row in zip(items, texts, rows, strict=True)
            if row is not None
        ]
        self._write(scope, items, made, len(spoilt))
        self.refused |= spoilt
        self.embedded += len(made)
        return True

    def _write(self, scope: str, items: Sequence[Item], made: Sequence[Vector], spoilt: int) -> None:
        def plan(view: StoreRead, now: int) -> Changes:
            kept = still_there(view, items, scope)
            vectors = tuple(vector for vector in made if vector.item in kept)
            state = read_state(view, self._embedder.id) or VectorState(self._embedder.id)
            return Changes(put=(state_node(state.after(len(vectors), spoilt, now)),), vectors=vectors)

        self._ports.store.apply(self._grant, plan)
