"""Show one node of the encounters whole: its properties, relations, earlier versions and the encounter it is from."""

from collections.abc import Mapping
from dataclasses import dataclass

from remora.core import policy
from remora.core.emphasis import emphases
from remora.core.encounters.cards import Card, card
from remora.core.encounters.identity import version_id
from remora.core.encounters.nodes import number, properties, provenance
from remora.core.encounters.schema import FAMILY, RELATIONS
from remora.core.encounters.values import Scrub, scrubber
from remora.core.errors import NotFound
from remora.core.graph import Edge, Item, Json, Node
from remora.core.scope import REPOSITORY, Grant
from remora.core.source import Provenance
from remora.ports import EncounterPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """One relation of a node: its label, its direction, the node at its other end, and what it says itself."""

    label: str
    outgoing: bool
    id: str
    type: str
    name: str
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An earlier wording of a node."""

    number: int
    description: str
    status: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDetail:
    """`card` holds whole texts; times are microseconds. `relatives` come by label, outgoing first."""

    card: Card
    type: str
    provenance: Provenance
    created: int
    updated: int
    relatives: tuple[Relative, ...]
    more_relatives: bool
    versions: tuple[Version, ...]
    emphasis: str


def show_node(ports: EncounterPorts, grant: Grant, node_id: str) -> NodeDetail:
    """One node by id; `NotFound` alike for absent and hidden ones."""
    scrub = scrubber(ports.redact)
    with ports.store.read(grant) as view:
        node = view.get((node_id,), (REPOSITORY,)).get(node_id)
        if not isinstance(node, Node) or node.family != FAMILY:
            raise NotFound("no node has this id", advice="look for it in the list")
        around = view.expand(
            (node.id,),
            (REPOSITORY,),
            labels=tuple(RELATIONS),
            per_node=policy.DETAIL_EDGES_MAX,
            limit=policy.DETAIL_EDGES_MAX,
        )
        last = number(node, "version")
        wanted = [version_id(node.id, at) for at in range(max(1, last - policy.DETAIL_EDGES_MAX), last)]
        earlier = view.get(wanted, (REPOSITORY,))
        held = emphases(view)
    ends = {found.id: found for found in around.nodes}
    relatives = [
        _relative(edge, ends, node.id, scrub) for edge in around.edges if edge.source in ends and edge.target in ends
    ]
    return NodeDetail(
        card=card(node, scrub, chars=0),
        type=node.label,
        provenance=provenance(node),
        created=node.created,
        updated=node.updated,
        relatives=tuple(sorted(relatives, key=lambda one: (not one.outgoing, one.label, one.type, one.name))),
        more_relatives=around.truncated,
        versions=tuple(_version(earlier[item], scrub) for item in reversed(wanted) if item in earlier),
        emphasis=held.of(node.id),
    )


def _relative(edge: Edge, ends: Mapping[str, Node], own: str, scrub: Scrub) -> Relative:
    other = ends[edge.target if edge.source == own else edge.source]
    says = properties(edge)
    why = says.get("revision_why") or says.get("why") or ""
    return Relative(
        label=edge.label,
        outgoing=edge.source == own,
        id=other.id,
        type=other.label,
        name=scrub(other.name),
        says=scrub(str(why)),
    )


def _version(item: Item, scrub: Scrub) -> Version:
    told: Mapping[str, Json] = properties(item)
    return Version(
        number=number(item, "version"),
        description=scrub(str(told.get("description", ""))),
        status=str(told.get("status", "")),
        at=item.updated,
    )
