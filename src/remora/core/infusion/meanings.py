"""What a node's one-sentence meaning is made from, and the hash under which it is kept."""

from collections.abc import Iterable

from remora.core.encounters.nodes import text
from remora.core.graph import Node
from remora.core.infusion.ledger import state_hash

PROMPT_VERSION = "1"
"""Of the compression prompt; a new one makes every meaning anew."""


def source_text(node: Node) -> str:
    """What is compressed: the name and the description."""
    return f"{node.label}: {node.name}\n{text(node, 'description') or text(node, 'summary')}"


def content_states(nodes: Iterable[Node]) -> dict[str, str]:
    """Node id -> hash of what is compressed, with the prompt's version."""
    return {node.id: state_hash(PROMPT_VERSION, source_text(node)) for node in nodes}
