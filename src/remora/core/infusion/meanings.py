"""The sidecar of meanings: per node one sentence that says when it would matter, valid while the node says the same."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from remora.core import policy
from remora.core.encounters.nodes import text, trust
from remora.core.graph import Candidates, Item, Json, Node, TermStats
from remora.core.ids import computed_id
from remora.core.infusion.ledger import state_hash
from remora.core.recall.vector_leg import IDEAS
from remora.core.scope import REPOSITORY, SYSTEM, Trust
from remora.core.store_read import StoreRead
from remora.core.text import tokens

FAMILY: Final = "meanings"
LABEL: Final = "Meaning"
PROMPT_VERSION = "1"
"""Of the compression prompt; a new one makes every meaning anew."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One node's sentence, "" when the model made none in `attempts` tries. `state` is what it was made from."""

    node: str
    state: str
    text: str = ""
    attempts: int = 0

    @property
    def given_up(self) -> bool:
        """Whether no further try is worth a call, until the node's content changes."""
        return not self.text and self.attempts >= policy.MEANING_ATTEMPTS_MAX


def meaning_id(node: str) -> str:
    """Id under which a node's meaning is kept."""
    return computed_id("mea_", node)


def compressible(node: Node) -> bool:
    """Whether a node gets a meaning: it says something, and an unasked channel may carry it."""
    return node.label in IDEAS and trust(node) >= Trust.AGENT


def source_text(node: Node) -> str:
    """What is compressed: the type, the name and the description."""
    return f"{node.label}: {node.name}\n{text(node, 'description')}"


def content_state(node: Node, version: str = PROMPT_VERSION) -> str:
    """Hash of what is compressed and of the prompt's version: another state is another meaning."""
    return state_hash(version, source_text(node))


def meaning_node(meaning: Meaning, now: int) -> Node:
    """The stored form, found by the sentence's words."""
    body: dict[str, Json] = {"state": meaning.state, "text": meaning.text, "attempts": meaning.attempts}
    return Node(
        id=meaning_id(meaning.node),
        family=FAMILY,
        label=LABEL,
        scope=SYSTEM,
        name=meaning.node,
        body=body,
        tokens={"meaning": tuple(tokens(meaning.text))} if meaning.text else {},
        created=now,
        updated=now,
    )


def read_meaning(item: Item) -> Meaning:
    """Read what `meaning_node` wrote; a damaged one is as good as none."""
    state, said, attempts = (item.body.get(key) for key in ("state", "text", "attempts"))
    return Meaning(
        item.name,
        state if isinstance(state, str) else "",
        said if isinstance(said, str) else "",
        attempts if isinstance(attempts, int) else 0,
    )


def kept_meanings(view: StoreRead, nodes: Iterable[Node]) -> dict[str, Meaning]:
    """Node id -> its meaning, for the nodes whose meaning was made from what they say now."""
    states = {node.id: content_state(node) for node in nodes}
    found = view.get([meaning_id(node) for node in states], (SYSTEM,))
    kept = (read_meaning(item) for item in found.values())
    return {meaning.node: meaning for meaning in kept if states.get(meaning.node) == meaning.state}


def sentences(view: StoreRead, nodes: Iterable[Node]) -> dict[str, str]:
    """Node id -> its sentence, in the order of the nodes that have one."""
    ordered = list(nodes)
    kept = kept_meanings(view, ordered)
    return {node.id: kept[node.id].text for node in ordered if node.id in kept and kept[node.id].text}


def with_meanings(
    view: StoreRead, items: Mapping[str, Item], stats: TermStats, said: Candidates
) -> tuple[dict[str, Item], TermStats]:
    """The items with those whose meanings hold the words (`said`), these with their sentence's words as a field."""
    ids = [item.name for item in said.items]
    found = view.get(ids, (REPOSITORY,))
    nodes = [node for node in found.values() if isinstance(node, Node) and compressible(node)]
    kept = sentences(view, nodes)
    told = {
        node.id: replace(node, tokens={**node.tokens, "meaning": tuple(tokens(kept[node.id]))})
        for node in nodes
        if node.id in kept
    }
    most = {
        term: max(stats.frequency.get(term, 0), said.stats.frequency.get(term, 0))
        for term in (*stats.frequency, *said.stats.frequency)
    }
    return {**items, **told}, replace(stats, length={**stats.length, **said.stats.length}, frequency=most)
