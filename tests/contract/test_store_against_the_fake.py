"""Every engine against the naive store: random histories of writes, then the same answers to every read."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.clock import FakeClock
from fakes.memory_store import MemoryStore
from remora.core.errors import RemoraError
from remora.core.graph import Changes, Edge, Node, Vector
from remora.core.scope import REPOSITORY, Right, restricted_grant, session_scope
from store_shapes import OPERATOR, REPO, floats, plan

SCOPES = (REPOSITORY, "system", session_scope("1"))
FAMILIES = ("facts", "encounters")
LABELS = ("entity", "fact")
WORDS = ("fox", "foxes", "fo", "hen", "é", "𝔘", "\U0010ffff", "z")
READER = restricted_grant("rita", repository_claims=("*",), right=Right.READ)

node_ids = st.sampled_from([f"n{index}" for index in range(6)])
edge_ids = st.sampled_from([f"e{index}" for index in range(6)])
tokens = st.dictionaries(
    st.sampled_from(("name", "text")), st.lists(st.sampled_from(WORDS), max_size=4).map(tuple), max_size=2
)
times = st.integers(0, 4)
numbers = st.sampled_from((0.0, 1.0, -1.0, 0.5, float("nan"), float("inf")))
common = {
    "family": st.sampled_from(FAMILIES),
    "label": st.sampled_from(LABELS),
    "scope": st.sampled_from(SCOPES),
    "tokens": tokens,
    "updated": times,
    "body": st.dictionaries(st.sampled_from("ab"), st.integers() | st.text(max_size=3), max_size=2),
}
nodes = st.builds(Node, id=node_ids, name=st.sampled_from(("N", "")), **common)
edges = st.builds(Edge, id=edge_ids, name=st.sampled_from(("USES", "OWNS")), source=node_ids, target=node_ids, **common)
vectors = st.builds(
    Vector,
    item=node_ids | edge_ids,
    model=st.sampled_from(("m", "k")),
    text_hash=st.just("h"),
    data=st.tuples(numbers, numbers).map(lambda pair: floats(*pair)) | st.just(floats(1, 2, 3)),
)
changes = st.builds(
    Changes,
    put=st.lists(nodes | edges, max_size=7, unique_by=lambda item: item.id).map(tuple),
    drop=st.lists(node_ids | edge_ids, max_size=2).map(tuple),
    vectors=st.lists(vectors, max_size=3).map(tuple),
    result=st.sampled_from((None, 1, {"a": [True]})),
)
writes = st.tuples(
    st.sampled_from((OPERATOR, OPERATOR, READER)), changes, st.sampled_from(("", "", "", "key1", "key2"))
)
steps = st.one_of(writes, writes, writes, st.sampled_from(SCOPES))


def outcome(store, step):
    try:
        if isinstance(step, str):
            return store.drop_scope(READER if step != REPOSITORY else OPERATOR, step)
        grant, change, key = step
        return store.apply(grant, plan_of(change), idempotency_key=key)
    except RemoraError as error:
        return type(error).__name__


def plan_of(change):
    return plan(*change.put, drop=change.drop, vectors=change.vectors, result=change.result)


def answers(view, draw):
    """Every read with the drawn arguments, as comparable values."""
    scopes, families, labels = draw["scopes"], draw["families"], draw["labels"]
    limit, cursor = draw["limit"], draw["cursor"]
    yield view.seq
    yield dict(view.counts(scopes))
    yield view.snapshot(families, scopes)
    yield view.get([f"n{index}" for index in range(6)] + ["e1", "e2"], scopes)
    for newest in (False, True):
        page = view.scan("facts", "entity", scopes, limit=limit, newest_first=newest)
        yield page
        yield view.scan("facts", "entity", scopes, after=page[1], limit=limit, newest_first=newest)
    found = view.text_candidates(families, scopes, draw["terms"], draw["prefixes"], labels=labels, limit=limit)
    yield found.items, found.total, dict(found.stats.frequency), dict(found.stats.length), found.stats.documents
    yield view.vector_candidates(families, scopes, "m", floats(*draw["query"]), floor=draw["floor"], limit=limit)
    yield view.vectors_missing(families, scopes, "m", limit=limit)
    yield view.vectors_missing(families, scopes, "m", labels=labels, limit=limit)
    yield view.changes(cursor, limit=limit)
    for hops in (1, 3):
        yield view.expand(
            draw["starts"], scopes, labels=labels or LABELS, names=draw["names"], outgoing=draw["out"],
            incoming=draw["in"], hops=hops, per_node=draw["per_node"], limit=limit,
        )  # fmt: skip


def some(values):
    return st.lists(st.sampled_from(values), unique=True, max_size=len(values))


reads = st.fixed_dictionaries(
    {
        "scopes": some(SCOPES), "families": some(FAMILIES), "labels": some(LABELS), "limit": st.integers(0, 6),
        "cursor": st.integers(0, 5), "terms": some(WORDS), "prefixes": some(("f", "fo", "𝔘", "\U0010ffff", "x")),
        "query": st.tuples(numbers, numbers), "floor": st.sampled_from((-1.0, 0.0, 0.9)),
        "starts": st.lists(node_ids, max_size=3), "names": some(("USES", "OWNS")), "out": st.booleans(),
        "in": st.booleans(), "per_node": st.integers(0, 3),
    }
)  # fmt: skip


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(history=st.lists(steps, min_size=1, max_size=7), questions=st.lists(reads, min_size=1, max_size=3))
def test_random_histories_end_in_the_same_answers(engine, history, questions):
    with TemporaryDirectory() as folder:
        naive, real = MemoryStore(REPO, FakeClock()), engine(Path(folder), REPO, FakeClock())
        try:
            for step in history:
                assert outcome(real, step) == outcome(naive, step)
                with real.read(OPERATOR) as left, naive.read(OPERATOR) as right:
                    for question in questions:
                        assert list(answers(left, question)) == list(answers(right, question))
            assert real.verify() == ()
        finally:
            real.close()
