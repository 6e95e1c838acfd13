"""One shape for what a list shows, whatever family it comes from. Texts are raw until `shown` masks them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from remora.core.encounters.nodes import number, provenance, text, trust
from remora.core.encounters.schema import ENCOUNTER
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.encounters.values import Scrub
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.facts.layout import Fact
from remora.core.facts.rows import saved_by
from remora.core.graph import Node
from remora.core.policy import CARD_CHARS
from remora.core.records.indexed import IndexedRecord
from remora.core.records.vocabulary import HIDDEN_LIFECYCLES
from remora.core.scope import is_session_scope

RECORDS = "records"
FAMILIES = (FACTS, RECORDS, ENCOUNTERS)
"""In the order in which items of one instant are listed."""
CHAT = "chat"
"""What the scope of a session's private facts is called in a list."""
_SETTLED = frozenset({"answered", "abandoned", "falsified", "retired"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One item of a list. `at` is microseconds; `state` is "" for what simply stands, `past` for what no longer does.

    `warns` marks pitfalls, `why` says by what a search found it.
    """

    id: str
    family: str
    kind: str
    title: str
    text: str = ""
    source: str = ""
    trust: str = ""
    scope: str = "repository"
    state: str = ""
    past: bool = False
    warns: bool = False
    emphasis: str = ""
    why: tuple[str, ...] = ()
    at: int = 0
    triple: tuple[str, str, str] | tuple[()] = ()
    """Subject, predicate and object of a fact, to be told apart when drawn."""


def fact_item(fact: Fact, names: Mapping[str, str]) -> Row:
    """A fact as one sentence."""
    subject, target = (names.get(end, end) for end in (fact.subject, fact.object))
    return Row(
        id=fact.id,
        family=FACTS,
        kind="fact",
        title=f"{subject} {fact.predicate} {target}",
        source=saved_by(fact.provenance, fact.created),
        trust=fact.trust.name.lower(),
        scope=CHAT if is_session_scope(fact.scope) else "repository",
        state="" if fact.current else "closed",
        past=not fact.current,
        at=fact.updated,
        triple=(subject, fact.predicate, target),
    )


def record_item(found: IndexedRecord, superseded_by: str = "") -> Row:
    """A record by its title; superseded, retracted and unreachable ones belong to the past."""
    record = found.record
    state = "" if record.lifecycle.value == "active" else record.lifecycle.value
    if superseded_by:
        state = "superseded"
    elif found.unreachable:
        state = "unreachable"
    scope = record.access_scope
    return Row(
        id=record.id,
        family=RECORDS,
        kind=record.kind.value,
        title=record.title,
        text=record.summary,
        source=record.sources[0].uri,
        scope=f"{scope.scope.value} {scope.workspace}".strip(),
        state=state or ("failed" if record.verification.status.value == "failed" else ""),
        past=bool(superseded_by) or found.unreachable or record.lifecycle in HIDDEN_LIFECYCLES,
        warns=record.is_pitfall,
        at=record.occurred_at * 1_000_000,
    )


def node_item(node: Node, *, displaced: bool = False) -> Row:
    """An encounter's node; superseded, rebound and settled ones belong to the past."""
    by, tick = provenance(node), number(node, "tick")
    status = text(node, "status")
    if node.label == ENCOUNTER:
        sealed, gone = text(node, "t_sealed"), text(node, "dissolved_at")
        status = "sealed" if sealed else "dissolved" if gone else "open"
    who = f"{by.principal} via {by.channel.value}" + (f" ({by.client})" if by.client else "")
    return Row(
        id=node.id,
        family=ENCOUNTERS,
        kind=node.label,
        title=node.name,
        text=text(node, "description") or text(node, "summary") or text(node, "source_key"),
        source=f"tick {tick}, {who}" if by.principal else f"tick {tick}",
        trust=trust(node).name.lower(),
        state="superseded" if displaced else status,
        past=displaced or status in _SETTLED,
        at=node.updated,
    )


def shown(row: Row, scrub: Scrub, emphasis: str = "", *, chars: int = CARD_CHARS) -> Row:
    """The row fit to be shown: unseen characters stripped, secrets masked, its text shortened to `chars` (0: whole)."""
    body = scrub(row.text)
    if 0 < chars < len(body):
        body = body[: chars - 1].rstrip() + "…"
    triple = (scrub(row.triple[0]), row.triple[1], scrub(row.triple[2])) if row.triple else ()
    return replace(
        row, title=scrub(row.title), text=body, source=scrub(row.source), emphasis=emphasis or row.emphasis,
        triple=triple,
    )  # fmt: skip
