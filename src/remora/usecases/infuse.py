"""Governed recall that was not asked for: what bears on a prompt, or nothing. Reads only; delivery is stamped apart."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from remora.core import policy
from remora.core.analytics.topology import project
from remora.core.embedding import passages
from remora.core.emphasis import emphases
from remora.core.encounters.frontier import Frontier, frontier
from remora.core.encounters.nodes import Authored, reference
from remora.core.encounters.values import Scrub, scrubber
from remora.core.errors import InvalidInput, RemoraError
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.graph import Json, Node
from remora.core.infusion.chores import CHORES
from remora.core.infusion.compose import Offer, Scene, blocks, signature, surfaced
from remora.core.infusion.gather import Gathered, gather, newest_threads
from remora.core.infusion.ledger import Ledger, ledger_id
from remora.core.infusion.local import Words, select_by_words, tellable
from remora.core.infusion.near import near_moment
from remora.core.infusion.offers import fact_offers, record_offers, subjects
from remora.core.infusion.payload import Payload, assemble
from remora.core.infusion.rank import Restart, coherence, one_hop, restart
from remora.core.infusion.select import Choice, Patience, Selection, select_matched
from remora.core.recall.gate import gate
from remora.core.recall.pipeline import Terms, recall_facts
from remora.core.recall.vector_leg import similar
from remora.core.recall.vector_state import asked
from remora.core.records import evidence
from remora.core.scope import REPOSITORY, SYSTEM, Grant
from remora.core.sessions import SessionRef, resolve
from remora.core.text import parse_query
from remora.ports import InfusionPorts, StoreRead

MODES = ("full", "delta")
NOTHING = Gathered(Authored({}, ()))


@dataclass(frozen=True, slots=True)
class InfuseRequest:
    """`text` is the prompt (full) or what a tool call is about (delta); `trajectory` earlier user turns, oldest first.

    Without a `session` nothing is remembered as told. Records are looked up for `files` (paths the turn touches) and
    for paths that the text names.
    """

    text: str
    session: SessionRef = field(default_factory=SessionRef)
    mode: str = "full"
    frontier_bias: float = policy.FRONTIER_BIAS
    expansion_bias: float = policy.EXPANSION_BIAS
    max_chars: int = policy.INFUSE_MAX_CHARS
    trajectory: Sequence[str] = ()
    files: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What to stamp once the payload was delivered; pass it to `stamp_delivery`, and only then."""

    session: SessionRef
    delivered: tuple[tuple[str, str], ...]
    delta: bool


@dataclass(frozen=True, slots=True)
class Infusion:
    """The payload ("" when `silence`, with the reason) and how it came about.

    `selection_channel` is `meaning` when a model chose, else `local`, with the reason in `fallback` when a routed model
    did not. `timings` are microseconds: asking the model, reading the store, composing, and all of it.
    """

    payload: str
    mode: str
    silence: bool
    reason: str
    seeds: dict[str, Json]
    turn: int
    counts: dict[str, Json]
    renewal: dict[str, Json]
    selection_channel: str
    fallback: str
    surfaced: tuple[str, ...]
    receipt: Receipt
    timings: dict[str, Json]


@dataclass(frozen=True, slots=True)
class _Read:
    """Everything read from the store, in one view; when asking the model and reading ended (microseconds)."""

    ledger: Ledger
    selection: Selection
    at_hand: Gathered
    offers: tuple[Offer, ...]
    chosen_at: int
    read_at: int


def infuse(ports: InfusionPorts, grant: Grant, request: InfuseRequest) -> Infusion:
    """Select, rank, compose and format. Raises `InvalidInput` or `NotFound` (no such session).

    A full infusion asks the model of task `meaning`, where one is routed; whatever goes wrong with it falls back to the
    local selection and is said.
    """
    _check(request)
    begun = ports.clock.now()
    scrub = scrubber(ports.redact)
    gated = gate(request.text)
    with ports.store.read(grant) as view:
        ledger = _ledger(view, grant, request.session, begun)
    if gated and not request.files:
        return _silent(ports, request, ledger, gated.value, begun)
    words = Words.of(request.text, request.trajectory)
    chosen = None if gated or request.mode == "delta" else _chosen(ports, grant, words, scrub)
    chosen_at = ports.clock.now() if chosen else begun
    with ports.store.read(grant) as view:
        read = _read(view, words, request.files, ledger, chosen, chosen_at, ports)
    read = replace(read, offers=(*_records(ports, grant, request), *read.offers), read_at=ports.clock.now())
    if not read.selection.focal and not read.offers:
        return _silent(ports, request, ledger, "nothing recognised", begun, read)
    scene = _scene(ports, request, read)
    payload = _payload(request, read, scene, lambda text: text)
    if scrub(payload.text) != payload.text:  # secrets from before: now piece by piece, so that the budget holds
        payload = _payload(request, read, scene, scrub)
    reason = "" if payload.text else "no room" if payload.dropped else "nothing new"
    return _infusion(ports, request, read, scene, payload, reason, begun)


def _payload(request: InfuseRequest, read: _Read, scene: Scene, scrub: Scrub) -> Payload:
    return assemble(
        signature(scene, read.offers, scrub),
        blocks(scene, read.offers, scrub),
        read.ledger,
        max_chars=request.max_chars,
        delta=request.mode == "delta",
    )


def _check(request: InfuseRequest) -> None:
    if request.mode not in MODES:
        raise InvalidInput("mode", f"{request.mode[:40]!r} is unknown", allowed=", ".join(MODES))
    for name, bias in (("frontier_bias", request.frontier_bias), ("expansion_bias", request.expansion_bias)):
        if not 0.0 <= bias <= 1.0:
            raise InvalidInput(name, f"{bias} is out of range", allowed="0 to 1")
    if not 1 <= request.max_chars <= policy.INFUSE_MAX_CHARS_CAP:
        allowed = f"1 to {policy.INFUSE_MAX_CHARS_CAP}"
        raise InvalidInput("max_chars", f"{request.max_chars} is out of range", allowed=allowed)


def _ledger(view: StoreRead, grant: Grant, ref: SessionRef, now: int) -> Ledger:
    if not ref.given:
        return Ledger()
    key = ledger_id(resolve(view, grant, ref, now).id)
    return Ledger.of(view.get((key,), (SYSTEM,)).get(key))


def _read(
    view: StoreRead,
    words: Words,
    files: Sequence[str],
    ledger: Ledger,
    chosen: Choice | None,
    chosen_at: int,
    ports: InfusionPorts,
) -> _Read:
    near = near_moment(view, ports.embedder, lambda: _chores(ports), words.prompt, words.turns)
    threads = newest_threads(view)
    if chosen is not None and chosen.ids is not None:
        found = {item: node for item, node in view.get(chosen.ids, (REPOSITORY,)).items() if tellable(node)}
        selection = select_matched(chosen.ids, found, chosen.offered)
    else:
        selection = select_by_words(view, words, files, near, chosen.fault if chosen else "")
    focal = [row.id for row in selection.focal]
    known = [node for node in view.get(focal, (REPOSITORY,)).values() if isinstance(node, Node)]
    at_hand = gather(view, focal, [*threads, *known]) if focal else NOTHING
    facts = recall_facts(
        view,
        REPOSITORY,
        parse_query(words.prompt),
        Terms(unasked=True),
        redact=ports.redact,
        limit=policy.INFUSE_FACTS_MAX,
        similar=similar(view, (FACTS,), REPOSITORY, near.vector),
    )
    hits = emphases(view).ordered(facts.hits)
    return _Read(ledger, selection, at_hand, fact_offers(hits), chosen_at, chosen_at)


def _chores(ports: InfusionPorts) -> tuple[bytes, ...]:
    """Everyday requests as vectors, made once per process and model; none where the model fails."""
    if ports.embedder is None:
        return ()
    key = ("chores", ports.embedder.id)
    rows = ports.cache.get(key)
    if not isinstance(rows, tuple):
        try:
            rows = tuple(row for row in passages(ports.embedder, CHORES) if row is not None)
        except RemoraError:
            return ()
        ports.cache.put(key, rows)
    return rows


def _chosen(ports: InfusionPorts, grant: Grant, words: Words, scrub: Scrub) -> Choice | None:
    """What the routed model chose among the meanings that are offered to it, or why it did not; None without a route.

    No view of the store is open while the model thinks.
    """
    try:
        models = ports.models
    except RemoraError as error:  # the models' file cannot be used
        return Choice(fault=f"matcher: {error.code}")
    if models is None:  # a hook's process, which waits for each import
        return None
    from remora.core.infusion.choice import consult
    from remora.core.infusion.preselect import preselected
    from remora.core.models.routes import Task

    try:
        model = models.routed(Task.MEANING)
        if model is None:
            return None
        rest = ("matcher_rest", ports.repository.id)
        kept = ports.cache.get(rest)
        patience = kept if isinstance(kept, Patience) else Patience()
        if ports.clock.now() < patience.until:
            return Choice(fault="matcher: rests after timeouts")
        with ports.store.read(grant) as view:
            vector = asked(view, ports.embedder, words.prompt).vector
            meanings = preselected(view, words.moment, vector, words.named(view, ()))
        if not meanings:
            return Choice(fault="matcher: no meanings yet")
        choice = consult(model, scrub(words.prompt), [scrub(turn) for turn in words.turns], meanings)
        ports.cache.put(rest, patience.after(choice, ports.clock.now()))
    except RemoraError as error:
        return Choice(fault=f"matcher: {error.code}")
    return choice


def _records(ports: InfusionPorts, grant: Grant, request: InfuseRequest) -> tuple[Offer, ...]:
    """Pitfalls and decisions of the files in play; the index is not even opened when there are none."""
    asked = subjects(request.text[: policy.TRAJECTORY_MAX_CHARS], request.files)
    if not asked:
        return ()
    with ports.record_index.view(grant) as view:
        return record_offers(evidence.gather(view, asked, rows=policy.INFUSE_RECORDS_MAX))


def _scene(ports: InfusionPorts, request: InfuseRequest, read: _Read) -> Scene:
    graph = read.at_hand.graph
    cuts = frontier(graph)
    focal = [row.id for row in read.selection.focal if row.id in graph.nodes]
    beside = one_hop(focal, graph.nodes, graph.edges)
    seeds = restart(
        focal,
        beside,
        cuts.open_work if focal else (),
        frontier_bias=request.frontier_bias,
        expansion_bias=request.expansion_bias,
    )
    projection = project(graph.nodes, coherence(graph.edges))
    weights = {projection.index[item]: weight for item, weight in seeds.weights.items()}
    rank = ports.metrics.pagerank(projection.topology, weights) if weights else (0.0,) * len(projection.ids)
    mass = ports.metrics.pagerank(projection.topology)
    return Scene(
        graph,
        read.at_hand.settled,
        cuts,
        read.selection,
        seeds,
        dict(zip(projection.ids, rank, strict=True)),
        dict(zip(projection.ids, mass, strict=True)),
    )


def _silent(
    ports: InfusionPorts, request: InfuseRequest, ledger: Ledger, reason: str, begun: int, read: _Read | None = None
) -> Infusion:
    selection = read.selection if read else Selection()
    kept = replace(read, at_hand=NOTHING, offers=()) if read else _Read(ledger, selection, NOTHING, (), begun, begun)
    scene = Scene(NOTHING.graph, frozenset(), Frontier(), selection, Restart("none"), {}, {})
    return _infusion(ports, request, kept, scene, Payload(), reason, begun)


def _infusion(
    ports: InfusionPorts,
    request: InfuseRequest,
    read: _Read,
    scene: Scene,
    payload: Payload,
    reason: str,
    begun: int,
) -> Infusion:
    scrub: Scrub = scrubber(ports.redact)
    delta = request.mode == "delta"
    seeds = scene.restart
    return Infusion(
        payload=payload.text,
        mode=request.mode,
        silence=not payload.text,
        reason=reason,
        seeds={
            "mode": seeds.mode,
            "focal": len(seeds.focal),
            "expansion": len(seeds.expansion),
            "frontier": len(seeds.frontier),
            "biases": {
                "focal": policy.FOCAL_BIAS,
                "expansion": request.expansion_bias,
                "frontier": request.frontier_bias,
            },
        },
        turn=read.ledger.turn + (0 if delta else 1),
        counts={
            "considered": read.selection.considered,
            "gathered": len(read.at_hand.graph.nodes),
            "offers": len(read.offers),
            "characters": len(payload.text),
        },
        renewal={
            "fresh": payload.fresh,
            "standing": payload.standing,
            "delivered": len(payload.delivered),
            "dropped": payload.dropped,
        },
        selection_channel=read.selection.channel,
        fallback=read.selection.fallback,
        surfaced=tuple(
            scrub(reference(scene.graph.nodes[item])) for item in surfaced(scene) if item in scene.graph.nodes
        ),
        receipt=Receipt(request.session, payload.delivered, delta),
        timings=_timings(begun, read, ports.clock.now()),
    )


def _timings(begun: int, read: _Read, ended: int) -> dict[str, Json]:
    moments = (begun, read.chosen_at, read.read_at, ended)
    model, store, rest = (max(0, later - earlier) for earlier, later in pairwise(moments))
    return {"model": model, "store": store, "compose": rest, "total": max(0, ended - begun)}
