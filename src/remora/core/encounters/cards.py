"""How nodes and relations are shown in answers: bounded, with secrets masked at read, saying what was shortened."""

from collections.abc import Iterable, Mapping

from remora.core.encounters.nodes import number, properties, reference, trust
from remora.core.encounters.schema import ENCOUNTER
from remora.core.encounters.times import shown
from remora.core.encounters.values import Scrub
from remora.core.graph import Edge, Json, Node
from remora.core.policy import CARD_CHARS

Card = dict[str, Json]


def card(node: Node, scrub: Scrub, *, chars: int = CARD_CHARS) -> Card:
    """A node in a list: its properties with texts shortened to `chars` (0: whole).

    `shortened` maps each shortened property to its whole length.
    """
    out: Card = {"id": node.id, "type": node.label, "name": scrub(node.name)}
    cut: dict[str, Json] = {}
    for name, value in properties(node).items():
        if name == "name":
            continue
        out[name] = _shown_value(value, scrub)
        text = out[name]
        if isinstance(text, str) and 0 < chars < len(text):
            out[name], cut[name] = text[: chars - 1].rstrip() + "…", len(text)
    out["tick"] = number(node, "tick")
    out["t_created"] = shown(node.created)
    if node.label != ENCOUNTER:
        out["version"] = number(node, "version")
    out["trust"] = trust(node).name.lower()
    if cut:
        out["shortened"] = cut
    return out


def cards(nodes: Iterable[Node], scrub: Scrub, *, chars: int = CARD_CHARS) -> list[Json]:
    """A card of each node."""
    return [card(node, scrub, chars=chars) for node in nodes]


def relation_card(edge: Edge, nodes: Mapping[str, Node], scrub: Scrub) -> Card:
    """A relation by the typed names of its ends, with its own properties."""
    ends = {"source": nodes[edge.source], "target": nodes[edge.target]}
    out: Card = {key: scrub(reference(node)) for key, node in ends.items()}
    out["type"] = edge.label
    out.update({name: _shown_value(value, scrub) for name, value in properties(edge).items()})
    return out


def relation_cards(edges: Iterable[Edge], nodes: Mapping[str, Node], scrub: Scrub) -> list[Json]:
    """A card of each relation whose two ends are among the nodes."""
    return [relation_card(edge, nodes, scrub) for edge in edges if edge.source in nodes and edge.target in nodes]


def _shown_value(value: Json, scrub: Scrub) -> Json:
    if isinstance(value, str):
        return scrub(value)
    return [_shown_value(entry, scrub) for entry in value] if isinstance(value, list) else value
