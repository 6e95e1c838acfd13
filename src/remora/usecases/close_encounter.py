"""Seal an encounter for good: what was done and what came of it, in the agent's own words."""

import re
from dataclasses import dataclass, field

from remora.core.encounters import spine
from remora.core.encounters.cards import Card
from remora.core.encounters.identity import node_id
from remora.core.encounters.nodes import text
from remora.core.encounters.reentry import encounter_card
from remora.core.encounters.schema import ENCOUNTER
from remora.core.encounters.values import Scrub, name_of, scrubber, text_of
from remora.core.errors import InvalidInput, NotFound
from remora.core.graph import Changes, Node
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.core.sessions import SessionRef, resolve
from remora.ports import EncounterPorts, StoreRead

_TOOL_CALL = re.compile(
    r"<\s*/?\s*(?:[\w-]{1,40}:)?(?:tool_calls?|tool_use|tool_result|function_calls?|function_results?)\b"
    r"|<\s*(?:[\w-]{1,40}:)?(?:invoke|parameter)\s+name\s*=|<\s*/\s*(?:[\w-]{1,40}:)?(?:invoke|parameter)\s*>"
    r"|<\s*/?\s*function\s*="
    r"|<\|\s*(?:tool|python_tag|channel|start|end|im_start|im_end|recipient)[^|>]{0,40}\|>"
    r"|\[/?TOOL_CALLS?\]|\[/?TOOL_RESULTS\]"
    r"""|["'](?:tool_calls|tool_use|function_call|tool_use_id|tool_call_id)["']\s*:"""
    r"""|["']type["']\s*:\s*["'](?:tool_use|tool_result|function_call|function)["']""",
    re.IGNORECASE,
)
"""Markup of the agent runtimes in use. In a seal it is a slip of generation, and later a prompt for another agent."""


@dataclass(frozen=True, slots=True)
class CloseRequest:
    """`encounter` is a name, or empty for the open one. Without a session an operator may seal a dissolved one."""

    summary: str
    report: str = ""
    encounter: str = ""
    session: SessionRef = field(default_factory=SessionRef)


@dataclass(frozen=True, slots=True)
class Closed:
    """The sealed encounter."""

    encounter: Card


def close_encounter(ports: EncounterPorts, grant: Grant, request: CloseRequest) -> Closed:
    """Seal the session's own encounter. The chain goes on: the next advance continues from it.

    Raises `InvalidInput` (blank summary, tool-call markup), `NotFound` (no such session or encounter of this caller's)
    or `Conflict` (sealed before).
    """
    grant.require(ports.repository.identity, Right.WRITE)
    scrub = scrubber(ports.redact)
    summary = _words(request.summary, "summary", scrub)
    report = _words(request.report, "report", scrub) if request.report.strip() else ""
    name = name_of(request.encounter, "encounter", scrub) if request.encounter else ""

    def decide(view: StoreRead, now: int) -> Changes:
        ref = request.session
        session = "" if grant.operator and not ref.given else resolve(view, grant, ref, now).id
        found = view.get((spine.HEAD_ID, spine.pointer_id(session)), (SYSTEM,))
        pointer = spine.Pointer.of(session, found)
        encounter = _encounter(view, pointer, name)
        changes = spine.seal(pointer, encounter, spine.Head.of(found), now, summary=summary, report=report)
        return Changes(put=changes.put, drop=changes.drop, result=encounter.id)

    sealed = str(ports.store.apply(grant, decide).result)
    with ports.store.read(grant) as view:
        node = view.get((sealed,), (REPOSITORY,))[sealed]
    assert isinstance(node, Node)
    return Closed(encounter_card(node, scrub))


def _words(value: str, field: str, scrub: Scrub) -> str:
    words = text_of(value, field, scrub)
    if _TOOL_CALL.search(words):
        raise InvalidInput(field, "holds tool-call markup", allowed="plain words on what was done and found")
    return words


def _encounter(view: StoreRead, pointer: spine.Pointer, name: str) -> Node:
    """The encounter to seal: the session's own, or (an operator's call) one whose session is gone."""
    wanted = node_id(ENCOUNTER, name) if name else pointer.open
    node = view.get((wanted,), (REPOSITORY,)).get(wanted) if wanted else None
    if isinstance(node, Node):
        owner = str(node.body.get("session", ""))
        if owner == pointer.session if pointer.session else bool(text(node, "dissolved_at")):
            return node
    what = f"no encounter named {name!r} belongs to this session" if name else "this session has no open encounter"
    raise NotFound(what, advice="advance_encounter opens one")
