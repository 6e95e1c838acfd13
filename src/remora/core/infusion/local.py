"""Selection without a model that chooses: by names, words, meanings kept from before, and vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.encounters.schema import FAMILY
from remora.core.graph import Item, Node
from remora.core.infusion.compose import deliverable
from remora.core.infusion.gather import beside, links
from remora.core.infusion.meanings import FAMILY as MEANINGS
from remora.core.infusion.meanings import with_meanings
from remora.core.infusion.named import named_components
from remora.core.infusion.near import Near
from remora.core.infusion.select import TASK_TERMS, Moment, Selection, select_local
from remora.core.infusion.trajectory import bounded
from remora.core.scope import REPOSITORY, SYSTEM
from remora.core.store_read import StoreRead
from remora.core.text import clean


@dataclass(frozen=True, slots=True)
class Words:
    """The prompt and the turns before it, bounded."""

    prompt: str
    turns: tuple[str, ...]
    moment: Moment

    @classmethod
    def of(cls, text: str, trajectory: Iterable[object]) -> "Words":
        """Bound both."""
        prompt = clean(text[: 2 * policy.TRAJECTORY_MAX_CHARS])[: policy.TRAJECTORY_MAX_CHARS]
        turns = bounded(trajectory)
        return cls(prompt, turns, Moment.of(prompt, turns))

    def named(self, view: StoreRead, files: Sequence[str]) -> list[Node]:
        """Components that the prompt, the files in play or the turns name, in this order."""
        return named_components(view, (self.prompt, *files, *reversed(self.turns)), TASK_TERMS)


def tellable(item: Item) -> bool:
    """Whether an unasked channel may carry the item."""
    return isinstance(item, Node) and deliverable(item)


def select_by_words(view: StoreRead, words: Words, files: Sequence[str], near: Near, fallback: str) -> Selection:
    """By names of components, by words of nodes and of their meanings, and by vectors."""
    moment, named = words.moment, words.named(view, files)
    found = view.text_candidates((FAMILY,), (REPOSITORY,), moment.terms, limit=policy.INFUSE_CANDIDATES)
    items = {item.id: item for item in (*found.items, *near.nodes, *beside(view, named)) if tellable(item)}
    said = view.text_candidates((MEANINGS,), (SYSTEM,), moment.terms, limit=policy.INFUSE_CANDIDATES)
    stats = found.stats
    if said.items:
        items, stats = with_meanings(view, items, stats, said)
    return select_local(
        moment,
        items.values(),
        stats,
        near.likeness,
        lambda ids: links(view, ids),
        named=[node for node in named if deliverable(node)],
        fallback=fallback,
    )
