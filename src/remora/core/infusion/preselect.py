"""Which meanings a matcher is offered: chosen here, so that a prompt costs the same in a graph of any size."""

from collections.abc import Iterable, Sequence
from itertools import islice

from remora.core import policy
from remora.core.embedding import QueryVector
from remora.core.encounters.frontier import displaced
from remora.core.encounters.schema import AUTHORED_RELATIONS, FAMILY, SUPERSEDES
from remora.core.graph import Node
from remora.core.infusion.gather import newest_threads
from remora.core.infusion.meanings import FAMILY as MEANINGS
from remora.core.infusion.meanings import LABEL, compressible, sentences
from remora.core.infusion.select import Moment, ranked_locally
from remora.core.recall.vector_leg import IDEAS
from remora.core.scope import REPOSITORY, SYSTEM
from remora.core.store_read import StoreRead


def preselected(
    view: StoreRead, moment: Moment, vector: QueryVector | None, named: Sequence[Node] = ()
) -> dict[str, str]:
    """Node id -> sentence, `MEANINGS_MAX` at most: by words of nodes and of meanings, by vectors, by relations to the
    best of these and to components that are named, then open work and the newest. What was superseded is left out.
    """
    lexical = _by_words(view, moment)
    near = _by_vectors(view, vector)
    anchors = [node.id for node in named]
    linked = _linked(view, [*anchors, *lexical[: policy.FOCAL_MAX], *near[: policy.FOCAL_MAX]])
    ids = dict.fromkeys((*lexical, *near, *(node.id for node in linked)))
    nodes: dict[str, Node] = {item.id: item for item in view.get(ids, (REPOSITORY,)).values() if isinstance(item, Node)}
    ordered = [nodes[item] for item in ids if item in nodes]
    fill = [*newest_threads(view), *_newest(view)]
    offered = {node.id: node for node in (*ordered, *fill) if compressible(node)}
    gone = _superseded(view, offered)
    found = sentences(view, (node for item, node in offered.items() if item not in gone))
    return dict(islice(found.items(), policy.MEANINGS_MAX))


def _by_words(view: StoreRead, moment: Moment) -> list[str]:
    """Ids of nodes that share words with the moment, and of those whose meanings do, in turns; best first."""
    limit = policy.INFUSE_CANDIDATES
    own = view.text_candidates((FAMILY,), (REPOSITORY,), moment.terms, labels=IDEAS, limit=limit)
    said = view.text_candidates((MEANINGS,), (SYSTEM,), moment.terms, limit=limit)
    names = {item.id: item.name for item in said.items if isinstance(item, Node)}
    by_meaning = [names[item] for item in ranked_locally(moment, said.items, said.stats)]
    return _in_turns(ranked_locally(moment, own.items, own.stats), by_meaning)[: policy.MEANINGS_LEXICAL_MAX]


def _in_turns(*rankings: Sequence[str]) -> list[str]:
    longest = max(map(len, rankings), default=0)
    return list(dict.fromkeys(row[at] for at in range(longest) for row in rankings if at < len(row)))


def _by_vectors(view: StoreRead, vector: QueryVector | None) -> list[str]:
    """The nearest, also below the model's floor: what is offered is not yet recognised."""
    if vector is None:
        return []
    found = view.vector_candidates(
        (FAMILY,), (REPOSITORY,), vector.model, vector.data, floor=0.0, limit=policy.MEANINGS_NEAR_MAX
    )
    return [item.id for item, _ in found]


def _linked(view: StoreRead, ids: Sequence[str]) -> list[Node]:
    if not ids:
        return []
    around = view.expand(
        ids,
        (REPOSITORY,),
        labels=AUTHORED_RELATIONS,
        hops=2,
        per_node=policy.INFUSE_FAN_OUT,
        limit=policy.INFUSE_EDGES_MAX,
    )
    fresh = sorted((node for node in around.nodes if node.id not in ids), key=lambda node: (-node.updated, node.id))
    return [node for node in fresh if compressible(node)][: policy.MEANINGS_LINKED_MAX]


def _newest(view: StoreRead) -> list[Node]:
    """Nodes whose meanings were made last, so that a small graph is offered whole."""
    page, _ = view.scan(MEANINGS, LABEL, (SYSTEM,), limit=policy.MEANINGS_NEWEST, newest_first=True)
    found = view.get([item.name for item in page], (REPOSITORY,))
    ordered = (found.get(item.name) for item in page)
    return [node for node in ordered if isinstance(node, Node)]


def _superseded(view: StoreRead, ids: Iterable[str]) -> set[str]:
    """Those of the nodes that a newer one replaced."""
    wanted = list(ids)
    around = view.expand(
        wanted,
        (REPOSITORY,),
        labels=(SUPERSEDES,),
        outgoing=False,
        per_node=1,
        limit=max(1, len(wanted)),
    )
    return set(displaced(around.edges))
