"""What of the graph one infusion looks at: bounded, so that a prompt costs the same in a graph of any size."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from remora.core import policy
from remora.core.encounters.nodes import Authored, authored
from remora.core.encounters.schema import (
    AUTHORED_RELATIONS,
    CHALLENGES,
    CONCEPT,
    FAMILY,
    HYPOTHESIS,
    NOTE,
    OBSERVATION,
    QUESTION,
    REBINDS,
    RESOLVES,
    SUPERSEDES,
    SUPPORTS,
)
from remora.core.graph import Edge, Item, Neighbourhood, Node
from remora.core.scope import REPOSITORY

_ENDINGS = (RESOLVES, REBINDS, SUPERSEDES, SUPPORTS, CHALLENGES)
_ENDINGS_PER_NODE = 20
_SETTLED = frozenset({QUESTION, HYPOTHESIS, CONCEPT, NOTE, OBSERVATION})


class View(Protocol):
    """The part of a store's view that infusion reads."""

    def scan(
        self,
        family: str,
        label: str,
        scopes: Collection[str],
        *,
        after: str = "",
        limit: int,
        newest_first: bool = False,
    ) -> tuple[tuple[Item, ...], str]:
        """A page of items."""
        ...

    def expand(
        self,
        ids: Collection[str],
        scopes: Collection[str],
        *,
        labels: Collection[str],
        names: Collection[str] = (),
        outgoing: bool = True,
        incoming: bool = True,
        hops: int = 1,
        per_node: int,
        limit: int,
    ) -> Neighbourhood:
        """Edges around ids."""
        ...


def newest_threads(view: View) -> list[Node]:
    """The newest questions and hypotheses, open or not."""
    return [
        item
        for label in (QUESTION, HYPOTHESIS)
        for item in view.scan(FAMILY, label, (REPOSITORY,), limit=policy.INFUSE_FRONTIER_SCAN, newest_first=True)[0]
        if isinstance(item, Node)
    ]


def links(view: View, ids: Collection[str]) -> list[tuple[str, str]]:
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


def gather(view: View, focal: Sequence[str], known: Iterable[Node]) -> Authored:
    """The authored graph two relations around the focal nodes, and the known nodes.

    For what may be shown every relation that settles or contests it is read, so that its state does not depend on the
    way it was reached; for threads further off one such relation is enough to tell that they are not open.
    """
    around = view.expand(
        focal,
        (REPOSITORY,),
        labels=AUTHORED_RELATIONS,
        hops=2,
        per_node=policy.INFUSE_FAN_OUT,
        limit=policy.INFUSE_EDGES_MAX,
    )
    nodes = {node.id: node for node in (*known, *around.nodes)}
    beside = {
        end for edge in around.edges for end in (edge.source, edge.target) if {edge.source, edge.target} & {*focal}
    }
    shown = {item for item in {*focal, *beside} if item in nodes and nodes[item].label in _SETTLED}
    shown |= {node.id for node in around.nodes if node.label == HYPOTHESIS}
    threads = {item for item, node in nodes.items() if node.label in (QUESTION, HYPOTHESIS)} - shown
    edges: dict[str, Edge] = {edge.id: edge for edge in around.edges}
    for ids, per_node in ((shown, _ENDINGS_PER_NODE), (threads, 1)):
        ends = _endings(view, sorted(ids), per_node)
        nodes.update((node.id, node) for node in ends.nodes)
        edges.update((edge.id, edge) for edge in ends.edges)
    return authored([*nodes.values(), *edges.values()])


def _endings(view: View, ids: Sequence[str], per_node: int) -> Neighbourhood:
    return view.expand(
        ids,
        (REPOSITORY,),
        labels=_ENDINGS,
        outgoing=False,
        per_node=per_node,
        limit=per_node * max(1, len(ids)),
    )
