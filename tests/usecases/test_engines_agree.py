"""The same data in two engines answers alike: 300 questions, and random lives of three principals."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

import recall_check as check
import server_engine
from encounter_desk import Desk, concept, hypothesis, member, observation, question
from fakes.clock import FakeClock
from fakes.memory_store import MemoryStore
from remora.adapters.sqlite.store import open_store
from remora.core.errors import RemoraError
from remora.core.facts.batch import Triple
from remora.core.graph import Changes, Edge, Node
from remora.core.scope import REPOSITORY, SYSTEM, Right, operator_grant, session_scope
from remora.core.sessions import SessionRef
from remora.usecases.forget import ForgetRequest, forget
from remora.usecases.infuse import InfuseRequest, infuse
from remora.usecases.list_facts import ListFactsRequest, list_facts
from remora.usecases.query_subgraph import QuerySubgraphRequest, query_subgraph
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.remember import RememberRequest, remember
from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session
from remora.usecases.search_nodes import SearchNodesRequest, search_nodes
from store_shapes import REPO, floats, vector

ENGINES = [
    "sqlite",
    *([pytest.param("neo4j", marks=pytest.mark.neo4j)] if server_engine.URL else []),
]
OPERATOR = operator_grant()
WORDS = "billing auth ledger invoice search cache queue worker gateway order parser lexer token index".split()


def real_store(engine: str, folder: Path, clock: FakeClock) -> Any:
    if engine == "neo4j":
        return server_engine.partition(REPO, clock)
    return open_store(folder / "s.sqlite3", REPO, clock)


# --- 300 questions ----------------------------------------------------------------------------------------------------


def furnish(desk: Desk) -> None:
    """Facts with history and aliases, private facts of a chat, encounters with relations."""
    dice = random.Random(7)
    triples = [Triple(subject=s, predicate=p, object=o) for s, p, o in check_facts()]
    for at in range(0, len(triples), 20):
        desk.clock.advance(1)
        remember(desk, OPERATOR, RememberRequest(triples=triples[at : at + 20]))
    names = [f"{one} {other}" for one in WORDS for other in WORDS if one < other]
    for _ in range(14):
        said = [(dice.choice(names), dice.choice(("USES", "CALLS", "OWNS")), dice.choice(names)) for _ in range(20)]
        rows = [Triple(subject=one, predicate=verb, object=other) for one, verb, other in said]
        desk.clock.advance(1)
        remember(desk, OPERATOR, RememberRequest(triples=rows, replace=dice.random() < 0.2))
    desk.advance("first look", session_id="chat", client="test")
    desk.write(*(concept(name, f"about {name} and {dice.choice(names)}") for name in names[:40]))
    desk.write(*(observation(f"{name} seen", f"saw {name} fail") for name in names[40:60]))
    desk.write(*(question(f"why {name}", f"unclear {name}") for name in names[60:70]))
    desk.write(*(hypothesis(f"because {name}", f"{name} may be the cause") for name in names[70:80]))
    desk.relate(*((f"{names[40 + i]} seen", "GROUNDS", names[i]) for i in range(20)))
    private = [Triple(subject="my plan", predicate="USES", object=name) for name in names[:12]]
    ref = SessionRef(handle=desk.handle)
    remember(desk, OPERATOR, RememberRequest(triples=private, memory_scope="session", session=ref))
    forget(desk, OPERATOR, ForgetRequest(entities=[names[3]]))
    with desk.store.read(OPERATOR) as view:
        vectors = [
            vector(item.id, *(dice.gauss(0, 1) for _ in range(8))) for item in view.snapshot(("facts",), (REPOSITORY,))
        ]
    desk.store.apply(OPERATOR, lambda view, now: Changes(vectors=tuple(vectors)))


def check_facts() -> list[tuple[str, str, str]]:
    rows = []
    for line in check.FACTS.strip().splitlines():
        words = line.split()
        at = next(i for i, word in enumerate(words) if (word.isupper() and "_" in word) or (word.isupper() and i))
        rows.append((" ".join(words[:at]), words[at], " ".join(words[at + 1 :])))
    return rows


def questions(desk: Desk) -> list[Any]:
    """300 of them, over every family and door of reading; each is a call on a desk."""
    dice = random.Random(11)
    said = [
        lambda: f"what does {dice.choice(WORDS)} {dice.choice(WORDS)} use?",
        lambda: f"{dice.choice(WORDS)[:-2]}x {dice.choice(WORDS)[:3]}",
        lambda: dice.choice(WORDS),
        lambda: " ".join(dice.sample(WORDS, 3)),
        lambda: dice.choice(check_facts())[0],
        lambda: f"who owns {dice.choice(check_facts())[2]}",
        lambda: dice.choice(("hi", "東京", "'; MATCH (n) DELETE n //", "\u202ex", "a" * 700)),
    ]
    asked: list[Any] = []
    for number in range(300):
        text, kind, ref = dice.choice(said)(), number % 6, SessionRef(handle=desk.handle)
        scope, hops = dice.choice(("repository", "repository", "session")), dice.choice((1, 2))
        if kind in (0, 1):
            request = RecallRequest(query=text, memory_scope=scope, hops=hops, session=ref, history=dice.random() < 0.2)
            asked.append(lambda d, r=request: recall(d, OPERATOR, r).to_json())
        elif kind == 2:
            sought = SearchNodesRequest(query=text, limit=dice.choice((3, 50)))
            asked.append(lambda d, r=sought: search_nodes(d, OPERATOR, r).to_json())
        elif kind == 3:
            around = QuerySubgraphRequest(
                entities=[dice.choice(check_facts())[0]], hops=hops, limit=dice.choice((4, 100))
            )
            asked.append(lambda d, r=around: query_subgraph(d, OPERATOR, r).to_json())
        elif kind == 4:
            told = InfuseRequest(text=f"{text} {dice.choice(WORDS)}")
            asked.append(lambda d, r=told: {"payload": infuse(d, OPERATOR, r)})
        else:
            listed = ListFactsRequest(limit=dice.choice((5, 40)), history=dice.random() < 0.5)
            asked.append(lambda d, r=listed: list_facts(d, OPERATOR, r).to_json())
    return asked


@pytest.mark.parametrize("engine", ENGINES)
def test_three_hundred_questions_are_answered_alike_by_the_naive_store_and_the_engine(engine, tmp_path):
    desks = []
    for name in ("naive", engine):
        clock, folder = FakeClock(), tmp_path / name
        folder.mkdir()
        store = MemoryStore(REPO, clock) if name == "naive" else real_store(engine, folder, clock)
        desks.append(Desk(clock=clock, repository=REPO, store=store, folder=folder))
        furnish(desks[-1])
    views = []
    for desk in desks:
        with desk.store.read(OPERATOR) as view:
            scopes = (REPOSITORY, SYSTEM)
            views.append(
                (view.snapshot(("facts", "encounters", "sessions"), scopes), dict(view.counts(scopes)), view.seq)
            )
    assert views[0] == views[1]
    answered = 0
    for ask in questions(desks[0]):
        naive, real = ask(desks[0]), ask(desks[1])
        assert naive == real
        answered += bool(naive.get("hits") or naive.get("nodes") or naive.get("facts"))
    assert answered > 100
    for desk in desks:
        with desk.store.read(OPERATOR) as view:
            near = view.vector_candidates(("facts",), (REPOSITORY,), "m", floats(*range(8)), floor=-1, limit=40)
            views.append([(item.id, score) for item, score in near])
    assert views[2] == views[3]
    assert len(views[2]) == 40
    desks[1].store.close()


# --- random lives -----------------------------------------------------------------------------------------------------

NAMES = ["Billing", "billing ", "Ledger", "Postgres", "pg", "Ann", "東京", "C++", "x" * 120]
PREDICATES = ["uses", "owned by", "SAME_AS"]
names, predicates = st.sampled_from(NAMES), st.sampled_from(PREDICATES)
people = st.sampled_from(("ann", "rita", "operator"))
triples = st.lists(st.builds(Triple, subject=names, predicate=predicates, object=names), min_size=1, max_size=3)


class Lives(RuleBasedStateMachine):
    """The same calls by three principals on a naive store and a real one; every outcome is compared."""

    engine = "sqlite"

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.sides = []
        for real in (False, True):
            clock = FakeClock()
            store = real_store(self.engine, Path(self.folder.name), clock) if real else MemoryStore(REPO, clock)
            self.sides.append(Desk(clock=clock, repository=REPO, store=store))
        self.handles: list[str] = []
        self.grants = {"ann": member("ann"), "rita": member("rita", right=Right.READ), "operator": OPERATOR}

    def both(self, act) -> Any:
        outcomes = []
        for desk in self.sides:
            desk.clock.advance(1)
            try:
                outcomes.append(act(desk))
            except RemoraError as error:
                outcomes.append((type(error).__name__, str(error)))
        assert outcomes[0] == outcomes[1]
        return outcomes[0]

    def ref(self, pick: int) -> SessionRef:
        return SessionRef(handle=self.handles[pick % len(self.handles)] if self.handles else "")

    @rule(who=people, said=triples, replace=st.booleans(), key=st.sampled_from(("", "", "k1", "k2")))
    def save(self, who, said, replace, key) -> None:
        request = RememberRequest(triples=said, replace=replace, idempotency_key=key)
        self.both(lambda desk: remember(desk, self.grants[who], request).to_json())

    @rule(who=people, said=triples, pick=st.integers(0, 5))
    def save_privately(self, who, said, pick) -> None:
        request = RememberRequest(triples=said, memory_scope="session", session=self.ref(pick))
        self.both(lambda desk: remember(desk, self.grants[who], request).to_json())

    @rule(who=people, number=st.integers(0, 3))
    def open(self, who, number) -> None:
        def act(desk):
            desk.grant = self.grants[who]
            return desk.advance(f"work {number}", "", session_id=f"s{number}-{who}", client="c").session

        handle = self.both(act)
        if isinstance(handle, str):
            self.handles.append(handle)

    @rule(who=people, pick=st.integers(0, 5), name=names)
    def note(self, who, pick, name) -> None:
        handle = self.ref(pick).handle
        self.both(lambda desk: desk.write(concept(name, "noted"), session=handle, grant=self.grants[who]))

    @rule(who=people, pick=st.integers(0, 5))
    def revoke(self, who, pick) -> None:
        request = RevokeSessionRequest(session=self.ref(pick))
        self.both(lambda desk: revoke_session(desk, self.grants[who], request).to_json())

    @rule(who=people, name=names)
    def lose(self, who, name) -> None:
        self.both(lambda desk: forget(desk, self.grants[who], ForgetRequest(entities=[name])).to_json())

    @rule(who=people, query=names, pick=st.integers(0, 5), scope=st.sampled_from(("repository", "session")))
    def ask(self, who, query, pick, scope) -> None:
        request = SearchNodesRequest(query=query, memory_scope=scope, session=self.ref(pick), history=True)
        self.both(lambda desk: search_nodes(desk, self.grants[who], request).to_json())

    @rule(who=people, ids=st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True), own=st.booleans())
    def put(self, who, ids, own) -> None:
        scope = session_scope("raw") if own else REPOSITORY
        one = [Node(id=i, family="facts", label="raw", scope=scope, name=i, tokens={"t": (i, "all")}) for i in ids]
        link = Edge(id="e", family="facts", label="link", scope=scope, source=ids[0], target=ids[-1])
        self.both(lambda desk: desk.store.apply(self.grants[who], lambda v, n: Changes(put=(*one, link))).seq)

    @rule(who=people, scope=st.sampled_from((session_scope("raw"), REPOSITORY)))
    def drop(self, who, scope) -> None:
        self.both(lambda desk: desk.store.drop_scope(self.grants[who], scope))

    def teardown(self) -> None:
        if hasattr(self, "sides"):
            try:
                self.both(everything)
                assert self.sides[1].store.verify() == ()
            finally:
                self.sides[1].store.close()
                self.folder.cleanup()


def everything(desk: Desk) -> tuple[Any, ...]:
    """All that a store can tell."""
    with desk.store.read(OPERATOR) as view:
        scopes = (REPOSITORY, SYSTEM, session_scope("raw"))
        found = view.text_candidates(("facts",), scopes, ["all", "billing"], ["p"], limit=7)
        return (
            view.seq, dict(view.counts(scopes)), view.snapshot(("facts", "encounters", "sessions"), scopes),
            view.changes(0, limit=999), found.items, found.total, found.stats,
        )  # fmt: skip


def live(engine: str, examples: int, steps: int) -> None:
    Lives.engine = engine
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    run_state_machine_as_test(
        Lives,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=checks, database=None
        ),
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_three_principals_live_alike_on_the_engine_and_the_naive_store(engine):
    live(engine, 12, 20)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("engine", ENGINES)
def test_three_principals_live_alike_for_long(engine):
    live(engine, 500, 50)
