"""The process spine: pure plans that open, seal and dissolve encounters, run inside the serialised write transaction.

Bookkeeping lies in the system scope: one head (last tick, newest encounters), one pointer per session (its last and
its open encounter, and those it left unsealed), one marker per unsealed encounter (with its last activity).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from remora.core.encounters.identity import node_id, relation_id
from remora.core.encounters.nodes import is_sealed, number, text
from remora.core.encounters.schema import ENCOUNTER, FAMILY, INSTANTIATED_AFTER, NEXT_ENCOUNTER, SPINE_FAMILY
from remora.core.encounters.times import shown
from remora.core.errors import Conflict
from remora.core.graph import Changes, Edge, Item, Json, Node
from remora.core.ids import computed_id
from remora.core.policy import RECENT_ENCOUNTERS_MAX
from remora.core.scope import REPOSITORY, SYSTEM
from remora.core.source import Provenance
from remora.core.text import tokens

HEAD_ID = computed_id("spn_", "head")
OPEN_LABEL = "Open"
"""Label of the markers of unsealed encounters; `updated` is the last activity."""


def pointer_id(session: str) -> str:
    """Id of a session's pointer into the spine."""
    return computed_id("spn_", "session", session)


def marker_id(encounter: str) -> str:
    """Id of the marker that an encounter is unsealed."""
    return computed_id("spn_", "open", encounter)


@dataclass(frozen=True, slots=True)
class Head:
    """The spine's end: the last tick given out and the newest encounters, newest first."""

    tick: int = 0
    recent: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Mapping[str, Item]) -> "Head":
        """The head among items read by `HEAD_ID`; the empty spine when there is none."""
        item = found.get(HEAD_ID)
        return cls(number(item, "tick"), _ids(item, "recent")) if item else cls()

    @classmethod
    def rebuilt(cls, encounters: Iterable[Node]) -> "Head":
        """The head as the encounters themselves tell it, for a store that was imported or repaired."""
        ordered = sorted(encounters, key=lambda node: (number(node, "tick"), node.id), reverse=True)
        newest = tuple(node.id for node in ordered[:RECENT_ENCOUNTERS_MAX])
        return cls(number(ordered[0], "tick") if ordered else 0, newest)

    def node(self, now: int) -> Node:
        """The head as it is stored."""
        body: dict[str, Json] = {"tick": self.tick, "recent": list(self.recent)}
        return _kept(HEAD_ID, "Head", "head", body, now)


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where one session stands: its last encounter, the one it writes to ("" = none) and all it left unsealed."""

    session: str
    last: str = ""
    open: str = ""
    unsealed: tuple[str, ...] = ()

    @classmethod
    def of(cls, session: str, found: Mapping[str, Item]) -> "Pointer":
        """The session's pointer among items read by `pointer_id`; an empty one when there is none."""
        item = found.get(pointer_id(session))
        if item is None:
            return cls(session)
        return cls(session, str(item.body.get("last", "")), str(item.body.get("open", "")), _ids(item, "unsealed"))

    def node(self, now: int) -> Node:
        """The pointer as it is stored."""
        body: dict[str, Json] = {"last": self.last, "open": self.open, "unsealed": list(self.unsealed)}
        return _kept(pointer_id(self.session), "Pointer", self.session, body, now)


@dataclass(frozen=True, slots=True)
class Advance:
    """A planned step of the spine. `opened` is False when the session already has this encounter open (a retry)."""

    changes: Changes
    encounter: Node
    opened: bool


def advance(found: Mapping[str, Item], head: Head, now: int, *, name: str, session: str, by: Provenance) -> Advance:
    """Open the session's next encounter: next tick, chained to its last one, or after the latest of all.

    `found` holds what exists of the session's pointer and the encounter of this name. Raises `Conflict` when the name
    belongs to another encounter.
    """
    pointer = Pointer.of(session, found)
    encounter_id = node_id(ENCOUNTER, name)
    known = found.get(encounter_id)
    if isinstance(known, Node):
        if pointer.open == encounter_id:
            return Advance(Changes(), known, opened=False)
        raise Conflict(
            f"an encounter named {name!r} exists (tick {number(known, 'tick')})", advice="give this one another name"
        )
    encounter = Node(
        id=encounter_id,
        family=FAMILY,
        label=ENCOUNTER,
        scope=REPOSITORY,
        name=name,
        body={
            "properties": {"name": name, "t_exist": shown(now)},
            "tick": head.tick + 1,
            "session": session,
            "first": not pointer.last,
            "by": {**by.to_json()},
            "version": 1,
            "t_created": shown(now),
        },
        tokens=encounter_tokens(name, "", ""),
        created=now,
        updated=now,
    )
    recent = (encounter_id, *head.recent)[:RECENT_ENCOUNTERS_MAX]
    step = Pointer(session, encounter_id, encounter_id, (*pointer.unsealed, encounter_id))
    chained = pointer.last or (head.recent[0] if head.recent else "")
    label = NEXT_ENCOUNTER if pointer.last else INSTANTIATED_AFTER
    source, target = (chained, encounter_id) if pointer.last else (encounter_id, chained)
    edges = (automatic(label, source, target, now, by, head.tick + 1),) if chained else ()
    put = (encounter, *edges, Head(head.tick + 1, recent).node(now), step.node(now), _marker(encounter, now))
    return Advance(Changes(put=put), encounter, opened=True)


def seal(pointer: Pointer, encounter: Node, head: Head, now: int, *, summary: str, report: str) -> Changes:
    """Close an encounter for good. Ends the write target when it is the open one; the chain goes on from `last`."""
    if is_sealed(encounter):
        raise Conflict(f"encounter {encounter.name!r} is sealed since {text(encounter, 't_sealed')}")
    written: dict[str, Json] = {
        "summary": summary,
        "report": report,
        "t_sealed": shown(now),
        "seal_tick": head.tick,
    }
    sealed = _with(encounter, written, now)
    sealed = replace(sealed, tokens=encounter_tokens(encounter.name, summary, report))
    step = replace(
        pointer,
        open="" if pointer.open == encounter.id else pointer.open,
        unsealed=tuple(other for other in pointer.unsealed if other != encounter.id),
    )
    steps = (step.node(now),) if pointer.last else ()
    return Changes(put=(sealed, *steps), drop=(marker_id(encounter.id),))


def dissolve(encounters: Iterable[Node], now: int) -> Changes:
    """What the end of a session (expiry, revocation) does to the spine: a mechanical mark on what it left unsealed.

    `encounters` are those of the session's `Pointer.unsealed`; they stay, with their chain, sealable.
    """
    left = [encounter for encounter in encounters if not is_sealed(encounter) and not text(encounter, "dissolved_at")]
    put = tuple(_with(encounter, {"dissolved_at": shown(now)}, now) for encounter in left)
    return Changes(put=put)


def touch(encounter: Node, now: int) -> Node:
    """The marker of an open encounter after activity in it."""
    return _marker(encounter, now)


def automatic(label: str, source: str, target: str, now: int, by: Provenance, tick: int) -> Edge:
    """A relation that only we write."""
    return Edge(
        id=relation_id(label, source, target),
        family=FAMILY,
        label=label,
        scope=REPOSITORY,
        source=source,
        target=target,
        body={"tick": tick, "by": {**by.to_json()}, "t_created": shown(now)},
        created=now,
        updated=now,
    )


def encounter_tokens(name: str, summary: str, report: str) -> dict[str, tuple[str, ...]]:
    """Search tokens of an encounter."""
    fields = {"name": tuple(tokens(name)), "description": tuple(tokens(f"{summary}\n{report}"))}
    return {field: found for field, found in fields.items() if found}


def _with(encounter: Node, written: Mapping[str, Json], now: int) -> Node:
    current = encounter.body.get("properties")
    properties: dict[str, Json] = {**(current if isinstance(current, dict) else {}), **written}
    return replace(encounter, body={**encounter.body, "properties": properties}, updated=now)


def _marker(encounter: Node, now: int) -> Node:
    body: dict[str, Json] = {"encounter": encounter.id, "session": str(encounter.body.get("session", ""))}
    return _kept(marker_id(encounter.id), OPEN_LABEL, encounter.name, body, now)


def _kept(item_id: str, label: str, name: str, body: Mapping[str, Json], now: int) -> Node:
    return Node(
        id=item_id, family=SPINE_FAMILY, label=label, scope=SYSTEM, name=name, body=body, created=now, updated=now
    )


def _ids(item: Item, name: str) -> tuple[str, ...]:
    found = item.body.get(name)
    return tuple(str(entry) for entry in found) if isinstance(found, list) else ()
