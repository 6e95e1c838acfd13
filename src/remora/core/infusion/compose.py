"""What an infusion has to say about the graph: conflicts first, then what was recognised, then what lies around it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from remora.core.encounters.frontier import Frontier, displaced
from remora.core.encounters.nodes import Authored, number, properties, reference, status, text, trust
from remora.core.encounters.schema import (
    ABOUT,
    CHALLENGES,
    CITATION,
    COMPONENT,
    HYPOTHESIS,
    INFORMS,
    QUESTION,
    RESOLVES,
    SUPERSEDES,
    SUPPORTS,
)
from remora.core.encounters.values import Scrub
from remora.core.graph import Edge, Node
from remora.core.infusion.ledger import state_hash
from remora.core.infusion.payload import Block, Section, one_line, shortened
from remora.core.infusion.rank import Restart, severity
from remora.core.infusion.select import Selection
from remora.core.policy import (
    INFUSE_BODY_CHARS,
    INFUSE_NEIGHBOURS_MAX,
    INFUSE_THREADS_MAX,
    TENSION_SEVERITY_MIN,
)
from remora.core.scope import Trust

_PROGRESSION_NODES = 6


@dataclass(frozen=True, slots=True)
class Offer:
    """A ranked item of another family (a record's pitfall, a repository fact) for the same budget.

    `source` says where it comes from; `severity` is 0..1 within its family; `state` changes when its content does.
    """

    key: str
    family: str
    title: str
    body: str
    source: str
    severity: float
    trust: Trust
    pitfall: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """The gathered part of the graph, ranked: `rank` is biased, `mass` is the same projection without bias."""

    graph: Authored
    settled: frozenset[str]
    frontier: Frontier
    selection: Selection
    restart: Restart
    rank: Mapping[str, float]
    mass: Mapping[str, float]


def deliverable(node: Node) -> bool:
    """Whether an unasked channel may carry the node: what came from outside or was derived waits to be asked for."""
    return trust(node) >= Trust.AGENT


def blocks(scene: Scene, offers: Iterable[Offer], scrub: Scrub) -> list[Block]:
    """Everything worth saying, each block in its section; formatting and the ledger decide what is said."""
    writer = _Writer(scene, scrub)
    said = [*writer.tensions(), *(_offered(offer, scrub) for offer in offers if offer.trust >= Trust.AGENT)]
    return [*said, *writer.recognised(), *writer.neighbours(), *writer.progressions(), *writer.threads()]


def surfaced(scene: Scene) -> list[str]:
    """Ids in order of what matters now: the recognised, then what they lead to by rank."""
    return [*(focal.id for focal in scene.selection.focal), *_led_to(scene)]


def _led_to(scene: Scene) -> list[str]:
    """Neighbours by rank; those that accumulated weight alone come after those that the moment lifts."""
    focal = {row.id for row in scene.selection.focal}
    near = {
        other
        for edge in scene.graph.edges
        for here, other in ((edge.source, edge.target), (edge.target, edge.source))
        if here in focal and other not in focal
    } | set(scene.restart.expansion)
    gone = displaced(scene.graph.edges)
    ideas = [item for item in near if item in scene.rank and item not in gone and deliverable(scene.graph.nodes[item])]
    top_mass = max(scene.mass.values(), default=0.0) or 1.0
    top_rank = max(scene.rank.values(), default=0.0) or 1.0
    lifted = {item: scene.rank[item] / top_rank >= scene.mass.get(item, 0.0) / top_mass for item in ideas}
    return sorted(ideas, key=lambda item: (not lifted[item], -round(scene.rank[item], 12), item))


def _tellable(scene: Scene, item: str) -> bool:
    """Whether the node's state is known in full and an unasked channel may carry it."""
    node = scene.graph.nodes[item]
    return deliverable(node) and (item in scene.settled or node.label in (COMPONENT, CITATION))


def _offered(offer: Offer, scrub: Scrub) -> Block:
    title = one_line(scrub(offer.title))
    label = f"({offer.family} · {one_line(scrub(offer.source))} · {offer.trust.name.lower()})"
    body = shortened(scrub(offer.body), INFUSE_BODY_CHARS)
    return Block(
        section=Section.PITFALLS if offer.pitfall else Section.FACTS,
        lines=(f"- {title}{': ' if body else ''}{body} {label}",),
        severity=offer.severity,
        key=offer.key,
        state=state_hash(offer.title, offer.body),
        handle=f"- {title} ({offer.family})",
    )


class _Writer:
    def __init__(self, scene: Scene, scrub: Scrub) -> None:
        self._scene = scene
        self._scrub = scrub
        self._near = _led_to(scene)[:INFUSE_NEIGHBOURS_MAX]
        self._nodes = {item: node for item, node in scene.graph.nodes.items() if deliverable(node)}
        self._edges = [e for e in scene.graph.edges if e.source in self._nodes and e.target in self._nodes]
        self._incoming: dict[str, dict[str, list[Edge]]] = defaultdict(lambda: defaultdict(list))
        for edge in self._edges:
            self._incoming[edge.target][edge.label].append(edge)

    def _name(self, node: Node) -> str:
        return one_line(self._scrub(reference(node)))

    def _state(self, node: Node) -> str:
        """Changes when the node does, or when what is held for and against it does."""
        held = self._incoming[node.id]
        counts = [f"{label}{len(held[label])}" for label in (SUPPORTS, CHALLENGES, RESOLVES, SUPERSEDES)]
        return state_hash(str(sorted(properties(node).items())), str(number(node, "version")), *counts)

    def _severity(self, *ends: str) -> float:
        return severity(ends, self._scene.rank)

    def _body(self, node: Node, section: Section, why: str) -> Block:
        description = shortened(self._scrub(text(node, "description")), INFUSE_BODY_CHARS)
        facets = [status(node), text(node, "confidence") and f"confidence {text(node, 'confidence')}"]
        label = " · ".join(
            ["encounters", f"tick {number(node, 'tick')}", *filter(None, facets), trust(node).name.lower()]
        )
        return Block(
            section=section,
            lines=(f"- {self._name(node)}{': ' if description else ''}{description} ({label}) {why}".rstrip(),),
            severity=self._severity(node.id),
            key=node.id,
            state=self._state(node),
            handle=f"- {self._name(node)} (encounters)",
        )

    def tensions(self) -> list[Block]:
        """Hypotheses that evidence contradicts, near what was recognised; the distant ones are parked."""
        found: list[Block] = []
        gone = displaced(self._edges)
        for item in sorted(self._nodes):
            against = self._incoming[item][CHALLENGES]
            node = self._nodes[item]
            if node.label != HYPOTHESIS or not against or item in gone or status(node) in ("falsified", "retired"):
                continue
            supported = len(self._incoming[item][SUPPORTS])
            challengers = [self._nodes[edge.source] for edge in against]
            weight = self._severity(item, *(challenger.id for challenger in challengers))
            names = ", ".join(self._name(challenger) for challenger in challengers[:3])
            more = f" and {len(challengers) - 3} more" if len(challengers) > 3 else ""
            line = f"- {self._name(node)} is challenged by {names}{more}; supported by {supported} (encounters)"
            if weight < TENSION_SEVERITY_MIN or item not in self._scene.settled:
                found.append(Block(Section.PARKED, (line,), weight))
                continue
            body = shortened(self._scrub(text(node, "description")), INFUSE_BODY_CHARS)
            state = state_hash(self._state(node), *(self._state(challenger) for challenger in challengers))
            lines = (line, f"  {body}") if body else (line,)
            found.append(Block(Section.TENSION, lines, weight, f"tension:{item}", state, line))
        return found

    def recognised(self) -> list[Block]:
        """The focal nodes, each with how it was recognised."""
        rows = [(self._nodes.get(row.id), row.why) for row in self._scene.selection.focal]
        return [self._body(node, Section.RECOGNISED, f"[by {why}]") for node, why in rows if node is not None]

    def neighbours(self) -> list[Block]:
        """What the recognised lead to, over one relation."""
        return [self._body(self._nodes[item], Section.NEIGHBOURHOOD, "") for item in self._near]

    def progressions(self) -> list[Block]:
        """Per component that focal nodes are about: how the thinking about it went, in time."""
        focal = {row.id for row in self._scene.selection.focal}
        about: dict[str, set[str]] = defaultdict(set)
        for edge in self._edges:
            if edge.label in (ABOUT, INFORMS) and self._nodes[edge.target].label == COMPONENT:
                about[edge.target].add(edge.source)
        found: list[Block] = []
        for component, sources in sorted(about.items()):
            if len(sources) < 2 or not (component in focal or sources & focal):
                continue
            steps = sorted((self._nodes[s] for s in sources), key=lambda node: (node.created, node.id))
            shown = " → ".join(f"t{number(node, 'tick')} {self._name(node)}" for node in steps[-_PROGRESSION_NODES:])
            earlier = f"({len(steps) - _PROGRESSION_NODES} earlier) " if len(steps) > _PROGRESSION_NODES else ""
            line = f"- {self._name(self._nodes[component])}: {earlier}{shown} (encounters)"
            found.append(Block(Section.PROGRESSIONS, (line,), self._severity(component, *sources)))
        return found

    def threads(self) -> list[Block]:
        """Open questions and untested hypotheses that the ranking reached, the closest first."""
        shown = {*(row.id for row in self._scene.selection.focal), *self._near}
        ids = [item for item in self._scene.frontier.open_work if item in self._nodes and item not in shown]
        ids.sort(key=lambda item: (-self._severity(item), item))
        kinds = {QUESTION: "unanswered", HYPOTHESIS: "untested"}
        return [
            Block(
                Section.THREADS,
                (f"- {self._name(self._nodes[item])} ({kinds[self._nodes[item].label]} · encounters)",),
                self._severity(item),
            )
            for item in ids[:INFUSE_THREADS_MAX]
        ]


def signature(scene: Scene, offers: Sequence[Offer], scrub: Scrub) -> tuple[str, ...]:
    """Why this surfaced: what was recognised, by what, from which seeds; and that it is a proposal."""
    nodes = scene.graph.nodes
    recognised = [one_line(scrub(reference(nodes[row.id]))) for row in scene.selection.focal if row.id in nodes]
    names = ", ".join([*recognised, *sorted({offer.family for offer in offers})]) or "nothing by name"
    why = f" ({scene.selection.fallback})" if scene.selection.fallback else ""
    seeds = scene.restart
    counts = f"{len(seeds.focal)} focal, {len(seeds.expansion)} beside, {len(seeds.frontier)} open"
    return (
        f"Recognised: {names}.",
        f"Selection: {scene.selection.channel}{why}; seeds {seeds.mode} ({counts}).",
        "A proposal: keep your own judgement.",
    )
