"""What of the graph one infusion looks at: bounded, so that a prompt costs the same in a graph of any size."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.encounters.nodes import Authored, authored
from remora.core.encounters.schema import (
    ABOUT,
    AUTHORED_RELATIONS,
    CHALLENGES,
    CITATION,
    COHERENCE_RELATIONS,
    COMPONENT,
    FAMILY,
    HYPOTHESIS,
    QUESTION,
    REBINDS,
    RESOLVES,
    SUPERSEDES,
    SUPPORTS,
)
from remora.core.graph import Edge, Node
from remora.core.scope import REPOSITORY
from remora.core.store_read import StoreRead

_ENDINGS = (RESOLVES, REBINDS, SUPERSEDES, SUPPORTS, CHALLENGES)
_REFERENCES = frozenset({COMPONENT, CITATION})


def newest_threads(view: StoreRead) -> list[Node]:
    """The newest questions and hypotheses, open or not."""
    return [
        item
        for label in (QUESTION, HYPOTHESIS)
        for item in view.scan(FAMILY, label, (REPOSITORY,), limit=policy.INFUSE_FRONTIER_SCAN, newest_first=True)[0]
        if isinstance(item, Node)
    ]


def links(view: StoreRead, ids: Collection[str]) -> list[tuple[str, str]]:
    """Pairs of these nodes that an authored relation joins."""
    around = view.expand(
        ids,
        (REPOSITORY,),
        labels=AUTHORED_RELATIONS,
        incoming=False,
        per_node=policy.INFUSE_LINKS_PER_NODE,
        limit=policy.INFUSE_LINKS_PER_NODE * max(1, len(ids)),
    )
    return [(edge.source, edge.target) for edge in around.edges if edge.source in ids and edge.target in ids]


def beside(view: StoreRead, named: Sequence[Node]) -> list[Node]:
    """The newest nodes about the components."""
    around = view.expand(
        [node.id for node in named],
        (REPOSITORY,),
        labels=(ABOUT,),
        outgoing=False,
        per_node=policy.INFUSE_FAN_OUT,
        limit=policy.INFUSE_FAN_OUT * max(1, len(named)),
    )
    return [node for node in around.nodes if node.label != COMPONENT] if named else []


@dataclass(frozen=True, slots=True)
class Gathered:
    """The part of the authored graph at hand. `settled` are nodes whose coherence relations were all read: only their
    state is known, however they were reached.
    """

    graph: Authored
    settled: frozenset[str] = frozenset()


def gather(view: StoreRead, focal: Sequence[str], known: Iterable[Node]) -> Gathered:
    """Two relations around the focal nodes, and the known nodes with one relation that tells whether they are open."""
    near = view.expand(
        focal,
        (REPOSITORY,),
        labels=AUTHORED_RELATIONS,
        per_node=policy.INFUSE_FAN_OUT,
        limit=policy.INFUSE_EDGES_MAX,
    )
    nodes = {node.id: node for node in (*known, *near.nodes)}
    newest = sorted(near.edges, key=lambda edge: (-edge.updated, edge.id))
    ideas = dict.fromkeys([*focal, *(end for edge in newest for end in (edge.source, edge.target))])
    shown = [item for item in ideas if item in nodes and nodes[item].label not in _REFERENCES]
    shown = shown[: policy.INFUSE_SETTLED_MAX]
    around = view.expand(
        shown,
        (REPOSITORY,),
        labels=COHERENCE_RELATIONS,
        per_node=policy.INFUSE_FAN_OUT,
        limit=2 * policy.INFUSE_FAN_OUT * max(1, len(shown)),
    )
    nodes.update((node.id, node) for node in around.nodes)
    threads = sorted({item for item, node in nodes.items() if node.label in (QUESTION, HYPOTHESIS)} - set(shown))
    ends = view.expand(threads, (REPOSITORY,), labels=_ENDINGS, outgoing=False, per_node=1, limit=max(1, len(threads)))
    nodes.update((node.id, node) for node in ends.nodes)
    edges: dict[str, Edge] = {edge.id: edge for edge in (*near.edges, *around.edges, *ends.edges)}
    return Gathered(authored([*nodes.values(), *edges.values()]), frozenset(shown))
