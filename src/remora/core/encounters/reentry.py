"""The re-entry payload: what a session needs to go on from where earlier ones stopped. It states facts only."""

from collections.abc import Iterable, Mapping, Sequence

from remora.core.encounters.cards import Card, cards, relation_cards
from remora.core.encounters.frontier import Frontier, displaced, frontier
from remora.core.encounters.nodes import authored, is_sealed, number, status, text
from remora.core.encounters.schema import COHERENCE_RELATIONS, HYPOTHESIS
from remora.core.encounters.times import shown
from remora.core.encounters.values import Scrub
from remora.core.graph import Edge, Item, Json, Neighbourhood, Node

_LIVE = frozenset({"", "proposed", "supported", "challenged"})


def encounter_card(encounter: Node, scrub: Scrub) -> Card:
    """An encounter in a list: name, tick, whether it is sealed, its summary (shortened)."""
    out: Card = {
        "name": scrub(encounter.name),
        "tick": number(encounter, "tick"),
        "t_exist": text(encounter, "t_exist"),
        "sealed": is_sealed(encounter),
    }
    summary = scrub(text(encounter, "summary"))
    if summary:
        out["summary"] = summary if len(summary) <= 400 else summary[:399].rstrip() + "…"
    for name in ("t_sealed", "dissolved_at"):
        if text(encounter, name):
            out[name] = text(encounter, name)
    return out


def unsealed_cards(
    markers: Iterable[Node], encounters: Mapping[str, Item], scrub: Scrub, *, besides: str = ""
) -> list[Json]:
    """Every other encounter left open, newest activity first. A live sibling and a crash look alike here."""
    rows: list[Json] = []
    for marker in markers:
        encounter = encounters.get(str(marker.body.get("encounter", "")))
        if isinstance(encounter, Node) and encounter.id != besides:
            row: Card = {
                "name": scrub(encounter.name),
                "tick": number(encounter, "tick"),
                "last_activity": shown(marker.updated),
            }
            if text(encounter, "dissolved_at"):
                row["dissolved_at"] = text(encounter, "dissolved_at")
            rows.append(row)
    return rows


def open_threads(nodes: Iterable[Node], around: Neighbourhood, *, limit: int) -> tuple[list[Node], list[Node]]:
    """Open questions and live hypotheses among the nodes, newest first, given the relations that end at them.

    A live hypothesis is one that is neither settled (confirmed, falsified, retired) nor superseded; tested ones count.
    """
    kept = list(nodes)
    graph = authored([*kept, *(n for n in around.nodes if n.id not in {k.id for k in kept}), *around.edges])
    cuts: Frontier = frontier(graph)
    gone = displaced(graph.edges)
    newest = sorted(kept, key=lambda node: (-node.updated, node.id))
    questions = [node for node in newest if node.id in set(cuts.unanswered_questions)]
    hypotheses = [node for node in newest if node.label == HYPOTHESIS and node.id not in gone and status(node) in _LIVE]
    return questions[:limit], hypotheses[:limit]


def concept_rows(concepts: Sequence[Node], around: Neighbourhood, scrub: Scrub) -> tuple[list[Json], list[Json]]:
    """Recently touched concepts, each with its incoming relations; and the coherence relations around them."""
    nodes = {node.id: node for node in (*around.nodes, *concepts)}
    own = {concept.id for concept in concepts}
    rows: list[Json] = []
    for row, concept in zip(cards(concepts, scrub), concepts, strict=True):
        assert isinstance(row, dict)
        row["incoming"] = relation_cards(_newest(e for e in around.edges if e.target == concept.id), nodes, scrub)
        rows.append(row)
    coherence = [
        edge for edge in around.edges if edge.label in COHERENCE_RELATIONS and {edge.source, edge.target} & own
    ]
    both = [edge for edge in coherence if edge.target not in own]  # the others are among the incoming ones already
    return rows, relation_cards(_newest(both), nodes, scrub)


def _newest(edges: Iterable[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda edge: (-edge.updated, edge.id))
