"""Identities of nodes and relations: computed from (scope, type, name key), and how a caller's name is read."""

from collections.abc import Iterable, Mapping

from remora.core.encounters.nodes import reference
from remora.core.encounters.schema import NODE_TYPES
from remora.core.errors import Ambiguous, NotFound, RemoraError
from remora.core.graph import Item, Node
from remora.core.ids import computed_id
from remora.core.scope import REPOSITORY
from remora.core.text import fold_name, name_key


def node_id(node_type: str, name: str) -> str:
    """The id of the node of this type and name (however it is spelled, case and width apart)."""
    return computed_id("enc_", REPOSITORY, node_type, name_key(name))


def relation_id(label: str, source: str, target: str) -> str:
    """The id of the one relation of this label between two nodes."""
    return computed_id("rel_", REPOSITORY, label, source, target)


def version_id(node: str, version: int) -> str:
    """The id of an earlier version of a node, counted from 1."""
    return computed_id("ver_", node, str(version))


def candidate_ids(name: str) -> tuple[str, ...]:
    """Every id that a name may mean: `Type:name` read as typed first, then as a bare name of each type."""
    prefix, colon, rest = name.partition(":")
    typed = (node_id(prefix.strip(), rest),) if colon and prefix.strip() in NODE_TYPES and rest.strip() else ()
    return (*typed, *(node_id(node_type, name) for node_type in NODE_TYPES))


def named(name: str, found: Mapping[str, Item]) -> tuple[Node, ...]:
    """The nodes a name means among the items found; one when it was written as `Type:name` and that exists."""
    nodes = [item for item_id in candidate_ids(name) if isinstance(item := found.get(item_id), Node)]
    if nodes and nodes[0].id == candidate_ids(name)[0] and len(candidate_ids(name)) > len(NODE_TYPES):
        return (nodes[0],)
    return tuple(nodes)


def only(name: str, found: Mapping[str, Item]) -> Node:
    """The one node a name means. Raises `NotFound`, or `Ambiguous` with the typed names to choose from."""
    nodes = named(name, found)
    if not nodes:
        raise NotFound(
            f"no node named {fold_name(name)[:80]!r}", advice="search finds names, list_node_types the types"
        )
    if len(nodes) > 1:
        raise Ambiguous(f"{fold_name(name)[:80]!r} names {len(nodes)} nodes", [reference(node) for node in nodes])
    return nodes[0]


def all_candidate_ids(names: Iterable[str]) -> list[str]:
    """The candidate ids of many names, each once, so that one read finds them all."""
    return list(dict.fromkeys(item_id for name in names for item_id in candidate_ids(name)))


def resolve(names: Iterable[str], found: Mapping[str, Item]) -> tuple[dict[str, Node], list[RemoraError]]:
    """Each name's one node, and an error for every name that means none or several."""
    nodes: dict[str, Node] = {}
    errors: list[RemoraError] = []
    for name in dict.fromkeys(names):
        try:
            nodes[name] = only(name, found)
        except (NotFound, Ambiguous) as error:
            errors.append(error)
    return nodes, errors
