"""The drawer: one item whole, with its history, anchors, provenance, and why a recall brings it."""

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from remora.core.encounters.values import scrubber
from remora.core.errors import NotFound
from remora.core.policy import RECALL_LIMIT, RECALL_LIMIT_MAX, REPLY_MAX_CHARS
from remora.core.records.model import Record, is_record_id
from remora.core.records.scrub import scrubbed
from remora.core.sessions import SessionRef
from remora.entrypoints.web.listing import list_values, query_of, whole_values
from remora.entrypoints.web.visit import Visit
from remora.usecases.get_record import get_record
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.resolve_anchors import resolve_anchors
from remora.usecases.show_fact import show_fact
from remora.usecases.show_node import show_node

_ANCHOR = "code:"
_SHOWN_APART = frozenset("id type name tick t_created version trust description summary report".split())
"""Properties of a node that have places of their own in the drawer."""


def show_item(visit: Visit) -> Response:
    """The drawer alone, or the list with it open."""
    item = item_values(visit, visit.request.path_params["item"])
    if visit.fragment:
        return visit.part("parts/drawer.html", "list", item=item, query=query_of(visit), asked={"q": visit.asked("q")})
    return visit.page("list.html", "list", **whole_values(visit) | list_values(visit) | {"item": item})


def item_values(visit: Visit, item_id: str) -> dict[str, Any]:
    """Everything that a drawer shows of an item, whatever its family. Raises `NotFound`."""
    if is_record_id(item_id):
        return _record(visit, item_id)
    if item_id.startswith("fct_"):
        return _fact(visit, item_id)
    if item_id.startswith("enc_"):
        return _node(visit, item_id)
    raise NotFound("no item has this id", advice="look for it in the list")


def _fact(visit: Visit, item_id: str) -> dict[str, Any]:
    detail = show_fact(visit.ports, visit.grant, item_id)
    held = [(start, end, row) for row in detail.values for start, end in row.fact.intervals]
    return {
        "history": sorted(held, key=lambda one: (-one[0], one[2].fact.id)),
        "id": item_id, "family": "facts", "detail": detail, "emphasis": detail.emphasis,
        "chat": detail.session is not None, "citations": _citations(visit, detail.row.fact.citations),
    }  # fmt: skip


def _node(visit: Visit, item_id: str) -> dict[str, Any]:
    detail = show_node(visit.ports, visit.grant, item_id)
    card = detail.card
    told = {
        name: value for name, value in card.items()
        if name not in _SHOWN_APART and value not in ("", None, [])
    }  # fmt: skip
    uris = [str(card.get(name, "")) for name in ("uri", "source_key")]
    return {
        "id": item_id, "family": "encounters", "detail": detail, "card": card, "emphasis": detail.emphasis,
        "told": told, "citations": _citations(visit, [uri for uri in uris if uri]),
    }  # fmt: skip


def _record(visit: Visit, item_id: str) -> dict[str, Any]:
    detail = get_record(visit.ports, visit.grant, item_id)
    record = scrubbed(detail.record, scrubber(visit.ports.redact))
    anchors = list(dict.fromkeys((anchor.label, anchor.source_file) for anchor in record.anchors))
    places = {label: f"{_ANCHOR}{file}#{label}" for label, file in anchors if file}
    return {
        "id": item_id, "family": "records", "detail": detail, "record": record, "anchors": anchors[:50],
        "anchors_in_all": len(anchors), "places": resolve_anchors(visit.ports, visit.grant, places.values()),
        "uris": places, "paths": record.path_changes[:50], "chain": _chain(visit, record, detail.superseded_by),
        "emphasis": _emphasis(visit, item_id),
    }  # fmt: skip


def _emphasis(visit: Visit, item_id: str) -> str:
    from remora.core.emphasis import emphases

    with visit.ports.store.read(visit.grant) as view:
        return emphases(view).of(item_id)


def _chain(visit: Visit, record: Record, superseded_by: str) -> list[dict[str, Any]]:
    """What this record took the place of and what took its place, the newest first."""
    rows: list[dict[str, Any]] = []
    seen = {record.id}
    after = superseded_by
    while after and after not in seen and len(rows) < 20:
        seen.add(after)
        later = get_record(visit.ports, visit.grant, after)
        rows.insert(0, _link(visit, later.record, "later"))
        after = later.superseded_by
    rows.append(_link(visit, record, "this"))
    before = [link.target for link in record.links if link.relation.value == "supersedes"]
    while before and len(rows) < 40:
        target = before.pop(0)
        if target in seen or not is_record_id(target):
            continue
        seen.add(target)
        try:
            earlier = get_record(visit.ports, visit.grant, target).record
        except NotFound:
            continue
        rows.append(_link(visit, earlier, "earlier"))
        before += [link.target for link in earlier.links if link.relation.value == "supersedes"]
    return rows


def _link(visit: Visit, record: Record, place: str) -> dict[str, Any]:
    return {
        "id": record.id, "title": scrubber(visit.ports.redact)(record.title), "at": record.occurred_at * 1_000_000,
        "place": place, "lifecycle": record.lifecycle.value, "who": record.owner,
    }  # fmt: skip


def _citations(visit: Visit, uris: Iterable[str]) -> list[dict[str, Any]]:
    """What an item rests on: records and facts as links, code anchors with where they are now."""
    known = list(dict.fromkeys(uris))
    places: Mapping[str, Any] = resolve_anchors(visit.ports, visit.grant, known)
    return [
        {"uri": visit.ports.redact(uri), "place": places.get(uri),
         "item": uri if is_record_id(uri) or uri.startswith(("fct_", "enc_")) else ""}
        for uri in known
    ]  # fmt: skip


def show_why(visit: Visit) -> Response:
    """Whether and why a recall of some question brings the item, in words."""
    item_id, question = visit.request.path_params["item"], visit.asked("why")[:2_000].strip()
    if not question:
        return visit.part("parts/why.html", item_id=item_id, question="", hit=None, place=0, result=None, usual=0)
    session = SessionRef()
    scope = "repository"
    if item_id.startswith("fct_"):
        chat = show_fact(visit.ports, visit.grant, item_id).session
        if chat is not None:
            scope, session = "session", SessionRef(client=chat.client, session_id=chat.session_id)
    request = RecallRequest(
        query=question, memory_scope=scope, session=session, limit=RECALL_LIMIT_MAX, max_chars=10 * REPLY_MAX_CHARS
    )
    result = recall(visit.ports, visit.grant, request)
    found = [(place, hit) for place, hit in enumerate(result.hits, 1) if hit.id == item_id]
    place, hit = found[0] if found else (0, None)
    return visit.part(
        "parts/why.html", item_id=item_id, question=question, hit=hit, place=place, result=result, usual=RECALL_LIMIT
    )
