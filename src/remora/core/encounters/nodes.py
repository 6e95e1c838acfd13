"""Reading a stored encounter node or relation: the one place that knows how its body is laid out.

A node's body: `properties` (what was authored), `tick` and `encounter` of its first anchor, `by` (provenance of the
current version), `version` (from 1) and `t_created`. An encounter's body also holds `first` and `session`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from remora.core.encounters.schema import AUTHORED_RELATIONS, ENCOUNTER, FAMILY
from remora.core.graph import Edge, Item, Json, Node
from remora.core.scope import Trust
from remora.core.source import Provenance

_AUTHORED = frozenset(AUTHORED_RELATIONS)
_TRUSTS = frozenset(map(int, Trust))


def properties(item: Item) -> Mapping[str, Json]:
    """What the author wrote, by property name."""
    found = item.body.get("properties")
    return found if isinstance(found, dict) else {}


def text(item: Item, name: str) -> str:
    """One property as text, "" when it is not set."""
    value = properties(item).get(name)
    return value if isinstance(value, str) else ""


def status(node: Node) -> str:
    """The status property, "" when it is not set."""
    return text(node, "status")


def muted(node: Node) -> bool:
    """Whether its author took the node off the frontier."""
    return properties(node).get("frontier_mute") is True


def number(item: Item, name: str) -> int:
    """A whole number of the body, 0 when it is not set."""
    value = item.body.get(name)
    return value if isinstance(value, int) else 0


def provenance(item: Item) -> Provenance:
    """Who wrote the current version."""
    return Provenance.from_json(item.body.get("by"))


def trust(item: Item) -> Trust:
    """How far the writer of the current version is trusted."""
    by = item.body.get("by")
    value = by.get("trust") if isinstance(by, dict) else None
    return Trust(value) if isinstance(value, int) and value in _TRUSTS else Trust.EXTERNAL


def reference(node: Node) -> str:
    """The unambiguous way to name the node: `Type:name`."""
    return f"{node.label}:{node.name}"


def is_sealed(encounter: Node) -> bool:
    """Whether an encounter was closed by its session."""
    return bool(text(encounter, "t_sealed"))


@dataclass(frozen=True, slots=True)
class Authored:
    """The authored graph: every node but the encounters, and every authored relation between them, both by id."""

    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]


def authored(items: Iterable[Item]) -> Authored:
    """The authored part of a snapshot or a neighbourhood; relations whose ends are not among the items are left out."""
    kept = list(items)
    nodes = {
        item.id: item for item in kept if isinstance(item, Node) and item.family == FAMILY and item.label != ENCOUNTER
    }
    edges = tuple(
        item
        for item in kept
        if isinstance(item, Edge) and item.label in _AUTHORED and item.source in nodes and item.target in nodes
    )
    return Authored(nodes, edges)
