"""What of the graph one infusion looks at: bounded, so that a prompt costs the same in a graph of any size."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from remora.core import policy
from remora.core.encounters.nodes import Authored, authored
from remora.core.encounters.schema import (
    AUTHORED_RELATIONS,
    CHALLENGES,
    CITATION,
    COMPONENT,
    FAMILY,
    HYPOTHESIS,
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


def gather(view: View, focal: Sequence[str], known: Iterable[Node]) -> Authored:
    """The authored graph two relations around the focal nodes, with the known nodes, and with every relation that
    settles or contests one of them: a node's state must not depend on the way it was reached.
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
    settled = [item for item, node in nodes.items() if node.label not in (COMPONENT, CITATION)]
    ends = view.expand(
        settled,
        (REPOSITORY,),
        labels=_ENDINGS,
        outgoing=False,
        per_node=_ENDINGS_PER_NODE,
        limit=_ENDINGS_PER_NODE * max(1, len(settled)),
    )
    nodes.update((node.id, node) for node in ends.nodes)
    edges: dict[str, Edge] = {edge.id: edge for edge in (*around.edges, *ends.edges)}
    return authored([*nodes.values(), *edges.values()])
