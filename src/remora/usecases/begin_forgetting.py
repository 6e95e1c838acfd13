"""Forget with a while to think again: hidden from every door at once, erased when the time is up."""

from dataclasses import dataclass

from remora.core.encounters.identity import version_id
from remora.core.encounters.nodes import number, trust
from remora.core.encounters.schema import ENCOUNTER, FAMILY, RELATIONS
from remora.core.errors import Denied, LimitReached, NotFound
from remora.core.facts.forget import forget
from remora.core.facts.layout import ALIAS_PREFIX, FACT
from remora.core.forgetting import FAMILY as FORGETTING
from remora.core.forgetting import LABEL, Forgetting, hide
from remora.core.graph import Changes, Item, Node
from remora.core.ids import computed_id
from remora.core.policy import FORGET_UNDO_SECONDS, FORGETTINGS_MAX, RELATIONS_PER_STEP_MAX
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.core.sessions import own_open
from remora.ports import EncounterPorts, StoreRead


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunForgetting:
    """What was begun, and how many items are out of sight with it."""

    forgetting: Forgetting
    seconds_left: int


def begin_forgetting(ports: EncounterPorts, grant: Grant, item: str) -> BegunForgetting:
    """Hide a fact or a node of the encounters, with what only it keeps alive.

    What the repository shares needs the write right; a fact of one's own open chat does not.

    Raises `NotFound` for what is not there, `Denied` for what was written with higher trust and for encounters, which
    are part of the spine.
    """
    begun: list[Forgetting] = []

    def plan(view: StoreRead, now: int) -> Changes:
        chats = [session.scope for session in own_open(view, grant, now)]
        found = view.get((item,), (REPOSITORY, *chats)).get(item)
        if found is None or found.scope == REPOSITORY:
            grant.require(ports.repository.identity, Right.WRITE)
        if found is None or (found.label != FACT and found.family != FAMILY):
            raise NotFound("no fact or node has this id", advice="look for it in the list")
        if view.counts((SYSTEM,)).get((FORGETTING, LABEL, SYSTEM), 0) >= FORGETTINGS_MAX:
            raise LimitReached(f"{FORGETTINGS_MAX:,} forgets wait already", advice="try again in a minute")
        gone, leaves = _of_fact(view, found, grant, now) if found.label == FACT else _of_node(view, found, grant)
        forgetting = Forgetting(
            id=computed_id("fgt_", item, str(now)),
            target=item,
            origin=found.scope,
            items=gone,
            leaves=leaves,
            principal=grant.principal,
            asked=now,
            due=now + FORGET_UNDO_SECONDS * 1_000_000,
        )
        begun[:] = [forgetting]
        return hide(view, forgetting)

    ports.store.apply(grant, plan)
    return BegunForgetting(forgetting=begun[0], seconds_left=FORGET_UNDO_SECONDS)


def _of_fact(view: StoreRead, fact: Item, grant: Grant, now: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fact, and its ends that nothing else mentions, with their names."""
    gone = forget(view, fact.scope, facts=(fact.id,), entities=(), trust=grant.trust, now=now).drop
    return tuple(sorted(gone)), tuple(sorted(one for one in gone if not one.startswith(ALIAS_PREFIX)))


def _of_node(view: StoreRead, node: Item, grant: Grant) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The node with its relations and earlier versions."""
    if node.label == ENCOUNTER or not isinstance(node, Node):
        raise Denied("an encounter is part of the spine and stays", advice="forget what was written in it instead")
    if trust(node) > grant.trust:
        raise Denied("this was written with higher trust than yours", advice="ask whoever wrote it to forget it")
    around = view.expand(
        (node.id,), (REPOSITORY,), labels=tuple(RELATIONS), per_node=RELATIONS_PER_STEP_MAX,
        limit=2 * RELATIONS_PER_STEP_MAX,
    )  # fmt: skip
    versions = [version_id(node.id, at) for at in range(1, number(node, "version"))]
    return (node.id, *versions, *(edge.id for edge in around.edges)), (node.id,)
