"""The frontier: where the graph is thinnest. Five cuts over the authored graph, each a list of node ids."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

from remora.core.encounters.nodes import Authored, muted, status, text
from remora.core.encounters.schema import (
    ABOUT,
    CHALLENGES,
    CONCEPT,
    GROUNDS,
    HYPOTHESIS,
    OBSERVATION,
    QUESTION,
    REBINDS,
    RESOLVES,
    SUPERSEDES,
    SUPPORTS,
)
from remora.core.graph import Edge, Node

_LEAVES = frozenset({"retired", "falsified"})
_LIVE = frozenset({"", "proposed", "challenged"})


@dataclass(frozen=True, slots=True)
class Frontier:
    """Ids per cut, oldest first. A node may be in several cuts."""

    unanswered_questions: tuple[str, ...] = ()
    untested_hypotheses: tuple[str, ...] = ()
    ungrounded_concepts: tuple[str, ...] = ()
    confidence_dissonance: tuple[str, ...] = ()
    contested_hypotheses: tuple[str, ...] = ()

    @property
    def open_work(self) -> tuple[str, ...]:
        """Unanswered questions and untested hypotheses, each once, by id."""
        return tuple(sorted({*self.unanswered_questions, *self.untested_hypotheses}))

    @property
    def all(self) -> tuple[str, ...]:
        """Every node of any cut, each once, by id."""
        return tuple(sorted({node for cut in fields(self) for node in getattr(self, cut.name)}))


class _Incoming:
    """How many relations of each label end at a node, from which types."""

    def __init__(self, graph: Authored) -> None:
        self._counts: dict[tuple[str, str], int] = defaultdict(int)
        for edge in graph.edges:
            self._counts[edge.target, edge.label] += 1
            if edge.label == ABOUT and graph.nodes[edge.source].label == OBSERVATION:
                self._counts[edge.target, "observed"] += 1

    def count(self, node: Node, label: str) -> int:
        return self._counts.get((node.id, label), 0)

    def grounded(self, node: Node) -> bool:
        return bool(self.count(node, GROUNDS) or self.count(node, "observed"))


def displaced(edges: Iterable[Edge]) -> frozenset[str]:
    """Ids of nodes that a later node superseded or rebound."""
    return frozenset(edge.target for edge in edges if edge.label in (SUPERSEDES, REBINDS))


def frontier(graph: Authored) -> Frontier:
    """The five cuts. Muted, superseded, rebound, retired and falsified nodes are on none of them."""
    gone = displaced(graph.edges)
    live = sorted(
        (
            node
            for node in graph.nodes.values()
            if node.id not in gone and not muted(node) and status(node) not in _LEAVES
        ),
        key=lambda node: (node.created, node.id),
    )
    incoming = _Incoming(graph)

    def cut(label: str, test: Callable[[Node], bool]) -> tuple[str, ...]:
        return tuple(node.id for node in live if node.label == label and test(node))

    return Frontier(
        unanswered_questions=cut(QUESTION, lambda node: _unanswered(node, incoming)),
        untested_hypotheses=cut(HYPOTHESIS, lambda node: _untested(node, incoming)),
        ungrounded_concepts=cut(CONCEPT, lambda node: not incoming.grounded(node)),
        confidence_dissonance=tuple(node.id for node in live if _dissonant(node, incoming)),
        contested_hypotheses=cut(
            HYPOTHESIS, lambda node: bool(incoming.count(node, SUPPORTS) and incoming.count(node, CHALLENGES))
        ),
    )


def _unanswered(node: Node, incoming: _Incoming) -> bool:
    return status(node) in ("", "open") and not incoming.count(node, RESOLVES)


def _untested(node: Node, incoming: _Incoming) -> bool:
    return status(node) in _LIVE and not incoming.count(node, SUPPORTS) and not incoming.count(node, CHALLENGES)


def _dissonant(node: Node, incoming: _Incoming) -> bool:
    if node.label == HYPOTHESIS:
        return text(node, "confidence") == "high" and incoming.count(node, SUPPORTS) <= 1
    return node.label == CONCEPT and status(node) == "stable" and not incoming.grounded(node)
